"""Where a model fits: a drawing of a few devices, and the smallest device of each kind that holds each method."""

from __future__ import annotations

from typing import Any

from cabe import charts
from cabe.facts import Device
from cabe.facts.models import Model
from cabe.memory import Verdict
from cabe.pages.catalogue.entry import Entry
from cabe.pages.catalogue.estimates import PICKS, SORTS, Catalogue
from cabe.pages.results import SIGNS
from cabe.pages.site import place
from cabe.pages.training_grid import METHODS, common_length

DRAWN = 5  # devices at most


def placement(entry: Entry, model: Model) -> dict[str, Any]:
    """The drawing with its texts, and the table of the smallest devices."""
    devices = _around_the_limits(entry.catalogue, model)
    shares = [
        [_peak(entry.catalogue, model, method, one) / _usable(entry, one) for method in METHODS] for one in devices
    ]
    return {
        "chart": charts.fits(shares),
        "caption": entry.word("catalogue.fit.caption", seq=entry.number(common_length(model)), **entry.thresholds()),
        "devices": [_device(entry, model, one) for one in devices],
        "smallest": [(method, [_smallest(entry, model, method, sort) for sort in SORTS]) for method in METHODS],
    }


def _peak(catalogue: Catalogue, model: Model, method: str, device: Device) -> float:
    return catalogue.common_peak(model.id, method, device.gpus)


def _usable(entry: Entry, device: Device) -> float:
    return entry.catalogue.rooms[device.id].usable


def _around_the_limits(catalogue: Catalogue, model: Model) -> list[Device]:
    """Of the picked devices those at which a method begins to fit, and the next smaller ones; then the smallest."""
    picked = [catalogue.devices[device] for device in catalogue.site.facts.picks[PICKS].devices]
    chosen: list[int] = []
    for method in METHODS:
        holds = [_verdict(catalogue, model, method, one) == "fits" for one in picked]
        first = holds.index(True) if True in holds else len(picked) - 1
        chosen += [first, max(first - 1, 0)]
    wanted = list(dict.fromkeys(chosen))
    rest = sorted(set(range(len(picked))) - set(wanted), key=lambda place: min(abs(place - one) for one in wanted))
    return [picked[place] for place in sorted([*wanted, *rest][:DRAWN])]


def _verdict(catalogue: Catalogue, model: Model, method: str, device: Device) -> Verdict:
    return catalogue.verdict(_peak(catalogue, model, method, device), device.id)


def _device(entry: Entry, model: Model, device: Device) -> dict[str, Any]:
    needs = []
    for method in METHODS:
        peak = _peak(entry.catalogue, model, method, device)
        verdict = entry.catalogue.verdict(peak, device.id)
        share = entry.share(peak / _usable(entry, device))
        name = entry.word(f"catalogue.methods.{method}.short")
        needs.append(
            {"name": name, "figure": entry.gb(peak), "verdict": verdict, "sign": SIGNS[verdict], "share": share}
        )
    return {
        "name": device.name,
        "path": place(entry.language, "devices", device.id),
        "usable": entry.gb(_usable(entry, device)),
        "note": entry.usable_note(device),
        "needs": needs,
    }


def _smallest(entry: Entry, model: Model, method: str, sort: str) -> tuple[str, str, str] | None:
    """Name, path and share of the smallest device of a sort that holds a method; the newest of several."""
    for device in entry.catalogue.by_size[sort]:
        if _verdict(entry.catalogue, model, method, device) == "fits":
            share = entry.share(_peak(entry.catalogue, model, method, device) / _usable(entry, device))
            return device.name or device.id, place(entry.language, "devices", device.id), share
    return None
