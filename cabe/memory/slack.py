"""What the driver holds beyond the peak, fitted on measured runs: a share of the peak, and bytes on top.

Ratios of what is held to the peak fall as runs grow, so a ratio is taken as `share + bytes / peak`, a line over
1 / peak. Each line passes through two of the measured ratios, as the best one always can; no share is below 1 and no
bytes below 0, since nothing can be below the peak.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from cabe.memory.accuracy import Compared, signed_error

Column = np.ndarray[Any, np.dtype[np.float64]]

HELD = 0.9  # of the runs, at least, hold no more than the high end and no less than the peak


@dataclass(frozen=True)
class Line:
    """`share` times the peak, and `bytes` on top."""

    share: float
    bytes: float


@dataclass(frozen=True)
class SlackFit:
    """The line of the median ratio, the narrowest line that holds HELD of the runs, and the smallest peak of them."""

    middle: Line
    high: Line
    smallest: float


@dataclass(frozen=True)
class HeldOut:
    """Every run judged by a fit to other families of models: share within the interval, and medians of width and error.

    The width is over the peak, the error over the centre of the measured range.
    """

    count: int
    share: float
    width: float
    error: float


def fit_slack(runs: Sequence[Compared]) -> SlackFit:
    """The fit to runs that report what the driver holds. Raises ValueError where no line can be drawn through two."""
    peaks, ratios = _peaks(runs), _centres(runs) / _peaks(runs)
    lines = list(_lines(1 / peaks, ratios))
    if not lines:
        raise ValueError("no two runs of different peaks")
    middle = min(lines, key=lambda line: float(np.abs(ratios - line.share - line.bytes / peaks).sum()))
    held = [float(np.mean(_held(line, runs))) for line in lines]
    least = min(HELD, max(held))
    holding = [line for line, share in zip(lines, held, strict=True) if share >= least]
    return SlackFit(middle, min(holding, key=lambda line: _width(line, runs)), float(peaks.min()))


def cross_fit(runs: Sequence[Compared], family: Callable[[Compared], str]) -> HeldOut:
    """Families dealt out in two halves by name; each half is judged by a fit to the other."""
    families = sorted({family(one) for one in runs})
    inside, widths, errors = [], [], []
    for half in (families[::2], families[1::2]):
        tested = [one for one in runs if family(one) in half]
        fit = fit_slack([one for one in runs if family(one) not in half])
        middle, high = (line.share * _peaks(tested) + line.bytes for line in (fit.middle, fit.high))
        inside += list(_held(fit.high, tested))
        widths += list(high / _peaks(tested) - 1)
        ranges = [(one.point.memory_bytes_min, one.point.memory_bytes_max) for one in tested]
        errors += [abs(signed_error(mid, *ends)) for mid, ends in zip(middle, ranges, strict=True)]
    return HeldOut(len(runs), float(np.mean(inside)), float(np.median(widths)), float(np.median(errors)))


def _lines(steps: Column, ratios: Column) -> Iterator[Line]:
    """The lines through two measured ratios; `steps` are 1 / peak."""
    for one, other in combinations(range(len(steps)), 2):
        if steps[one] != steps[other]:
            extra = float((ratios[one] - ratios[other]) / (steps[one] - steps[other]))
            share = float(ratios[one] - extra * steps[one])
            if share >= 1 and extra >= 0:
                yield Line(share, extra)


def _held(line: Line, runs: Sequence[Compared]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Of each run, whether its measured range reaches into the interval from the peak to the line."""
    peaks = _peaks(runs)
    low = np.array([one.point.memory_bytes_min for one in runs])
    high = np.array([one.point.memory_bytes_max for one in runs])
    return (peaks <= high) & (low <= line.share * peaks + line.bytes)


def _width(line: Line, runs: Sequence[Compared]) -> float:
    return float(np.median(line.share + line.bytes / _peaks(runs)))


def _peaks(runs: Sequence[Compared]) -> Column:
    return np.array([one.low for one in runs], dtype="float64")


def _centres(runs: Sequence[Compared]) -> Column:
    return np.array([one.point.middle for one in runs])
