"""Pages: `content/<language>/<id>.md`, YAML front matter between two `---` lines, then Markdown.

Front matter: `title`, `description`, `kind` (best-practice, method, tool, home), `references` and `related` (lists of
ids), and `slug`, the page's address in this language (default: its id). In the Markdown, `{{ … }}` is an expression
(`{{ gb("7B", "lora") }}`); figures are never typed. `content/site.yaml` names the source language and the chapters
with their pages in order; a page that is planned there and has no file yet is left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cabe.reading import Document, Fault, Faults, parse_yaml, read_text, read_yaml, shown
from cabe.words.expressions import EXPRESSION, check_names
from cabe.words.languages import TYPED_FIGURE, Language
from cabe.words.markdown import EXTERNAL, Outline, drawn, outline

KINDS = ("best-practice", "method", "tool", "home")
NEEDED = ("title", "description", "kind")
LISTS = ("references", "related")
SLUG = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*")
WINDOWS_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
RESERVED = {"404", "assets", *WINDOWS_DEVICES}
HEADING_ID = re.compile(r"[a-z][a-z0-9-]*")
HOME = "index"


@dataclass(frozen=True)
class Chapter:
    id: str
    pages: tuple[str, ...]


@dataclass(frozen=True)
class Navigation:
    """The source language, and the chapters with the ids of their pages, planned ones included."""

    source: str
    chapters: tuple[Chapter, ...]

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
    faults = [document.fault((key,), "unknown key") for key in value if key not in ("source", "chapters")]
    source, rows = value.get("source"), value.get("chapters")
    if not isinstance(source, str) or not isinstance(rows, list):
        raise Faults([*faults, document.fault((), "source or chapters is missing", "state `source: en` and chapters")])
    chapters: list[Chapter] = []
    first: dict[str, str] = {}
    for index, row in enumerate(rows):
        if not isinstance(row, dict) or set(row) != {"id", "pages"} or not isinstance(row["pages"], list):
            faults.append(document.fault(("chapters", index), "is not a chapter", "expected `{id: …, pages: [ … ]}`"))
            continue
        chapters.append(Chapter(row["id"], tuple(row["pages"])))
        for page in row["pages"]:
            if page in first:
                faults.append(document.fault(("chapters", index), f"{page!r} is in {first[page]!r} already"))
            first[page] = row["id"]
    if faults:
        raise Faults(faults)
    return Navigation(source, tuple(chapters))


def read_pages(root: Path, language: str) -> tuple[Page, ...]:
    """Every page of a language, by id. Raises Faults."""
    faults: list[Fault] = []
    pages = []
    for path in sorted((root / "content" / language).glob("*.md")):
        try:
            pages.append(_read_page(path, root, language))
        except Faults as error:
            faults += error.faults
    if faults:
        raise Faults(faults)
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
    if _is_text(value.get("kind")) and value["kind"] not in KINDS:
        mend = f"expected one of {', '.join(KINDS)}"
        found.append(document.fault(("kind",), f"there is no kind {value['kind']!r}", mend))
    if value.get("slug") and not (isinstance(value["slug"], str) and SLUG.fullmatch(value["slug"])):
        mend = "use lower-case ASCII letters, digits and hyphens"
        found.append(document.fault(("slug",), f"{value['slug']!r} is not an address", mend))
    return found


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


@dataclass(frozen=True)
class Known:
    """The names that pages may use: functions of expressions, fences with their options, references."""

    functions: frozenset[str]
    fences: Mapping[str, tuple[str, ...]]
    references: frozenset[str]


def check_pages(
    pages: Mapping[str, Sequence[Page]], languages: Sequence[Language], navigation: Navigation, known: Known
) -> list[Fault]:
    """Everything that can be said about pages before a number is computed, in every language."""
    source = {page.id: page for page in pages.get(navigation.source, ())}
    faults: list[Fault] = []
    for language in languages:
        own = {page.id: page for page in pages[language.code]}
        outlines = {page.id: outline(blanked(page.body)) for page in own.values()}
        faults += _address_faults(own.values())
        for page in own.values():
            faults += _page_faults(page, outlines, navigation, known)
        for missing in sorted(set(source) - set(own)):
            what = f"the page {missing}.md is missing in {language.name}"
            faults.append(Fault(f"content/{language.code}", 0, what, f"translate {source[missing].file}"))
        for page_id in sorted(set(own) & set(source)):
            if language.code != navigation.source:
                faults += _parity_faults(own[page_id], source[page_id])
        faults += [
            Fault(page.file, 1, "the source language has no such page", f"add it to content/{navigation.source}")
            for page_id, page in own.items()
            if page_id not in source
        ]
    return faults


def blanked(body: str) -> str:
    """The body with each expression replaced by a letter, lines kept: what is there before numbers are."""
    return EXPRESSION.sub(lambda match: "X" + "\n" * match[0].count("\n"), body)


def _address_faults(pages: Iterable[Page]) -> Iterator[Fault]:
    first: dict[str, Page] = {}
    for page in pages:
        address = HOME if page.id == HOME else page.slug
        line = page.lines.get("slug", 1)
        if not SLUG.fullmatch(address):
            mend = "state a slug in the front matter: lower-case ASCII letters, digits and hyphens"
            yield Fault(page.file, line, f"{address!r} cannot be an address", mend)
        if address in RESERVED or (address == HOME and page.id != HOME) or re.fullmatch(r"[a-z]{2}", address):
            yield Fault(page.file, line, f"the address {address!r} is reserved", "choose another slug")
        if address in first:
            what = f"the address {address!r} is taken by {first[address].file}"
            yield Fault(page.file, line, what, "give one of the two another slug")
        first.setdefault(address, page)


def _page_faults(page: Page, outlines: Mapping[str, Outline], nav: Navigation, known: Known) -> Iterator[Fault]:
    yield from _heading_faults(page, outlines[page.id])
    yield from _fence_faults(page, outlines[page.id], known)
    yield from _link_faults(page, outlines)
    yield from _typed_figures(page)
    yield from (page.fault(line, what, mend) for line, what, mend in check_names(page.body, known.functions))
    planned = {one for chapter in nav.chapters for one in chapter.pages} | {HOME}
    if page.id not in planned:
        yield Fault(page.file, 1, f"{page.id!r} is in no chapter", "add it to a chapter in content/site.yaml")
    for other in page.related:
        if other not in planned:
            yield Fault(page.file, page.lines["related"], f"there is no page {other!r}", "use ids of content/site.yaml")
    for reference in page.references:
        if reference not in known.references:
            what = f"there is no reference {reference!r}"
            yield Fault(page.file, page.lines["references"], what, "add it to data/cited.yaml")


def _heading_faults(page: Page, found: Outline) -> Iterator[Fault]:
    first: dict[str, int] = {"references": -1, "related": -1}
    for heading in found.headings:
        if heading.id is None:
            mend = "end the line with an id such as {#where-it-goes}, the same in every language"
            yield page.fault(heading.line, f"the heading {heading.text!r} has no id", mend)
            continue
        if not HEADING_ID.fullmatch(heading.id):
            mend = "use lower-case ASCII letters, digits and hyphens, a letter first"
            yield page.fault(heading.line, f"{heading.id!r} cannot be the id of a heading", mend)
        if heading.id in first:
            where = f"line {page.first_line + first[heading.id]}" if first[heading.id] >= 0 else "the page's own parts"
            yield page.fault(heading.line, f"the id {heading.id!r} is taken by {where}", "choose another")
        if heading.level == 1:
            yield page.fault(heading.line, "the title is the only heading of the first level", "write ## instead of #")
        first.setdefault(heading.id, heading.line)


def _fence_faults(page: Page, found: Outline, known: Known) -> Iterator[Fault]:
    for fence in found.fences:
        if not drawn(fence.kind):
            continue
        if fence.kind not in known.fences:
            expected = ", ".join(known.fences)
            yield page.fault(fence.line, f"nothing draws {fence.kind!r}", f"expected one of {expected}")
            continue
        try:
            document = parse_yaml(fence.options, page.file, page.first_line + fence.line + 1)
        except Faults as error:
            yield from error.faults
            continue
        options = document.value if isinstance(document.value, dict) else {}
        wanted = known.fences[fence.kind]
        for key in options:
            if key not in wanted:
                yield document.fault((key,), f"{fence.kind!r} has no such option", f"expected {', '.join(wanted)}")
        for key in wanted:
            if key not in options or options[key] in ("", []):
                yield document.fault((), f"{fence.kind!r} needs the option {key!r}")


def _link_faults(page: Page, outlines: Mapping[str, Outline]) -> Iterator[Fault]:
    for link in outlines[page.id].links:
        if EXTERNAL.match(link.target):
            continue
        name, _, section = link.target.partition("#")
        target = name.removesuffix(".md") if name else page.id
        if (name and not name.endswith(".md")) or target not in outlines:
            mend = f"link to a file of this folder: {', '.join(f'{one}.md' for one in sorted(outlines))}"
            yield page.fault(link.line, f"the link {link.target!r} leads nowhere", mend)
        elif section and section not in {heading.id for heading in outlines[target].headings} | {"references"}:
            yield page.fault(link.line, f"{target}.md has no heading {section!r}", "link to one of its ids")


def _typed_figures(page: Page) -> Iterator[Fault]:
    in_code = False
    for number, line in enumerate(blanked(page.body).split("\n")):
        if fence := re.match(r"\s*```\s*(.*)", line):
            in_code = not in_code and not drawn(fence[1].strip())
            continue
        if not in_code and (match := TYPED_FIGURE.search(re.sub(r"`[^`]*`", "", line))):
            mend = 'compute it: {{ gb("7B", "lora") }}, {{ fact(…) }} or {{ cited(…) }}'
            yield page.fault(number, f"the figure {match[0]!r} is typed", mend)


def _parity_faults(page: Page, source: Page) -> Iterator[Fault]:
    """The same headings, fences and expressions in the same order as in the source language."""
    here, there = outline(blanked(page.body)), outline(blanked(source.body))
    shapes: list[tuple[str, Sequence[Any], Sequence[Any]]] = [
        ("headings", [one.id for one in here.headings], [one.id for one in there.headings]),
        ("figures and tables", [one.kind for one in here.fences], [one.kind for one in there.fences]),
        ("expressions", EXPRESSION.findall(page.body), EXPRESSION.findall(source.body)),
        ("references", page.references, source.references),
        ("related pages", page.related, source.related),
    ]
    for what, own, wanted in shapes:
        if list(own) != list(wanted):
            number = next((n for n, pair in enumerate(zip(own, wanted, strict=False)) if pair[0] != pair[1]), -1)
            here_is = str(own[number]).strip() if number >= 0 else f"{len(own)} of them"
            there_is = str(wanted[number]).strip() if number >= 0 else f"{len(wanted)}"
            message = f"the {what} differ from {source.file}: {here_is!r}, expected {there_is!r}"
            yield Fault(page.file, 1, message, "keep the same ones in the same order")
