"""Published measurements beside predictions: how far off the estimates are, point by point and as a whole.

A point is compared with the quantity that it reports: what PyTorch allocates with the peak, everything else with what
a monitor shows. Its error is the distance of the prediction to the range that the reported value and unit allow, over
the centre of that range: 0 inside, negative where the prediction is too small.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cabe.facts import Facts, Measured, answerable, card_of
from cabe.memory.estimates import Estimates, estimate
from cabe.memory.formulas import Formulas
from cabe.memory.verdicts import room

UNDER = 0.1  # a prediction that is too small by more than this share would let a run start that does not finish


@dataclass(frozen=True)
class Compared:
    """A point and its prediction, in bytes of the point's scope: of one device, or of all of them where it is a sum.

    `low` to `high` is the driver's interval, no higher than the card where that is known; None, as `inside`, for what
    PyTorch allocates, which has no interval. `error` is a share.
    """

    point: Measured
    predicted: float
    low: float | None
    high: float | None
    error: float
    inside: bool | None


@dataclass(frozen=True)
class Errors:
    """Errors of several points as shares: `median` and `p90` of their sizes, the share within some, `under` UNDER.

    A percentile lies between two order statistics in proportion (linear interpolation); NaN where there is no point.
    """

    count: int
    median: float
    p90: float
    within_5: float
    within_10: float
    within_25: float
    under: float


@dataclass(frozen=True)
class Coverage:
    """How often the driver's interval holds the measured value, and how wide it is at the median, over its low end."""

    count: int
    share: float
    width: float


Scope = Callable[[Compared], bool]
SCOPES: Mapping[str, Scope] = {  # of the points that are good for testing an estimator
    "training": lambda one: one.point.recommended and one.point.method != "inference",
    "inference": lambda one: one.point.recommended and one.point.method == "inference",
    "allocated": lambda one: SCOPES["training"](one) and one.point.quantity == "allocated",
    "device": lambda one: SCOPES["training"](one) and one.point.quantity in ("reserved", "nvidia-smi"),
    "monitor": lambda one: SCOPES["training"](one) and one.low is not None,  # those that the driver's interval is for
    "unknown": lambda one: SCOPES["training"](one) and one.point.quantity == "unknown",
}
GROUPS: Mapping[str, Callable[[Compared], str]] = {
    "method": lambda one: one.point.method,
    "source": lambda one: one.point.source.repo,
    "quantity": lambda one: one.point.quantity,
}


def compare(facts: Facts, formulas: Formulas) -> tuple[Compared, ...]:
    """Every measured point that has a set-up, in the order of the file, beside its estimate."""
    points = [point for point in facts.measured.values() if point.setup]
    setups = [answerable(facts, point.setup) for point in points if point.setup]
    made = estimate(facts, formulas, setups) if setups else None
    return tuple(_compared(made, row, point) for row, point in enumerate(points) if made)


def scope_of(rows: Sequence[Compared], scope: str) -> tuple[Compared, ...]:
    """The rows of a scope. Raises KeyError for one that is not among SCOPES."""
    return tuple(one for one in rows if SCOPES[scope](one))


def grouped(rows: Sequence[Compared], group: str) -> dict[str, tuple[Compared, ...]]:
    """The rows by method, source or quantity, in the order of the file. Raises KeyError for another group."""
    key = GROUPS[group]
    return {name: tuple(one for one in rows if key(one) == name) for name in dict.fromkeys(map(key, rows))}


def errors_of(rows: Sequence[Compared]) -> Errors:
    """The errors of the rows, taken together."""
    signed = np.array([one.error for one in rows] or [np.nan])
    sizes = np.abs(signed)
    median, p90 = (float(one) for one in np.percentile(sizes, [50, 90], method="linear"))
    shares = (sizes <= 0.05, sizes <= 0.1, sizes <= 0.25, signed < -UNDER)
    return Errors(len(rows), median, p90, *(float(np.mean(one)) if rows else float("nan") for one in shares))


def coverage_of(rows: Sequence[Compared]) -> Coverage:
    """The driver's interval over those of the rows that have one."""
    ends = [(one.low, one.high, one.inside) for one in rows if one.low is not None and one.high is not None]
    if not ends:
        return Coverage(0, float("nan"), float("nan"))
    widths = [(high - low) / low for low, high, _ in ends]
    return Coverage(len(ends), float(np.mean([inside is True for *_, inside in ends])), float(np.median(widths)))


def signed_error(predicted: float, low: float, high: float) -> float:
    """How far `predicted` is from the range, over the centre of the range; negative where it is too small."""
    return (max(predicted - high, 0.0) - max(low - predicted, 0.0)) / ((low + high) / 2)


def _compared(made: Estimates, row: int, point: Measured) -> Compared:
    times = (point.num_gpus or 1) if point.memory_scope == "total_over_gpus" else 1
    low, mid, high = (times * float(made.rows[name].iloc[row]) for name in ("peak", "driver_mid", "driver_high"))
    if point.quantity == "allocated":
        error = signed_error(low, point.memory_bytes_min, point.memory_bytes_max)
        return Compared(point, low, None, None, error, None)
    if card := card_of(point, made.facts.devices):
        most = times * room(made.facts, made.formulas, card.id).memory
        mid, high = min(mid, most), min(high, most)
    error = signed_error(mid, point.memory_bytes_min, point.memory_bytes_max)
    inside = low <= point.memory_bytes_max and point.memory_bytes_min <= high
    return Compared(point, mid, low, high, error, inside)
