"""The facts of a model, in the reader's language, and where each was read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cabe.facts.models import Model
from cabe.pages.catalogue.entry import Entry
from cabe.words import numbers as written

COUNTS = (  # facts that are numbers, each a word of `catalogue.facts`; what a model has none of is left out
    *("num_layers", "hidden_size", "num_attention_heads", "num_kv_heads", "head_dim", "intermediate_size"),
    *("experts", "experts_per_token", "expert_intermediate", "shared_expert_intermediate"),
    *("vocab_size", "max_context", "sliding_window"),
)
OWN_TERMS = "LicenseRef-"


def facts_of(entry: Entry, model: Model) -> dict[str, Any]:
    """The rows of the table of facts, and the sources."""
    return {
        "vendor": model.vendor,
        "release": written.month(model.release, entry.language.locale),
        "licence": _licence(model),
        "repository": model.hf_repo,
        "params": entry.params(model.text_params or model.total_params),
        "rows": list(_rows(entry, model)),
        "verification": entry.word(f"catalogue.verification.{model.verification}"),
        "sources": model.source,
    }


def _licence(model: Model) -> str:
    """An SPDX identifier as it is; the name of a vendor's own terms as words."""
    own = model.licence.startswith(OWN_TERMS)
    return model.licence.removeprefix(OWN_TERMS).replace("-", " ") if own else model.licence


def _rows(entry: Entry, model: Model) -> Iterator[tuple[str, str]]:
    yield entry.word("catalogue.facts.total_params"), entry.exact(model.total_params)
    if model.text_params:
        yield entry.word("catalogue.facts.text_params"), entry.exact(model.text_params)
    if model.active_params:
        yield entry.word("catalogue.facts.active_params"), entry.exact(model.active_params)
    idle = _idle(entry, model)
    for name in COUNTS:
        if (value := getattr(model, name)) and name not in idle:
            yield entry.word(f"catalogue.facts.{name}"), entry.exact(value)
    tied = "yes" if model.tied_embeddings else "no"
    yield entry.word("catalogue.facts.tied_embeddings"), entry.word(f"catalogue.answers.{tied}")


def _idle(entry: Entry, model: Model) -> set[str]:
    """Facts that say nothing: a window as wide as the context, an MLP that no layer has, one that has two names."""
    beside = entry.catalogue.site.facts.architectures[model.architecture].beside_mlp
    idle = {
        "sliding_window": (model.sliding_window or 0) >= model.max_context,
        "intermediate_size": model.expert_layers == model.num_layers and not beside,
        "shared_expert_intermediate": beside,
    }
    return {name for name, one in idle.items() if one}
