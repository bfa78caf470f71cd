"""Pages: `content/<language>/<id>.md`, YAML front matter between two `---` lines, then Markdown.

Front matter: `title`, `description`, `kind` (see KINDS), `references` and `related` (lists of
ids), and `slug`, the page's address in this language (default: its id). In the Markdown, `{{ … }}` is an expression
(`{{ gb("7B", "lora") }}`); figures are never typed. `content/site.yaml` names the source language and the chapters
with their pages in order; a page that is planned there and has no file yet is left out. `catalogue` names the kinds of
facts that have a page for each record (see CATALOGUE).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cabe.reading import Document, Fault, Faults, parse_yaml, read_text, read_yaml, shown
from cabe.words.languages import folders

KINDS = ("best-practice", "method", "tool", "reference", "home")
NEEDED = ("title", "description", "kind")
LISTS = ("references", "related")
CATALOGUE = ("models", "devices", "methods", "compare")
SITE_KEYS = ("source", "chapters", "catalogue")
SLUG = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*")
CHAPTER_ID = re.compile(r"[a-z][a-z0-9-]*")
HOME = "index"


@dataclass(frozen=True)
class Chapter:
    id: str
    pages: tuple[str, ...]


@dataclass(frozen=True)
class Navigation:
    """The source language, the chapters with the ids of their pages, planned ones included, and the kinds of facts that
    have a page for each record."""

    source: str
    chapters: tuple[Chapter, ...]
    catalogue: tuple[str, ...] = ()

    def chapter_of(self, page: str) -> tuple[int, Chapter] | None:
        """Number (from 1) and chapter of a page, or None for a page outside all chapters."""
        return next(((n, one) for n, one in enumerate(self.chapters, 1) if page in one.pages), None)


@dataclass(frozen=True)
class Page:
    """One page in one language, as written. `body` starts on line `first_line` of `file`."""

    id: str
    language: str
    file: str
    title: str
    description: str
    slug: str
    kind: str
    references: tuple[str, ...]
    related: tuple[str, ...]
    body: str
    first_line: int
    lines: Mapping[str, int]

    def fault(self, line: int, what: str, mend: str = "") -> Fault:
        """A mistake on a line of the body, counted from 0."""
        return Fault(self.file, self.first_line + line, what, mend)


def read_navigation(root: Path) -> Navigation:
    """`content/site.yaml`. Raises Faults."""
    document = read_yaml(root / "content" / "site.yaml", root)
    value = document.value if isinstance(document.value, dict) else {}
    faults = [document.fault((key,), "unknown key") for key in value if key not in SITE_KEYS]
    source, rows = value.get("source"), value.get("chapters")
    if not isinstance(source, str) or not isinstance(rows, list):
        raise Faults([*faults, document.fault((), "source or chapters is missing", "state `source: en` and chapters")])
    kinds = value.get("catalogue") or []
    if not isinstance(kinds, list) or not set(kinds) <= set(CATALOGUE):
        mend = f"expected a list of {', '.join(CATALOGUE)}"
        faults.append(document.fault(("catalogue",), "names no kind of catalogue pages", mend))
    chapters: list[Chapter] = []
    first: dict[str, str] = {}
    for index, row in enumerate(rows):
        if not _is_chapter(row):
            faults.append(document.fault(("chapters", index), "is not a chapter", "expected `{id: …, pages: [ … ]}`"))
            continue
        if row["id"] in {chapter.id for chapter in chapters}:
            faults.append(document.fault(("chapters", index), f"there is a chapter {row['id']!r} already"))
        chapters.append(Chapter(row["id"], tuple(row["pages"])))
        for page in row["pages"]:
            if page in first:
                faults.append(document.fault(("chapters", index), f"{page!r} is in {first[page]!r} already"))
            first[page] = row["id"]
    known = folders(root)
    if source not in known:
        mend = f"expected one of {', '.join(known)}"
        faults.append(document.fault(("source",), f"there is no folder content/{source}", mend))
    if faults:
        raise Faults(faults)
    return Navigation(source, tuple(chapters), tuple(kinds))


def _is_chapter(row: Any) -> bool:
    """Whether a row has an id, which is also the id of a heading, and the ids of its pages."""
    return (
        isinstance(row, dict)
        and set(row) == {"id", "pages"}
        and isinstance(row["id"], str)
        and bool(CHAPTER_ID.fullmatch(row["id"]))
        and isinstance(row["pages"], list)
        and all(map(_is_text, row["pages"]))
    )


def read_pages(root: Path, language: str, faults: list[Fault]) -> tuple[Page, ...]:
    """Every page of a language that can be read, by id; the mistakes of the others are added to `faults`."""
    pages = []
    for path in sorted(folders(root)[language].glob("[!.]*.md")):
        try:
            pages.append(_read_page(path, root, language))
        except Faults as error:
            faults += error.faults
    return tuple(pages)


def _read_page(path: Path, root: Path, language: str) -> Page:
    file = shown(path, root)
    text = read_text(path, root)
    if not text.startswith("---\n") or "\n---\n" not in text[3:]:
        mend = "start with front matter: a line ---, title, description and kind, a line ---"
        raise Faults([Fault(file, 1, "the front matter is missing", mend)])
    front, body = text[4:].split("\n---\n", 1) if not text[4:].startswith("---\n") else ("", text[8:])
    document = parse_yaml(front, file, first_line=2)
    faults = _front_faults(document)
    if faults:
        raise Faults(faults)
    value = document.value
    page_id = unicodedata.normalize("NFC", path.stem)
    return Page(
        id=page_id,
        language=language,
        file=file,
        title=value["title"],
        description=value["description"],
        slug=value.get("slug") or page_id,
        kind=value["kind"],
        references=tuple(value.get("references") or ()),
        related=tuple(value.get("related") or ()),
        body=body,
        first_line=front.count("\n") + 4,
        lines={key: document.line((key,)) for key in value},
    )


def _front_faults(document: Document) -> list[Fault]:
    value = document.value
    if not isinstance(value, dict):
        return [document.fault((), "the front matter is not a mapping", "expected `title: …`")]
    known = (*NEEDED, *LISTS, "slug")
    extra = [key for key in value if key not in known]
    found = [document.fault((key,), "unknown key", f"known keys: {', '.join(known)}") for key in extra]
    found += [document.fault((key,), "the key is missing or empty") for key in NEEDED if not _is_text(value.get(key))]
    found += [
        document.fault((key,), "is not a list of ids", "expected [first-id, second-id]")
        for key in LISTS
        if value.get(key) and not (isinstance(value[key], list) and all(map(_is_text, value[key])))
    ]
    found += [
        document.fault((key,), "an id stands twice in the list", "remove one of the two")
        for key in LISTS
        if isinstance(value.get(key), list)
        and all(map(_is_text, value[key]))
        and len(set(value[key])) < len(value[key])
    ]
    if _is_text(value.get("kind")) and value["kind"] not in KINDS:
        mend = f"expected one of {', '.join(KINDS)}"
        found.append(document.fault(("kind",), f"there is no kind {value['kind']!r}", mend))
    if value.get("slug") and not (isinstance(value["slug"], str) and SLUG.fullmatch(value["slug"])):
        mend = "use lower-case ASCII letters, digits and hyphens"
        found.append(document.fault(("slug",), f"{value['slug']!r} is not an address", mend))
    return found


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
