"""Runs as the bars of charts: the texts beside the geometry, and the cells of the table below a breakdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cabe import charts
from cabe.memory import PARTS, Verdict
from cabe.words import Language
from cabe.words import numbers as written


@dataclass(frozen=True)
class BreakdownBar:
    """One bar with its texts: parts in GB, `cells` of the table under the chart."""

    name: str
    note: str
    total: str
    parts: tuple[tuple[str, float], ...]
    texts: tuple[str, ...]
    cells: Mapping[str, str]


@dataclass(frozen=True)
class DeviceNeed:
    """One run on a device: bytes from `low` to `high`, as text, and the verdict; `page` is that of a named model."""

    name: str
    figure: str
    verdict: Verdict | None
    low: float
    high: float
    page: str | None = None


def bar_of(language: Language, name: str, note: str, total: str, amounts: Mapping[str, float]) -> BreakdownBar:
    """The bar of a run whose parts take `amounts` of bytes."""
    locale = language.locale
    return BreakdownBar(
        name=name,
        note=note,
        total=total,
        parts=tuple((part, amount / written.GB) for part, amount in amounts.items()),
        texts=tuple(written.number(amount / written.GB, locale) for amount in amounts.values()),
        cells={part: written.gigabytes(amount, locale) if amount else "" for part, amount in amounts.items()},
    )


def stacked(language: Language, bars: Sequence[BreakdownBar]) -> dict[str, Any]:
    """What the breakdown chart draws of its bars, and the parts that its legend names."""
    geometry = charts.breakdown([charts.Bar(bar.parts, bar.texts) for bar in bars])
    used = [part for part in PARTS if any(bar.cells.get(part) for bar in bars)]
    ticks = [written.number(tick.value, language.locale) for tick in geometry.ticks]
    return {"chart": geometry, "bars": bars, "parts": used, "ticks": ticks}
