"""The estimates that catalogue pages show: every model with every method, length and batch, in a few passes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cabe.facts import Device
from cabe.facts.models import Model
from cabe.memory import Grid, grid
from cabe.pages.site import Site, listed_devices, listed_models

METHODS = ("qlora", "lora", "full")  # from the least memory to the most, as far as nothing is unusual
LENGTHS = (512, 1024, 2048, 4096, 8192, 16384, 32768)
BATCHES = (1, 2, 4, 8)
COMMON_LENGTH, COMMON_BATCH = 2048, 1  # the defaults of a set-up; a model that reads less has the longest it reads


@dataclass(frozen=True)
class Catalogue:
    """The site, the models and devices that have pages, and grids of estimates over the models.

    `training`: by model, method, seq and batch, everything else at its default.
    """

    site: Site
    models: Mapping[str, Model]
    devices: Mapping[str, Device]
    training: Grid

    @property
    def names(self) -> Mapping[str, Mapping[str, str]]:
        """By kind of page and id, what a record is called."""
        tables: Mapping[str, Mapping[str, Model | Device]] = {"models": self.models, "devices": self.devices}
        return {kind: {one.id: one.name or one.id for one in table.values()} for kind, table in tables.items()}


def catalogue_of(site: Site) -> Catalogue:
    """What catalogue pages are made from; a few seconds of arithmetic, done once."""
    models, devices = listed_models(site.facts), listed_devices(site.facts)
    return Catalogue(site, models, devices, training_grid(site))


def training_grid(site: Site) -> Grid:
    """Every model by method, length and batch, everything else at its default."""
    axes = {"model": tuple(listed_models(site.facts)), "method": METHODS, "seq": LENGTHS, "batch": BATCHES}
    return grid(site.facts, site.formulas, axes, {})


def lengths_of(model: Model) -> tuple[int, ...]:
    """The lengths of the tables that a model reads."""
    return tuple(length for length in LENGTHS if length <= model.max_context)


def common_length(model: Model) -> int:
    """The length of the set-up that pages compare by."""
    return max(length for length in LENGTHS if length <= min(COMMON_LENGTH, model.max_context))


def params_of(model: Model) -> int:
    """The parameters of the language model, without towers."""
    return model.text_params or model.total_params
