"""What can be said about pages before a number is computed: ids, links, fences, typed figures, parity of languages."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import zip_longest
from typing import Any

from cabe.reading import Document, Fault, Faults, parse_yaml
from cabe.words.content import HOME, SLUG, Navigation, Page
from cabe.words.expressions import EXPRESSION, blanked, calls, check_names
from cabe.words.languages import TYPED_FIGURE
from cabe.words.markdown import EXTERNAL, Fence, Link, Outline, drawn, inline_links, outline

FENCE_LISTS = ("names",)
CODE = ("", "text", "console", "bash", "sh", "python", "yaml", "json", "html", "css", "js", "csv", "toml", "markdown")
OWN_IDS = re.compile(r"content|references|related|(?:figure|ref|formula)-.*")  # what templates give to parts of a page
WINDOWS_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
RESERVED = {"404", "assets", *WINDOWS_DEVICES}
HEADING_ID = re.compile(r"[a-z][a-z0-9-]*")


@dataclass(frozen=True)
class Known:
    """The names that pages may use: functions of expressions, fences with their options, references."""

    functions: frozenset[str]
    fences: Mapping[str, tuple[str, ...]]
    references: frozenset[str]


def check_pages(
    pages: Mapping[str, Sequence[Page]],
    unread: Mapping[str, set[str]],
    languages: Mapping[str, str],
    navigation: Navigation,
    known: Known,
    failing: Collection[str] = (),
) -> list[Fault]:
    """Everything that can be said about pages before a number is computed, in the given languages.

    `failing` are the files in which an expression gives no value: their expressions are not compared.
    """
    source = {page.id: page for page in pages.get(navigation.source, ())}
    faults: list[Fault] = []
    if HOME not in source and HOME not in unread.get(navigation.source, ()):
        file, mend = f"content/{navigation.source}", "a language needs its home page"
        faults.append(Fault(file, 0, f"the page {HOME}.md is missing", mend))
    for code, name in languages.items():
        own = {page.id: page for page in pages[code]}
        outlines = {page.id: outline(blanked(page.body)) for page in own.values()}
        anchors = {page.id: _anchors(page, outlines[page.id]) for page in own.values()}
        faults += _address_faults(own.values())
        for page in own.values():
            elsewhere = (set(source) | unread.get(code, set())) - set(own)
            links = _Links(page, anchors, elsewhere)
            faults += _page_faults(page, outlines[page.id], links, navigation, known)
        for missing in sorted(set(source) - set(own) - unread.get(code, set())):
            what = f"the page {missing}.md is missing in {name}"
            faults.append(Fault(f"content/{code}", 0, what, f"translate {source[missing].file}"))
        for page_id in sorted(set(own) & set(source)):
            if code != navigation.source:
                faults += _parity_faults(own[page_id], source[page_id], navigation, known, failing)
        faults += [
            Fault(page.file, 1, "the source language has no such page", f"add it to content/{navigation.source}")
            for page_id, page in own.items()
            if page_id not in source and page_id not in unread.get(navigation.source, ())
        ]
    return faults


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
        if address in first and (address != HOME or page.id == HOME == first[address].id):
            what = f"the address {address!r} is taken by {first[address].file}"
            yield Fault(page.file, line, what, "give one of the two another slug")
        first.setdefault(address, page)


def _anchors(page: Page, found: Outline) -> set[str] | None:
    """Where a link into a page may lead; None where an open fence hides headings, which is reported as such."""
    if not all(fence.closed for fence in found.fences):
        return None
    return {heading.id for heading in found.headings if heading.id} | ({"references"} if page.references else set())


def _page_faults(page: Page, found: Outline, links: _Links, nav: Navigation, known: Known) -> Iterator[Fault]:
    yield from _heading_faults(page, found, nav)
    yield from _fence_faults(page, found, known, links)
    yield from links.faults(found.links)
    yield from _typed_figures(page)
    yield from (page.fault(line, what, mend) for line, what, mend in check_names(page.body, known.functions))
    planned = {one for chapter in nav.chapters for one in chapter.pages} | {HOME}
    if page.id not in planned and page.language == nav.source:
        yield Fault(page.file, 1, f"{page.id!r} is in no chapter", "add it to a chapter in content/site.yaml")
    for other in page.related:
        if other not in planned:
            yield Fault(page.file, page.lines["related"], f"there is no page {other!r}", "use ids of content/site.yaml")
    for reference in page.references:
        if reference not in known.references:
            what = f"there is no reference {reference!r}"
            yield Fault(page.file, page.lines["references"], what, "add it to data/cited.yaml")
    yield from _uncited(page, known)


def _uncited(page: Page, known: Known) -> Iterator[Fault]:
    """Works that a page lists and does not cite; nothing is said where a citation is misspelt or does not parse."""
    if list(check_names(page.body, known.functions)):
        return
    cited = {str(one.arguments[0]) for one in calls(page.body, known.functions) if one.name == "ref" and one.arguments}
    if cited <= set(page.references):
        for reference in page.references:
            if reference not in cited and reference in known.references:
                what, mend = f"references: {reference!r} is not cited on the page", "cite it with {{ ref(%s) }}"
                line = page.lines["references"]
                yield Fault(page.file, line, what, mend % f'"{reference}"' + " or take it out")


def _heading_faults(page: Page, found: Outline, nav: Navigation) -> Iterator[Fault]:
    chapters = {chapter.id for chapter in nav.chapters} if page.id == HOME else set()
    first: dict[str, int] = {}
    for heading in found.headings:
        if heading.id is None:
            mend = "end the line with an id such as {#where-it-goes}, the same in every language"
            yield page.fault(heading.line, f"the heading {heading.text!r} has no id", mend)
            continue
        if not HEADING_ID.fullmatch(heading.id):
            mend = "use lower-case ASCII letters, digits and hyphens, a letter first"
            yield page.fault(heading.line, f"{heading.id!r} cannot be the id of a heading", mend)
        own = OWN_IDS.fullmatch(heading.id) or heading.id in chapters
        if own or heading.id in first:
            where = "the page's own parts" if own else f"line {page.first_line + first[heading.id]}"
            yield page.fault(heading.line, f"the id {heading.id!r} is taken by {where}", "choose another")
        if heading.level == 1:
            yield page.fault(heading.line, "the title is the only heading of the first level", "write ## instead of #")
        first.setdefault(heading.id, heading.line)


def _fence_faults(page: Page, found: Outline, known: Known, links: _Links) -> Iterator[Fault]:
    first: dict[str, int] = {}
    for fence in found.fences:
        if not fence.closed:
            yield page.fault(fence.line, "the fence is not closed", "end it with a line ```")
            continue
        faults = list(fence_faults(page, fence, known.fences))
        yield from faults
        if drawn(fence.kind) and not faults:
            yield from _text_faults(page, fence, links)
        if fence.kind in first and fence.kind.startswith("calculator "):
            what = f"the page has a {fence.kind!r} already (line {page.first_line + first[fence.kind]})"
            yield page.fault(fence.line, what, "put the second one on a page of its own")
        first.setdefault(fence.kind, fence.line)


def fence_faults(page: Page, fence: Fence, fences: Mapping[str, Sequence[str]]) -> Iterator[Fault]:
    """What is wrong with a fence in itself: its kind, and the options that it states or lacks."""
    if fence.kind in CODE:
        return
    if fence.kind not in fences:
        close = get_close_matches(fence.kind.lower(), [*fences, *CODE], n=2, cutoff=0.6)
        meant = f" (did you mean {', '.join(close)}?)" if close else ""
        expected = f"expected one of {', '.join(fences)}, or for code {', '.join(CODE[1:])}"
        yield page.fault(fence.line, f"nothing draws {fence.kind!r}{meant}", expected)
        return
    yield from _option_faults(page, fence, fences[fence.kind])


def _option_faults(page: Page, fence: Fence, wanted: Sequence[str]) -> Iterator[Fault]:
    try:
        document = _options(page, fence)
    except Faults as error:
        yield from error.faults
        return
    options = document.value if isinstance(document.value, dict) else {}
    for key in options:
        if key not in wanted:
            yield document.fault((key,), f"{fence.kind!r} has no such option", f"expected {', '.join(wanted)}")
        elif key not in FENCE_LISTS and not isinstance(options[key], str):
            yield document.fault((key,), "is a list or a mapping, expected text")
        elif key in FENCE_LISTS and not _is_texts(options[key]):
            yield document.fault((key,), "is not a list of names", "expected [first_name, second_name]")
    for key in wanted:
        if key not in options or options[key] in ("", []):
            yield document.fault((), f"{fence.kind!r} needs the option {key!r}")


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _options(page: Page, fence: Fence) -> Document:
    return parse_yaml(fence.options, page.file, page.first_line + fence.line + 1)


def _text_faults(page: Page, fence: Fence, links: _Links) -> Iterator[Fault]:
    """The links of a caption; a title has none, since it is also the name of a drawing."""
    document = _options(page, fence)
    start = page.first_line
    for link in inline_links(document.value.get("caption", "")):
        yield from links.faults([Link(link.target, document.line(("caption",)) - start, link.picture)])
    if inline_links(document.value.get("title", "")):
        yield document.fault(("title",), "holds a link or a picture", "write plain text; a caption may hold links")


@dataclass(frozen=True)
class _Links:
    """Where links of a page may lead: the anchors of each page, and the pages that this language lacks."""

    page: Page
    anchors: Mapping[str, Collection[str] | None]
    elsewhere: Collection[str]

    def faults(self, links: Iterable[Link]) -> Iterator[Fault]:
        for link in links:
            name, _, section = link.target.partition("#")
            target = name.removesuffix(".md") if name else self.page.id
            if link.picture:
                what = f"the picture {link.target!r} cannot be shown"
                yield self.page.fault(link.line, what, "draw it with a fence such as ```figure breakdown")
            elif EXTERNAL.match(link.target) or target in self.elsewhere:
                continue  # a page that this language lacks is reported as missing
            elif not link.target or (name and not name.endswith(".md")) or target not in self.anchors:
                mend = f"link to a file of this folder: {', '.join(f'{one}.md' for one in sorted(self.anchors))}"
                yield self.page.fault(link.line, f"the link {link.target!r} leads nowhere", mend)
            elif section and (known := self.anchors[target]) is not None and section not in known:
                yield self.page.fault(link.line, f"{target}.md has no heading {section!r}", "link to one of its ids")


def _typed_figures(page: Page) -> Iterator[Fault]:
    if match := TYPED_FIGURE.search(page.description):
        what, mend = f"description: the figure {match[0]!r} is typed", "say it without the figure"
        yield Fault(page.file, page.lines["description"], what, mend)
    fence = ""
    for number, line in enumerate(blanked(page.body).split("\n")):
        if mark := re.match(r"\s*(`{3,}|~{3,})\s*(.*)", line):
            if not fence and not drawn(mark[2].strip()):
                fence = mark[1]
            elif fence and mark[1].startswith(fence) and not mark[2]:
                fence = ""
            continue
        plain = html.unescape(re.sub(r"`[^`]*`|\*", "", line))
        if not fence and (match := TYPED_FIGURE.search(plain)):
            mend = 'compute it: {{ gb("7B", "lora") }}, {{ fact(…) }} or {{ cited(…) }}'
            yield page.fault(number, f"the figure {match[0]!r} is typed", mend)


def _parity_faults(
    page: Page, source: Page, nav: Navigation, known: Known, failing: Collection[str]
) -> Iterator[Fault]:
    """The same headings, fences and expressions in the same order as in the source language.

    What is at fault in itself is reported there: it is not compared as well.
    """
    here, there = (_shapes(one, nav, known, sound=one.file not in failing) for one in (page, source))
    for what, own in here.items():
        wanted = there[what]
        if own is None or wanted is None:
            continue
        for mine, theirs in zip_longest(own, wanted, fillvalue=(0, None)):
            if mine[1] != theirs[1]:
                shown = [repr(one[1]) if one[1] is not None else "nothing" for one in (mine, theirs)]
                message = f"the {what} differ from {source.file}: {shown[0]}, expected {shown[1]}"
                yield Fault(page.file, mine[0] or 1, message, "keep the same ones in the same order")
                break


Shape = list[tuple[int, str | None]]


def _shapes(page: Page, nav: Navigation, known: Known, *, sound: bool) -> dict[str, Shape | None]:
    """What must be the same in every language, with its lines; None for what is at fault in itself."""
    found = outline(blanked(page.body))
    planned = {one for chapter in nav.chapters for one in chapter.pages} | {HOME}
    whole = all(fence.closed for fence in found.fences)
    headings: Shape = [(page.first_line + one.line, one.id) for one in found.headings]
    figures: Shape = [(page.first_line + one.line, one.kind) for one in found.fences]
    made: Shape = [
        (page.first_line + page.body[: one.start()].count("\n"), one[1].strip())
        for one in EXPRESSION.finditer(page.body)
    ]
    return {
        "headings": headings if whole and not list(_heading_faults(page, found, nav)) else None,
        "figures and tables": figures if whole and all(_sound(one, known) for one in found.fences) else None,
        "expressions": made if sound and not list(check_names(page.body, known.functions)) else None,
        "references": _listed(page, "references", page.references, known.references),
        "related pages": _listed(page, "related", page.related, planned),
    }


def _sound(fence: Fence, known: Known) -> bool:
    return fence.kind in CODE or fence.kind in known.fences


def _listed(page: Page, key: str, own: Sequence[str], known: Collection[str]) -> Shape | None:
    return [(page.lines.get(key, 1), one) for one in own] if set(own) <= set(known) else None
