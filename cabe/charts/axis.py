"""Axes with round steps and positions in percent: from 0 in equal steps, or logarithmic."""

from __future__ import annotations

import math
from dataclasses import dataclass

MOST_TICKS = 7
FACTORS = (1, 2, 5)  # of a power of ten: the marks of a logarithmic axis


@dataclass(frozen=True)
class Tick:
    """A mark at `x` percent of the axis, for `value` in the axis's own unit."""

    x: float
    value: float


def step_for(top: float) -> float:
    """The smallest step of 1, 2 or 5 times a power of ten that needs at most MOST_TICKS steps to reach `top`."""
    if top <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(top / MOST_TICKS))
    return next(power * factor for factor in (1, 2, 5, 10) if top / (power * factor) <= MOST_TICKS)


def ticks(top: float, step: float) -> tuple[Tick, ...]:
    """Marks from 0 to `top`, both included when `top` is a whole number of steps."""
    count = math.floor(top / step + 1e-9)
    return tuple(Tick(percent(index * step, top), index * step) for index in range(count + 1))


def percent(value: float, top: float) -> float:
    """A position on the axis in percent, with 3 decimals, kept between 0 and 100."""
    return round(min(max(value / top, 0.0), 1.0) * 100, 3) if top else 0.0


def log_ticks(low: float, high: float) -> tuple[Tick, ...]:
    """Marks of a logarithmic axis, from the last one that is not above `low` to the first that is not below `high`."""
    powers = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 2)
    marks = [factor * 10.0**power for power in powers for factor in FACTORS]
    first = max(mark for mark in marks if mark <= low)
    last = min(mark for mark in marks if mark >= high and mark > first)
    shown = [mark for mark in marks if first <= mark <= last]
    return tuple(Tick(log_percent(mark, first, last), mark) for mark in shown)


def log_percent(value: float, first: float, last: float) -> float:
    """A position on a logarithmic axis from `first` to `last` in percent, with 3 decimals."""
    return round(math.log(value / first) / math.log(last / first) * 100, 3)
