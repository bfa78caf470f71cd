"""How the memory of a run grows with the length of its sequences, and where what grows overtakes what does not."""

from __future__ import annotations

from typing import Any

from cabe import charts
from cabe.facts.models import Model
from cabe.pages.catalogue.entry import Entry
from cabe.pages.training_grid import COMMON_BATCH, METHODS, lengths_of
from cabe.words import numbers as written

METHOD = "qlora"  # the one that is drawn: its states are the smallest, so that the rest shows
GROWING = ("activations", "logits", "temporaries")
SERIES = ("states", *GROWING)  # each a word of `catalogue.growth`


def growth(entry: Entry, model: Model) -> dict[str, Any]:
    """The curves of one method over length, the same as a table, and the length at which each method tips over."""
    lengths = lengths_of(model)
    rows = {length: _amounts(entry, model, length) for length in lengths}
    curves = [[rows[length][name] / written.GB for length in lengths] for name in SERIES]
    chart = charts.curves(lengths, curves)
    return {
        "chart": chart,
        "series": SERIES,
        "across": [entry.number(mark.value) for mark in chart.across],
        "up": [entry.number(mark.value) for mark in chart.up],
        "described": _described(entry, lengths[-1], rows[lengths[-1]]),
        "rows": [(entry.number(length), _cells(entry, own)) for length, own in rows.items()],
        "tipping": [(method, _tipping(entry, model, method)) for method in METHODS],
    }


def _amounts(entry: Entry, model: Model, length: int) -> dict[str, float]:
    """What stays between steps, and what a step adds to it at the peak; gradients count among the temporaries."""
    at = {"model": model.id, "method": METHOD, "seq": length, "batch": COMMON_BATCH}
    training = entry.catalogue.training
    peak, states, activations, logits = training.figures(("peak", "resident", "at_activations", "at_logits"), **at)
    rest = peak - states - activations - logits
    return {"states": states, "activations": activations, "logits": logits, "temporaries": rest}


def _cells(entry: Entry, amounts: dict[str, float]) -> list[str]:
    return [entry.gb_bare(amount) for amount in (*amounts.values(), sum(amounts.values()))]


def _described(entry: Entry, length: int, amounts: dict[str, float]) -> str:
    parts = [f"{entry.word(f'catalogue.growth.{name}')}: {entry.gb(amount)}" for name, amount in amounts.items()]
    return entry.word("catalogue.growth.described", seq=entry.number(length), parts="; ".join(parts))


def _tipping(entry: Entry, model: Model, method: str) -> str:
    found = entry.catalogue.crossings[model.id, method]
    key = "never" if found is None else "from"
    tokens = model.max_context if found is None else found
    return entry.word(f"catalogue.growth.{key}", seq=entry.number(tokens), count=tokens)
