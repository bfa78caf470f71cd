"""A folder as a Site: facts, formulas, words and pages, with every mistake of every file in one run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from cabe.facts import read_facts
from cabe.memory import read_formulas
from cabe.pages.figures import FENCES
from cabe.pages.prose import FUNCTIONS
from cabe.pages.site import Site
from cabe.reading import Fault, Faults
from cabe.words import Known, Page, check_pages, read_languages, read_navigation, read_pages

T = TypeVar("T")


def read_site(root: Path, version: str, base_url: str | None = None) -> Site:
    """The site below `root`. Raises Faults with all mistakes that can be found before a number is computed."""
    faults: list[Fault] = []

    def attempt(read: Callable[[], T]) -> T | None:
        try:
            return read()
        except Faults as error:
            faults.extend(error.faults)
            return None

    facts = attempt(lambda: read_facts(root))
    formulas = attempt(lambda: read_formulas(root))
    navigation = attempt(lambda: read_navigation(root))
    source = navigation.source if navigation else "en"
    languages = attempt(lambda: read_languages(root, source)) or ()
    pages: dict[str, tuple[Page, ...]] = {}
    unread: dict[str, set[str]] = {}
    for folder in sorted(path for path in (root / "content").iterdir() if path.is_dir() and path.name[0] != "."):
        pages[folder.name] = read_pages(root, folder.name, faults)
        files = {path.stem for path in folder.glob("[!.]*.md")}
        unread[folder.name] = files - {page.id for page in pages[folder.name]}
    names = {code: code for code in pages if (root / "content" / code / "words.yaml").exists()}
    names |= {language.code: language.name for language in languages}
    if navigation:
        references = frozenset(facts.references) if facts else frozenset(_cited(pages))
        faults += check_pages(pages, unread, names, navigation, Known(frozenset(FUNCTIONS), FENCES, references))
    if faults or facts is None or formulas is None or navigation is None:
        raise Faults(faults)
    table = {code: MappingProxyType({page.id: page for page in own}) for code, own in pages.items()}
    return Site(facts, formulas, navigation, languages, MappingProxyType(table), root / "templates", version, base_url)


def _cited(pages: dict[str, tuple[Page, ...]]) -> set[str]:
    """Without readable facts nobody can say which references exist: take those that pages name."""
    return {reference for own in pages.values() for page in own for reference in page.references}
