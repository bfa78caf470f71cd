"""What running a model takes: the KV cache and the peak by context, with weights in 16 and in 4 bits."""

from __future__ import annotations

from cabe.facts.models import Model
from cabe.pages.catalogue.entry import Entry
from cabe.pages.catalogue.estimates import PACKINGS, contexts_of


def by_context(entry: Entry, model: Model) -> list[tuple[str, list[str]]]:
    """For each context, in GB: the KV cache, and the peak by packing of the weights."""
    return [(entry.number(context), _cells(entry, model, context)) for context in contexts_of(model)]


def _cells(entry: Entry, model: Model, context: int) -> list[str]:
    at = {"model": model.id, "seq": context}
    cache = entry.catalogue.inference.figure("at_kv_cache", quantization=PACKINGS[0], **at)
    peaks = [entry.catalogue.inference.figure("peak", quantization=packing, **at) for packing in PACKINGS]
    return [entry.gb_bare(amount) for amount in (cache, *peaks)]
