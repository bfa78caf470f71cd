"""Two to four runs side by side: fields for each, their bars on one axis, and a table of their parts.

What is shown at first is a list of runs of data/setups.yaml; `compare.js` changes the texts and positions of these
nodes, in the same words and with the same rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cabe import charts
from cabe.facts import RunList, Setup, answerable
from cabe.memory import PARTS, Estimates, component, estimate
from cabe.pages.calculators import RANGES
from cabe.pages.catalogue.common import judge_of, verdict_words
from cabe.pages.catalogue.entry import Entry, Heading
from cabe.pages.catalogue.estimates import OVERVIEWED
from cabe.pages.training_grid import COMMON_BATCH, COMMON_LENGTH, METHODS
from cabe.words import numbers as written

RUNS, SLOTS = "side-by-side", 4
ERRORS = ("empty", "text", "groups", "range")
FIGURES = ("peak", "monitor", "trainable_params")  # rows of the table below the parts
UNKNOWN = ("unknown_model", "unknown_device", "whole", "beyond_context")


@dataclass(frozen=True)
class Made:
    """A run that was asked for, in bytes; `parts` in drawing order."""

    model: str
    method: str
    peak: float
    monitor: tuple[float, float]
    trained: float
    parts: Mapping[str, float]


@dataclass(frozen=True)
class Slot:
    """A place for a run: what its fields hold, and what is drawn of it; all texts are empty where there is none."""

    model: str
    method: str
    name: str
    peak: str
    verdict: str
    verdict_line: str
    bar: charts.Share


def values(entry: Entry) -> dict[str, Any]:
    """What the template of the comparison fills in."""
    run_list = entry.catalogue.site.facts.run_lists[RUNS]
    made = _made(entry, run_list)
    usable = _usable(entry, run_list.device or "")
    rows = [(part, entry.word(f"parts.{part}"), _part_cells(entry, made, part)) for part in PARTS]
    rows += [(name, entry.word(f"compare.{name}"), _figure_cells(entry, made, name)) for name in FIGURES]
    return {
        "page": Heading(entry.word("compare.title"), entry.word("compare.lead")),
        "slots": _slots(entry, made, usable),
        "methods": [(method, entry.word(f"overview.methods.{method}")) for method in OVERVIEWED],
        "models": sorted(model.name for model in entry.catalogue.models.values()),
        "devices": list(entry.catalogue.names["devices"].values()),
        "fields": _fields(entry, run_list),
        "rows": rows,
        "parts": PARTS,
        "limit": entry.word("estimator.limit", usable=entry.gb(usable)),
        "script": _script(entry, run_list),
    }


def _made(entry: Entry, run_list: RunList) -> list[Made]:
    facts, formulas = entry.catalogue.site.facts, entry.catalogue.site.formulas
    setups = [Setup(model=run.model, method=run.method) for run in run_list.runs]
    rows = estimate(facts, formulas, [answerable(facts, setup) for setup in setups])
    return [_one(rows, number, setup) for number, setup in enumerate(setups)]


def _one(rows: Estimates, number: int, setup: Setup) -> Made:
    found = {
        name: rows.value(number, name) or 0.0 for name in ("peak", "driver_mid", "driver_high", "trainable_params")
    }
    parts = {part: component(rows, number, part) or 0.0 for part in PARTS}
    monitor = (found["driver_mid"], found["driver_high"])
    return Made(setup.model, setup.method or "", found["peak"], monitor, found["trainable_params"], parts)


def _usable(entry: Entry, device: str) -> float:
    return entry.catalogue.rooms[device].usable


def _slots(entry: Entry, made: Sequence[Made], usable: float) -> list[Slot]:
    top = max(usable, *(one.peak for one in made))
    nothing = charts.share([0.0] * len(PARTS), top, usable)
    empty = [Slot("", METHODS[0], "", "", "none", "", nothing)] * (SLOTS - len(made))
    return [*(_slot(entry, one, top, usable) for one in made), *empty]


def _slot(entry: Entry, made: Made, top: float, usable: float) -> Slot:
    model = entry.catalogue.names["models"][made.model]
    verdict = judge_of(entry.catalogue)(made.peak, usable) or "too-big"
    told = {"verdict": verdict_words(entry)[verdict], "share": entry.share(made.peak / usable)}
    return Slot(
        model=model,
        method=made.method,
        name=entry.word("run_on_model", model=model, method=entry.word(f"overview.methods.{made.method}")),
        peak=entry.gb(made.peak),
        verdict=verdict,
        verdict_line=entry.word("compare.verdict_line", usable=entry.gb(usable), **told),
        bar=charts.share(list(made.parts.values()), top, usable),
    )


def _part_cells(entry: Entry, made: Sequence[Made], part: str) -> list[str]:
    return _padded([entry.gb(one.parts[part]) if one.parts[part] else "" for one in made])


def _figure_cells(entry: Entry, made: Sequence[Made], name: str) -> list[str]:
    write = {
        "peak": lambda one: entry.gb(one.peak),
        "monitor": lambda one: entry.gb_range(*one.monitor),
        "trainable_params": lambda one: entry.number(one.trained) if one.trained else "",
    }
    return _padded([write[name](one) for one in made])


def _padded(cells: list[str]) -> list[str]:
    return [*cells, *[""] * (SLOTS - len(cells))]


def _fields(entry: Entry, run_list: RunList) -> dict[str, str]:
    device = entry.catalogue.names["devices"][run_list.device or ""]
    return {"seq": str(COMMON_LENGTH), "batch": str(COMMON_BATCH), "device": device}


def _script(entry: Entry, run_list: RunList) -> dict[str, Any]:
    locale = entry.language.locale
    base = {
        "models": [run.model for run in run_list.runs],
        "methods": [run.method for run in run_list.runs],
        "seq": str(COMMON_LENGTH),
        "batch": str(COMMON_BATCH),
        "device": run_list.device,
    }
    return {
        "base": base,
        "side_by_side": METHODS,
        "ranges": {name: RANGES[name] for name in ("seq", "batch")},
        "signs": {
            "decimal": written.decimal_sign(locale),
            "group": written.group_sign(locale),
            "percent": written.percent(0.0, locale).replace("0", "{n}"),
        },
        "words": dict(_words(entry)),
    }


def _words(entry: Entry) -> Iterator[tuple[str, Any]]:
    yield "run_on_model", entry.word("run_on_model")
    yield "verdict_line", entry.word("compare.verdict_line")
    yield "limit", entry.word("estimator.limit")
    yield from ((name, entry.word(f"estimator.{name}")) for name in UNKNOWN)
    yield "errors", {error: entry.word(f"calculator.errors.{error}") for error in ERRORS}
    yield "verdicts", verdict_words(entry)
    yield "methods", {method: entry.word(f"overview.methods.{method}") for method in OVERVIEWED}
