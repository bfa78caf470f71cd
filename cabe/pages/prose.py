"""The functions that prose may call: `{{ gb("7B", "lora") }}`, `{{ fact("llama-2-7b.total_params") }}`, and so on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from cabe.facts import Run, Setup, answerable, nearest, setup_from
from cabe.memory import (
    Estimates,
    Room,
    estimate,
    evaluate_one,
    largest_by_rule,
    room,
    solve,
    verdict_by_peak,
    verdict_by_rule,
)
from cabe.pages.measurements import accuracy_of, outcome_counts, point_counts
from cabe.pages.site import Download, Site, address, link, place_of
from cabe.words import Functions, Language, Linked, Markdown, Page
from cabe.words import numbers as written

T = TypeVar("T")


@dataclass(frozen=True)
class Ask:
    """Questions about set-ups, each worked out once: three languages ask the same ones.

    (Without the memory the pages of three articles take three times as long.) `files` are the downloads, of which the
    data page tells; none where mistakes alone are looked for.
    """

    site: Site
    files: tuple[Download, ...] = ()
    estimates: dict[Setup, Estimates] = field(default_factory=dict)
    solved: dict[tuple[Setup, str, str], int | None] = field(default_factory=dict)

    def __call__(self, setup: Setup) -> Estimates:
        """The estimate of a set-up, one row."""
        if setup not in self.estimates:
            found = estimate(self.site.facts, self.site.formulas, [answerable(self.site.facts, setup)])
            self.estimates[setup] = found
        return self.estimates[setup]

    def most(self, setup: Setup, option: str, device: str) -> int | None:
        """The largest value of an option, `seq` or `batch`, with which a set-up fits a device; None for none."""
        key = (setup, option, device)
        if key not in self.solved:
            given = {name: str(value) for name, value in setup.model_dump(by_alias=True, exclude_none=True).items()}
            found = solve(self.site.facts, self.site.formulas, given, option, device)
            self.solved[key] = found["value"]
        return self.solved[key]


@dataclass(frozen=True)
class Prose:
    """The functions for one page in one language; `ask` estimates a set-up, one row. Wrong names raise ValueError."""

    site: Site
    language: Language
    page: Page
    ask: Ask

    def functions(self) -> Functions:
        return {name: getattr(self, name) for name in FUNCTIONS}

    def gb(self, model: str, method: str, **options: Any) -> str:
        """The rule of thumb in whole GB; a range for a range of sizes."""
        low, high = rule_of(self.ask(setup_of(model, method, options)))
        return written.gigabyte_range(low, high, self.language.locale, whole=True)

    def value(self, name: str, model: str, method: str, digits: str = "", **options: Any) -> str:
        """A figure of the estimate, with its unit where it is bytes of memory or a share."""
        figure = figure_of(self.ask(setup_of(model, method, options)), name)
        return quantity(figure, name, self.site, self.language, whole=is_whole(digits))

    def mb(self, name: str, model: str, method: str, **options: Any) -> str:
        """A figure of the estimate that is bytes, in MB: a file, or what a token takes."""
        return written.megabytes(figure_of(self.ask(setup_of(model, method, options)), name), self.language.locale)

    def most(self, option: str, model: str, method: str, device: str, **options: Any) -> str:
        """The most tokens (`seq`) or sequences (`batch`) with which a run fits a device; a word where none does."""
        if option not in ("seq", "batch"):
            raise ValueError(f"there is no most {option!r}; expected seq or batch")
        named(self.site.facts.devices, device, "device")
        found = self.ask.most(setup_of(model, method, options), option, device)
        return written.number(found, self.language.locale) if found else self.language.word("charts.none")

    def between(self, low: list[str], high: list[str], digits: str = "", **options: Any) -> str:
        """A range of GB between two estimates, each given as [name, model, method]."""
        ends = [figure_of(self.ask(setup_of(model, method, options)), name) for name, model, method in (low, high)]
        return written.gigabyte_range(ends[0], ends[1], self.language.locale, whole=is_whole(digits))

    def ratio(self, model: str, method: str, other: str) -> str:
        """The rule of one method divided by that of another, for the same model."""
        own, base = (rule_of(self.ask(setup_of(model, one, {})))[1] for one in (method, other))
        return written.number(own / base, self.language.locale)

    def verdict(self, model: str, method: str, device: str, **options: Any) -> str:
        """The verdict of the rule on a nominal device, in words."""
        _, high = rule_of(self.ask(setup_of(model, method, options)))
        return self.language.word(f"verdicts.{verdict_by_rule(high, room_of(self.site, device).usable)}")

    def verdict_of_estimate(self, model: str, method: str, device: str, **options: Any) -> str:
        """The verdict of the estimated peak on a device, in words."""
        peak = figure_of(self.ask(setup_of(model, method, options)), "peak")
        verdict = verdict_by_peak(self.site.facts, peak, room_of(self.site, device).usable)
        return self.language.word(f"verdicts.{verdict}")

    def largest(self, device: str, method: str, **options: Any) -> str:
        """The largest size that the rule lets into a device, rounded down."""
        return written.size_label(self._largest(device, method, options))

    def largest_listed(self, device: str, method: str, **options: Any) -> str:
        """The largest size of the table by size that the rule lets into a device."""
        limit = self._largest(device, method, options)
        listed = [float(size.rstrip("B")) for size in self.site.facts.run_lists["sizes"].models]
        return written.size_label(max((size for size in listed if size <= limit), default=0.0))

    def _largest(self, device: str, method: str, options: Mapping[str, Any]) -> float:
        rows = self.ask(setup_of("7B", method, options))
        slope, constant = (rows.value(0, name) for name in ("rule_slope", "rule_constant"))
        if slope is None or constant is None:
            raise ValueError(f"the rule of thumb has no factors for {method}")
        return largest_by_rule(self.site.formulas, slope, constant, room_of(self.site, device).usable)

    def fact(self, path: str) -> str:
        """One field of one fact, `id.field`, written by its kind."""
        record_id, _, field = path.rpartition(".")
        tables = (self.site.facts.models, self.site.facts.devices, self.site.facts.methods, self.site.facts.precisions)
        if record_id == "defaults" and field in self.site.facts.options:
            default = self.site.facts.options[field].default or ""
            return written.number(int(default), self.language.locale) if default.isdigit() else default
        if record_id in self.site.facts.devices and field in ("memory", "usable"):
            return self._room(record_id, field)
        if record_id in self.site.facts.verdicts and field == "share":
            return written.percent(self.site.facts.verdicts[record_id].share, self.language.locale)
        others = (self.site.facts.dtypes, self.site.facts.quantizations, self.site.facts.optimizers)
        for table in (*tables, *others):
            record = table.get(record_id)
            figure = None if field.startswith("_") else getattr(record, field, None)
            if isinstance(figure, int | float) and not isinstance(figure, bool):
                return written.number(figure, self.language.locale)
            if isinstance(figure, str):
                return figure
        raise ValueError(f"there is no fact {path!r}; expected an id of data/, a point and one of its fields")

    def _room(self, device: str, field: str) -> str:
        found = room_of(self.site, device)
        return written.gigabytes(found.memory if field == "memory" else found.usable, self.language.locale)

    def cited(self, figure_id: str) -> str:
        """A figure of data/cited.yaml, written by its unit. The page must list the work that it comes from."""
        figure = named(self.site.facts.figures, figure_id, "cited figure")
        if figure.reference not in self.page.references:
            raise ValueError(f"comes from {figure.reference!r}; add it to the references in the front matter")
        if figure.value is not None:
            return UNITS[figure.unit](figure.value, self.language)
        low, high = figure.low or 0.0, figure.high or 0.0
        if figure.unit == "share":
            return written.percent_range(low, high, self.language.locale)
        return written.span(UNITS[figure.unit](low, self.language), UNITS[figure.unit](high, self.language))

    def accuracy(self, scope: str, name: str) -> str:
        """How sure estimates are: a field of the errors of a scope's points, or of the driver's interval over them."""
        return accuracy_of(self.site, self.language, scope, name)

    def points(self, name: str) -> str:
        """How many measured points there are: `published`, `recommended`, `compared` or `left-out`."""
        counts = point_counts(self.site)
        if name not in counts:
            raise ValueError(f"there is no {name!r}; expected one of {', '.join(counts)}")
        return written.number(counts[name], self.language.locale)

    def unseen(self, name: str) -> str:
        """The driver's interval over families that it was not fitted to: `share` that it holds, `width`, `error`."""
        figures = asdict(self.site.unseen)
        if name not in figures or name == "count":
            raise ValueError(f"there is no {name!r}; expected share, width or error")
        return written.percent(figures[name], self.language.locale)

    def outcomes(self, name: str) -> str:
        """How many published runs the verdicts are held against: `runs`, `finished` or `failed`."""
        counts = outcome_counts(self.site)
        if name not in counts:
            raise ValueError(f"there is no {name!r}; expected one of {', '.join(counts)}")
        return written.number(counts[name], self.language.locale)

    def changed(self, list_id: str) -> str:
        """The runs of a list whose verdict by the peak is not that of the rule, with both."""
        run_list = named(self.site.facts.run_lists, list_id, "list of runs")
        usable = room_of(self.site, run_list.device or "").usable
        found = []
        for run in run_list.runs:
            rows = self.ask(setup_of_run(run))
            by_rule = verdict_by_rule(rule_of(rows)[1], usable)
            by_peak = verdict_by_peak(self.site.facts, figure_of(rows, "peak"), usable)
            if by_rule != by_peak:
                both = [self.language.word(f"verdicts.{verdict}") for verdict in (by_rule, by_peak)]
                found.append(f"{run_name(self.language, rows, run)} ({both[0]} → {both[1]})")
        return "; ".join(found) or self.language.word("charts.none")

    def ref(self, reference_id: str) -> Markdown:
        """The mark of a reference, linked to its entry at the end of the page."""
        if reference_id not in self.page.references:
            expected = ", ".join(self.page.references)
            raise ValueError(f"there is no reference {reference_id!r} in the front matter; expected one of {expected}")
        number = self.page.references.index(reference_id) + 1
        return Markdown(f"[{number}](#ref-{reference_id})")

    def model(self, model_id: str) -> str:
        """The name of a model, with a link to its page."""
        record = named(self.site.facts.models, model_id, "model", "; expected an id of data/models.yaml")
        return self._linked(record.name, "models", model_id)

    def device(self, device_id: str) -> str:
        """The name of a device, with a link to its page; a nominal one is named in the language, and has no page."""
        return self._linked(device_name(self.site, self.language, device_id), "devices", device_id)

    def _linked(self, name: str, kind: str, record_id: str) -> str:
        target = place_of(self.site, self.language, kind, record_id)
        return Linked(name, link(address(self.page), target)) if target else name

    def planned(self, planned_id: str, name: str) -> str:
        """An input or a result of the simple calculator for a planned set-up."""
        figures = planned_figures(self.site, planned_id)
        if name not in figures:
            raise ValueError(f"there is no {name!r}; expected one of {', '.join(figures)}")
        figure = written.number(figures[name], self.language.locale)
        if name == "billions":
            count = figures[name]
            return self.language.word("billions", n=figure, count=int(count) if count.is_integer() else count)
        if name == "overhead_percent":
            return written.percent(figures[name] / 100, self.language.locale)
        return figure if name == "bytes_per_parameter" else f"{figure}{written.NO_BREAK_SPACE}GB"


