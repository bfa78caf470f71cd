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
    """Columns of estimates, one row for each combination of the values on the `axes`, the last axis fastest."""

    axes: Mapping[str, tuple[Any, ...]]
    columns: Mapping[str, Column]

    def figure(self, name: str, **at: Any) -> float:
        """One figure, NaN where it is not modelled. `at` names a value on every axis; raises ValueError for another."""
        return float(self.columns[name][self._row(at)])

    def component(self, part: str, **at: Any) -> float:
        """What of a part is alive at the peak."""
        return self.figure(f"at_{part}" if part in AT_THE_PEAK else part, **at)

    def components(self, **at: Any) -> dict[str, float]:
        """Every part that is alive at the peak, in drawing order."""
        return {part: self.component(part, **at) for part in PARTS}

    def _row(self, at: Mapping[str, Any]) -> int:
        row = 0
        for axis, values in self.axes.items():
            row = row * len(values) + values.index(at[axis])
        return row


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
    table: dict[str, Any] = {}
    inner = length
    for axis, values in axes.items():
        inner //= len(values)
        codes = np.tile(np.repeat(np.arange(len(values)), inner), length // (inner * len(values)))
        table[axis] = np.array(values, dtype=object if isinstance(values[0], str) else None)[codes]
    table |= {name: [value] * length for name, value in fixed.items()}
    rows = estimate_table(facts, formulas, pd.DataFrame(table), wanted)
    return Grid(
        {axis: tuple(values) for axis, values in axes.items()}, {name: rows[name].to_numpy() for name in rows.columns}
    )
