"""The overview of matrices: one for each method, and how many models it lets into a well-known device."""

from __future__ import annotations

from typing import Any

from cabe.pages.catalogue.entry import Entry, Heading
from cabe.pages.catalogue.estimates import OVERVIEWED
from cabe.pages.site import place


def values(entry: Entry) -> dict[str, Any]:
    """What the template fills in: each matrix as name, description and path."""
    cards = [
        (name, entry.word("matrix.about", method=name), place(entry.language, entry.kind, method))
        for method in OVERVIEWED
        if (name := entry.word(f"overview.methods.{method}"))
    ]
    return {"page": Heading(entry.word("matrix.index_title"), entry.word("matrix.index_lead")), "cards": cards}
