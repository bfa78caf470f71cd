"""Estimates: worked examples by hand, the rule's published table, and what is refused by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from cabe.cli import commands
from cabe.facts import Facts, answerable, setup_from
from cabe.memory import PARTS, Formulas, answer, estimate, largest_by_rule, room

CASES = yaml.safe_load((Path(__file__).parent / "cases" / "states.yaml").read_text(encoding="utf-8"))

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
    found = {name: rows.value(0, name) for name in case["right"]}
    assert found == {name: pytest.approx(value, rel=1e-15) if value else value for name, value in case["right"].items()}


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
        ("llama-3.1-8b", "lora", "rtx-4090", None),
        ("llama-3.1-70b", "lora", "rtx-4090", "too-big"),
    ],
)
def test_the_rule_judges_nominal_devices_and_only_certain_failures_of_real_ones(
    model: str, method: str, device: str, verdict: str | None, facts: Facts, formulas: Formulas
) -> None:
    made = answer(facts, formulas, {"model": model, "method": method}, [device])
    assert [fit["verdict"] for fit in made["fits"]] == [verdict]


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        ({"method": "inference"}, ["method: inference is not modelled"]),
        ({"optimizer": "adafactor"}, ["optimizer: adafactor is not modelled"]),
        ({"quantization": "gptq4"}, ["quantization: gptq4 is not modelled"]),
        ({"targets": "q,embed"}, ["targets: embed is not modelled"]),
        ({"targets": "q,w"}, ["targets: there is no 'w'"]),
        ({"method": "full", "quantization": "nf4"}, ["quantization: packed weights cannot be trained in full"]),
        ({"method": "qlora", "quantization": "none"}, ["quantization: qlora without quantization is lora"]),
        ({"rank": "0"}, ["rank: 0 trains nothing"]),
        ({"dtype": "fp8", "precision": "mixed"}, ["precision: there is no 'mixed'", "dtype: there is no 'fp8'"]),
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
