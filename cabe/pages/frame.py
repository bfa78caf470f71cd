"""What stands around every page: navigation, the language switch, the footer; and the templates that draw it."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined, TemplateNotFound, TemplateSyntaxError

from cabe.pages.site import Site, address, link, place
from cabe.reading import Fault, Faults, read_text, shown
from cabe.words import HOME, Language, numbers


def templates_of(site: Site) -> Environment:
    """The templates: every text escaped, every unknown name an error."""

    def load(name: str) -> tuple[str, str, None] | None:
        path = site.templates / name
        return (read_text(path, site.templates.parent), str(path), None) if path.is_file() else None

    templates = Environment(
        loader=FunctionLoader(load),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.policies["json.dumps_kwargs"] = {"sort_keys": False}  # formulas are evaluated in their order
    return templates


@contextmanager
def blamed(site: Site) -> Iterator[None]:
    """Errors that a template makes, as Faults that name it."""
    try:
        yield
    except Exception as error:
        if fault := _template_fault(site, error):
            raise Faults([fault]) from error
        raise


def _template_fault(site: Site, error: Exception) -> Fault | None:
    """The mistake in a template that an error stands for; None for an error that no template made."""
    if isinstance(error, Faults):
        return None
    if isinstance(error, TemplateNotFound):
        return Fault(f"templates/{error.name}", 0, "the template is missing", "restore it")
    if isinstance(error, TemplateSyntaxError):
        return Fault(f"templates/{error.name}", error.lineno, f"is not a template: {error.message}")
    # Jinja gives the frames of a template the name and lines of its file
    folder = str(site.templates)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(folder)]
    if not frames:
        return None
    what = f"cannot be filled: {' '.join(str(error).split())}"
    return Fault(shown(Path(frames[-1].filename), site.templates.parent), frames[-1].lineno or 0, what)


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
