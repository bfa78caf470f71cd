"""The columns of a matrix: devices by usable memory, neighbours joined where no model has another verdict.

More memory never makes a verdict worse, so a model's row is at most three runs of columns:

    usable, in GB    7     11    16    24    48    80
    a model          ✕ too big   ! tight     ✓ fits
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from cabe.memory import Verdict

Judge = Callable[[float, float], Verdict | None]  # a peak and usable memory, in bytes
BETTER: tuple[tuple[Verdict, ...], ...] = (("fits", "tight"), ("fits",))  # verdicts from which a run may start
WORST_FIRST: tuple[Verdict, ...] = ("too-big", "tight", "fits")


@dataclass(frozen=True)
class Column:
    """Devices whose usable memory is from `low` to `high` bytes, the smallest first."""

    low: float
    high: float
    devices: tuple[str, ...]


@dataclass(frozen=True)
class Run:
    """Neighbouring columns in which a model has one verdict."""

    verdict: Verdict
    span: int


def columns(usable: Mapping[str, float], peaks: Iterable[float], judge: Judge) -> tuple[Column, ...]:
    """Every device in one column; within a column no peak has two verdicts. `usable`: bytes by device."""
    sizes = sorted(set(usable.values()))
    starts = sorted({0, *(start for peak in peaks for start in _starts(peak, sizes, judge))} - {len(sizes)})
    parts = [sizes[start:end] for start, end in zip(starts, [*starts[1:], len(sizes)], strict=True)]
    return tuple(Column(part[0], part[-1], _devices(usable, part)) for part in parts)


def runs(peak: float, found: Sequence[Column], judge: Judge) -> tuple[Run, ...]:
    """The row of a model with that peak, from the smallest size to the largest."""
    tight, fits = _starts(peak, [column.low for column in found], judge)
    spans = (tight, fits - tight, len(found) - fits)
    return tuple(Run(verdict, span) for verdict, span in zip(WORST_FIRST, spans, strict=True) if span)


def _starts(peak: float, sizes: Sequence[float], judge: Judge) -> tuple[int, int]:
    """Where a run is no longer too big, and where it fits; the number of sizes where it never is."""
    tight, fits = (bisect_left(sizes, 1, key=lambda size: int(judge(peak, size) in better)) for better in BETTER)
    return tight, fits


def _devices(usable: Mapping[str, float], sizes: Sequence[float]) -> tuple[str, ...]:
    inside = [device for device, size in usable.items() if sizes[0] <= size <= sizes[-1]]
    return tuple(sorted(inside, key=lambda device: usable[device]))
