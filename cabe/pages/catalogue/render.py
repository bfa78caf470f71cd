"""The pages of the catalogue as paths and bytes. Each is a function of the catalogue, a kind, an id and a language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment

from cabe.pages.catalogue import compare, devices, matrix, methods, models, tables
from cabe.pages.catalogue.downloads import files
from cabe.pages.catalogue.entry import Entry
from cabe.pages.catalogue.estimates import OVERVIEWED, Catalogue
from cabe.pages.frame import frame
from cabe.pages.site import place
from cabe.words import HOME, Language

Output = tuple[str, bytes]


Values = Callable[[Entry], dict[str, Any]]


@dataclass(frozen=True)
class Kind:
    """A kind of page: the ids that have one, and the template and its values, of each page and of the overview."""

    ids: Callable[[Catalogue], Iterable[str]]
    page: tuple[str, Values]
    overview: tuple[str, Values]


KINDS: Mapping[str, Kind] = {
    "models": Kind(
        lambda catalogue: catalogue.models,
        ("catalogue/model.html", models.values),
        ("catalogue/models-overview.html", tables.models),
    ),
    "devices": Kind(
        lambda catalogue: catalogue.devices,
        ("catalogue/device.html", devices.values),
        ("catalogue/devices-overview.html", tables.devices),
    ),
    "methods": Kind(
        lambda _: OVERVIEWED,
        ("catalogue/matrix.html", matrix.values),
        ("catalogue/methods-overview.html", methods.values),
    ),
    "compare": Kind(
        lambda _: (),
        ("catalogue/compare.html", compare.values),
        ("catalogue/compare.html", compare.values),
    ),
}


def entries(catalogue: Catalogue) -> list[Entry]:
    """Every page of the kinds that content/site.yaml names, the overviews among them."""
    return [
        Entry(catalogue, language, kind, record_id)
        for language in catalogue.site.languages
        for kind in catalogue.site.navigation.catalogue
        for record_id in (HOME, *KINDS[kind].ids(catalogue))
    ]


def outputs(entry: Entry, templates: Environment) -> Iterator[Output]:
    """A page, and beside it in the first language the files that it offers in all of them."""
    yield page(entry, templates)
    first = entry.catalogue.site.languages[0]
    if entry.kind == "models" and entry.record_id != HOME and entry.language == first:
        yield from files(entry.catalogue, entry.catalogue.models[entry.record_id])


def page(entry: Entry, templates: Environment) -> Output:
    """One page, or the overview of its kind where the id is that of an index."""
    kind = KINDS[entry.kind]
    template, values = kind.overview if entry.record_id == HOME else kind.page
    path = place(entry.language, entry.kind, entry.record_id)
    filled = templates.get_template(template).render(**_around(entry, path), **values(entry))
    return path, filled.encode("utf-8")


def _around(entry: Entry, path: str) -> dict[str, Any]:
    site = entry.catalogue.site
    translations: list[tuple[Language, str]] = [
        (language, place(language, entry.kind, entry.record_id)) for language in site.languages
    ]
    own = {"kind": entry.kind, "record_id": entry.record_id, "overview": place(entry.language, entry.kind)}
    return {**frame(site, entry.language, path, translations), **own}
