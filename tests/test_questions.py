"""Questions the other way round: what fits a device, and what to change when nothing does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from cabe.cli import commands
from cabe.facts import Facts, answerable, estimated_models, setup_from
from cabe.memory import Formulas, answer, solve, suggestions

pytestmark = pytest.mark.usefixtures("worked_out_once")

RUN = {"model": "llama-3.1-8b", "method": "qlora"}


def verdict(facts: Facts, formulas: Formulas, given: dict[str, str], device: str) -> Any:
    return answer(facts, formulas, given, [device])["fits"][0]["verdict"]


@pytest.mark.parametrize("option", ["batch", "seq"])
@pytest.mark.parametrize("device", ["rtx-4090-24gb", "a100-80gb"])
def test_the_answer_fits_and_one_more_does_not(option: str, device: str, facts: Facts, formulas: Formulas) -> None:
    found = solve(facts, formulas, RUN, option, device)
    assert found["value"] > 1
    assert verdict(facts, formulas, {**RUN, option: str(found["value"])}, device) == "fits"
    assert verdict(facts, formulas, {**RUN, option: str(found["value"] + 1)}, device) != "fits"
    assert found["estimate"]["setup"][option] == found["value"]
    assert found["estimate"]["fits"][0]["verdict"] == "fits"


def test_a_length_is_no_longer_than_the_model_reads(facts: Facts, formulas: Formulas) -> None:
    given = {"model": "qwen2.5-0.5b", "method": "qlora", "loss": "fused"}
    found = solve(facts, formulas, given, "seq", "h200-141gb")
    assert found["value"] == facts.models["qwen2.5-0.5b"].max_context


def test_the_largest_model_is_the_largest_that_fits(facts: Facts, formulas: Formulas) -> None:
    found = solve(facts, formulas, RUN, "model", "rtx-4090-24gb")
    size = facts.models[found["value"]].total_params
    fitting = [
        model.total_params
        for model in estimated_models(facts)
        if verdict(facts, formulas, {**RUN, "model": model.id}, "rtx-4090-24gb") == "fits"
    ]
    assert size == max(fitting)


def test_one_device_is_enough_for_a_small_model(facts: Facts, formulas: Formulas) -> None:
    assert solve(facts, formulas, {**RUN, "model": "llama-3.1-8b"}, "gpus", "rtx-4090-24gb")["value"] == 1


@pytest.mark.parametrize("sharding", ["none", "zero3"])
def test_the_fewest_devices_fit_and_one_less_does_not(sharding: str, facts: Facts, formulas: Formulas) -> None:
    run = {**RUN, "model": "llama-3.1-70b", "kbit-prep": "no", "sharding": sharding}
    found = solve(facts, formulas, run, "gpus", "rtx-4090-24gb")
    shared = {**run, "sharding": found["estimate"]["setup"]["sharding"]}
    assert shared["sharding"] == ("fsdp" if sharding == "none" else "zero3")
    assert verdict(facts, formulas, {**shared, "gpus": str(found["value"])}, "rtx-4090-24gb") == "fits"
    assert verdict(facts, formulas, {**shared, "gpus": str(found["value"] - 1)}, "rtx-4090-24gb") != "fits"


@pytest.mark.parametrize(("model", "value"), [("llama-3.1-8b", 1), ("llama-3.1-70b", None)])
def test_inference_needs_one_device_or_is_not_modelled(
    model: str, value: int | None, facts: Facts, formulas: Formulas
) -> None:
    asked = {"model": model, "method": "inference"}
    assert solve(facts, formulas, asked, "gpus", "rtx-4090-24gb")["value"] == value


@pytest.mark.parametrize(("what", "given"), [("gpus", "8"), ("batch", "64"), ("seq", "1")])
def test_what_is_asked_may_be_given_and_counts_for_nothing(
    what: str, given: str, facts: Facts, formulas: Formulas
) -> None:
    asked = solve(facts, formulas, RUN, what, "rtx-4090-24gb")
    assert solve(facts, formulas, {**RUN, what: given}, what, "rtx-4090-24gb") == asked


def test_the_longest_context_has_room_for_its_prompt(facts: Facts, formulas: Formulas) -> None:
    run = {"model": "llama-3.1-8b", "method": "inference", "seq": "1024"}
    assert solve(facts, formulas, {**run, "prompt": "4096"}, "seq", "rtx-4090-24gb")["value"] > 4096
    assert solve(facts, formulas, {**run, "prompt": "131073"}, "seq", "h200-141gb")["value"] is None


def test_devices_that_share_nothing_are_never_enough(facts: Facts, formulas: Formulas) -> None:
    run = {**RUN, "model": "llama-3.1-70b", "sharding": "ddp"}
    assert solve(facts, formulas, run, "gpus", "rtx-4090-24gb")["value"] is None


def test_where_not_even_the_smallest_fits_the_value_is_null(facts: Facts, formulas: Formulas) -> None:
    found = solve(facts, formulas, {"model": "llama-3.1-70b", "method": "full"}, "batch", "rtx-4090-24gb")
    assert found["value"] is None
    assert found["estimate"]["fits"][0]["verdict"] == "too-big"


def test_a_bare_size_cannot_be_solved(facts: Facts, formulas: Formulas) -> None:
    with pytest.raises(ValueError, match="a bare size has no peak"):
        solve(facts, formulas, {"model": "7B"}, "batch", "rtx-4090-24gb")


def test_all_that_is_wrong_is_told_at_once(facts: Facts, formulas: Formulas) -> None:
    with pytest.raises(ValueError, match="there is no device 'nope'") as raised:
        solve(facts, formulas, {"model": "7B", "batch": "x", "loss": "none"}, "batch", "nope")
    assert sorted(line.partition(":")[0] for line in str(raised.value).splitlines()) == [
        "batch", "device", "loss", "model",
    ]  # fmt: skip


def test_a_suggestion_frees_what_it_says_and_the_most_helpful_comes_first(facts: Facts, formulas: Formulas) -> None:
    given = {"model": "llama-3.1-8b", "method": "full", "checkpointing": "none", "attention": "eager", "batch": "4"}
    found = suggestions(facts, formulas, answerable(facts, setup_from(given)))
    peak = answer(facts, formulas, given)["peak"]
    changes = [one["change"] for one in found]
    for expected in (
        {"checkpointing": "full"}, {"loss": "fused"}, {"batch": "1"}, {"seq": "1024"}, {"optimizer": "adamw-8bit"},
        {"method": "lora"}, {"attention": "flash"},
    ):  # fmt: skip
        assert expected in changes
    for one in found:
        assert answer(facts, formulas, {**given, **one["change"]})["peak"] == one["peak"] == peak - one["frees"]
    assert [one["frees"] for one in found] == sorted((one["frees"] for one in found), reverse=True)


def test_a_run_that_fits_gets_no_suggestion_and_one_that_does_not_gets_some() -> None:
    def ask(device: str) -> dict[str, Any]:
        result = CliRunner().invoke(commands, ["estimate", "llama-3.1-8b", "--device", device, "--json"])
        assert result.exit_code == 0, result.output
        made: dict[str, Any] = json.loads(result.stdout)
        return made

    assert "suggestions" not in ask("h200-141gb")
    assert "qlora" in [one["change"].get("method") for one in ask("t4-16gb")["suggestions"]]


def test_a_suggestion_can_be_pasted() -> None:
    command = ["estimate", "llama-3.1-8b", "--method", "full"]
    printed = CliRunner().invoke(commands, [*command, "--device", "rtx-4090"]).stdout
    assert "  --gpus 2 --sharding fsdp: frees " in printed
    assert CliRunner().invoke(commands, [*command, "--gpus", "2", "--sharding", "fsdp"]).exit_code == 0


def test_solve_prints_its_contract_and_asks_for_one_device() -> None:
    command = ["estimate", "llama-3.1-8b", "--method", "qlora", "--solve", "batch"]
    result = CliRunner().invoke(commands, [*command, "--device", "rtx-4090", "--json"])
    assert list(json.loads(result.stdout)) == ["solve", "device", "value", "estimate"]
    none = CliRunner().invoke(commands, command)
    assert none.exit_code != 0
    assert "--device" in none.output


@pytest.mark.parametrize(
    "given",
    [
        {"method": "full", "precision": "pure", "dtype": "fp32"},
        {"method": "lora", "quantization": "int8"},
        {"method": "lora", "quantization": "none", "adapter-dtype": "bf16"},
        {"method": "qlora", "kbit-prep": "norms", "attention": "eager", "batch": "4"},
        {"method": "full", "step": "in-backward", "optimizer": "sgd", "checkpointing": "none"},
    ],
)
def test_a_suggestion_holds_when_it_is_added_to_what_was_asked(
    given: dict[str, str], facts: Facts, formulas: Formulas
) -> None:
    asked = {"model": "llama-3.1-8b", **given}
    found = suggestions(facts, formulas, answerable(facts, setup_from(asked)))
    assert found
    for one in found:
        assert answer(facts, formulas, {**asked, **one["change"]})["peak"] == one["peak"]


def test_a_model_that_cannot_read_so_much_is_no_answer(facts: Facts, formulas: Formulas) -> None:
    found = solve(facts, formulas, {"model": "gpt2-124m", "method": "full", "seq": "4096"}, "model", "rtx-5090")
    assert facts.models[found["value"]].max_context >= 4096


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"model": "foobar"}, "model: there is no model 'foobar'"),
        ({"batch": "abc"}, "batch: 'abc' is not a number"),
        ({"batch": "0"}, "batch: '0' is too few"),
    ],
)
def test_what_is_asked_is_read_whole(given: dict[str, str], says: str, facts: Facts, formulas: Formulas) -> None:
    with pytest.raises(ValueError, match=says):
        solve(facts, formulas, {**RUN, **given}, "model", "rtx-4090-24gb")
