"""What stands around every page: navigation, the language switch, the footer; and the templates that draw it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from cabe.pages.site import Site, address, link, place
from cabe.reading import read_text
from cabe.words import HOME, Language, numbers


def templates_of(site: Site) -> Environment:
    """The templates: every text escaped, every unknown name an error."""

    def load(name: str) -> tuple[str, str, None] | None:
        path = site.templates / name
        return (read_text(path, site.templates.parent), str(path), None) if path.is_file() else None

    return Environment(
        loader=FunctionLoader(load),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def frame(site: Site, language: Language, here: str, translations: Sequence[tuple[Language, str]]) -> dict[str, Any]:
    """What the frame needs around the page at the path `here`; `translations` are the paths of it in each language."""
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
        "accuracy": site.page(language, "accuracy"),
        "chapters": [(number, chapter_id, pages) for number, chapter_id, pages in chapters if pages],
        "overviews": [(kind, place(language, kind)) for kind in site.navigation.catalogue],
        "translations": translations,
        "base_url": site.base_url,
        "source": site.navigation.source,
        "read": numbers.day(site.facts.read, language.locale),
        "version": site.version,
    }