FUNCTIONS = tuple(name for name in vars(Prose) if not name.startswith("_") and name != "functions")

UNITS: Mapping[str, Callable[[float, Language], str]] = {
    "share": lambda value, language: written.percent(value, language.locale),
    "times": lambda value, language: written.number(value, language.locale),
    "bytes": lambda value, language: written.number(value, language.locale),
    "count": lambda value, language: written.number(value, language.locale),
    "billions": lambda value, _: written.size_label(value),
    "scientific": lambda value, _: Markdown(f"`{value:.0e}`".replace("e-0", "e-").replace("e+0", "e")),
}


def is_whole(digits: str) -> bool:
    """Whether a call asks for whole numbers. Raises ValueError for anything that is not known."""
    if digits not in ("", "whole"):
        raise ValueError(f'there is no digits={digits!r}; expected "whole", or nothing')
    return digits == "whole"


def setup_of(model: str, method: str, options: Mapping[str, Any]) -> Setup:
    """The set-up that a call names; option names with underscores, values as on the command line."""
    given = {name.replace("_", "-"): str(value) for name, value in options.items()}
    texts = {  # a bare number is refused as a model or method that does not exist
        name: str(value) if isinstance(value, int | float) else value
        for name, value in (("model", model), ("method", method))
    }
    return setup_from({**texts, **given})


