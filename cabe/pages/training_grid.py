"""The estimates of training that catalogue, downloads and matrices share: models by method, length and batch."""

from __future__ import annotations

from cabe.facts.models import Model
from cabe.memory import Grid, grid
from cabe.pages.site import Site, listed_models

METHODS = ("qlora", "lora", "full")  # from the least memory to the most, as far as nothing is unusual
LENGTHS = (512, 1024, 2048, 4096, 8192, 16384, 32768)
BATCHES = (1, 2, 4, 8)
COMMON_LENGTH, COMMON_BATCH = 2048, 1  # the defaults of a set-up; a model that reads less has the longest it reads


def training_grid(site: Site) -> Grid:
    """Every model by method, length and batch, everything else at its default."""
    axes = {"model": tuple(listed_models(site.facts)), "method": METHODS, "seq": LENGTHS, "batch": BATCHES}
    return grid(site.facts, site.formulas, axes, {})


def lengths_of(model: Model) -> tuple[int, ...]:
    """The lengths of the tables that a model reads."""
    return tuple(length for length in LENGTHS if length <= model.max_context)


def common_length(model: Model) -> int:
    """The length of the set-up that pages compare by."""
    longest = min(COMMON_LENGTH, model.max_context)
    return longest if longest == COMMON_LENGTH else max(length for length in LENGTHS if length <= longest)
