"""One model on several devices: each device as a frame as wide as its usable memory, one bar per run.

GeForce RTX 4090 24 GB                 the device and its usable memory
24.1 GB usable
┌───────────────────────────┐
│ QLoRA  13.6 GB  ✓ fits    │          label, then bar; its length is the share of the usable memory
│ ▇▇▇▇▇▇▇▇▇▇▇▇▇▇            │
│ full   128 GB  ✕ too big  │
│ ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇│▇▇▇▷      a bar may leave the frame; what is longer than the drawing ends in a point
└───────────────────────────┘
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cabe.charts.axis import percent

END = 1.15  # the drawing ends at this share of the usable memory
HEAD = 40
PITCH = 34
LABEL = 20
BAR = 8
BOTTOM = 6
GAP = 20


@dataclass(frozen=True)
class ShareRow:
    """A bar of `width` percent at `y` in its frame; `beyond` where it is longer than the drawing."""

    y: int
    width: float
    beyond: bool


@dataclass(frozen=True)
class Frame:
    """A device at `y`, its frame `body` high."""

    y: int
    body: int
    rows: tuple[ShareRow, ...]


@dataclass(frozen=True)
class Fits:
    """Heights in pixels; `frame` is the width of every frame in percent."""

    height: int
    frame: float
    devices: tuple[Frame, ...]
    head: int = HEAD
    label: int = LABEL
    bar: int = BAR


def fits(devices: Sequence[Sequence[float]]) -> Fits:
    """The geometry of a drawing of devices, each with the shares of its usable memory that runs take."""
    frames: list[Frame] = []
    y = 0
    for shares in devices:
        rows = tuple(ShareRow(index * PITCH, percent(share, END), share > END) for index, share in enumerate(shares))
        body = len(shares) * PITCH + BOTTOM
        frames.append(Frame(y, body, rows))
        y += HEAD + body + GAP
    return Fits(y - GAP + 2 if frames else 0, percent(1, END), tuple(frames))
