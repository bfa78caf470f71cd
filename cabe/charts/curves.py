"""Curves over a linear axis from 0: how amounts grow.

    30 ┤            ╱
    20 ┤        ╱ ╱
    10 ┤────╱─╱──────        one curve is flat: what does not grow
     0 ┼────┬────┬────
       0   8k   16k

Positions are in percent of the plot, `y` from its top. Words stand outside the plot, so that no curve crosses one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cabe.charts.axis import Tick, percent, step_for, ticks
from cabe.charts.scatter import Spot

QUARTERS = 4


@dataclass(frozen=True)
class Curves:
    """Each curve as its points; `across` are marks at their x, `up` marks at their y from the top."""

    curves: tuple[tuple[Spot, ...], ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]


def curves(xs: Sequence[float], rows: Sequence[Sequence[float]]) -> Curves:
    """The geometry of one curve for each of `rows`, amounts at the same `xs`; the axes end at the largest."""
    end = max(xs)
    step = step_for(max((amount for row in rows for amount in row), default=0.0))
    top = max(-(-max(amount for row in rows for amount in row) // step), 1) * step
    drawn = tuple(
        tuple(Spot(percent(x, end), round(100 - percent(amount, top), 3)) for x, amount in zip(xs, row, strict=True))
        for row in rows
    )
    up = tuple(Tick(round(100 - tick.x, 3), tick.value) for tick in ticks(top, step))
    return Curves(drawn, ticks(end, end / QUARTERS), up)
