"""Estimates: worked examples by hand, the rule's published table, and what is refused by name."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from click.testing import CliRunner

from bench.setups import setups
from cabe.cli import commands
from cabe.facts import Facts, answerable, setup_from
from cabe.memory import PARTS, Formulas, answer, estimate, estimate_table, largest_by_rule, room

pytestmark = pytest.mark.usefixtures("worked_out_once")

CASES = [
    case
    for name in ("states", "peaks", "inference")
    for case in yaml.safe_load((Path(__file__).parent / "cases" / f"{name}.yaml").read_text(encoding="utf-8"))
]

RULE = {  # GB: QLoRA, LoRA, full with 12 bytes, full with 16 bytes
    "0.5B": (3, 4, 10, 12),
    "1.5B": (4, 6, 22, 28),
    "3B": (5, 9, 40, 52),
    "7B": (8, 17, 88, 116),
    "8B": (9, 19, 100, 132),
    "14B": (13, 31, 172, 228),
    "70B": (53, 143, 844, 1124),
}
COLUMNS = (
    {"method": "qlora"},
    {"method": "lora"},
    {"method": "full", "precision": "no-master"},
    {"method": "full", "precision": "master"},
)


def given(options: dict[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in options.items()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_the_worked_example_comes_out(case: dict[str, Any], facts: Facts, formulas: Formulas) -> None:
    rows = estimate(facts, formulas, [answerable(facts, setup_from(given(case["given"])))])
    phase = case["right"].get("phase")
    right = {name: value for name, value in case["right"].items() if name != "phase"}
    found = {name: rows.value(0, name) for name in right}
    assert found == {name: pytest.approx(value, rel=1e-15) if value else value for name, value in right.items()}
    assert phase is None or rows.rows["phase"].iloc[0] == phase


@pytest.mark.parametrize(("size", "right"), RULE.items())
def test_the_rule_of_thumb_gives_the_published_table(
    size: str, right: tuple[int, ...], facts: Facts, formulas: Formulas
) -> None:
    setups = [answerable(facts, setup_from({"model": size, **column})) for column in COLUMNS]
    rows = estimate(facts, formulas, setups)
    assert tuple(int((rows.value(n, "rule_mid") or 0) / 1e9 + 0.5) for n in range(4)) == right


def test_many_set_ups_in_one_pass_equal_each_on_its_own(facts: Facts, formulas: Formulas) -> None:
    setups = [answerable(facts, setup_from(given(case["given"]))) for case in CASES]
    together = estimate(facts, formulas, setups)
    for number, setup in enumerate(setups):
        alone = estimate(facts, formulas, [setup])
        for name in ("states", "resident", "rule_high", "trainable_params"):
            assert together.value(number, name) == alone.value(0, name)


@pytest.mark.parametrize(
    ("device", "usable"),
    [
        ("laptop-36gb", 27e9),
        ("card-16gb", 16e9),
        ("rtx-4090-24gb", (24564 - 512 - 1024) * 2**20),
        ("a100-80gb", (81920 - 512) * 2**20),
        ("apple-m3-pro-36gb", 27648 * 2**20),
    ],
)
def test_usable_memory_follows_the_rule_of_the_device(
    device: str, usable: float, facts: Facts, formulas: Formulas
) -> None:
    assert room(facts, formulas, device).usable == usable


@pytest.mark.parametrize(
    ("slope", "constant", "largest"), [(2, 3, 12.0), (12, 4, 23 / 12), (16, 4, 23 / 16), (100, 30, 0.0)]
)
def test_the_rule_is_solved_for_the_largest_size(
    slope: float, constant: float, largest: float, formulas: Formulas
) -> None:
    assert largest_by_rule(formulas, slope, constant, 27e9) == largest


@pytest.mark.parametrize(
    ("model", "method", "device", "verdict"),
    [
        ("1.5B", "lora", "laptop-36gb", "fits"),
        ("7B", "lora", "laptop-36gb", "fits"),
        ("14B", "lora", "laptop-36gb", "too-big"),
        ("27-32B", "qlora", "laptop-36gb", "fits"),
        ("12B", "lora", "laptop-36gb", "fits"),
        ("8B", "lora", "card-16gb", "too-big"),
        ("8B", "qlora", "card-16gb", "fits"),
        ("7B", "lora", "rtx-4090", None),
        ("llama-3.1-8b", "lora", "rtx-4090", "tight"),
        ("llama-3.1-8b", "qlora", "rtx-4090", "fits"),
        ("llama-3.1-8b", "qlora", "card-16gb", "tight"),
        ("llama-3.1-70b", "lora", "rtx-4090", "too-big"),
    ],
)
def test_the_peak_judges_a_model_and_the_rule_a_size_on_nominal_devices_alone(
    model: str, method: str, device: str, verdict: str | None, facts: Facts, formulas: Formulas
) -> None:
    made = answer(facts, formulas, {"model": model, "method": method}, [device])
    assert [fit["verdict"] for fit in made["fits"]] == [verdict]


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        ({"method": "inference", "rank": "8"}, ["rank: inference trains nothing"]),
        ({"method": "inference", "optimizer": "sgd"}, ["optimizer: inference trains nothing"]),
        ({"method": "inference", "checkpointing": "none"}, ["checkpointing: inference trains nothing"]),
        ({"method": "inference", "loss": "fused"}, ["loss: inference trains nothing"]),
        ({"method": "inference", "quantization": "nf4", "kbit-prep": "yes"}, ["kbit-prep: inference trains nothing"]),
        (
            {"method": "inference", "gpus": "2", "sharding": "fsdp"},
            ["gpus: inference on several", "sharding: inference"],
        ),
        ({"method": "inference", "kv-dtype": "int2"}, ["kv-dtype: there is no 'int2'"]),
        ({"method": "inference", "kv-cache": "paged"}, ["kv-cache: there is no 'paged'"]),
        ({"method": "inference", "prompt": "0"}, ["prompt: '0' is too few"]),
        ({"method": "inference", "prompt": "4096"}, ["prompt: is more than seq, the tokens of prompt and answer"]),
        (
            {"method": "inference", "dtype": "fp32", "quantization": "nf4"},
            ["dtype: packed weights are modelled beside"],
        ),
        ({"method": "qlora", "dtype": "fp32"}, ["dtype: a frozen base in fp32 is modelled under autocast"]),
        ({"experts": "loop"}, ["experts: no experts of 7B are known"]),
        ({"model": "27-32B", "experts": "loop"}, ["experts: no experts of 27-32B are known"]),
        ({"model": "llama-3.1-8b", "experts": "loop"}, ["experts: no experts of llama-3.1-8b are known"]),
        ({"targets": "embed", "rank": "8"}, ["rank: embed and head are trained whole, without an adapter"]),
        ({"targets": "head,embed", "lora-dropout": "0.1"}, ["lora-dropout: embed and head are trained whole"]),
        ({"kv-dtype": "fp8"}, ["kv-dtype: training keeps no KV cache"]),
        ({"method": "full", "kv-cache": "concatenating"}, ["kv-cache: training keeps no KV cache"]),
        ({"prompt": "64"}, ["prompt: training keeps no KV cache"]),
        ({"quantization": "mlx4"}, ["quantization: weights that mlx packs are modelled for inference alone"]),
        ({"offload": "cpu"}, ["offload: cpu is not modelled"]),
        ({"compile": "yes"}, ["compile: yes is not modelled"]),
        ({"targets": "q,w"}, ["targets: there is no 'w'"]),
        ({"method": "full", "quantization": "nf4"}, ["quantization: packed weights cannot be trained in full"]),
        ({"method": "qlora", "quantization": "none"}, ["quantization: qlora without quantization is lora"]),
        ({"method": "lora", "quantization": "nf4"}, ["quantization: lora over nf4 weights is qlora"]),
        ({"rank": "0"}, ["rank: '0' is too few"]),
        ({"rank": "1e308"}, ["rank: '1e308' is too large"]),
        ({"rank": "1e10", "seq": "1e10"}, ["rank: 10000000000 is too many", "seq: 10000000000 is too many"]),
        ({"method": "full", "rank": "8"}, ["rank: full fine-tuning has no adapter"]),
        ({"method": "full", "targets": "q"}, ["targets: full fine-tuning has no adapter"]),
        ({"method": "lora", "kbit-prep": "yes"}, ["kbit-prep: there are no quantized weights"]),
        ({"dtype": "fp8", "precision": "mixed"}, ["dtype: there is no 'fp8'", "precision: there is no 'mixed'"]),
        ({"adapter": "dora"}, ["adapter: dora is not modelled"]),
        ({"model": "gpt2-124m", "targets": "gate"}, ["targets: the MLP of gpt2-124m has no gate"]),
        (
            {"model": "gpt-oss-20b", "targets": "gate,up,down"},
            ["targets: PEFT does not reach the experts of gpt-oss-20b"],
        ),
        (
            {"model": "qwen3-30b-a3b", "targets": "q,gate"},
            ["targets: gate and up of the experts of qwen3-30b-a3b are one"],
        ),
        ({"model": "llama-3.1-8b", "towers": "all"}, ["towers: no vision or audio towers of llama-3.1-8b are known"]),
        ({"model": "7B", "towers": "all"}, ["towers: no vision or audio towers of 7B are known"]),
        ({"model": "llama-3.1-8b", "targets": "other"}, ["targets: llama-3.1-8b has no other linear layers than q,"]),
        ({"model": "gpt-oss-20b", "targets": "other"}, ["targets: gpt-oss-20b has no other linear layers than q,"]),
        ({"method": "full", "step": "in-backward", "accumulation": "2"}, ["step: gradients that the optimizer"]),
        ({"gpus": "2"}, ["sharding: a model split layer by layer over several devices"]),
        ({"lora-dropout": "1.5"}, ["lora-dropout: 1.5 is no share"]),
        ({"dtype": "fp32", "precision": "pure"}, ["dtype: a frozen base in fp32 is modelled under autocast"]),
        ({"model": "0B"}, ["model: a size must be above 0"]),
        ({"model": "llama-9"}, ["model: there is no model 'llama-9'"]),
    ],
)
def test_what_is_not_modelled_is_refused_by_name(
    options: dict[str, str], lines: list[str], facts: Facts, formulas: Formulas
) -> None:
    with pytest.raises(ValueError, match=lines[0]) as raised:
        answer(facts, formulas, {"model": "7B", **options})
    found = str(raised.value).split("\n")
    assert len(found) == len(lines)
    assert all(line.startswith(start) for line, start in zip(found, lines, strict=True))


@pytest.mark.parametrize(
    ("options", "device", "verdict"),
    [
        ({"method": "full", "dtype": "fp32"}, "card-24gb", "too-big"),
        ({"rank": "1024"}, "card-24gb", "too-big"),
        ({"method": "qlora", "rank": "1000"}, "card-16gb", "too-big"),
        ({"method": "lora", "quantization": "gptq4"}, "card-16gb", None),
        ({"method": "full", "precision": "no-master", "optimizer": "sgd"}, "card-80gb", None),
        ({"method": "full", "precision": "no-master", "optimizer": "adamw-8bit"}, "card-80gb", None),
        ({"method": "full", "precision": "master", "gradient-dtype": "fp32"}, "card-80gb", "too-big"),
    ],
)
def test_the_rule_is_silent_where_it_was_not_made_for_the_options(
    options: dict[str, str], device: str, verdict: str | None, facts: Facts, formulas: Formulas
) -> None:
    made = answer(facts, formulas, {"model": "7B", **options}, [device])
    assert made["rule"] is None
    assert [fit["verdict"] for fit in made["fits"]] == [verdict]


def test_the_rule_is_silent_where_experts_stay_unpacked(facts: Facts, formulas: Formulas) -> None:
    asked = {"model": "glm-4.5-air", "method": "qlora"}
    assert answer(facts, formulas, asked)["rule"] is None
    assert answer(facts, formulas, {**asked, "method": "lora"})["rule"] is not None
    assert answer(facts, formulas, {**asked, "experts": "loop"})["rule"] is not None  # transformers 4 packs them


@pytest.mark.parametrize(
    "options",
    [
        {"method": "qlora", "quantization": "nf4"},
        {"method": "qlora", "optimizer": "paged-adamw-8bit"},
        {"method": "lora", "rank": "64"},
        {"method": "full", "precision": "master", "gradient-dtype": "bf16"},
    ],
)
def test_the_rule_holds_for_what_is_near_its_own_options(
    options: dict[str, str], facts: Facts, formulas: Formulas
) -> None:
    assert answer(facts, formulas, {"model": "7B", **options})["rule"] is not None


def test_the_states_judge_where_the_rule_is_below_them(facts: Facts, formulas: Formulas) -> None:
    """70B with LoRA: 143.3 GB of states, 143 GB by the rule."""
    card = facts.devices["card-80gb"].model_copy(update={"memory_gb": 143})
    made = answer(
        replace(facts, devices={"card-80gb": card}), formulas, {"model": "70B", "method": "lora"}, ["card-80gb"]
    )
    assert [fit["verdict"] for fit in made["fits"]] == ["too-big"]


def test_an_unknown_device_says_what_is_expected(facts: Facts, formulas: Formulas) -> None:
    with pytest.raises(ValueError, match=r"there is no device 'nope'; expected an id of data/devices.yaml"):
        answer(facts, formulas, {"model": "7B"}, ["nope"])


def test_the_command_prints_json_with_every_component_and_null_for_what_is_not_modelled() -> None:
    arguments = ["estimate", "7B", "--method", "full", "--precision", "master", "--device", "card-80gb", "--json"]
    result = CliRunner().invoke(commands, arguments)
    made = json.loads(result.stdout)
    assert result.exit_code == 0
    assert list(made) == [
        "model", "method", "setup", "rule", "states", "resident", "peak", "phase", "driver", "trainable_params",
        "components", "fits",
    ]  # fmt: skip
    assert tuple(made["components"]) == PARTS
    assert made["states"] == 112e9
    assert made["rule"] == {"low": 116e9, "mid": 116e9, "high": 116e9}
    assert [made[name] for name in ("peak", "phase", "driver")] == [None, None, None]
    assert made["components"]["activations"] is None
    assert made["fits"] == [{"device": "card-80gb", "usable": 80e9, "verdict": "too-big"}]


def test_the_command_takes_several_devices_after_one_option() -> None:
    result = CliRunner().invoke(commands, ["estimate", "7B", "--json", "--device", "rtx-4090", "card-16gb"])
    assert [fit["device"] for fit in json.loads(result.stdout)["fits"]] == ["rtx-4090-24gb", "card-16gb"]


def test_the_command_reads_well_on_a_terminal() -> None:
    result = CliRunner().invoke(commands, ["estimate", "7B", "--method", "lora"])
    assert "frozen weights" in result.stdout
    assert "14.64 GB" in result.stdout


TABLE = """model,method,batch,seq,quantization,precision,device
llama-3.1-8b,qlora,1,2048,,,rtx-4090-24gb a100-80gb
llama-3.1-8b,full,2,,,pure,
7B,lora,,,,,card-16gb
llama-3.1-8b,qlora,,,gptq4,,
"""


def test_a_table_of_set_ups_gives_one_estimate_for_each_row(tmp_path: Path) -> None:
    (tmp_path / "setups.csv").write_text(TABLE, encoding="utf-8")
    result = CliRunner().invoke(commands, ["estimate", "--setups", str(tmp_path / "setups.csv"), "--json"])
    assert result.exit_code == 0, result.output
    made = json.loads(result.stdout)
    assert [one["model"] for one in made] == ["llama-3.1-8b", "llama-3.1-8b", "7B", "llama-3.1-8b"]
    assert [len(one["fits"]) for one in made] == [2, 0, 1, 0]
    alone = CliRunner().invoke(
        commands, ["estimate", "llama-3.1-8b", "--method", "full", "--batch", "2", "--precision", "pure", "--json"]
    )
    assert made[1] == json.loads(alone.stdout)


def test_a_row_that_cannot_be_answered_says_why_and_the_others_are_answered(tmp_path: Path) -> None:
    table = "model,method,seq\nllama-9,lora,\nllama-3.1-8b,lora,0\nllama-3.1-8b,lora,512\n,lora,512\n"
    (tmp_path / "setups.csv").write_text(table, encoding="utf-8")
    result = CliRunner().invoke(commands, ["estimate", "--setups", str(tmp_path / "setups.csv"), "--json"])
    made = json.loads(result.stdout)
    assert result.exit_code == 1
    assert [list(one) == ["error"] for one in made] == [True, True, False, True]
    assert made[3] == {"error": "model: is empty, expected a value"}
    assert "llama-9" in made[0]["error"]
    assert made[1]["error"].startswith("seq: '0'")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("model,colour\n7B,red\n", "1: unknown columns: colour"),
        ("method\nlora\n", "1: the column model is missing"),
        ("", "1: is not a CSV: it is empty"),
        ("\n\n", "1: is not a CSV: it is empty"),
        ("model,method\n7B,lora,1\n", "2: row 1 has 3 cells, but there are 2 columns"),
        ("model,method\n\n7B,lora\n7B,lora,\n", "4: row 2 has 3 cells, but there are 2 columns"),
        ('model,targets\n7B,"q\n,v"\n7B,"q,v\n7B,q\n', "4: row 2 is not CSV: unexpected end of data; close every quot"),
        ('model,targets\n7B,"q"v\n', "2: row 1 is not CSV: "),
        ("model,batch,batch\n7B,1,2\n", "1: the column batch stands twice"),
        ("model,batch,\n7B,1,\n", "1: a column has no name (a comma too many?)"),
    ],
)
def test_a_table_that_cannot_be_read_is_told_with_its_name_and_row(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "setups.csv").write_text(text, encoding="utf-8")
    result = CliRunner().invoke(commands, ["estimate", "--setups", str(tmp_path / "setups.csv")])
    assert result.exit_code == 1
    assert result.stderr.startswith(f"setups.csv:{says}")
    assert len(result.stderr.splitlines()) == 2


def test_a_row_that_ends_early_takes_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "setups.csv").write_bytes(b"\xef\xbb\xbfmodel,method,seq\r\n7B\r\n\r\n7B,lora,2048\r\n")
    made = json.loads(CliRunner().invoke(commands, ["estimate", "--setups", str(tmp_path / "setups.csv")]).stdout)
    assert made[0] == made[1]


def test_a_prompt_is_no_longer_than_its_context_in_a_table_either(facts: Facts, formulas: Formulas) -> None:
    row = {"model": "llama-3.1-8b", "method": "inference", "seq": 2048, "prompt": 2048}
    assert len(estimate_table(facts, formulas, pd.DataFrame([row]))) == 1
    with pytest.raises(ValueError, match="prompt: is more than seq"):
        estimate_table(facts, formulas, pd.DataFrame([row, {**row, "seq": 2047}]))


def test_a_rank_changes_nothing_where_nothing_is_adapted(facts: Facts, formulas: Formulas) -> None:
    rows = [
        {"model": model, "method": method, "seq": 8192, "loss": "fused", "targets": "embed", "rank": rank}
        for model in ("llama-3.1-8b", "phi-3.5-mini-3.8b")
        for method in ("lora", "qlora")
        for rank in (1, 512)
    ]
    peaks = estimate_table(facts, formulas, pd.DataFrame(rows))["peak"].tolist()
    assert peaks[::2] == peaks[1::2]


def test_a_frame_of_set_ups_equals_each_set_up_on_its_own(facts: Facts, formulas: Formulas) -> None:
    rows = [
        {"model": model, "method": method, "seq": seq, "optimizer": optimizer, "precision": precision}
        for model in ("llama-3.1-8b", "gemma-2-9b", "7B")
        for method in ("lora", "qlora", "full")
        for seq, optimizer, precision in ((512, "adamw", "amp"), (4096, "adafactor", "pure"))
    ]
    frame = estimate_table(facts, formulas, pd.DataFrame(rows))
    assert len(frame) == len(rows)
    for number, row in enumerate(rows):
        alone = estimate(facts, formulas, [answerable(facts, setup_from(given(row)))]).rows
        for name in frame.columns:
            one, other = frame[name].iloc[number], alone[name].iloc[0]
            assert one == other or (pd.isna(one) and pd.isna(other)), (row, name)


@pytest.mark.parametrize("device", ["rtx-2080", "gtx-1080", "rx-6800"])
def test_another_larger_device_is_never_taken_for_the_one_that_was_named(
    device: str, facts: Facts, formulas: Formulas
) -> None:
    with pytest.raises(ValueError, match=f"there is no device '{device}' .did you mean "):
        answer(facts, formulas, {"model": "llama-3.1-8b"}, [device])


def test_a_length_beyond_the_model_is_warned_of(facts: Facts, formulas: Formulas) -> None:
    made = answer(facts, formulas, {"model": "gpt2-124m", "seq": "8192"}, ["rtx-4090"])
    assert made["fits"][0]["warnings"] == ["GPT-2 124M reads 1024 tokens at most"]


def test_states_hold_no_gradients_that_are_used_up_in_backward(facts: Facts, formulas: Formulas) -> None:
    made = answer(facts, formulas, {"model": "llama-3.1-8b", "method": "full", "step": "in-backward"})
    assert made["states"] == made["resident"] <= made["peak"]


@pytest.mark.parametrize(
    ("setup", "more"),
    [
        ({"method": "lora"}, 2 * 419_816_304),
        ({"method": "qlora", "kbit-prep": "no"}, 0.515869140625 * 411_070_464 + 2 * (419_816_304 - 411_070_464)),
        ({"method": "qlora"}, 0.515869140625 * 411_070_464 + 4 * (419_816_304 - 411_070_464)),
        ({"method": "full", "precision": "pure"}, 8 * 419_816_304),
        ({"method": "full", "precision": "master"}, 16 * 419_816_304),
    ],
)
def test_towers_count_as_frozen_packed_or_trained_weights(
    setup: dict[str, str], more: float, facts: Facts, formulas: Formulas
) -> None:
    asked = [answerable(facts, setup_from({"model": "gemma-3-4b", **setup, "towers": t})) for t in ("text", "all")]
    states = estimate(facts, formulas, asked).rows["states"]
    assert states[1] - states[0] == pytest.approx(more, abs=1)


def test_every_set_up_of_the_bench_can_be_answered(facts: Facts, formulas: Formulas) -> None:
    made = estimate_table(facts, formulas, setups(facts, 2000))
    assert made["peak"].notna().all()
