"""The scatter: predictions over measurements, on two logarithmic axes that are alike.

    100 ┤        ░╱░       the diagonal: predicted as measured
     50 ┤      ●╱░         the band beside it: within a share of that
     20 ┤   ░╱■░
     10 ┤ ░╱░◆             below the band: more was needed than predicted
        └──┴──┴──┴──
       10  20  50  100

Positions are in percent of the plot, `y` from its top. Words stand outside the plot, so that no mark hides one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cabe.charts.axis import log_percent, log_ticks


@dataclass(frozen=True)
class Dot:
    """One pair of amounts above 0, in the unit of the axes."""

    measured: float
    predicted: float


@dataclass(frozen=True)
class Spot:
    x: float
    y: float


@dataclass(frozen=True)
class Mark:
    """A tick of both axes, for `value`: at `x` of the one below the plot and at `y` of the one beside it."""

    x: float
    y: float
    value: float


@dataclass(frozen=True)
class Scatter:
    """`band` are the corners of its area."""

    marks: tuple[Mark, ...]
    spots: tuple[Spot, ...]
    band: tuple[Spot, ...]


def scatter(dots: Sequence[Dot], share: float) -> Scatter:
    """The geometry of one or more dots, with a band of `share` of the measured amount on both sides of the diagonal."""
    amounts = [amount for dot in dots for amount in (dot.measured, dot.predicted)]
    ticks = log_ticks(min(amounts), max(amounts))
    first, last = ticks[0].value, ticks[-1].value
    marks = tuple(Mark(tick.x, round(100 - tick.x, 3), tick.value) for tick in ticks)
    spots = tuple(
        Spot(log_percent(dot.measured, first, last), round(100 - log_percent(dot.predicted, first, last), 3))
        for dot in dots
    )
    above, below = (abs(log_percent(first * factor, first, last)) for factor in (1 + share, 1 - share))
    corners = ((0, 100), (0, 100 - above), (100 - above, 0), (100, 0), (100, below), (below, 100))
    return Scatter(marks, spots, tuple(Spot(round(x, 3), round(y, 3)) for x, y in corners))
