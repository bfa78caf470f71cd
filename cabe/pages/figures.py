"""What fences draw: figures, tables, formula blocks and the calculator, each from a named list of runs.

```figure breakdown      setup, title, caption       stacked bars of the states of each run
```figure contexts       setup, title, caption       stacked bars of the peak of each run, by its context
```figure device-fit     setup, title, caption       the runs of a list on its device, by the rule of thumb
```table sizes           setup, caption              the rule of thumb, models down, runs across
```table compared        setup, caption              the rule of thumb beside the peak, each with its verdict
```table instants        setup, caption              every instant of a step, the largest of each run marked
```table saved           setup, caption              what one layer keeps of each token, tensor by tensor
```table figures         setup, by, names, caption   formulas of each run; the option `by` tells the runs apart
```table by-model        setup, by, name, caption    one formula: models down, runs across, told apart by `by`
```rule                  setup, caption              the rule of thumb of each run, as a formula
```worked                setup                       the rule of each run with its numbers, and the verdict
```formulas              names                       formulas of data/formulas.yaml with their letters explained
```formula-list          section                     every formula of a section or group, with reason, unit and source
```calculator training-vram   setup                  the simple calculator: parameters times bytes, and activations
```calculator inference-vram  setup                  another one: parameters times bytes, a cache and an overhead
```calculator training        setup                  every option of training; a list's first run is the default
```calculator inference       setup                  every option of inference
```calculator lora            setup                  the adapter of a model, by rank
```figure scatter        title, caption              every measured point beside its prediction
```table errors          by, scope, caption          errors by method, source or quantity, of training or inference
```table points          caption                     every measured point with its source
```table thresholds      caption                     published runs by verdict: how many finished
```table left-out        caption                     measured points that are compared with nothing, and why
```table columns         caption                     the measured points as files, and what their columns hold
```table files           caption                     every file to take away, for readers and for search engines
```table fields          of, caption                 the columns of estimates, or the fields of models or devices
```table shared          caption                     the options that all estimates of the files share
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from cabe import charts
from cabe.facts import Run, RunList, nearest
from cabe.memory import (
    AT_THE_PEAK,
    PARTS,
    STATES,
    Estimates,
    Formula,
    Instants,
    instants,
    names,
    verdict_by_peak,
    verdict_by_rule,
)
from cabe.pages import measurements, results, run_tables, simple
from cabe.pages.bars import BreakdownBar, DeviceNeed, bar_of, stacked
from cabe.pages.calculators import CALCULATORS, Calculator
from cabe.pages.downloads import dataset, described
from cabe.pages.downloads.points import COLUMNS, CSV, JSON
from cabe.pages.fields import Asked
from cabe.pages.mathml import Node, Reader, nodes, pieces_of
from cabe.pages.prose import (
    Ask,
    device_name,
    figure_of,
    named,
    room_of,
    rule_of,
    run_name,
    setup_of_run,
)
from cabe.pages.simple import SIMPLE, Simple
from cabe.pages.site import Site, link, place_of
from cabe.pages.training_grid import METHODS
from cabe.words import Language, inline_html, inline_plain
from cabe.words import numbers as written

FENCES: Mapping[str, tuple[str, ...]] = {
    "figure breakdown": ("setup", "title", "caption"),
    "figure contexts": ("setup", "title", "caption"),
    "figure device-fit": ("setup", "title", "caption"),
    "table sizes": ("setup", "caption"),
    "table compared": ("setup", "caption"),
    "table instants": ("setup", "caption"),
    "table saved": ("setup", "caption"),
    "table figures": ("setup", "by", "names", "caption"),
    "table by-model": ("setup", "by", "name", "caption"),
    "rule": ("setup", "caption"),
    "worked": ("setup",),
    "formulas": ("names",),
    "formula-list": ("section",),
    **{f"calculator {name}": ("setup",) for name in SIMPLE},
    **{f"calculator {name}": ("setup",) for name in CALCULATORS},
    "figure scatter": ("title", "caption"),
    "table errors": ("by", "scope", "caption"),
    "table points": ("caption",),
    "table thresholds": ("caption",),
    "table left-out": ("caption",),
    "table columns": ("caption",),
    "table files": ("caption",),
    "table fields": ("of", "caption"),
    "table shared": ("caption",),
}
LONG = 20  # rows of a table that folds
LINE = 48  # characters of a formula that stays in one piece, drawn large


@dataclass(frozen=True)
class Figures:
    """Draws fences for one page in one language; `here` is the page's address."""

    site: Site
    language: Language
    ask: Ask
    templates: Environment
    resolve: Callable[[str], str]
    here: str

    def draw(self, kind: str, options: Mapping[str, Any], index: int) -> str:
        """The HTML of a fence. `index` counts the fences of a page, so that ids are unique. Raises ValueError."""
        caption = Markup(inline_html(options.get("caption", ""), self.resolve))  # our own Markdown, raw HTML is off
        shared = {"title": inline_plain(options.get("title", "")), "caption": caption, "id": f"figure-{index}"}
        template = self.templates.get_template(f"fences/{TEMPLATES.get(kind, kind.replace(' ', '-'))}.html")
        words = {"word": self.language.word, "tag": self.language.tag}
        return template.render(**words, **shared, **DRAWERS[kind](self, options))

    def _runs(self, list_id: str) -> tuple[RunList, list[Run]]:
        found = named(self.site.facts.run_lists, list_id, "list of runs")
        return found, found.runs

    def _label(self, run: Run) -> str:
        return self.language.word(f"runs.{run.id}.name")

    def _gb(self, figure: float, *, whole: bool = False) -> str:
        return written.gigabytes(figure, self.language.locale, whole=whole)

    def breakdown(self, options: Mapping[str, Any]) -> dict[str, Any]:
        run_list, runs = self._runs(options["setup"])
        return stacked(self.language, [self._bar(run, whole=run_list.whole) for run in runs])

    def contexts(self, options: Mapping[str, Any]) -> dict[str, Any]:
        _, runs = self._runs(options["setup"])
        return stacked(self.language, [self._peak_bar(run) for run in runs])

    def _bar(self, run: Run, *, whole: bool) -> BreakdownBar:
        rows = self.ask(setup_of_run(run))
        high = figure_of(rows, "states")
        low = figure_of(self.ask(run.low), "states") if run.low else high
        return bar_of(
            self.language,
            self._label(run),
            self.language.word(f"runs.{run.id}.note"),
            written.gigabyte_range(low, high, self.language.locale, whole=whole),
            {part: figure_of(rows, part) for part in STATES},
        )

    def _peak_bar(self, run: Run) -> BreakdownBar:
        """The parts of a peak under the length of its context, with the share of the KV cache as a note."""
        rows = self.ask(setup_of_run(run))
        peak, seq = figure_of(rows, "peak"), rows.setups[0].options["seq"]
        amounts = {part: figure_of(rows, f"at_{part}" if part in AT_THE_PEAK else part) for part in PARTS}
        share = written.percent(amounts["kv_cache"] / peak, self.language.locale)
        return bar_of(
            self.language,
            self.language.word("charts.tokens", n=self._number(seq), count=seq),
            self.language.word("charts.cache_share", share=share),
            self._gb(peak),
            amounts,
        )

    def device_fit(self, options: Mapping[str, Any]) -> dict[str, Any]:
        run_list, runs = self._runs(options["setup"])
        device = device_of(run_list, options)
        space = room_of(self.site, device)
        needs = [self._need(run, space.usable) for run in runs]
        name = device_name(self.site, self.language, device)
        geometry = charts.device_fit(space.memory, space.usable, [charts.Need(need.low, need.high) for need in needs])
        return {
            "chart": geometry,
            "needs": needs,
            "device": name[:1].upper() + name[1:],
            "usable": self._gb(space.usable),
            "memory": self._gb(space.memory),
        }

    def _need(self, run: Run, usable: float) -> DeviceNeed:
        rows = self.ask(setup_of_run(run))
        low, high = rule_of(rows)
        page = place_of(self.site, self.language, "models", rows.setups[0].subject.name)
        return DeviceNeed(
            name=run_name(self.language, rows, run),
            page=link(self.here, page) if page else None,
            figure=written.gigabyte_range(low, high, self.language.locale, whole=True),
            verdict=verdict_by_rule(high, usable),
            low=low,
            high=high,
        )

    def sizes(self, options: Mapping[str, Any]) -> dict[str, Any]:
        run_list = named(self.site.facts.run_lists, options["setup"], "list of runs")
        rows = [(model, [self._rule_cell(run, model) for run in run_list.runs]) for model in run_list.models]
        return {"columns": [self._label(run) for run in run_list.runs], "rows": rows}

    def _rule_cell(self, run: Run, model: str) -> str:
        _, high = rule_of(self.ask(setup_of_run(run.model_copy(update={"model": model}))))
        return written.number(high / written.GB, self.language.locale, whole=True)

    def compared(self, options: Mapping[str, Any]) -> dict[str, Any]:
        run_list, runs = self._runs(options["setup"])
        device = device_of(run_list, options)
        usable = room_of(self.site, device).usable
        rows = []
        for run in runs:
            need = self._need(run, usable)
            peak = figure_of(self.ask(setup_of_run(run)), "peak")
            rows.append((need, self._gb(peak), verdict_by_peak(self.site.facts, peak, usable)))
        return {"rows": rows, "device": device_name(self.site, self.language, device)}

    def instants(self, options: Mapping[str, Any]) -> dict[str, Any]:
        _, runs = self._runs(options["setup"])
        found = instants(self.site.formulas.groups["step"])
        columns = [self._instants_of(self.ask(setup_of_run(run)), found) for run in runs]
        rows = [
            (name, [(self._gb(own[name]), own[name] == max(own.values())) for own in columns])
            for name in found
            if any(own[name] for own in columns)  # some instants are of other models or options
        ]
        return {"columns": [self._label(run) for run in runs], "rows": rows}

    def _instants_of(self, rows: Estimates, found: Instants) -> dict[str, float]:
        return {name: sum(figure_of(rows, own) for own in parts.values()) for name, (_, parts) in found.items()}

    def saved(self, options: Mapping[str, Any]) -> dict[str, Any]:
        _, runs = self._runs(options["setup"])
        asked = [self.ask(setup_of_run(run)) for run in runs]
        total = self.site.formulas.formula("saved_per_token")
        tensors = names(total.tree) if isinstance(total, Formula) else ()
        figures = {name: [figure_of(rows, name) for rows in asked] for name in [*tensors, "saved_per_token"]}
        shown = {name: [self._number(figure) for figure in row] for name, row in figures.items() if any(row)}
        return {"columns": [self._label(run) for run in runs], "rows": shown, "total": shown.pop("saved_per_token")}

    def figures(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return run_tables.figures(self.site, self.language, self.ask, options)

    def by_model(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return run_tables.by_model(self.site, self.language, self.ask, self.here, options)

    def formula_list(self, options: Mapping[str, Any]) -> dict[str, Any]:
        section = options["section"]
        groups = self.site.formulas.groups
        sectioned = [one for group in groups.values() for one in group if one.section]
        found = [one for one in sectioned if one.section == section] or list(groups.get(section, ()))
        if not found:
            known = sorted({one.section for one in sectioned} | set(groups))
            raise ValueError(f"there is no section {section!r}; expected one of {', '.join(known)}")
        lines = []
        for one in found:
            reader = self._reader({})
            pieces = pieces_of(nodes(one.tree, reader))
            lines.append((one, reader.leaf(one.name), pieces, self.language.word(f"why.{one.name}")))
        return {"lines": lines}

    def rule(self, options: Mapping[str, Any]) -> dict[str, Any]:
        _, runs = self._runs(options["setup"])
        return {"lines": [(self._label(run), self._rule_nodes(self.ask(setup_of_run(run)), ())) for run in runs]}

    def _rule_nodes(self, rows: Estimates, also: tuple[str, ...]) -> Node:
        """The rule's tree with the factors filled in, and `also` the inputs named."""
        formula = self.site.formulas.formula("rule_gb")
        filled = {name: self._number(figure_of(rows, name)) for name in ("rule_slope", "rule_constant")}
        filled |= {name: self._number(figure_of(rows, "params") / written.GB) for name in also}
        return nodes(formula.tree, self._reader(filled)) if isinstance(formula, Formula) else Node("row")

    def worked(self, options: Mapping[str, Any]) -> dict[str, Any]:
        run_list, runs = self._runs(options["setup"])
        usable = room_of(self.site, device_of(run_list, options)).usable
        lines = []
        for run in runs:
            need = self._need(run, usable)
            result = self._number(figure_of(self.ask(setup_of_run(run)), "rule_high") / written.GB)
            lines.append((need, self._rule_nodes(self.ask(setup_of_run(run)), ("billions",)), result))
        return {"lines": lines, "usable": self._gb(usable)}

    def formulas(self, options: Mapping[str, Any]) -> dict[str, Any]:
        lines, letters = [], {}
        for name in options["names"]:
            try:
                formula = self.site.formulas.formula(name)
            except KeyError as error:
                known = [one.name for group in self.site.formulas.groups.values() for one in group]
                raise ValueError(f"no formula is called {name!r}{nearest(name, known)}") from error
            if not isinstance(formula, Formula):
                raise ValueError(f"{name!r} is an input, not a formula")
            made = nodes(formula.tree, self._reader({}))
            broken = pieces_of(made) if made.length > LINE else (made,)
            lines.append((self._reader({}).leaf(name), broken))
            for one in (name, *names(formula.tree)):
                symbol = self.site.formulas.formula(one).symbol
                if symbol:
                    letters[symbol] = self.language.word(f"formulas.{one}")
        return {"lines": lines, "letters": letters}

    def simple(self, calculator: Simple, options: Mapping[str, Any]) -> dict[str, Any]:
        return simple.values(self.site, self.language, calculator, options["setup"])

    def estimator(self, calculator: Calculator, options: Mapping[str, Any]) -> dict[str, Any]:
        run_list, runs = self._runs(options["setup"])
        return results.values(Asked(self.site, self.language, self.ask, calculator, runs[0], run_list.device or ""))

    def scatter(self, _: Mapping[str, Any]) -> dict[str, Any]:
        return measurements.scatter(self.site, self.language)

    def errors(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return measurements.errors(self.site, self.language, options)

    def points(self, _: Mapping[str, Any]) -> dict[str, Any]:
        return measurements.points(self.site, self.language)

    def thresholds(self, _: Mapping[str, Any]) -> dict[str, Any]:
        return measurements.thresholds(self.site, self.language)

    def left_out(self, _: Mapping[str, Any]) -> dict[str, Any]:
        return measurements.left_out(self.site, self.language)

    def columns(self, _: Mapping[str, Any]) -> dict[str, Any]:
        return {"files": [(name, link(self.here, name)) for name in (CSV, JSON)], "columns": COLUMNS}

    def files(self, _: Mapping[str, Any]) -> dict[str, Any]:
        day = written.day(self.site.facts.read, self.language.locale)
        return {
            "files": described.listed(self.ask.files, self.language, self.here),
            "as_of": self.language.word("data.as_of", date=day, version=self.site.version),
            "dataset": dataset.dataset(self.site, self.language, self.ask.files, self.here),
        }

    def fields(self, options: Mapping[str, Any]) -> dict[str, Any]:
        rows = described.fields(self.site, self.language, options["of"])
        return {"rows": rows, "count": len(rows), "folded": len(rows) > LONG}

    def shared(self, _: Mapping[str, Any]) -> dict[str, Any]:
        return {"methods": METHODS, "rows": described.shared(self.site, self.language)}

    def _cited(self, figure_id: str) -> float:
        return named(self.site.facts.figures, figure_id, "cited figure").value or 0.0

    def _number(self, value: float) -> str:
        return written.number(value, self.language.locale)

    def _reader(self, filled: Mapping[str, str]) -> Reader:
        return Reader(
            self.site.formulas.formula, lambda name: self.language.word(f"formulas.{name}"), self._number, filled
        )


def device_of(run_list: RunList, options: Mapping[str, Any]) -> str:
    """The device that a list of runs names. Raises ValueError for a list without one."""
    if not run_list.device:
        raise ValueError(f"the list of runs {options['setup']!r} names no device, which this needs")
    return run_list.device


def _simple(calculator: Simple) -> Callable[[Figures, Mapping[str, Any]], dict[str, Any]]:
    return lambda figures, options: figures.simple(calculator, options)


def _estimator(calculator: Calculator) -> Callable[[Figures, Mapping[str, Any]], dict[str, Any]]:
    return lambda figures, options: figures.estimator(calculator, options)


TEMPLATES = {  # the other kinds go by their own names
    **{f"calculator {name}": "calculator" for name in CALCULATORS},
    **{f"calculator {name}": "calculator-simple" for name in SIMPLE},
}

DRAWERS: Mapping[str, Callable[[Figures, Mapping[str, Any]], dict[str, Any]]] = {
    "figure breakdown": Figures.breakdown,
    "figure contexts": Figures.contexts,
    "figure device-fit": Figures.device_fit,
    "table sizes": Figures.sizes,
    "table compared": Figures.compared,
    "table instants": Figures.instants,
    "table saved": Figures.saved,
    "table figures": Figures.figures,
    "table by-model": Figures.by_model,
    "rule": Figures.rule,
    "worked": Figures.worked,
    "formulas": Figures.formulas,
    "formula-list": Figures.formula_list,
    **{f"calculator {name}": _simple(one) for name, one in SIMPLE.items()},
    **{f"calculator {name}": _estimator(one) for name, one in CALCULATORS.items()},
    "figure scatter": Figures.scatter,
    "table errors": Figures.errors,
    "table points": Figures.points,
    "table thresholds": Figures.thresholds,
    "table left-out": Figures.left_out,
    "table columns": Figures.columns,
    "table files": Figures.files,
    "table fields": Figures.fields,
    "table shared": Figures.shared,
}
