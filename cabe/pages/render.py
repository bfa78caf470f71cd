"""A site as paths and bytes. One page is a function of frozen values, so pages can be made in any order."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from cabe.pages import catalogue
from cabe.pages.check import Reading, check_links, read
from cabe.pages.downloads import downloads
from cabe.pages.estimator import SCRIPT, estimator
from cabe.pages.figures import FENCES, Figures
from cabe.pages.frame import blamed, frame, templates_of
from cabe.pages.prose import Ask, Prose
from cabe.pages.scripts import scripts
from cabe.pages.site import Site, address, link
from cabe.reading import Fault, Faults, parse_yaml
from cabe.words import HOME, Fence, Language, Page, fence_faults, fill, outline, to_html, words_in

WORDS_PER_MINUTE = 200
ROOT_PAGES = ("index.html", "404.html")

Output = tuple[str, bytes]


@dataclass(frozen=True)
class Section:
    id: str
    title: str


@dataclass(frozen=True)
class Body:
    """A page's Markdown as HTML, with the sections it has and the minutes it takes to read."""

    html: Markup
    sections: tuple[Section, ...]
    minutes: int


def render(site: Site, jobs: int = 1) -> Iterator[Output]:
    """Every file of the site, checked. Raises Faults with the mistakes of all pages.

    `jobs` processes make the pages of the catalogue; the files are the same for any number of them.
    """
    with blamed(site), catalogue.shared_out(site, jobs) as finished:
        files = dict(_rendered(site))
        readings = {path: read(path, content) for path, content in files.items() if path.endswith(".html")}
        for one in finished():
            files[one.path] = one.content
            readings |= {one.path: one.reading} if one.reading else {}
    yield from _checked(site, files, readings)


def _checked(site: Site, files: dict[str, bytes], readings: Mapping[str, Reading]) -> Iterator[Output]:
    """The files, once the finished pages have been read as a browser would; a mistake names the source of its page."""
    sources = {address(page): page.file for own in site.pages.values() for page in own.values()}
    sources |= {name: f"templates/{name}" for name in ROOT_PAGES}
    faults = [
        replace(fault, file=sources[fault.file], line=0, what=f"on the finished page {fault}", mend="")
        if fault.file in sources
        else fault
        for fault in check_links(readings, files)
    ]
    if faults:
        raise Faults(faults)
    yield from files.items()


def mistakes(site: Site) -> tuple[list[Fault], set[str]]:
    """What is wrong in expressions and fences, though the site cannot be made, and the files whose expressions fail."""
    templates, ask = templates_of(site), Ask(site)
    faults: list[Fault] = []
    failing: set[str] = set()
    for language in site.languages:
        for page in site.pages[language.code].values():
            if not set(page.references) <= set(site.facts.references):  # reported; what it was meant for is cited
                page = replace(page, references=tuple(site.facts.references))
            try:
                text, troubles = _filled(site, language, page, ask)
                faults += troubles
                failing |= {page.file} if troubles else set()
                if all(fence.closed for fence in outline(text).fences):
                    with blamed(site):
                        _html(site, language, page, templates, ask, text, faults, lambda _: "#")
            except Faults as error:
                faults += error.faults
    return faults, failing


def _rendered(site: Site) -> Iterator[Output]:
    templates = templates_of(site)
    ask = Ask(site, downloads(site))
    faults: list[Fault] = []
    pages = [(language, page) for language in site.languages for page in site.pages[language.code].values()]
    made: list[Output] = []
    for language, page in pages:
        try:
            made.append((address(page), render_page(site, language, page, templates, ask)))
        except Faults as error:
            faults += error.faults
    if faults:
        raise Faults(faults)
    yield from made
    for name in ROOT_PAGES:
        yield name, _encoded(templates.get_template(name).render(site=site, home=_home_links(site)))
    assets = site.templates / "assets"
    for path in sorted(assets.rglob("*")):
        inside = path.relative_to(assets)
        if path.is_file() and not any(part.startswith(".") for part in inside.parts):  # .DS_Store and the like
            yield f"assets/{inside.as_posix()}", path.read_bytes()
    yield from scripts(site.templates)
    yield SCRIPT, estimator(site)
    yield from ((one.path, one.content) for one in ask.files)


def render_page(site: Site, language: Language, page: Page, templates: Environment, ask: Ask) -> bytes:
    """One page as UTF-8 bytes. Raises Faults with every mistake in its expressions and fences."""
    body = _body(site, language, page, templates, ask)
    template = templates.get_template("home.html" if page.id == HOME else "article.html")
    return _encoded(template.render(page=page, body=body, **_around(site, language, page)))


def _body(site: Site, language: Language, page: Page, templates: Environment, ask: Ask) -> Body:
    text, faults = _filled(site, language, page, ask)

    def resolve(target: str) -> str:
        name, _, section = target.partition("#")
        if not name.endswith(".md"):  # a part of this page, or a page of the catalogue that an expression links
            return target
        other = site.page(language, name.removesuffix(".md"))
        if other is None:
            faults.append(Fault(page.file, 0, f"the link {target!r} leads nowhere", "link to a file of this folder"))
            return target
        return link(address(page), address(other)) + (f"#{section}" if section else "")

    html = _html(site, language, page, templates, ask, text, faults, resolve)
    if faults:
        raise Faults(faults)
    sections = tuple(Section(one.id or "", one.text) for one in outline(text).headings if one.level == 2)
    minutes = max(1, math.ceil(words_in(text) / WORDS_PER_MINUTE))
    return Body(Markup(html), sections, minutes)  # our own Markdown, raw HTML is off


def _filled(site: Site, language: Language, page: Page, ask: Ask) -> tuple[str, list[Fault]]:
    """The Markdown of a page with its figures, and the expressions that give none."""
    text, troubles = fill(page.body, Prose(site, language, page, ask).functions())
    return text, [page.fault(line, what, mend) for line, what, mend in troubles]


def _html(
    site: Site,
    language: Language,
    page: Page,
    templates: Environment,
    ask: Ask,
    text: str,
    faults: list[Fault],
    resolve: Callable[[str], str],
) -> str:
    """Filled Markdown as HTML; the mistakes of its fences are added to `faults`."""
    figures = Figures(site, language, ask, templates, resolve, address(page))
    drawn: list[int] = []

    def draw(kind: str, options: str, line: int) -> str:
        drawn.append(line)
        found = list(fence_faults(page, Fence(kind, options, line - 1, closed=True), FENCES))
        faults.extend(found)
        if found:
            return ""
        try:
            return figures.draw(kind, parse_yaml(options, page.file, page.first_line + line).value, len(drawn))
        except Faults as error:
            faults.extend(error.faults)
        except ValueError as error:
            faults.append(page.fault(line, f"{kind}: {error}"))
        return ""

    return to_html(text, draw, resolve)


def _around(site: Site, language: Language, page: Page) -> dict[str, Any]:
    """What stands around an article: the frame, its chapter, references and neighbours."""
    translations = [(one, address(other)) for one in site.languages if (other := site.page(one, page.id))]
    return {
        **frame(site, language, address(page), translations),
        "chapter": site.navigation.chapter_of(page.id),
        "references": [site.facts.references[reference] for reference in page.references],
        "related": [one for name in page.related if (one := site.page(language, name))],
    }


def _home_links(site: Site) -> list[tuple[Language, Page]]:
    return [(language, site.pages[language.code][HOME]) for language in site.languages]


def _encoded(html: str) -> bytes:
    return html.encode("utf-8")
