"""The device-fit diagram: the device as a frame, one bar per run.

       27 GB usable ┃ system
┌───────────────────┸──────────┐
│ name  ≈ 17 GB  ✓ fits ╱╱╱╱╱╱╱│      label, then bar; usable memory filled, the reserve hatched
│ ▇▇▇▇▇▇▇▇▇▒▒▒      ┃ ╱╱╱╱╱╱╱╱╱│      a range has a paler end; the line marks the limit beside each bar
│ ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇┃▇▇▇▇▇▇▇▇▇▇│▇▇▇   a bar may leave the frame
└──────────────────────────────┘
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cabe.charts.axis import percent

TOP = 46
PITCH = 54
LABEL = 29
BAR = 18
BOTTOM = 6
LEFT_FROM = 45  # percent: a limit nearer than that leaves no room for its label on the left
NAMED_TO = 80  # percent: the name of the reserve needs the rest of a chart 600 pixels wide; in narrower ones it hides
AIR = 1.02  # a bar that ends the axis stays clear of the figure's edge


@dataclass(frozen=True)
class Need:
    """What one run needs, from `low` to `high`, in the unit of the axis."""

    low: float
    high: float


@dataclass(frozen=True)
class FitRow:
    """A bar to `solid` percent and a paler one of `pale` percent behind it (0 where there is no range)."""

    y: int
    solid: float
    pale: float


@dataclass(frozen=True)
class DeviceFit:
    """Heights in pixels; `usable`, `frame` and the `reserve` between them in percent.

    `limit_left`: the limit's label stands left of its line; `reserve_named`: the reserve's has room beside it; `mark`
    is the lower end of the line beside a bar.
    """

    height: int
    body: int
    usable: float
    frame: float
    reserve: float
    limit_left: bool
    reserve_named: bool
    rows: tuple[FitRow, ...]
    top: int = TOP
    label: int = LABEL
    bar: int = BAR
    mark: int = BAR + 3


def device_fit(memory: float, usable: float, needs: Sequence[Need]) -> DeviceFit:
    """The geometry of a device-fit diagram; all amounts in one unit."""
    end = max([memory, *(need.high for need in needs)]) * AIR
    rows = tuple(
        FitRow(TOP + index * PITCH, percent(need.low, end), round(percent(need.high, end) - percent(need.low, end), 3))
        for index, need in enumerate(needs)
    )
    limit, frame = percent(usable, end), percent(memory, end)
    body = len(needs) * PITCH + BOTTOM
    left, named = limit >= LEFT_FROM, limit <= NAMED_TO
    return DeviceFit(TOP + body + 1, body, limit, frame, round(frame - limit, 3), left, named, rows)
