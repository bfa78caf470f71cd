"""Predicted beside measured: every published run of data/measured.yaml whose set-up is known and modelled."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from cabe.facts import Facts
from cabe.memory import Compared, Formulas, compare, coverage_of, errors_of, grouped, scope_of
from tests.conftest import Show

FMS = "foundation-model-stack/fms-acceleration"


@pytest.fixture(scope="module")
def rows(facts: Facts, formulas: Formulas) -> tuple[Compared, ...]:
    return compare(facts, formulas)


def described(one: Compared) -> str:
    point = one.point
    detail = f" {point.method_detail}" if point.method_detail else ""
    return f"{point.quantity}, {point.model} {point.method}{detail}, batch {point.micro_batch_size} × {point.seq_len}"


def test_predicted_beside_measured_is_printed(rows: Sequence[Compared], show: Show) -> None:
    assert len(rows) >= 160
    show(f"\n{'point':44} {'predicted':>14} {'measured':>14} {'error':>8}  quantity, set-up")
    for one in rows:
        measured = (one.point.memory_bytes_min + one.point.memory_bytes_max) / 2
        show(f"{one.point.id:44} {one.predicted:14.0f} {measured:14.0f} {one.error:8.2%}  {described(one)}")
    for scope in ("training", "allocated", "device", "unknown", "inference"):
        show(f"{scope}: {errors_of(scope_of(rows, scope))} {coverage_of(scope_of(rows, scope))}")


def test_where_the_stack_is_known_the_median_error_is_at_most_half_a_per_cent(rows: Sequence[Compared]) -> None:
    known = [one for one in grouped(rows, "source")[FMS] if one.point.num_gpus == 1]
    assert errors_of(known).median <= 0.005
    assert [one.point.id for one in known if abs(one.error) > 0.03] == []


BOUNDS = {  # scope → the largest median, 90th percentile and share that is under by more than a tenth
    "training": (0.02, 0.15, 0.1),
    "allocated": (0.005, 0.08, 0.1),
    "inference": (0.01, 0.05, 0.1),
}


@pytest.mark.parametrize("scope", BOUNDS)
def test_errors_keep_their_bounds(scope: str, rows: Sequence[Compared]) -> None:
    made, (median, p90, under) = errors_of(scope_of(rows, scope)), BOUNDS[scope]
    assert (made.median <= median, made.p90 <= p90, made.under <= under) == (True, True, True), made


def test_the_drivers_interval_holds_nine_points_of_ten_and_is_narrow(rows: Sequence[Compared]) -> None:
    made = coverage_of(scope_of(rows, "training"))
    assert (made.share >= 0.9, made.width <= 0.4) == (True, True), made
