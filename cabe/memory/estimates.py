"""Set-ups in, bytes out: the rule of thumb, the states and the peak of every run, in one pass over columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cabe.facts import Answerable, Facts
from cabe.memory.formulas import AT_THE_PEAK, PHASES_OF, Formula, Formulas, results
from cabe.memory.inputs import Prepared, inputs_of, prepare
from cabe.memory.table import complete

RESULTS = (  # what most callers want of a table of set-ups
    *("rule_low", "rule_mid", "rule_high", "states", "resident", "peak", "phase", "trainable_params"),
    *("driver_mid", "driver_high"),
    *("frozen_weights", "trainable_weights", "master_weights", "optimizer_states"),
    *(f"at_{part}" for part in AT_THE_PEAK),
)
SMALL_ADAPTER = 0.05  # of the weights: the rule of thumb holds no place for a larger one
ROWS_AT_ONCE = 8192  # columns of this length stay near a core: several times as fast as whole columns
Instants = Mapping[str, tuple[str, Mapping[str, str]]]


@dataclass(frozen=True)
class Estimates:
    """One row per set-up: every formula's column, `rule_low`, `rule_mid`, `rule_high`, `peak`, `phase`,
    `driver_mid`, `driver_high` and `at_…`.

    `at_<part>` is what of a part is alive at the peak; NaN is "not modelled", `phase` is then empty. Bytes per device
    unless the formula's unit says otherwise. Carries the facts and formulas it was made from.
    """

    facts: Facts
    formulas: Formulas
    setups: tuple[Answerable, ...]
    rows: pd.DataFrame

    def value(self, row: int, name: str) -> float | None:
        """One figure, None where it is not modelled. Raises KeyError for a name that no formula has."""
        if name not in self.rows.columns:
            raise KeyError(name)
        figure = float(self.rows[name].iloc[row])
        return None if np.isnan(figure) else figure


def estimate(facts: Facts, formulas: Formulas, setups: Sequence[Answerable]) -> Estimates:
    """The estimates of answerable set-ups (see `answerable`), one row each, in their order."""
    rows = [{"gradient_dtype": "", "prompt": 0, **one.options} for one in setups]
    options = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    prepared = prepare(facts, options, [one.subject for one in setups], np.arange(len(setups)))
    return Estimates(facts, formulas, tuple(setups), _rows(formulas, prepared, None))


def estimate_table(
    facts: Facts, formulas: Formulas, table: pd.DataFrame, wanted: Collection[str] = RESULTS
) -> pd.DataFrame:
    """The estimates of a table of set-ups, one row each: a column per option (names with underscores), typed.

    Columns that are missing take the default of the method. Raises ValueError with one line per wrong value.
    """
    return _rows(formulas, prepare(facts, *complete(facts, table)), wanted)


def _rows(formulas: Formulas, prepared: Prepared, wanted: Collection[str] | None) -> pd.DataFrame:
    """The results of all rows, some at a time and on every core; `wanted` names the columns to keep, None for all."""
    starts = range(0, max(prepared.length, 1), ROWS_AT_ONCE)
    named = {group: instants(formulas.groups[group]) for group in PHASES_OF}
    if len(starts) == 1:  # one set-up is asked often: threads would take as long as its arithmetic
        made = [_some(formulas, named, prepared, 0, wanted)]
    else:
        with ThreadPoolExecutor() as pool:
            made = list(pool.map(lambda start: _some(formulas, named, prepared, start, wanted), starts))
    names = made[0] if wanted is None else wanted
    columns = {name: np.concatenate([one[name] for one in made]) for name in names}
    if wanted is not None:
        return pd.DataFrame(columns, copy=False)
    phase = columns.pop("phase")  # the numbers are one block: a frame of hundreds of arrays is slow to make
    return pd.DataFrame(np.stack(list(columns.values()), axis=1), columns=list(columns)).assign(phase=phase)


def _some(
    formulas: Formulas, named: Mapping[str, Instants], prepared: Prepared, start: int, wanted: Collection[str] | None
) -> dict[str, Any]:
    inputs = inputs_of(prepared, slice(start, start + ROWS_AT_ONCE))
    length, infers = len(inputs["params"]), inputs["infers"] > 0
    columns = results(formulas.groups["step"], inputs)
    adapted = (inputs["trains_all"] == 0) & ~infers
    nameless = (inputs["is_range"] > 0) | (adapted & (inputs["has_shape"] == 0))
    if nameless.any():  # a range is no single model; without a shape there is no adapter to count
        for formula in formulas.groups["step"]:
            if wanted is None or formula.name in wanted:
                columns[formula.name] = np.where(nameless, np.nan, columns[formula.name])
    columns |= _peak(named["step"], columns, nameless | (inputs["is_size"] > 0), length)
    if wanted is None or infers.any():
        columns |= _inference(formulas, named["inference"], columns, infers, length)
    columns |= results(formulas.groups["driver"], {**inputs, "peak": columns["peak"]})
    large = (inputs["trains_all"] == 0) & (columns["trainable_share"] > SMALL_ADAPTER)
    for end in ("low", "mid", "high"):
        sized = {**inputs, "billions": inputs[f"billions_{end}"]}
        rule = results(formulas.groups["rule"], sized)["rule"]
        columns[f"rule_{end}"] = np.where(large & ~nameless, np.nan, rule)
    kept = columns if wanted is None else {name: columns[name] for name in wanted}
    return {name: column if np.ndim(column) else np.full(length, column) for name, column in kept.items()}


def _inference(
    formulas: Formulas, named: Instants, columns: Mapping[str, Any], infers: Any, length: int
) -> dict[str, Any]:
    """What inference has of its own, nothing for the other rows, and their columns with the rows of inference."""
    made = results(formulas.groups["inference"], columns)
    own = {one.name: np.where(infers, made[one.name], np.nan) for one in formulas.groups["inference"]}
    peaks = _peak(named, made, np.isnan(columns["peak"]), length)
    return own | {name: np.where(infers, column, columns[name]) for name, column in peaks.items()}


def instants(formulas: Sequence[Formula]) -> Instants:
    """The instants of a group in order: the phase of each, and its formula for each part that it has."""
    found: dict[str, tuple[str, dict[str, str]]] = {}
    for formula in formulas:
        if formula.instant and formula.part:
            name = formula.name.removesuffix(f"_{formula.part}")
            found.setdefault(name, (formula.instant, {}))[1][formula.part] = formula.name
    return found


def _peak(named: Instants, columns: Mapping[str, Any], unknown: Any, length: int) -> dict[str, Any]:
    """`peak`, `phase` and `at_<part>`: the largest instant, the first on ties; nothing where it is unknown."""
    parts = {
        part: [np.broadcast_to(columns[own[part]], length) if part in own else None for _, own in named.values()]
        for part in AT_THE_PEAK
    }
    above = np.stack([sum(one for one in own if one is not None) for own in zip(*parts.values(), strict=True)])
    winner = np.where(unknown, -1, np.argmax(above, axis=0))
    made = {f"at_{part}": np.where(unknown, np.nan, 0.0) for part in parts}
    for part, own in parts.items():
        for number, column in enumerate(own):
            if column is not None:
                np.copyto(made[f"at_{part}"], column, where=winner == number)
    phases = np.array([*(phase for phase, _ in named.values()), ""], dtype=object)
    peak = columns["resident"] + np.max(above, axis=0)
    return {"peak": np.where(unknown, np.nan, peak), "phase": phases[winner], **made}
