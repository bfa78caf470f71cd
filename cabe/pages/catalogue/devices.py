"""The page of a device: its memory, how much of it a run may use, what fits, and how to get further."""

from __future__ import annotations

from typing import Any

from cabe.facts import Device
from cabe.pages.catalogue.device_facts import facts_of
from cabe.pages.catalogue.entry import Entry, Heading
from cabe.pages.catalogue.frontier import frontier
from cabe.pages.catalogue.hints import hints
from cabe.pages.catalogue.nearby import near_devices
from cabe.pages.catalogue.next_size import next_sizes
from cabe.pages.catalogue.room import room_rows
from cabe.pages.catalogue.well_known import well_known
from cabe.pages.training_grid import COMMON_LENGTH, METHODS

SECTIONS = ("usable", "fit", "frontier", "next", "free", "facts", "nearby")


def values(entry: Entry) -> dict[str, Any]:
    """What the template of a device fills in."""
    device = entry.catalogue.devices[entry.record_id]
    free, larger = hints(entry, device), next_sizes(entry, device)
    missing = {name for name, found in (("free", free), ("next", larger)) if not found}
    return {
        "page": _heading(entry, device),
        "name": device.name,
        "device": device,
        "cards": entry.word("catalogue.cards", n=entry.number(device.gpus), count=device.gpus),
        "rows": room_rows(entry, device),
        "usable": entry.gb(entry.catalogue.rooms[device.id].usable),
        "drawn": well_known(entry, device),
        "methods": METHODS,
        "frontier": frontier(entry, device),
        "next_lead": entry.word("catalogue.next.lead", seq=entry.number(COMMON_LENGTH)),
        "next": larger,
        "hints": free,
        "about": facts_of(entry, device),
        "nearby": near_devices(entry, device),
        "sections": [one for one in SECTIONS if one not in missing],
    }


def _heading(entry: Entry, device: Device) -> Heading:
    space = entry.catalogue.rooms[device.id]
    names = {"device": device.name, "memory": entry.gb(space.memory), "usable": entry.gb(space.usable)}
    counted = {"n": entry.number(device.gpus), "count": device.gpus}
    said = "whole" if names["memory"] == names["usable"] else "description"
    return Heading(
        entry.word("catalogue.device.title", **names), entry.word(f"catalogue.device.{said}", **names, **counted)
    )
