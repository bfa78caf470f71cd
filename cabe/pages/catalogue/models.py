"""The page of a model: what fine-tuning it takes by method, length and batch, and its facts with their sources."""

from __future__ import annotations

from typing import Any

from cabe.facts.models import Model
from cabe.pages.catalogue.entry import Entry, Heading
from cabe.pages.catalogue.estimates import BATCHES, COMMON_BATCH, METHODS, common_length
from cabe.pages.catalogue.model_facts import facts_of
from cabe.pages.catalogue.training import breakdown, by_length, setup_line, summary
from cabe.pages.site import address, link, place

CALCULATORS = ("training-vram", "inference-vram", "lora-parameters")
SECTIONS = ("parts", "lengths", "facts")


def values(entry: Entry) -> dict[str, Any]:
    """What the template of a model fills in."""
    model = entry.catalogue.models[entry.record_id]
    return {
        "page": _heading(entry, model),
        "name": model.name,
        "about": facts_of(entry, model),
        "setup": setup_line(entry, model),
        "summary": summary(entry, model),
        "drawn": breakdown(entry, model),
        "lengths": by_length(entry, model),
        "batches": BATCHES,
        "calculators": _calculators(entry, model),
        "sections": SECTIONS,
    }


def _heading(entry: Entry, model: Model) -> Heading:
    at = {"model": model.id, "seq": common_length(model), "batch": COMMON_BATCH}
    figures = {method: entry.gb(entry.catalogue.training.figure("peak", method=method, **at)) for method in METHODS}
    title = entry.word("catalogue.model.title", model=model.name)
    names = {"model": model.name, "seq": entry.number(common_length(model)), **figures}
    return Heading(title, entry.word("catalogue.model.description", **names))


def _calculators(entry: Entry, model: Model) -> list[tuple[str, str]]:
    """The calculators, opened with this model: the word of each, and where it is."""
    here = place(entry.language, entry.kind, entry.record_id)
    pages = [entry.catalogue.site.page(entry.language, page_id) for page_id in CALCULATORS]
    return [(page.title, f"{link(here, address(page))}#model={model.id}") for page in pages if page]
