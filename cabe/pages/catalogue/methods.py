"""The overview of matrices: one for each method, and how many models it lets into a well-known device."""

from __future__ import annotations

from typing import Any

from cabe.pages.catalogue.common import judge_of
from cabe.pages.catalogue.compare import RUNS
from cabe.pages.catalogue.entry import Entry, Heading
from cabe.pages.catalogue.estimates import OVERVIEWED
from cabe.pages.site import place


def values(entry: Entry) -> dict[str, Any]:
    """What the template fills in: each matrix as name, description and path."""
    cards = [
        (entry.word(f"overview.methods.{method}"), _about(entry, method), place(entry.language, entry.kind, method))
        for method in OVERVIEWED
    ]
    return {"page": Heading(entry.word("matrix.index_title"), entry.word("matrix.index_lead")), "cards": cards}


def _about(entry: Entry, method: str) -> str:
    """How many models fit on the device of the comparison."""
    catalogue = entry.catalogue
    device = catalogue.site.facts.run_lists[RUNS].device or ""
    judge, usable = judge_of(catalogue), catalogue.rooms[device].usable
    fitting = sum(judge(peak, usable) == "fits" for peak in catalogue.peaks[method].values())
    names = {"all": entry.number(len(catalogue.models)), "device": catalogue.names["devices"][device]}
    key = "about_inference" if method == "inference" else "about"  # whose weights are in 16 bits
    return entry.word(f"matrix.{key}", n=entry.number(fitting), count=fitting, **names)
