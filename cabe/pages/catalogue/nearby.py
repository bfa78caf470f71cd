"""Records near the one of a page: its own family first, then those of about the same size."""

from __future__ import annotations

import math
from typing import Any

from cabe.facts import Device
from cabe.facts.models import Model
from cabe.pages.catalogue.entry import Entry
from cabe.pages.catalogue.estimates import params_of
from cabe.pages.site import place

MOST, MOST_OF_FAMILY = 6, 3


def near_models(entry: Entry, model: Model) -> list[dict[str, Any]]:
    """Models of the family and others, the nearest in size first; each with what QLoRA takes."""
    others = [one for one in entry.catalogue.models.values() if one.id != model.id]
    others.sort(key=lambda one: (abs(math.log(params_of(one) / params_of(model))), one.id))
    family = [one for one in others if one.family == model.family][:MOST_OF_FAMILY]
    chosen = [*family, *(one for one in others if one.family != model.family)][:MOST]
    return [
        {
            "name": one.name,
            "path": place(entry.language, "models", one.id),
            "above": one.vendor,
            "about": entry.word("catalogue.nearby.model", qlora=entry.gb(entry.catalogue.common_peak(one.id, "qlora"))),
        }
        for one in chosen
    ]


def near_devices(entry: Entry, device: Device) -> list[dict[str, Any]]:
    """Devices with about as much usable memory, of the same kind first."""
    size = _size(entry, device)
    others = [one for one in entry.catalogue.devices.values() if one.id != device.id]
    others.sort(key=lambda one: (abs(math.log(_size(entry, one) / size)), one.id))
    alike = [one for one in others if one.kind == device.kind][:MOST_OF_FAMILY]
    chosen = [*alike, *(one for one in others if one.kind != device.kind)][:MOST]
    return [
        {
            "name": one.name,
            "path": place(entry.language, "devices", one.id),
            "above": one.vendor,
            "about": entry.usable_note(one),
        }
        for one in chosen
    ]


def _size(entry: Entry, device: Device) -> float:
    return entry.catalogue.rooms[device.id].usable * device.gpus
