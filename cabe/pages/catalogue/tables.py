"""The overviews of models and of devices: a table with a row for each, which links to its page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cabe.facts import Device
from cabe.facts.models import Model
from cabe.pages.catalogue import filters
from cabe.pages.catalogue.common import setup_line
from cabe.pages.catalogue.entry import Entry, Heading
from cabe.pages.catalogue.estimates import SORTS
from cabe.pages.catalogue.filters import Choice, Filter
from cabe.pages.catalogue.matrix import Figure, billions, filed, model_filters
from cabe.pages.site import place
from cabe.pages.training_grid import COMMON_LENGTH, METHODS


@dataclass(frozen=True)
class ModelRow:
    """A model and the peaks of its methods, in GB."""

    name: str
    path: str
    filed: Mapping[str, str]
    vendor: str
    params: Figure
    context: Figure
    peaks: tuple[Figure, ...]


@dataclass(frozen=True)
class DeviceRow:
    """A device, its memory in GB, and by method the largest model that fits, as name and path."""

    name: str
    path: str
    filed: Mapping[str, str]
    vendor: str
    sort: str
    cards: Figure
    memory: Figure
    usable: Figure
    largest: tuple[tuple[str, str] | None, ...]


def models(entry: Entry) -> dict[str, Any]:
    """What the template of the overview of models fills in."""
    rows = [_model_row(entry, model) for model in entry.catalogue.models.values()]
    found = [
        *model_filters(entry),
        filters.written_out(entry, "most", "most", of="method"),
        Filter("method", "figure", entry.word("overview.filters.method"), (("", tuple(_methods(entry))),)),
    ]
    return {"rows": rows, "setup": setup_line(entry, "lora"), **_around(entry, "models", rows, found)}


def devices(entry: Entry) -> dict[str, Any]:
    """What the template of the overview of devices fills in."""
    rows = [_device_row(entry, device) for device in entry.catalogue.devices.values()]
    sorts = [Choice(one, entry.word(f"catalogue.sorts.{one}")) for one in SORTS]
    found = [
        filters.written_out(entry, "text", "text"),
        filters.chosen(entry, "vendor", "same", filters.named(row.vendor for row in rows)),
        filters.chosen(entry, "sort", "same", sorts),
        filters.written_out(entry, "least", "least", of="usable"),
    ]
    return {"rows": rows, "setup": setup_line(entry, "lora"), **_around(entry, "devices", rows, found)}


def _around(entry: Entry, kind: str, rows: Sequence[object], found: Sequence[Filter]) -> dict[str, Any]:
    """What both tables have: the heading, the filters and what their script says."""
    title = entry.word(f"catalogue.overview.{kind}_title")
    lead = entry.word(f"catalogue.overview.{kind}_lead", n=entry.number(len(rows)), count=len(rows))
    return {
        "page": Heading(title, lead),
        "methods": METHODS,
        "filters": found,
        "count": filters.count_line(entry, kind, rows),
        "script": filters.script(entry, kind),
    }


def _methods(entry: Entry) -> Iterator[Choice]:
    yield from (Choice(method, entry.word(f"overview.methods.{method}")) for method in METHODS)


def _model_row(entry: Entry, model: Model) -> ModelRow:
    peaks = [entry.catalogue.peaks[method][model.id] for method in METHODS]
    return ModelRow(
        name=model.name,
        path=place(entry.language, "models", model.id),
        filed=filed(model),
        vendor=model.vendor,
        params=billions(entry, model),
        context=Figure(model.max_context, entry.exact(model.max_context)),
        peaks=tuple(Figure(round(peak), entry.gb_bare(peak)) for peak in peaks),
    )


def _device_row(entry: Entry, device: Device) -> DeviceRow:
    space = entry.catalogue.rooms[device.id]
    return DeviceRow(
        name=device.name or device.id,
        path=place(entry.language, "devices", device.id),
        filed={"vendor": device.vendor or "", "sort": device.kind},
        vendor=device.vendor or "",
        sort=entry.word(f"catalogue.sorts.{device.kind}"),
        cards=Figure(device.gpus, entry.number(device.gpus)),
        memory=Figure(round(space.memory), entry.gb_bare(space.memory)),
        usable=Figure(round(space.usable), entry.gb_bare(space.usable)),
        largest=tuple(_largest(entry, device, method) for method in METHODS),
    )


def _largest(entry: Entry, device: Device, method: str) -> tuple[str, str] | None:
    found = entry.catalogue.largest(device.id, method, COMMON_LENGTH)
    return (found.name or found.id, place(entry.language, "models", found.id)) if found else None
