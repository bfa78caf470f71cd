"""One stacked bar as long as the largest figure beside it: parts of a run, what a monitor shows, and a limit.

▇▇▇▇▇▇▇▏▏▏┄┄┄┄┄┄┄┄┄┄     │          parts in a fixed order, then the rest up to `high`
                    limit label    the label hangs to the side where it has room
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cabe.charts.axis import percent
from cabe.charts.breakdown import THIN, THIN_PIXELS


@dataclass(frozen=True)
class Block:
    """A part from `x` percent, shifted by `shift` pixels; `width` with its unit, empty for a part of nothing."""

    x: float
    shift: int
    width: str


@dataclass(frozen=True)
class Share:
    """Positions in percent; `limit` is None where nothing limits, `anchor` says how its label hangs."""

    blocks: tuple[Block, ...]
    rest: Block
    limit: float | None
    anchor: str


def share(amounts: Sequence[float], high: float, limit: float | None) -> Share:
    """The geometry of a run's bar: amounts and ends in one unit, `limit` None where nothing limits."""
    top = max(high, limit or 0.0)
    blocks: list[Block] = []
    sum_, shift = 0.0, 0
    for amount in amounts:
        width = percent(amount, top)
        thin = 0 < width < THIN
        text = "" if width == 0 else f"{THIN_PIXELS}px" if thin else f"{width}%"
        blocks.append(Block(percent(sum_, top), shift, text))
        shift += THIN_PIXELS if thin else 0
        sum_ += 0.0 if thin else amount
    end = percent(math.fsum(amounts), top)
    rest = Block(end, 0, f"{round(percent(high, top) - end, 3)}%")
    at = None if limit is None else percent(limit, top)
    return Share(tuple(blocks), rest, at, "start" if at is not None and at < 50 else "end")
