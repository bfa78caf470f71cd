"""The breakdown chart: one stacked bar per run.

    0 GB    20      40   …            ticks
    name ≈ total  note                label (on a narrow page the note has a line of its own)
    ▇▇▇▇▇▇▇▇▏▏▏                       bar: parts in a fixed order, a part too thin to see gets 2 pixels

Positions along the axis are in percent, everything else in pixels: text keeps its size at every width.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cabe.charts.axis import Tick, percent, step_for, ticks

TOP = 26
PITCH = 66
LABEL = 26
BAR = 30
THIN = 0.8  # percent of the axis: 2 pixels of a chart 250 pixels wide
THIN_PIXELS = 2
DIGIT_PIXELS = 7.5
ROOMS = (240, 360, 480, 640)  # widths of the chart at which a value inside a part may appear


@dataclass(frozen=True)
class Bar:
    """One run: its parts as (name, amount) in drawing order, amounts in the unit of the axis."""

    parts: tuple[tuple[str, float], ...]
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Segment:
    """A part of a bar from `x` percent, shifted by `shift` pixels; `width` in percent, None for a thin one.

    `room` is the chart width in pixels from which `text` fits inside, None where it never does.
    """

    part: str
    x: float
    shift: int
    width: float | None
    middle: float
    room: int | None
    text: str


@dataclass(frozen=True)
class Row:
    y: int
    segments: tuple[Segment, ...]


@dataclass(frozen=True)
class Breakdown:
    """Heights in pixels, positions in percent; `top` is the end of the axis, `mark` the lower end of a grid line."""

    height: int
    top: float
    ticks: tuple[Tick, ...]
    rows: tuple[Row, ...]
    label: int = LABEL
    bar: int = BAR
    mark: int = BAR + 4


def breakdown(bars: Sequence[Bar]) -> Breakdown:
    """The geometry of a breakdown chart of one or more bars."""
    longest = max((math.fsum(amount for _, amount in bar.parts) for bar in bars), default=0.0)
    step = step_for(longest)
    top = max(math.ceil(longest / step - 1e-9), 1) * step
    rows = tuple(Row(TOP + index * PITCH, _segments(bar, top)) for index, bar in enumerate(bars))
    return Breakdown(TOP + len(bars) * PITCH, top, ticks(top, step), rows)


def _segments(bar: Bar, top: float) -> tuple[Segment, ...]:
    made: list[Segment] = []
    x, shift = 0.0, 0
    for (part, amount), text in zip(bar.parts, bar.texts, strict=True):
        if amount <= 0:
            continue
        width = percent(amount, top)
        if width < THIN:
            made.append(Segment(part, round(x, 3), shift, None, round(x, 3), None, text))
            shift += THIN_PIXELS
            continue
        made.append(Segment(part, round(x, 3), shift, width, round(x + width / 2, 3), _room(text, width), text))
        x += width
    return tuple(made)


def _room(text: str, width: float) -> int | None:
    needed = (len(text) * DIGIT_PIXELS + 6) / (width / 100)
    return next((room for room in ROOMS if needed <= room), None)
