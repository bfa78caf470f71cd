"""Set-ups in, bytes out: the rule of thumb and the states of every run, in one pass over columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from cabe.facts import Answerable, Facts
from cabe.memory.formulas import Formulas, evaluate
from cabe.memory.inputs import columns_of

PARTS = (
    "frozen_weights",
    "trainable_weights",
    "gradients",
    "master_weights",
    "optimizer_states",
    "activations",
    "logits",
    "kv_cache",
    "temporaries",
)


@dataclass(frozen=True)
class Estimates:
    """One row per set-up: every formula's column, and `rule_low`, `rule_mid`, `rule_high`; NaN is "not modelled".

    Bytes per device unless the formula's unit says otherwise. Carries the facts and formulas it was made from.
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
    inputs = columns_of(facts, setups)
    ends = {}
    for end in ("low", "mid", "high"):
        sized = inputs.assign(billions=inputs[f"billions_{end}"])
        ends[f"rule_{end}"] = evaluate(formulas.groups["rule"], sized)["rule"]
    known = [column for column in inputs.columns if column in formulas.inputs]
    states = evaluate(formulas.groups["states"], inputs[known])
    states[~inputs["has_shape"] & (inputs["trains_all"] == 0)] = np.nan  # no shape, no adapter to count
    states[inputs["is_range"]] = np.nan  # a range has a rule, but no single model
    known_inputs = inputs[[name for name in known if name != "billions"]]
    return Estimates(facts, formulas, tuple(setups), pd.concat([known_inputs, states, pd.DataFrame(ends)], axis=1))
