"""Accuracy: an error, a percentile and an interval are what a reader takes them to be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cabe.facts import Facts, Measured, card_of
from cabe.memory import Compared, Formulas, compare, coverage_of, errors_of, grouped, scope_of
from cabe.memory.accuracy import signed_error


@pytest.fixture(scope="module")
def point(facts: Facts) -> Measured:
    return facts.measured["fms-029"]


def row(
    point: Measured, error: float, low: float | None = None, high: float | None = None, *, inside: bool = False
) -> Compared:
    return Compared(point, 1.0, low, high, error, inside if low else None)


@pytest.mark.parametrize(
    ("predicted", "low", "high", "error"),
    [
        (10, 10, 10, 0),
        (11, 10, 10, 0.1),
        (9, 10, 10, -0.1),
        (105, 90, 110, 0),  # GB or GiB: nobody can say that this is wrong
        (120, 90, 110, 0.1),
        (80, 90, 110, -0.1),
    ],
)
def test_an_error_is_the_distance_to_the_measured_range_over_its_centre(
    predicted: float, low: float, high: float, error: float
) -> None:
    assert signed_error(predicted, low, high) == pytest.approx(error)


def test_a_percentile_lies_between_two_errors_in_proportion(point: Measured) -> None:
    made = errors_of([row(point, error) for error in (0.0, -0.1, 0.2, -0.3, 0.4)])
    assert (made.count, made.median, made.p90) == pytest.approx((5, 0.2, 0.36))


def test_shares_count_both_signs_and_under_only_the_dangerous_one(point: Measured) -> None:
    made = errors_of([row(point, error) for error in (0.05, -0.05, 0.1, -0.1, -0.2, 0.2, 0.3, -0.3)])
    assert (made.within_5, made.within_10, made.within_25, made.under) == (0.25, 0.5, 0.75, 0.25)


def test_an_interval_is_judged_by_what_it_holds_and_by_its_width(point: Measured) -> None:
    rows = [
        row(point, 0),
        row(point, 0, 10, 12, inside=True),
        row(point, 0, 10, 14),
        row(point, 0, 10, 13, inside=True),
    ]
    made = coverage_of(rows)
    assert (made.count, made.share, made.width) == pytest.approx((3, 2 / 3, 0.3))


def test_of_no_point_nothing_is_said() -> None:
    assert errors_of([]).median != errors_of([]).median
    assert coverage_of([]).count == 0


def test_a_sum_over_devices_is_compared_with_a_sum(facts: Facts, formulas: Formulas, point: Measured) -> None:
    summed = point.model_copy(update={"id": "summed", "memory_scope": "total_over_gpus", "num_gpus": 2})
    one, two = compare(replace(facts, measured={"fms-029": point, "summed": summed}), formulas)
    assert two.predicted == 2 * one.predicted


def test_what_pytorch_allocates_has_no_interval_and_the_rest_ends_at_the_card(
    facts: Facts, formulas: Formulas, point: Measured
) -> None:
    shown = point.model_copy(update={"id": "shown", "quantity": "nvidia-smi", "device": "RTX 3090 x2"})
    allocated, device = compare(replace(facts, measured={"fms-029": point, "shown": shown}), formulas)
    assert (allocated.low, allocated.high, allocated.inside) == (None, None, None)
    assert device.high is not None
    assert device.high <= 24576 * 2**20


@pytest.mark.parametrize(
    ("device", "card"), [("RTX 3090 x2", "rtx-3090-24gb"), ("A100-SXM4-80G", "a100-80gb"), ("A100", None), (None, None)]
)
def test_a_card_is_known_by_the_names_that_published_runs_use(
    facts: Facts, point: Measured, device: str | None, card: str | None
) -> None:
    found = card_of(point.model_copy(update={"device": device}), facts.devices)
    assert (found.id if found else None) == card


def test_only_recommended_points_count_and_inference_counts_apart(point: Measured) -> None:
    kinds: list[dict[str, object]] = [
        {},
        {"recommended": False},
        {"method": "inference"},
        {"quantity": "reserved"},
        {"quantity": "unknown"},
    ]
    rows = [row(point.model_copy(update=kind), 0) for kind in kinds]
    counted = {
        scope: len(scope_of(rows, scope)) for scope in ("training", "inference", "allocated", "device", "unknown")
    }
    assert counted == {"training": 3, "inference": 1, "allocated": 1, "device": 1, "unknown": 1}
    assert {name: len(own) for name, own in grouped(rows, "quantity").items()} == {
        "allocated": 3,
        "reserved": 1,
        "unknown": 1,
    }