def figure_of(rows: Estimates, name: str, row: int = 0) -> float:
    """A figure that must be there. Raises ValueError for an unknown name or one that is not modelled."""
    if name not in rows.rows.columns:
        raise ValueError(f"no formula is called {name!r}{nearest(name, map(str, rows.rows.columns))}")
    figure = rows.value(row, name)
    if figure is None:
        raise ValueError(f"{name} is not modelled for this set-up")
    return figure


def rule_of(rows: Estimates, row: int = 0) -> tuple[float, float]:
    """Low and high end of the rule of thumb, in bytes."""
    return figure_of(rows, "rule_low", row), figure_of(rows, "rule_high", row)


def quantity(figure: float, name: str, site: Site, language: Language, *, whole: bool = False) -> str:
    """A figure with its unit: bytes in GB, a share in per cent; counts, and bytes per weight or token, bare."""
    made_here = name == "peak" or name.startswith(("at_", "rule_"))  # columns that no single formula has
    unit = "bytes" if made_here else site.formulas.formula(name).unit
    if unit == "bytes":
        return written.gigabytes(figure, language.locale, whole=whole)
    if unit == "share":
        return written.percent(figure, language.locale)
    return written.number(figure, language.locale, whole=whole)


def setup_of_run(run: Run) -> Setup:
    """The set-up of a run without its label, so that equal set-ups are asked once."""
    return Setup.model_construct(**{name: getattr(run, name) for name in Setup.model_fields})


