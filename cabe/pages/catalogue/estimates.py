"""The estimates that catalogue pages show: every model with every method, length and batch, in a few passes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cabe.facts import Device, answerable, setup_from
from cabe.facts.models import Model
from cabe.memory import Compared, Grid, Room, Verdict, crossings, grid, room, suggestions, verdict_by_peak
from cabe.pages.results import RANKS
from cabe.pages.site import Site, listed_devices, listed_models
from cabe.pages.training_grid import COMMON_BATCH, LENGTHS, METHODS, common_length, training_grid

OVERVIEWED = (*METHODS, "inference")  # what has a matrix of models and devices
CONTEXTS = (2048, 8192, 32768, 131072)
PACKINGS = ("none", "nf4")  # of the weights, for inference
PICKS = "catalogue"
ADAPTER = ("trainable_params", "trainable_share", "trainable_weights")  # what is shown of an adapter
LAPTOP = "Laptop"  # in the name of a chip that is sold in laptops alone
SORTS = ("discrete", "unified", "instance")  # kinds of devices, each a word of `catalogue.sorts`


@dataclass(frozen=True)
class Catalogue:
    """The site, the records that have pages, and what is estimated for all of them at once.

    `training`: by model, method, seq and batch, everything else at its default; `sharded`: by model, method, seq and
    gpus, shared out by FSDP; `adapters`: LoRA by model and rank; `inference`: by model, quantization and seq.
    `crossings`: see `cabe.memory.crossings`. `measured`: by model, published runs beside their predictions.
    """

    site: Site
    models: Mapping[str, Model]
    devices: Mapping[str, Device]
    rooms: Mapping[str, Room]
    training: Grid
    sharded: Grid
    adapters: Grid
    inference: Grid
    crossings: Mapping[tuple[str, str], int | None]
    measured: Mapping[str, tuple[Compared, ...]]
    suggested: dict[tuple[str, str, int], list[dict[str, Any]]] = field(default_factory=dict)
    found: dict[tuple[float, int, str, int], Model | None] = field(default_factory=dict)

    @property
    def names(self) -> Mapping[str, Mapping[str, str]]:
        """By kind of page and id, what a record is called."""
        tables: Mapping[str, Mapping[str, Model | Device]] = {"models": self.models, "devices": self.devices}
        return {kind: {one.id: one.name or one.id for one in table.values()} for kind, table in tables.items()}

    def card(self, device: Device) -> Device:
        """The card of an instance; any other device is its own."""
        return self.devices.get(device.gpu or "", device)

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

    @cached_property
    def by_size(self) -> Mapping[str, tuple[Device, ...]]:
        """By kind the devices that compute in bf16, as the common set-up does, laptops' chips left out.

        Those with the least usable memory first, of several alike the newest.
        """
        desktop = (one for one in self.devices.values() if LAPTOP not in (one.name or ""))
        able = (one for one in desktop if self.card(one).bf16 is not False)
        order = sorted(able, key=lambda one: (self.rooms[one.id].usable * one.gpus, -(one.year or 0)))
        return {sort: tuple(one for one in order if one.kind == sort) for sort in SORTS}

    @cached_property
    def from_largest(self) -> tuple[Model, ...]:
        """The models, the largest first."""
        return tuple(sorted(self.models.values(), key=lambda model: (-params_of(model), model.id)))

    def peak(self, model: str, method: str, seq: int, gpus: int = 1) -> float:
        """The peak on each of so many cards, one sequence in a micro-batch."""
        if gpus == 1:
            return self.training.figure("peak", model=model, method=method, seq=seq, batch=COMMON_BATCH)
        return self.sharded.figure("peak", model=model, method=method, seq=seq, gpus=gpus)

    def common_peak(self, model: str, method: str, gpus: int = 1) -> float:
        """The peak at the set-up that pages compare by."""
        return self.peak(model, method, common_length(self.models[model]), gpus)

    def largest(self, device: str, method: str, seq: int) -> Model | None:
        """The model with the most parameters that reads a length and fits with it, on each of several cards.

        Worked out once: many devices are alike, and three languages ask for each.
        """
        usable, gpus = self.rooms[device].usable, self.devices[device].gpus
        key = (usable, gpus, method, seq)
        if key not in self.found:
            most = self.site.facts.verdicts["fits"].share * usable
            reading = (model for model in self.from_largest if model.max_context >= seq)
            self.found[key] = next((one for one in reading if self.peak(one.id, method, seq, gpus) <= most), None)
        return self.found[key]

    def changes(self, model: str, method: str, gpus: int) -> list[dict[str, Any]]:
        """Changes that lower a peak at the common set-up, worked out once: many devices ask for the same."""
        key = (model, method, gpus)
        if key not in self.suggested:
            facts = self.site.facts
            given = {"model": model, "method": method, "seq": str(common_length(self.models[model]))}
            given |= {"gpus": str(gpus), "sharding": "fsdp"} if gpus > 1 else {}
            self.suggested[key] = suggestions(facts, self.site.formulas, answerable(facts, setup_from(given)))
        return self.suggested[key]

    def verdict(self, peak: float, device: str) -> Verdict:
        """The verdict on a peak for each card of a device."""
        return verdict_by_peak(self.site.facts, peak, self.rooms[device].usable) or "too-big"


def catalogue_of(site: Site) -> Catalogue:
    """What catalogue pages are made from: about a second of arithmetic, done once."""
    facts, formulas = site.facts, site.formulas
    models, devices = listed_models(facts), listed_devices(facts)
    cards = sorted({device.gpus for device in devices.values()} - {1})
    axes = {"model": tuple(models), "method": METHODS, "seq": LENGTHS}
    contexts = {context for model in models.values() for context in contexts_of(model)}
    packed = {"model": tuple(models), "quantization": PACKINGS, "seq": sorted(contexts)}
    return Catalogue(
        site=site,
        models=models,
        devices=devices,
        rooms={device: room(facts, formulas, device) for device in devices},
        training=training_grid(site),
        sharded=grid(facts, formulas, {**axes, "gpus": cards}, {"sharding": "fsdp"}, ("peak",)),
        adapters=grid(facts, formulas, {"model": tuple(models), "rank": RANKS}, {"method": "lora"}, ADAPTER),
        inference=grid(facts, formulas, packed, {"method": "inference"}),
        crossings=crossings(facts, formulas, tuple(models), METHODS),
        measured=_by_model(site.compared),
    )


def _by_model(rows: Iterable[Compared]) -> dict[str, tuple[Compared, ...]]:
    found: dict[str, list[Compared]] = {}
    for one in rows:
        if one.point.setup:
            found.setdefault(one.point.setup.model, []).append(one)
    return {model: tuple(own) for model, own in found.items()}


def contexts_of(model: Model) -> tuple[int, ...]:
    """The contexts of the table of inference: round ones that a model reads, and the longest of it, within reason."""
    shorter = tuple(context for context in CONTEXTS if context < model.max_context)
    return (*shorter, model.max_context) if model.max_context <= CONTEXTS[-1] else shorter


def params_of(model: Model) -> int:
    """The parameters of the language model, without towers."""
    return model.text_params or model.total_params
