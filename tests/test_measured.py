"""Predicted beside measured: every published run of data/measured.yaml whose set-up is known and modelled."""

from __future__ import annotations

import pandas as pd
import pytest

from cabe.facts import Facts, answerable
from cabe.memory import Formulas, estimate

FMS = "foundation-model-stack/fms-acceleration"


@pytest.fixture(scope="module")
def compared(facts: Facts, formulas: Formulas) -> pd.DataFrame:
    """One row per point: predicted peak, measured bytes, and the distance to the measured range over its centre."""
    points = [point for point in facts.measured.values() if point.setup and point.quantity == "allocated"]
    setups = [answerable(facts, point.setup) for point in points if point.setup]
    made = estimate(facts, formulas, setups).rows
    low = pd.Series([float(point.memory_bytes_min) for point in points])
    high = pd.Series([float(point.memory_bytes_max) for point in points])
    distance = (made["peak"] - high).clip(lower=0) - (low - made["peak"]).clip(lower=0)
    return pd.DataFrame(
        {
            "point": [point.id for point in points],
            "setup": [f"{point.model} {point.method} {point.method_detail or ''}" for point in points],
            "source": [point.source.repo for point in points],
            "devices": [point.num_gpus for point in points],
            "predicted": made["peak"],
            "measured": (low + high) / 2,
            "error": distance / ((low + high) / 2),
            "phase": made["phase"],
        }
    )


def test_predicted_beside_measured_is_printed(compared: pd.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(compared) >= 40
    with capsys.disabled():
        print(f"\n{'point':10} {'predicted':>14} {'measured':>14} {'error':>8}  phase, set-up")
        for row in compared.itertuples():
            print(
                f"{row.point:10} {row.predicted:14.0f} {row.measured:14.0f} {row.error:8.2%}  {row.phase}, {row.setup}"
            )


def test_where_the_stack_is_known_the_median_error_is_at_most_half_a_per_cent(compared: pd.DataFrame) -> None:
    known = compared[(compared["source"] == FMS) & (compared["devices"] == 1)]
    assert known["error"].abs().median() <= 0.005
    assert known[known["error"].abs() > 0.03].to_dict("records") == []
