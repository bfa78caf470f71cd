"""The pages of the catalogue as paths and bytes. Each is a function of the catalogue, a kind, an id and a language."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment

from cabe.pages.catalogue import devices, models, overview
from cabe.pages.catalogue.entry import Entry
from cabe.pages.catalogue.estimates import Catalogue, catalogue_of
from cabe.pages.frame import frame, templates_of
from cabe.pages.site import Site, place
from cabe.words import HOME, Language

Output = tuple[str, bytes]


@dataclass(frozen=True)
class Kind:
    """A kind of page: the ids that have one, its template, and the values that the template fills in."""

    ids: Callable[[Catalogue], Mapping[str, object]]
    template: str
    values: Callable[[Entry], dict[str, Any]]


KINDS: Mapping[str, Kind] = {
    "models": Kind(lambda catalogue: catalogue.models, "catalogue/model.html", models.values),
    "devices": Kind(lambda catalogue: catalogue.devices, "catalogue/device.html", devices.values),
}


def pages(site: Site) -> Iterator[Output]:
    """Every page of the kinds that content/site.yaml names, with their overviews."""
    if not site.navigation.catalogue:
        return
    catalogue, templates = catalogue_of(site), templates_of(site)
    for language in site.languages:
        for kind in site.navigation.catalogue:
            for record_id in (HOME, *KINDS[kind].ids(catalogue)):
                yield page(Entry(catalogue, language, kind, record_id), templates)


def page(entry: Entry, templates: Environment) -> Output:
    """One page, or the overview of its kind where the id is that of an index."""
    kind = KINDS[entry.kind]
    is_overview = entry.record_id == HOME
    template = templates.get_template("catalogue/overview.html" if is_overview else kind.template)
    values = (overview.values if is_overview else kind.values)(entry)
    path = place(entry.language, entry.kind, entry.record_id)
    return path, template.render(**_around(entry, path), **values).encode("utf-8")


def _around(entry: Entry, path: str) -> dict[str, Any]:
    site = entry.catalogue.site
    translations: list[tuple[Language, str]] = [
        (language, place(language, entry.kind, entry.record_id)) for language in site.languages
    ]
    overview_path = place(entry.language, entry.kind)
    return {**frame(site, entry.language, path, translations), "kind": entry.kind, "overview": overview_path}
