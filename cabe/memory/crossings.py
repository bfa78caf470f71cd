"""The length from which activations, logits, temporaries and gradients take more than weights and optimizer states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from cabe.facts import Facts
from cabe.memory.estimates import estimate_table
from cabe.memory.formulas import Formulas


def crossings(
    facts: Facts, formulas: Formulas, models: Sequence[str], methods: Sequence[str]
) -> Mapping[tuple[str, str], int | None]:
    """By model and method the shortest sequence, in tokens, at whose peak more than half is no state of the run.

    One sequence in a micro-batch, everything else at its default. None where not even the longest sequence that the
    model reads gets there. All are narrowed down at once, since memory grows with length.
    """
    pairs = [(model, method) for model in models for method in methods]
    table = pd.DataFrame(pairs, columns=["model", "method"])
    longest = np.array([facts.models[model].max_context for model, _ in pairs])
    low, high = np.zeros_like(longest), longest + 1  # the first has not crossed, the last has or is none
    while np.any(high - low > 1):
        middle = (low + high) // 2
        rows = estimate_table(facts, formulas, table.assign(seq=np.maximum(middle, 1)), ("peak", "resident"))
        crossed = (rows["peak"] > 2 * rows["resident"]).to_numpy() & (middle > 0)
        low, high = np.where(crossed, low, middle), np.where(crossed, middle, high)
    found = [int(length) if length <= most else None for length, most in zip(high, longest, strict=True)]
    return dict(zip(pairs, found, strict=True))
