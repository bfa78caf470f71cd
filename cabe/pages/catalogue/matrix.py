"""The matrix of a method: every model against every size of usable memory, with the verdict where they meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from cabe.facts import Device
from cabe.facts.models import Model
from cabe.memory import Verdict
from cabe.pages.catalogue import filters
from cabe.pages.catalogue.common import judge_of, setup_line, usable_of, verdict_words
from cabe.pages.catalogue.entry import Entry, Heading
from cabe.pages.catalogue.estimates import params_of
from cabe.pages.catalogue.filters import Choice, Filter
from cabe.pages.catalogue.sizes import Column, columns, runs
from cabe.pages.site import place
from cabe.pages.training_grid import COMMON_LENGTH
from cabe.words import numbers as written


@dataclass(frozen=True)
class Head:
    """A column: its sizes in GB, and its devices as name and path."""

    id: str
    size: str
    devices: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Figure:
    """A number as it is sorted by, and as it is read."""

    value: float
    text: str


@dataclass(frozen=True)
class Row:
    """A model: what it is filtered by, and its verdicts as runs of columns."""

    name: str
    path: str
    filed: dict[str, str]
    params: Figure
    peak: Figure
    runs: tuple[tuple[Verdict, int], ...]


def values(entry: Entry) -> dict[str, Any]:
    """What the template of a matrix fills in; the id of the page is the method."""
    catalogue, method = entry.catalogue, entry.record_id
    found = columns(usable_of(catalogue), catalogue.peaks[method].values(), judge_of(catalogue))
    rows = [_row(entry, model, found) for model in catalogue.models.values()]
    name, within = (entry.word(f"overview.{form}.{method}") for form in ("methods", "within"))
    counted = {"n": entry.number(len(rows)), "count": len(rows), "devices": entry.number(len(catalogue.devices))}
    return {
        "page": Heading(entry.word("matrix.title", method=name), entry.word("matrix.lead", method=within, **counted)),
        "name": name,
        "heads": [_head(entry, column) for column in found],
        "rows": rows,
        "verdicts": verdict_words(entry),
        "caption": entry.word("matrix.caption", seq=entry.number(COMMON_LENGTH)),
        "setup": setup_line(entry, method),
        "filters": list(_filters(entry, found)),
        "count": filters.count_line(entry, "models", rows),
        "script": filters.script(entry, "models"),
    }


def filed(model: Model) -> dict[str, str]:
    """What a model is filtered by."""
    return {"vendor": model.vendor, "family": model.family, "size": filters.size_of(params_of(model))}


def model_filters(entry: Entry) -> Iterator[Filter]:
    """The filters of a table with a row for each model."""
    models = entry.catalogue.models.values()
    yield filters.written_out(entry, "text", "text")
    yield filters.chosen(entry, "vendor", "same", filters.named(model.vendor for model in models))
    yield filters.chosen(entry, "family", "same", filters.named(model.family for model in models))
    yield filters.sizes(entry)


def billions(entry: Entry, model: Model) -> Figure:
    """Parameters in billions."""
    return Figure(params_of(model), entry.number(params_of(model) / 1e9))


def _row(entry: Entry, model: Model, found: Sequence[Column]) -> Row:
    peak = entry.catalogue.peaks[entry.record_id][model.id]
    own = runs(peak, found, judge_of(entry.catalogue))
    return Row(
        name=model.name,
        path=place(entry.language, "models", model.id),
        filed=filed(model),
        params=billions(entry, model),
        peak=Figure(round(peak), entry.gb_bare(peak)),
        runs=tuple((run.verdict, run.span) for run in own),
    )


def _head(entry: Entry, column: Column) -> Head:
    low, high = (entry.gb_bare(end) for end in (column.low, column.high))
    names = entry.catalogue.names["devices"]
    devices = tuple((names[device], place(entry.language, "devices", device)) for device in column.devices)
    return Head(f"gb-{column.devices[0]}", written.span(low, high), devices)


def _filters(entry: Entry, found: Sequence[Column]) -> Iterator[Filter]:
    yield from model_filters(entry)
    at = {device: number for number, column in enumerate(found) for device in column.devices}
    groups = _by_vendor(entry.catalogue.devices.values())
    choices = [(vendor, tuple(Choice(one.id, one.name or one.id, at[one.id]) for one in own)) for vendor, own in groups]
    everything = ("", (Choice("", entry.word("matrix.no_device")),))
    yield Filter("device", "device", entry.word("overview.filters.device"), (everything, *choices))
    said = [("fits", "matrix.only_fits"), ("tight", "matrix.fits_or_tight")]
    yield filters.chosen(entry, "verdict", "verdict", [Choice(value, entry.word(key)) for value, key in said])


def _by_vendor(devices: Iterable[Device]) -> list[tuple[str, list[Device]]]:
    return [(vendor, list(own)) for vendor, own in groupby(sorted(devices, key=_vendor), key=_vendor)]


def _vendor(device: Device) -> str:
    return device.vendor or ""
