"""The thresholds of the verdict beside published runs that finished and runs that gave no result."""

from __future__ import annotations

import pytest

from cabe.facts import Facts, answerable
from cabe.memory import Formulas, bands, estimate, predicted_outcomes, room, separating_shares
from cabe.memory.thresholds import Outcomes


@pytest.fixture(scope="module")
def outcomes(facts: Facts, formulas: Formulas) -> Outcomes:
    return predicted_outcomes(facts, formulas)


def test_every_published_run_is_there_or_counted_as_left_out(facts: Facts) -> None:
    assert {one.id: (one.rows, one.left_out) for one in facts.benchmarks.values()} == {
        "fms-base": (124, 0),
        "fms-granite": (28, 0),
        "fms-liger": (192, 0),
    }
    for benchmark in facts.benchmarks.values():
        rows = {run.row for run in facts.outcomes.values() if run.benchmark == benchmark.id}
        assert len(rows) == benchmark.rows - benchmark.left_out
        assert rows <= set(range(1, benchmark.rows + 1))
    assert len({(run.benchmark, run.row) for run in facts.outcomes.values()}) == len(facts.outcomes)


def test_runs_by_verdict(facts: Facts, outcomes: Outcomes) -> None:
    counted = {(one.low, one.high): (one.finished, one.failed) for one in bands(facts, outcomes)}
    assert counted == {(0, 0.80): (218, 0), (0.80, 0.94): (20, 8), (0.94, float("inf")): (6, 92)}


def test_no_run_failed_where_it_fits_and_none_but_a_borderline_model_finished_where_it_is_too_big(
    facts: Facts, outcomes: Outcomes
) -> None:
    low, high = separating_shares(outcomes)
    assert (low, high) == (0.83, 0.95)
    assert facts.verdicts["fits"].share <= low
    assert high - 0.01 <= facts.verdicts["tight"].share <= high
    beyond = [run for run, (share, _) in zip(facts.outcomes.values(), outcomes, strict=True) if share > 0.94]
    assert {(run.setup.model, run.setup.method) for run in beyond if run.finished} == {("llama-3-8b", "full")}


def test_as_shares_of_the_whole_card_the_thresholds_are_those_that_were_fitted(
    facts: Facts, formulas: Formulas, outcomes: Outcomes
) -> None:
    """The borderline model lies between 0.935 of the card and 0.941 of what is usable of it."""
    card = room(facts, formulas, "a100-80gb")
    of_the_card = [(share * card.usable / card.memory, finished) for share, finished in outcomes]
    assert [(one.finished, one.failed) for one in bands(facts, of_the_card)] == [(218, 0), (26, 8), (0, 92)]
    assert separating_shares(of_the_card) == (0.83, 0.94)


def test_the_facts_state_what_the_runs_say(facts: Facts, formulas: Formulas, outcomes: Outcomes) -> None:
    fits, tight, beyond = bands(facts, outcomes)
    lowest = min(share for share, finished in outcomes if not finished)
    highest = max(share for share, finished in outcomes if finished)
    card = room(facts, formulas, "a100-80gb")
    assert facts.verdicts["fits"].source[1] == (
        f"outcomes.yaml: {fits.finished} of {fits.runs} runs predicted up to 0.80 finished; "
        f"the lowest that gave no result is predicted at {lowest:.3f}"
    )
    assert facts.verdicts["tight"].source == [
        f"outcomes.yaml: {tight.finished} of {tight.runs} runs predicted between 0.80 and 0.94 finished",
        f"outcomes.yaml: {beyond.finished} of {beyond.runs} runs predicted above 0.94 finished, "
        f"the highest at {highest:.3f} ({highest * card.usable / card.memory:.3f} of the whole card)",
    ]


def test_predicted_peaks_are_those_of_the_runs_that_finished(facts: Facts, formulas: Formulas) -> None:
    """Within 1 %, but for GPTQ without groups and SantaCoder in 4 bits: outcomes.yaml tells why."""
    runs = [run for run in facts.outcomes.values() if run.finished]
    peaks = estimate(facts, formulas, [answerable(facts, run.setup) for run in runs]).rows["peak"]
    errors = {run.id: abs(peak / (run.peak_bytes or 1) - 1) for run, peak in zip(runs, peaks, strict=True)}
    assert sorted(errors.values())[len(errors) // 2] <= 0.001
    far = [run for run in runs if errors[run.id] > 0.01]
    gptq = {"TheBloke/Llama-2-70B-GPTQ", "TheBloke/Mixtral-8x7B-Instruct-v0.1-GPTQ"}
    assert {run.model for run in far} == gptq | {"bigcode/gpt_bigcode-santacoder"}
    assert max(errors[run.id] for run in far if run.model in gptq) <= 0.045


@pytest.mark.parametrize(
    ("outcomes", "shares"),
    [
        ([(0.5, True), (0.9, True), (0.835, False), (1.2, False)], (0.83, 0.9)),
        ([(0.905, True), (0.85, False)], (0.84, 0.91)),
        ([(0.7, True), (1.0, False)], (0.99, 0.7)),
    ],
)
def test_thresholds_are_drawn_in_hundredths(outcomes: Outcomes, shares: tuple[float, float]) -> None:
    assert separating_shares(outcomes) == shares
