"""Inference: weights, the KV cache and the prefill, against hand counts, traces and published runs."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from cabe.cli import commands
from cabe.facts import Facts, answerable, setup_from
from cabe.memory import Formulas, answer, estimate, estimate_table, solve, suggestions

TRACED = list(csv.DictReader((Path(__file__).parent / "traced_inference.csv").read_text("utf-8").splitlines()))
RUN = {"model": "llama-3.1-8b", "method": "inference", "seq": "8192"}


@pytest.mark.parametrize("row", TRACED, ids=lambda row: "-".join(list(row.values())[:-1]))
def test_the_peak_is_that_of_a_trace(row: dict[str, str], facts: Facts, formulas: Formulas) -> None:
    """Real transformers 5.24 models on tensors without storage: beyond the weights, and without a workspace."""
    given = {name: value for name, value in row.items() if name != "peak"}
    rows = estimate(facts, formulas, [answerable(facts, setup_from({**given, "method": "inference"}))])
    peak, weights, workspace = (rows.value(0, name) or 0.0 for name in ("peak", "frozen_weights", "workspace"))
    shape = facts.models[row["model"]]
    unlike = shape.experts + shape.linear_layers + shape.global_layers  # routers, single states, tables are left out
    near = 1e-2 if unlike else 1e-3
    assert peak - weights - workspace == pytest.approx(float(row["peak"]), rel=near)


@pytest.mark.parametrize(("seq", "gb"), [(512, 15.2), (1024, 16.3), (2048, 17.6), (4096, 19.5), (8192, 23.2)])
def test_the_published_table_of_qwen_7b_shows_a_cache_that_is_copied_whole(
    seq: int, gb: float, facts: Facts, formulas: Formulas
) -> None:
    """QwenLM/Qwen README, quantization of the KV cache: tokens generated in bf16; whether GB or GiB is not said."""
    given = {"model": "qwen-7b", "method": "inference", "seq": str(seq), "kv-cache": "concatenating"}
    assert gb * 1e9 * 0.999 <= answer(facts, formulas, given)["peak"] <= gb * 2**30


@pytest.mark.parametrize("size", ["0.5b", "1.5b", "3b", "32b"])
def test_a_context_alone_is_enough_to_come_near_published_runs(size: str, facts: Facts, formulas: Formulas) -> None:
    points = [one for one in facts.measured.values() if one.id.startswith(f"qwen25-{size}-infer-bf16")]
    assert len(points) == 4
    for point in points:
        given = {"model": f"qwen2.5-{size}", "method": "inference", "seq": str(point.seq_len)}
        assert answer(facts, formulas, given)["peak"] == pytest.approx(point.memory_bytes_max, rel=0.02)


def test_components_add_up_and_training_has_no_cache(facts: Facts, formulas: Formulas) -> None:
    made = answer(facts, formulas, RUN)
    assert sum(made["components"].values()) == made["peak"]
    assert (made["rule"], made["phase"], made["trainable_params"]) == (None, "inference", 0)
    assert made["states"] == made["resident"] == made["components"]["frozen_weights"] < made["peak"]
    assert answer(facts, formulas, {**RUN, "method": "lora"})["components"]["kv_cache"] == 0


@pytest.mark.parametrize(
    ("options", "length"),
    [
        ({}, 6144),
        ({"seq": "2048"}, 1),
        ({"seq": "2049"}, 1),
        ({"prompt": "512"}, 512),
    ],
)
def test_a_prompt_is_named_or_leaves_2048_tokens_for_the_answer(
    options: dict[str, str], length: int, facts: Facts, formulas: Formulas
) -> None:
    rows = estimate(facts, formulas, [answerable(facts, setup_from({**RUN, **options}))])
    assert rows.value(0, "prompt_length") == length


@pytest.mark.parametrize(
    ("smaller", "larger"),
    [
        ({"kv-dtype": "int4"}, {"kv-dtype": "int8"}),
        ({"kv-dtype": "int8"}, {}),
        ({"seq": "4096"}, {}),
        ({}, {"batch": "2"}),
        ({"quantization": "nf4"}, {"quantization": "int8"}),
        ({"quantization": "int8"}, {}),
        ({}, {"dtype": "fp32"}),
        ({}, {"attention": "eager"}),
        ({}, {"prefill-logits": "all"}),
        ({"prompt": "1"}, {"prompt": "1", "kv-cache": "concatenating"}),
    ],
)
def test_more_takes_more(smaller: dict[str, str], larger: dict[str, str], facts: Facts, formulas: Formulas) -> None:
    peaks = [answer(facts, formulas, {**RUN, **options})["peak"] for options in (smaller, larger)]
    assert peaks[0] < peaks[1]


def test_a_packed_base_leaves_the_rest_in_16_bits(facts: Facts, formulas: Formulas) -> None:
    packed = answer(facts, formulas, {**RUN, "quantization": "nf4-double"})["components"]["frozen_weights"]
    assert packed == 6979321856 * (1 / 2 + 1 / 64 + 4 / (64 * 256)) + 1050939392 * 2


def test_a_bare_size_has_weights_and_no_peak(facts: Facts, formulas: Formulas) -> None:
    made = answer(facts, formulas, {"model": "9.5B", "method": "inference"})
    assert (made["states"], made["peak"], made["rule"]) == (19e9, None, None)


def test_one_table_may_mix_methods(facts: Facts, formulas: Formulas) -> None:
    rows = [
        {"model": "llama-3.1-8b", "method": method, "seq": seq, "kv_cache": cache}
        for method, seq, cache in (
            ("lora", 512, "static"), ("inference", 4096, "static"), ("full", 2048, "static"),
            ("inference", 2048, "concatenating"), ("qlora", 2048, "static"),
        )
    ]  # fmt: skip
    frame = estimate_table(facts, formulas, pd.DataFrame(rows))
    for number, row in enumerate(rows):
        given = {name.replace("_", "-"): str(value) for name, value in row.items()}
        alone = answer(facts, formulas, given)
        assert [frame["peak"][number], frame["phase"][number]] == [alone["peak"], alone["phase"]]
        assert frame["at_kv_cache"][number] == alone["components"]["kv_cache"]


@pytest.mark.parametrize(("what", "least"), [("batch", 2), ("seq", 8192)])
def test_the_largest_that_fits_is_found(what: str, least: int, facts: Facts, formulas: Formulas) -> None:
    found = solve(facts, formulas, RUN, what, "rtx-5090")
    more = {**RUN, what: str(found["value"] + 1)}
    assert found["value"] >= least
    assert found["estimate"]["fits"][0]["verdict"] == "fits"
    assert answer(facts, formulas, more, ["rtx-5090"])["fits"][0]["verdict"] != "fits"


def test_the_largest_model_that_answers_is_larger_than_the_largest_that_learns(
    facts: Facts, formulas: Formulas
) -> None:
    answers, learns = (
        solve(facts, formulas, {"model": "7B", "method": method}, "model", "rtx-4090-24gb")["value"]
        for method in ("inference", "full")
    )
    assert facts.models[answers].total_params > facts.models[learns].total_params


def test_a_smaller_cache_and_packed_weights_are_suggested(facts: Facts, formulas: Formulas) -> None:
    asked = {**RUN, "batch": "16", "kv-cache": "concatenating"}
    found = suggestions(facts, formulas, answerable(facts, setup_from(asked)))
    changes = [tuple(one["change"].items()) for one in found]
    options = {"kv-dtype": "fp8", "quantization": "nf4-double", "batch": "1", "prompt": "2048"}
    assert {(change,) for change in options.items()} <= set(changes)
    for one in found:
        assert answer(facts, formulas, {**asked, **one["change"]})["peak"] == one["peak"]


def test_the_command_prints_the_cache_and_nothing_of_training() -> None:
    options = ["estimate", "llama-3.1-8b", "--method", "inference", "--seq", "8192", "--device", "rtx-4090"]
    shown = CliRunner().invoke(commands, options).output
    assert "kv cache" in shown
    assert "peak, inference" in shown
    assert "kv-cache static" in shown
    assert not any(word in shown for word in ("rank", "optimizer", "checkpointing"))
    made = json.loads(CliRunner().invoke(commands, [*options, "--json"]).stdout)
    assert made["fits"][0]["verdict"] == "fits"
