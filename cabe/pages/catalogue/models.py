"""The page of a model: what fine-tuning and running it take, where it fits, and its facts with their sources."""

from __future__ import annotations

from typing import Any

from cabe.facts.models import Model
from cabe.pages.catalogue.adapters import by_rank, experts_left_out
from cabe.pages.catalogue.downloads import paths
from cabe.pages.catalogue.entry import Entry, Heading
from cabe.pages.catalogue.estimates import ADAPTER, SORTS
from cabe.pages.catalogue.growth import growth
from cabe.pages.catalogue.inference import by_context
from cabe.pages.catalogue.measured import measured
from cabe.pages.catalogue.model_facts import facts_of
from cabe.pages.catalogue.nearby import near_models
from cabe.pages.catalogue.placement import placement
from cabe.pages.catalogue.training import above_lora, breakdown, by_length, setup_line, summary
from cabe.pages.site import address, link, place
from cabe.pages.training_grid import BATCHES, METHODS, common_length

CALCULATORS = ("training-vram", "inference-vram", "lora-parameters")
SECTIONS = ("parts", "fit", "lengths", "growth", "adapter", "inference", "measured", "facts", "nearby")


def values(entry: Entry) -> dict[str, Any]:
    """What the template of a model fills in."""
    model = entry.catalogue.models[entry.record_id]
    points = measured(entry, model)
    return {
        "page": _heading(entry, model),
        "name": model.name,
        "about": facts_of(entry, model),
        "setup": setup_line(entry, model),
        "summary": summary(entry, model),
        "above_lora": above_lora(entry, model),
        "drawn": breakdown(entry, model),
        "placed": placement(entry, model),
        "sorts": SORTS,
        "lengths": by_length(entry, model),
        "batches": BATCHES,
        "growth": growth(entry, model),
        "adapter": ADAPTER,
        "ranks": by_rank(entry, model),
        "experts_left_out": experts_left_out(entry, model),
        "contexts": by_context(entry, model),
        "points": points,
        "nearby": near_models(entry, model),
        "calculators": _calculators(entry, model),
        "downloads": [(path.rpartition("/")[2], path) for path in paths(model)],
        "sections": [one for one in SECTIONS if one != "measured" or points],
    }


def _heading(entry: Entry, model: Model) -> Heading:
    figures = {method: entry.gb(entry.catalogue.common_peak(model.id, method)) for method in METHODS}
    title = entry.word("catalogue.model.title", model=model.name)
    names = {"model": model.name, "seq": entry.number(common_length(model)), **figures}
    return Heading(title, entry.word("catalogue.model.description", **names))


def _calculators(entry: Entry, model: Model) -> list[tuple[str, str]]:
    """The calculators, opened with this model: the word of each, and where it is."""
    here = place(entry.language, entry.kind, entry.record_id)
    pages = [entry.catalogue.site.page(entry.language, page_id) for page_id in CALCULATORS]
    return [(page.title, f"{link(here, address(page))}#model={model.id}") for page in pages if page]
