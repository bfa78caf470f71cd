"""Everything that pages are made from, and where each page lives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from pathlib import Path

from cabe.facts import Device, Facts, estimated_models
from cabe.facts.models import Model
from cabe.memory import Band, Compared, Formulas, HeldOut, bands, compare, cross_fit, predicted_outcomes, scope_of
from cabe.words import HOME, Language, Navigation, Page


@dataclass(frozen=True)
class Site:
    """The frozen input of every page; `base_url` ends with a slash, None for a site that has no address yet."""

    facts: Facts
    formulas: Formulas
    navigation: Navigation
    languages: tuple[Language, ...]
    pages: Mapping[str, Mapping[str, Page]]
    templates: Path
    version: str
    base_url: str | None = None

    @cached_property
    def compared(self) -> tuple[Compared, ...]:
        """Published measurements beside predictions; kept, since a page asks for them once for every figure on it."""
        return compare(self.facts, self.formulas)

    @cached_property
    def unseen(self) -> HeldOut:
        """The driver's interval over families of models that it was not fitted to."""
        return cross_fit(scope_of(self.compared, "monitor"), self._family)

    def _family(self, one: Compared) -> str:
        return self.facts.models[one.point.setup.model].family if one.point.setup else ""

    @cached_property
    def bands(self) -> tuple[Band, Band, Band]:
        """Published runs that finished and that gave no result, by the verdict that their prediction has."""
        return bands(self.facts, predicted_outcomes(self.facts, self.formulas))

    def only(self, codes: tuple[str, ...]) -> Site:
        """The same site in some of its languages."""
        return replace(self, languages=tuple(one for one in self.languages if one.code in codes))

    def page(self, language: Language, page_id: str) -> Page | None:
        return self.pages[language.code].get(page_id)


@dataclass(frozen=True)
class Download:
    """A file to take away: its word of `data.files`, and how many records or rows it has. `language` is the code of the
    only one that it is meant for."""

    name: str
    path: str
    content: bytes
    records: int
    language: str = ""


def address(page: Page) -> str:
    """The path of a page below the site: `pt/o-modelo-vai-caber.html`."""
    return f"{page.language}/{HOME if page.id == HOME else page.slug}.html"


def place(language: Language, kind: str, record_id: str = HOME) -> str:
    """The path of a catalogue page, or of the overview of its kind: `pt/modelos/llama-3.1-8b.html`."""
    return f"{language.code}/{language.word(f'catalogue.folders.{kind}')}/{record_id}.html"


def listed_models(facts: Facts) -> dict[str, Model]:
    """The models that have a page each: those that are estimated."""
    return {model.id: model for model in estimated_models(facts)}


def listed_devices(facts: Facts) -> dict[str, Device]:
    """The devices that have a page each: those that one can have, not those that stand for a class."""
    return {device.id: device for device in facts.devices.values() if device.kind != "nominal"}


def place_of(site: Site, language: Language, kind: str, record_id: str) -> str | None:
    """The path of the page of a record; None for one that has no page, or where its kind has none."""
    listed: Mapping[str, Mapping[str, object]] = {
        "models": listed_models(site.facts),
        "devices": listed_devices(site.facts),
    }
    is_built = kind in site.navigation.catalogue and record_id in listed[kind]
    return place(language, kind, record_id) if is_built else None


def link(start: str, target: str) -> str:
    """The relative link from one path of the site to another, so that it works from a disk and in a sub-folder."""
    here, there = start.split("/")[:-1], target.split("/")
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(here, there[:-1], strict=False)))
    return "/".join([*[".."] * (len(here) - shared), *there[shared:]])
