"""The verdict's thresholds beside published runs that finished and that gave no result, by their predicted share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cabe.facts import Facts, answerable
from cabe.memory.estimates import estimate
from cabe.memory.formulas import Formulas
from cabe.memory.verdicts import room

STEPS = 100  # shares are stated in hundredths
# Of each run: predicted peak over usable memory of one card, and whether it finished.
Outcomes = Sequence[tuple[float, bool]]


@dataclass(frozen=True)
class Band:
    """Runs whose predicted peak is above `low` and up to `high` of usable memory; the last band has no end."""

    low: float
    high: float
    finished: int
    failed: int

    @property
    def runs(self) -> int:
        return self.finished + self.failed


def predicted_outcomes(facts: Facts, formulas: Formulas) -> Outcomes:
    """Every run of data/outcomes.yaml, in its order; of several cards, the share of one."""
    runs = list(facts.outcomes.values())
    peaks = estimate(facts, formulas, [answerable(facts, run.setup) for run in runs]).rows["peak"]
    usable = {one.id: room(facts, formulas, one.device).usable for one in facts.benchmarks.values()}
    return [(peak / usable[run.benchmark], run.finished) for run, peak in zip(runs, peaks, strict=True)]


def bands(facts: Facts, outcomes: Outcomes) -> tuple[Band, Band, Band]:
    """How many runs finished and how many did not where the verdict is `fits`, `tight` and `too-big`."""
    fits, tight = (facts.verdicts[name].share for name in ("fits", "tight"))
    return _band(outcomes, 0.0, fits), _band(outcomes, fits, tight), _band(outcomes, tight, math.inf)


def _band(outcomes: Outcomes, low: float, high: float) -> Band:
    inside = [finished for share, finished in outcomes if low < share <= high]
    return Band(low, high, inside.count(True), inside.count(False))


def separating_shares(outcomes: Outcomes) -> tuple[float, float]:
    """The thresholds that the runs themselves draw, in hundredths: the largest share up to which none failed, and the
    smallest above which none finished. Raises ValueError without a run of each kind."""
    failed = min(share for share, finished in outcomes if not finished)
    finished = max(share for share, finished in outcomes if finished)
    return (math.ceil(failed * STEPS) - 1) / STEPS, math.ceil(finished * STEPS) / STEPS
