"""What the driver holds beyond the peak: the fit to measured runs, and the facts that it gave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from cabe.facts import Facts
from cabe.memory import Compared, Formulas, answer, compare, coverage_of, cross_fit, fit_slack, scope_of
from tests.conftest import Show

GB = 10**9


@pytest.fixture(scope="module")
def runs(facts: Facts, formulas: Formulas) -> list[Compared]:
    """The recommended training runs that report what the driver holds."""
    return [one for one in scope_of(compare(facts, formulas), "training") if one.low is not None]


@pytest.fixture(scope="module")
def family(facts: Facts) -> Callable[[Compared], str]:
    return lambda one: facts.models[one.point.setup.model].family if one.point.setup else ""


def made_up(one: Compared, peaks: list[float], held: list[float]) -> list[Compared]:
    """Runs of these peaks that hold this much."""
    ends = [{"memory_bytes_min": int(amount), "memory_bytes_max": int(amount)} for amount in held]
    points = [one.point.model_copy(update=values) for values in ends]
    return [replace(one, low=peak, point=point) for peak, point in zip(peaks, points, strict=True)]


def test_a_share_and_bytes_that_every_run_has_are_found(runs: list[Compared]) -> None:
    peaks = [4e9, 8e9, 16e9, 32e9]
    fit = fit_slack(made_up(runs[0], peaks, [1.1 * peak + 1e9 for peak in peaks]))
    assert fit.middle.share == pytest.approx(1.1)
    assert fit.middle.bytes == pytest.approx(1e9)
    assert fit.smallest == 4e9


def test_one_run_far_out_does_not_move_the_middle(runs: list[Compared]) -> None:
    peaks = [4e9, 6e9, 8e9, 12e9, 16e9, 24e9, 32e9]
    held = [1.1 * peak + 1e9 for peak in peaks]
    fit = fit_slack(made_up(runs[0], peaks, [*held[:-1], 3 * held[-1]]))
    assert fit.middle.share == pytest.approx(1.1)


def test_runs_of_one_peak_give_no_line(runs: list[Compared]) -> None:
    with pytest.raises(ValueError, match="no two runs of different peaks"):
        fit_slack(made_up(runs[0], [4e9, 4e9], [5e9, 6e9]))


@pytest.mark.parametrize("kind", ["training", "inference"])
def test_the_facts_are_what_the_runs_give(kind: str, facts: Facts, formulas: Formulas) -> None:
    runs = [one for one in scope_of(compare(facts, formulas), kind) if one.low is not None]
    fit, stated = fit_slack(runs), facts.slacks[kind]
    assert (stated.share, stated.bytes) == pytest.approx((fit.middle.share, fit.middle.bytes), rel=1e-3)
    assert (stated.high_share, stated.high_bytes) == pytest.approx((fit.high.share, fit.high.bytes), rel=1e-3)
    assert stated.from_bytes == pytest.approx(fit.smallest, rel=1e-3)
    assert stated.source[0].startswith(f"{len(runs)} runs")


def test_nine_runs_of_ten_are_held_by_an_interval_that_is_no_wider_than_two_fifths(runs: list[Compared]) -> None:
    made = coverage_of(runs)
    assert made.share >= 0.9
    assert made.width <= 0.4


def test_families_that_the_fit_has_not_seen_are_judged_by_it(
    runs: list[Compared], family: Callable[[Compared], str], show: Show
) -> None:
    made = cross_fit(runs, family)
    show(f"\nunseen families: {made.share:.1%} held, width {made.width:.1%}, error {made.error:.1%}")
    assert made.count == len(runs)
    assert made.share >= 0.6
    assert made.error <= 0.1


def test_the_low_end_is_the_peak_and_the_others_follow(facts: Facts, formulas: Formulas) -> None:
    made = answer(facts, formulas, {"model": "llama-3.1-8b", "method": "qlora"})
    low, mid, high = (made["driver"][end] for end in ("low", "mid", "high"))
    slack = facts.slacks["training"]
    assert low == made["peak"]
    assert mid == pytest.approx(slack.share * low + slack.bytes)
    assert high == pytest.approx(slack.high_share * low + slack.high_bytes)


def test_below_the_smallest_run_measured_the_ratio_stays(facts: Facts, formulas: Formulas) -> None:
    smollm, gpt2 = (
        answer(facts, formulas, {"model": model, "batch": "1", "seq": "64"}) for model in ("smollm2-135m", "gpt2-124m")
    )
    ratios = [made["driver"]["mid"] / made["peak"] for made in (smollm, gpt2)]
    assert ratios[0] == pytest.approx(ratios[1])


def test_a_bare_size_has_no_driver_figure(facts: Facts, formulas: Formulas) -> None:
    assert answer(facts, formulas, {"model": "7B"})["driver"] is None
