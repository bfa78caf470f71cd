"""The overview of a kind of page: every record that has one."""

from __future__ import annotations

from typing import Any

from cabe.pages.catalogue.entry import Entry, Heading
from cabe.pages.site import place


def values(entry: Entry) -> dict[str, Any]:
    """What the template of an overview fills in: every record with the path of its page."""
    names = entry.catalogue.names[entry.kind]
    rows = [(name, place(entry.language, entry.kind, record_id)) for record_id, name in names.items()]
    title = entry.word(f"catalogue.overview.{entry.kind}_title")
    lead = entry.word(f"catalogue.overview.{entry.kind}_lead", n=entry.number(len(rows)), count=len(rows))
    return {"page": Heading(title, lead), "rows": rows, "sections": ()}
