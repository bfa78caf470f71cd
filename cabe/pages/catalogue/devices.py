"""The page of a device: its memory, how much of it a run may use, and what fits."""

from __future__ import annotations

from typing import Any

from cabe.memory import room
from cabe.pages.catalogue.entry import Entry, Heading

SECTIONS = ("usable",)


def values(entry: Entry) -> dict[str, Any]:
    """What the template of a device fills in."""
    device = entry.catalogue.devices[entry.record_id]
    space = room(entry.catalogue.site.facts, entry.catalogue.site.formulas, device.id)
    name = device.name or device.id
    names = {"device": name, "memory": entry.gb(space.memory), "usable": entry.gb(space.usable)}
    title, description = (entry.word(f"catalogue.device.{what}", **names) for what in ("title", "description"))
    heading = Heading(title, description)
    return {"page": heading, "name": name, "usable": names["usable"], "memory": names["memory"], "sections": SECTIONS}
