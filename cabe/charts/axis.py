"""A horizontal axis from 0: round steps, positions in percent."""

from __future__ import annotations

import math
from dataclasses import dataclass

MOST_TICKS = 7


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
