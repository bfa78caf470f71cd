"""A site as paths and bytes. One page is a function of frozen values, so pages can be made in any order."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateNotFound
from markupsafe import Markup

from cabe.pages.figures import Figures
from cabe.pages.prose import Ask, Prose, asker
from cabe.pages.site import Site, address, link
from cabe.reading import Fault, Faults, parse_yaml
from cabe.words import HOME, Language, Page, fill, numbers, outline, to_html, words_in

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


def templates_of(site: Site) -> Environment:
    """The templates: every text escaped, every unknown name an error."""
    return Environment(
        loader=FileSystemLoader(site.templates),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(site: Site) -> Iterator[Output]:
    """Every file of the site. Raises Faults with the mistakes of all pages."""
    try:
        yield from _rendered(site)
    except TemplateNotFound as error:
        raise Faults([Fault(f"templates/{error.name}", 0, "the template is missing", "restore it")]) from error


def _rendered(site: Site) -> Iterator[Output]:
    templates = templates_of(site)
    ask = asker(site)
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
    for asset in sorted((site.templates / "assets").iterdir()):
        yield f"assets/{asset.name}", asset.read_bytes()


def render_page(site: Site, language: Language, page: Page, templates: Environment, ask: Ask) -> bytes:
    """One page as UTF-8 bytes. Raises Faults with every mistake in its expressions and fences."""
    body = _body(site, language, page, templates, ask)
    template = templates.get_template("home.html" if page.id == HOME else "article.html")
    return _encoded(template.render(page=page, body=body, **_frame(site, language, page)))


def _body(site: Site, language: Language, page: Page, templates: Environment, ask: Ask) -> Body:
    text, troubles = fill(page.body, Prose(site, language, page, ask).functions())
    faults = [page.fault(line, what, mend) for line, what, mend in troubles]

    def resolve(target: str) -> str:
        name, _, section = target.partition("#")
        other = site.page(language, name.removesuffix(".md")) if name else page
        start = "" if other in (None, page) or other is None else link(address(page), address(other))
        return start + (f"#{section}" if section else "")

    figures = Figures(site, language, ask, templates, resolve)
    drawn: list[int] = []

    def draw(kind: str, options: str, line: int) -> str:
        drawn.append(line)
        try:
            value = parse_yaml(options, page.file, page.first_line + line).value
            return figures.draw(kind, value, len(drawn))
        except Faults as error:
            faults.extend(error.faults)
        except ValueError as error:
            faults.append(page.fault(line, f"{kind}: {error}"))
        return ""

    html = to_html(text, draw, resolve)
    if faults:
        raise Faults(faults)
    sections = tuple(Section(one.id or "", one.text) for one in outline(text).headings if one.level == 2)
    minutes = max(1, math.ceil(words_in(text) / WORDS_PER_MINUTE))
    return Body(Markup(html), sections, minutes)  # our own Markdown, raw HTML is off


def _frame(site: Site, language: Language, page: Page) -> dict[str, Any]:
    """What the frame around every page needs: navigation, languages, references, neighbours."""
    here = address(page)
    chapters = [
        (number, chapter.id, [one for name in chapter.pages if (one := site.page(language, name))])
        for number, chapter in enumerate(site.navigation.chapters, 1)
    ]
    return {
        "language": language,
        "word": language.word,
        "here": here,
        "to": lambda target: link(here, target),
        "address": address,
        "home": site.pages[language.code][HOME],
        "chapters": [(number, chapter_id, pages) for number, chapter_id, pages in chapters if pages],
        "chapter": site.navigation.chapter_of(page.id),
        "translations": [(one, other) for one in site.languages if (other := site.page(one, page.id))],
        "references": [site.facts.references[reference] for reference in page.references],
        "related": [one for name in page.related if (one := site.page(language, name))],
        "base_url": site.base_url,
        "source": site.navigation.source,
        "read": numbers.day(site.facts.read, language.locale),
        "version": site.version,
    }


def _home_links(site: Site) -> list[tuple[Language, Page]]:
    return [(language, site.pages[language.code][HOME]) for language in site.languages]


def _encoded(html: str) -> bytes:
    return html.encode("utf-8")
