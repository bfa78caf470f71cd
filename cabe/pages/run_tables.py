"""Tables of lists of runs that differ in one option: formulas of each run, and one formula of each model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cabe.memory import Estimates
from cabe.pages.prose import Ask, figure_of, named, quantity, setup_of_run
from cabe.pages.site import Site, link, place_of
from cabe.words import Language
from cabe.words import numbers as written

HEADS = {"rank": "options.rank", "targets": "options.targets", "seq": "options.context", "kv-dtype": "options.kv-dtype"}
NUMBERS = ("rank", "seq")  # written as numbers; the others by their name on the command line, which is code
BEYOND = "–"  # a context that the model does not read


def figures(site: Site, language: Language, ask: Ask, options: Mapping[str, Any]) -> dict[str, Any]:
    """Runs down, called by the option `by`; the formulas `names` across. Raises ValueError for a wrong name."""
    by, names = options["by"], options["names"]
    head = language.word(named(HEADS, by, "option"))
    asked = [ask(setup_of_run(run)) for run in named(site.facts.run_lists, options["setup"], "list of runs").runs]
    rows = [(_called(language, one, by), [_figure(site, language, one, name) for name in names]) for one in asked]
    columns = [language.word(f"formulas.{name}") for name in names]
    return {"head": head, "is_code": by not in NUMBERS, "columns": columns, "rows": rows}


def by_model(site: Site, language: Language, ask: Ask, here: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Models down, each with a link from `here` to its page; runs across, called by the option `by`; the formula `name`
    of each. Raises ValueError."""
    run_list = named(site.facts.run_lists, options["setup"], "list of runs")
    by, name = options["by"], options["name"]
    named(HEADS, by, "option")
    rows = []
    for model in run_list.models:
        asked = [ask(setup_of_run(run.model_copy(update={"model": model}))) for run in run_list.runs]
        columns = [_called(language, one, by) for one in asked]
        page = place_of(site, language, "models", model)
        cells = [_cell(site, language, one, name) for one in asked]
        rows.append((site.facts.models[model].name, page and link(here, page), cells))
    return {"is_code": by not in NUMBERS, "columns": columns if rows else [], "rows": rows}


def _called(language: Language, asked: Estimates, by: str) -> str:
    """The option that a run is called by, as text."""
    value = asked.setups[0].options[by.replace("-", "_")]
    return written.number(value, language.locale) if by in NUMBERS else str(value)


def _cell(site: Site, language: Language, asked: Estimates, name: str) -> str:
    shape = asked.setups[0].subject.shape
    beyond = shape is not None and asked.setups[0].options["seq"] > shape.max_context
    return BEYOND if beyond else _figure(site, language, asked, name)


def _figure(site: Site, language: Language, asked: Estimates, name: str) -> str:
    return quantity(figure_of(asked, name), name, site, language)
