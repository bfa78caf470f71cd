"""Grids of estimates: every combination is the estimate that the same set-up has by itself."""

from __future__ import annotations

import pytest

from cabe.facts import Facts, answerable, setup_from
from cabe.memory import Formulas, Grid, component, crossings, estimate, grid
from cabe.memory.formulas import PARTS

MODELS = ("llama-3.1-8b", "gemma-3-4b", "qwen3-30b-a3b")
AXES = {"model": MODELS, "method": ("qlora", "full"), "seq": (512, 4096), "batch": (1, 4)}


@pytest.fixture(scope="module")
def made(facts: Facts, formulas: Formulas) -> Grid:
    return grid(facts, formulas, AXES, {"rank": 8})


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("method", AXES["method"])
@pytest.mark.parametrize("batch", AXES["batch"])
def test_every_figure_of_a_grid_is_that_of_the_set_up(
    facts: Facts, formulas: Formulas, made: Grid, model: str, method: str, batch: int
) -> None:
    given = {"model": model, "method": method, "seq": "4096", "batch": str(batch)}
    given |= {"rank": "8"} if method == "qlora" else {}
    rows = estimate(facts, formulas, [answerable(facts, setup_from(given))])
    at = {"model": model, "method": method, "seq": 4096, "batch": batch}
    for name in ("peak", "driver_mid", "driver_high", "resident", "trainable_params"):
        assert made.figure(name, **at) == rows.value(0, name)
    assert made.components(**at) == {part: component(rows, 0, part) for part in PARTS}
    assert made.figures(("peak", "resident"), **at) == [rows.value(0, "peak"), rows.value(0, "resident")]


def test_a_value_that_is_not_on_an_axis_is_refused(made: Grid) -> None:
    with pytest.raises(KeyError, match="1024"):
        made.figure("peak", model="llama-3.1-8b", method="full", seq=1024, batch=1)


def test_a_wrong_option_is_refused_by_name(facts: Facts, formulas: Formulas) -> None:
    with pytest.raises(ValueError, match="there is no 'qlore'"):
        grid(facts, formulas, {"model": MODELS, "method": ("qlore",)}, {})


@pytest.mark.parametrize("method", ["qlora", "lora"])
def test_from_the_crossing_on_more_than_half_of_the_peak_grows(facts: Facts, formulas: Formulas, method: str) -> None:
    length = crossings(facts, formulas, MODELS, ("qlora", "lora"))["llama-3.1-8b", method]
    assert length
    shares = []
    for seq in (length - 1, length):
        setup = setup_from({"model": "llama-3.1-8b", "method": method, "seq": str(seq)})
        rows = estimate(facts, formulas, [answerable(facts, setup)])
        shares.append((rows.value(0, "peak") or 0) / (rows.value(0, "resident") or 1))
    assert shares[0] <= 2 < shares[1]


def test_a_model_that_reads_too_little_has_no_crossing(facts: Facts, formulas: Formulas) -> None:
    assert crossings(facts, formulas, ("llama-2-7b",), ("full",)) == {("llama-2-7b", "full"): None}
