"""The estimates that catalogue pages show: every model with every method, length and batch, in a few passes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from cabe.facts import Device, estimated_models
from cabe.facts.models import Model
from cabe.memory import Grid, grid
from cabe.pages.site import Site

METHODS = ("qlora", "lora", "full")  # from the least memory to the most, as far as nothing is unusual
OVERVIEWED = (*METHODS, "inference")  # what has a matrix of models and devices
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

    @cached_property
    def peaks(self) -> Mapping[str, Mapping[str, float]]:
        """By method, inference among them, and model the peak of the set-up that overviews compare by."""
        lengths = {one.id: common_length(one) for one in self.models.values()}
        axes = {"model": tuple(self.models), "method": OVERVIEWED, "seq": tuple(sorted(set(lengths.values())))}
        found = grid(self.site.facts, self.site.formulas, axes, {}, ("peak",))
        return {
            method: {one: found.figure("peak", model=one, method=method, seq=seq) for one, seq in lengths.items()}
            for method in OVERVIEWED
        }


def catalogue_of(site: Site) -> Catalogue:
    """What catalogue pages are made from; a few seconds of arithmetic, done once."""
    facts, formulas = site.facts, site.formulas
    models = {model.id: model for model in estimated_models(facts)}
    devices = {device.id: device for device in facts.devices.values() if device.kind != "nominal"}
    axes = {"model": tuple(models), "method": METHODS, "seq": LENGTHS, "batch": BATCHES}
    return Catalogue(site, models, devices, grid(facts, formulas, axes, {}))


def lengths_of(model: Model) -> tuple[int, ...]:
    """The lengths of the tables that a model reads."""
    return tuple(length for length in LENGTHS if length <= model.max_context)


def common_length(model: Model) -> int:
    """The length of the set-up that pages compare by."""
    return max(length for length in LENGTHS if length <= min(COMMON_LENGTH, model.max_context))


def params_of(model: Model) -> int:
    """The parameters of the language model, without towers."""
    return model.text_params or model.total_params
