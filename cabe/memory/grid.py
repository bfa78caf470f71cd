"""Every combination of some options, estimated in one pass, and looked up by the values of the options."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cabe.facts import Facts
from cabe.memory.estimates import RESULTS, estimate_table
from cabe.memory.formulas import AT_THE_PEAK, PARTS, Formulas

Column = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Grid:
    """Columns of estimates, one row for each combination of values; `axes` say how far each value leads into them."""

    axes: Mapping[str, Mapping[Any, int]]
    columns: Mapping[str, Column]

    def figure(self, name: str, **at: Any) -> float:
        """One figure, NaN where it is not modelled. `at` names a value on every axis; raises KeyError for another."""
        return float(self.columns[name][self._row(at)])

    def figures(self, names: Sequence[str], **at: Any) -> list[float]:
        """Several figures of one row."""
        row = self._row(at)
        return [float(self.columns[name][row]) for name in names]

    def components(self, **at: Any) -> dict[str, float]:
        """Every part that is alive at the peak, in drawing order."""
        names = [f"at_{part}" if part in AT_THE_PEAK else part for part in PARTS]
        return dict(zip(PARTS, self.figures(names, **at), strict=True))

    def _row(self, at: Mapping[str, Any]) -> int:
        return sum(steps[at[axis]] for axis, steps in self.axes.items())


def grid(
    facts: Facts,
    formulas: Formulas,
    axes: Mapping[str, Sequence[Any]],
    fixed: Mapping[str, Any],
    wanted: Collection[str] = RESULTS,
) -> Grid:
    """The estimates of every combination of the values on `axes`, with the `fixed` options; names with underscores.

    Raises ValueError with one line per wrong value.
    """
    length = int(np.prod([len(values) for values in axes.values()]))
    table: dict[str, Any] = {name: [value] * length for name, value in fixed.items()}
    steps: dict[str, dict[Any, int]] = {}
    inner = length
    for axis, values in axes.items():
        inner //= len(values)
        codes = np.tile(np.repeat(np.arange(len(values)), inner), length // (inner * len(values)))
        table[axis] = np.array(values, dtype=object if isinstance(values[0], str) else None)[codes]
        steps[axis] = {value: inner * number for number, value in enumerate(values)}
    rows = estimate_table(facts, formulas, pd.DataFrame(table), wanted)
    return Grid(steps, {name: rows[name].to_numpy() for name in rows.columns})