def run_name(language: Language, rows: Estimates, run: Run) -> str:
    """A run as charts and tables call it: the name of its model or size, and its method."""
    subject = rows.setups[0].subject
    model = subject.label if subject.is_size or subject.shape is None else subject.shape.name
    return language.word("run_on_model", model=model, method=language.word(f"runs.{run.id}.short"))


def room_of(site: Site, device_id: str) -> Room:
    """The memory of a device. Raises ValueError for one that is not there."""
    named(site.facts.devices, device_id, "device")
    return room(site.facts, site.formulas, device_id)


def device_name(site: Site, language: Language, device_id: str) -> str:
    """What a device is called in a language."""
    device = named(site.facts.devices, device_id, "device", "; expected an id of data/devices.yaml")
    if device.name is not None:
        return device.name
    memory = written.gigabytes(room_of(site, device_id).memory, language.locale)
    return language.word(f"devices.{device_id}", memory=memory)


def planned_figures(site: Site, planned_id: str) -> dict[str, float]:
    """Inputs and results of a simple calculator, by name."""
    from_facts = named(site.facts.planned, planned_id, "planned set-up")
    per_parameter = named(site.facts.figures, from_facts.bytes_per_parameter, "cited figure").value or 0.0
    stated = from_facts.model_dump(exclude={"id", "bytes_per_parameter"}, exclude_none=True)
    inputs = {**stated, "bytes_per_parameter": per_parameter}
    return inputs | evaluate_one(site.formulas.groups[from_facts.group], inputs)


def named(table: Mapping[str, T], name: str, what: str, otherwise: str = "") -> T:
    """The record of that id. Raises ValueError with the nearest ids, or with what to do `otherwise`."""
    if name not in table:
        raise ValueError(f"there is no {what} {name!r}{nearest(name, table) or otherwise}")
    return table[name]
