"""One size up: for each method the next well-known model that does not fit, and the changes that help most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cabe.facts import Device
from cabe.pages.catalogue.entry import Entry
from cabe.pages.catalogue.estimates import LAPTOP, Catalogue
from cabe.pages.catalogue.well_known import picked
from cabe.pages.results import HALF, SHARED, SIGNS
from cabe.pages.site import place
from cabe.pages.training_grid import METHODS
from cabe.words import numbers as written

SHOWN = 3  # changes
FARTHEST = 2  # times the usable memory: no change of a set-up brings a run back from farther
NOTEBOOKS = ("colab", "kaggle")  # ids of hosted notebooks begin so: nobody adds cards to them
ORDER = ("fits", "tight", "too-big")


def next_sizes(entry: Entry, device: Device) -> list[dict[str, Any]]:
    """Method by method, where there is a next size: the model, what it needs, and the changes that help most."""
    found = ((method, _next(entry.catalogue, device, method)) for method in METHODS)
    return [_described(entry, device, method, model) for method, model in found if model]


def _next(catalogue: Catalogue, device: Device, method: str) -> str | None:
    """The smallest of the picked models that does not fit; None where it is much too large."""
    peaks = sorted((catalogue.common_peak(model, method, device.gpus), model) for model in picked(catalogue))
    beyond = ((peak, model) for peak, model in peaks if catalogue.verdict(peak, device.id) != "fits")
    peak, model = next(beyond, (0.0, None))
    return model if peak <= FARTHEST * catalogue.rooms[device.id].usable else None


def _described(entry: Entry, device: Device, method: str, model: str) -> dict[str, Any]:
    catalogue = entry.catalogue
    peak, changes = catalogue.common_peak(model, method, device.gpus), _helpful(entry, device, method, model)
    return {
        "method": method,
        "model": catalogue.models[model].name,
        "path": place(entry.language, "models", model),
        "need": entry.word("catalogue.next.need", peak=entry.gb(peak), verdict=_verdict(entry, device, peak)),
        "changes": [(_name(entry, one["change"]), _left(entry, device, one["peak"])) for one in changes],
    }


def _helpful(entry: Entry, device: Device, method: str, model: str) -> list[dict[str, Any]]:
    """The changes that help most: those after which a run fits or is tight, or any where none goes so far."""
    catalogue = entry.catalogue
    changes = [one for one in catalogue.changes(model, method, device.gpus) if _possible(device, one["change"])]
    verdicts = [(catalogue.verdict(one["peak"], device.id), one) for one in changes]
    enough = [pair for pair in verdicts if pair[0] != "too-big"] or verdicts
    return [one for _, one in sorted(enough, key=lambda pair: ORDER.index(pair[0]))[:SHOWN]]  # keeps the order of each


def _possible(device: Device, change: Mapping[str, str]) -> bool:
    """Whether a device may get company: not a machine with memory of its own for all, a laptop or a hosted notebook."""
    alone = device.kind == "unified" or device.id.startswith(NOTEBOOKS) or LAPTOP in (device.name or "")
    return not (alone and "gpus" in change)


def _verdict(entry: Entry, device: Device, peak: float) -> str:
    verdict = entry.catalogue.verdict(peak, device.id)
    return f"{SIGNS[verdict]}{written.NO_BREAK_SPACE}{entry.word(f'verdicts.{verdict}')}"


def _name(entry: Entry, change: Mapping[str, str]) -> str:
    """The word of a change: those of methods.yaml by what they set, and the two that depend on the set-up."""
    for one in entry.catalogue.site.facts.changes.values():
        if one.to == change:
            return entry.word(f"changes.{one.id}")
    if "gpus" in change:
        return entry.word("catalogue.next.share_out", n=entry.number(int(change["gpus"])))
    return entry.word(f"changes.{HALF if 'seq' in change else SHARED}")


def _left(entry: Entry, device: Device, peak: float) -> str:
    return entry.word("catalogue.next.left", peak=entry.gb(peak), verdict=_verdict(entry, device, peak))
