"""The adapter of a model by rank: weights, their share of the model, and the file that it makes."""

from __future__ import annotations

from cabe.facts.models import Model
from cabe.pages.catalogue.entry import Entry
from cabe.pages.catalogue.estimates import ADAPTER
from cabe.pages.results import RANKS


def by_rank(entry: Entry, model: Model) -> list[tuple[str, list[str]]]:
    """For each rank on all linear layers: weights, share, and bytes of the file."""
    return [(entry.number(rank), _cells(entry, model, rank)) for rank in RANKS]


def experts_left_out(entry: Entry, model: Model) -> bool:
    """Whether a model has experts in stacks that PEFT does not reach, as transformers 5 loads them."""
    return (
        bool(model.expert_layers) and not entry.catalogue.site.facts.architectures[model.architecture].stacks_rewritten
    )


def _cells(entry: Entry, model: Model, rank: int) -> list[str]:
    params, share, file = entry.catalogue.adapters.figures(ADAPTER, model=model.id, rank=rank)
    return [entry.number(params), entry.share(share), entry.mb(file)]
