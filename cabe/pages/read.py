"""A folder as a Site: facts, formulas, words and pages, with every mistake of every file in one run."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from cabe.facts import read_facts
from cabe.memory import PROVIDED, read_formulas
from cabe.pages.figures import FENCES
from cabe.pages.prose import FUNCTIONS
from cabe.pages.render import mistakes
from cabe.pages.site import Site
from cabe.reading import Fault, Faults
from cabe.words import Known, Page, check_pages, folders, is_code, read_languages, read_navigation, read_pages

T = TypeVar("T")


def read_site(root: Path, version: str, base_url: str | None = None, wanted: Collection[str] = ()) -> Site:
    """The site below `root`. Raises Faults with all mistakes of all files.

    Where only some languages are `wanted`, the pages of the others, the source language aside, may have mistakes.
    """
    faults: list[Fault] = []

    def attempt(read: Callable[[], T]) -> T | None:
        try:
            return read()
        except Faults as error:
            faults.extend(error.faults)
            return None

    facts = attempt(lambda: read_facts(root))
    formulas = attempt(lambda: read_formulas(root, PROVIDED))
    navigation = attempt(lambda: read_navigation(root))
    source = navigation.source if navigation else "en"
    languages = attempt(lambda: read_languages(root, source)) or ()
    pages: dict[str, tuple[Page, ...]] = {}
    unread: dict[str, set[str]] = {}
    for code, folder in folders(root).items():
        pages[code] = read_pages(root, code, faults if not wanted or code in (*wanted, source) else [])
        files = {unicodedata.normalize("NFC", path.stem) for path in folder.glob("[!.]*.md")}
        unread[code] = files - {page.id for page in pages[code]}
    names = {code: code for code, folder in folders(root).items() if is_code(code) and (folder / "words.yaml").exists()}
    names |= {language.code: language.name for language in languages}
    if wanted:
        names = {code: name for code, name in names.items() if code in (*wanted, source)}
    site = None
    if facts and formulas and navigation and languages:
        table = {code: MappingProxyType({page.id: page for page in own}) for code, own in pages.items()}
        parts = (facts, formulas, navigation, languages, MappingProxyType(table), root / "templates")
        site = Site(*parts, version, base_url)
    if navigation:
        references = frozenset(facts.references) if facts else frozenset(_cited(pages))
        known = Known(frozenset(FUNCTIONS), FENCES, references)
        found = check_pages(pages, unread, names, navigation, known)
        if site and (faults or found):  # what rendering would find, though it will not come to that
            computed, failing = mistakes(site.only(tuple(names)))
            found = [*computed, *check_pages(pages, unread, names, navigation, known, failing)]
        faults += found
    if faults or site is None:
        raise Faults(faults)
    return site


def _cited(pages: dict[str, tuple[Page, ...]]) -> set[str]:
    """Without readable facts nobody can say which references exist: take those that pages name."""
    return {reference for own in pages.values() for page in own for reference in page.references}
