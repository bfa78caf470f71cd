"""A calculator before anything is typed: its fields, and the result that `build.py estimate` gives for its set-up.

The script estimator.js changes the texts of these nodes, in the same words and with the same rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cabe import charts
from cabe.facts import Facts, Run, When, estimated_models, filled, holds, modules_of
from cabe.memory import PARTS, PHASES_OF, Estimates, Verdict, component, solve, suggestions, verdict_by_peak
from cabe.pages.calculators import (
    HINTS,
    OPTIONAL,
    RANGES,
    Calculator,
    Kind,
    choices_of,
    described,
    kind_of,
    when_of,
)
from cabe.pages.prose import Ask, figure_of, room_of, setup_of_run
from cabe.pages.site import Site
from cabe.words import Language
from cabe.words import numbers as written

RANKS = (4, 8, 16, 32, 64, 128, 256)
ADAPTER = {  # what is shown of an adapter → how it is written
    "trainable_params": "count",
    "trainable_share": "share",
    "trainable_weights": "bytes",
    "trained_state": "bytes",
}
RANKED = ("trainable_params", "trainable_share", "trainable_weights")  # in the table by rank
SIGNS: Mapping[str, str] = {"fits": "✓", "tight": "!", "too-big": "✕"}
HALF, SHARED = "half-length", "share-out"  # changes that depend on the set-up, beside those of methods.yaml
SCRIPT_WORDS = (
    *("verdict_line", "no_device", "driver_line", "phase_line", "limit", "suggestion_line", "longest_line"),
    *("longest_none", "beyond_context", "no_bf16", "unpacked_experts", "copied", "announce", "unknown_model"),
    *("unknown_device", "whole", "no_targets", "nothing_trained", "gate_with_up"),
)
FIELD_WORDS = ("check_fields", *(f"errors.{error}" for error in ("empty", "text", "groups", "range")))


@dataclass(frozen=True)
class Choice:
    """A value of an option: its word, and when it means something."""

    value: str
    label: str
    when: When
    chosen: bool


@dataclass(frozen=True)
class Field:
    """One option as the template draws it; `hidden` where it means nothing for the set-up."""

    option: str
    kind: Kind
    label: str
    hint: str
    value: str
    choices: tuple[Choice, ...]
    hidden: bool


@dataclass(frozen=True)
class Drawn:
    """One calculator on one page in one language, with a run and the device it is to fit, if any."""

    site: Site
    language: Language
    ask: Ask
    calculator: Calculator
    run: Run
    device: str

    def values(self) -> dict[str, Any]:
        """What the template fills in."""
        result = self._peak() if self.calculator.shows == "peak" else self._adapter()
        groups = self.calculator.groups.items()
        return {
            "groups": [(group, [self._field(option) for option in options]) for group, options in groups],
            "names": self._names(),
            "shows": self.calculator.shows,
            "command": self._command(),
            "script": self._script(),
            **result,
        }

    @property
    def _facts(self) -> Facts:
        return self.site.facts

    def _word(self, key: str, **values: object) -> str:
        return self.language.word(key, **values)

    def _gb(self, amount: float) -> str:
        return written.gigabytes(amount, self.language.locale)

    def _number(self, value: float) -> str:
        return written.number(value, self.language.locale)

    def _share(self, share: float) -> str:
        return written.percent(share, self.language.locale)

    def _given(self) -> dict[str, str]:
        """The options that the default set-up states, as text by their name on the command line."""
        stated = setup_of_run(self.run).model_dump(by_alias=True, exclude_none=True)
        return {name: str(value) for name, value in stated.items()}

    # Fields

    def _plain(self, value: float) -> str:
        """A number as it may be typed: every digit, no signs between groups."""
        return f"{value:.15g}".replace(".", written.decimal_sign(self.language.locale))

    def _names(self) -> dict[str, list[str]]:
        """What may be typed into a field that takes a name."""
        devices = [one.name for one in self._facts.devices.values() if one.kind != "nominal" and one.name]
        return {"model": sorted(model.name for model in estimated_models(self._facts)), "device": devices}

    def _field(self, option: str) -> Field:
        options = filled(self._facts, setup_of_run(self.run))
        given = options.get(option.replace("-", "_"))
        chosen = modules_of(self._facts, str(given)) if option == "targets" else [given]
        low, high = (self._plain(end) for end in RANGES.get(option, (0, 0)))
        choices = [
            Choice(value, self._word(f"choices.{option}.{value}"), when_of(option, value), value in chosen)
            for value in choices_of(self._facts, self.calculator, option)
        ]
        return Field(
            option=option,
            kind=kind_of(option),
            label=self._word(f"options.{self.calculator.labels.get(option, option)}"),
            hint=self._word(f"hints.{option}", low=low, high=high) if option in HINTS else "",
            value=self._typed(option, given),
            choices=tuple(choices),
            hidden=not holds(when_of(option), options) if when_of(option) else False,
        )

    def _typed(self, option: str, given: Any) -> str:
        """What stands in a text field."""
        if option == "model":
            return self._facts.models[self.run.model].name
        if option == "device":
            return (self._facts.devices[self.device].name or "") if self.device else ""
        if option in RANGES and not (option in OPTIONAL and not given):
            return self._plain(given)
        return ""

    # Results

    def _peak(self) -> dict[str, Any]:
        rows = self.ask(setup_of_run(self.run))
        peak, mid, high = (figure_of(rows, name) for name in ("peak", "driver_mid", "driver_high"))
        usable = room_of(self.site, self.device).usable if self.device else None
        verdict = verdict_by_peak(self._facts, peak, usable) if usable else None
        amounts = {part: component(rows, 0, part) or 0.0 for part in PARTS}
        terms = [f"{self._gb(amount)} {self._word(f'parts.{part}')}" for part, amount in amounts.items() if amount > 0]
        phase = self._word(f"phases.{rows.rows['phase'].iloc[0]}")
        return {
            "peak": self._number(peak / written.GB),
            "verdict": verdict or "none",
            "verdict_line": self._verdict_line(verdict, peak, usable),
            "driver_line": self._word("estimator.driver_line", mid=self._gb(mid), high=self._gb(high)),
            "phase_line": self._word("estimator.phase_line", phase=phase),
            "sum": f"{' + '.join(terms)} = {self._gb(peak)}",
            "chart": charts.share(list(amounts.values()), high, usable),
            "limit": self._word("estimator.limit", usable=self._gb(usable)) if usable else "",
            "parts": [
                (part, self._gb(amount) if amount else "", self._share(amount / peak) if amount else "")
                for part, amount in amounts.items()
            ],
            "longest": self._longest(),
            "suggestions": self._suggestions(rows, usable or 0.0) if verdict not in (None, "fits") else {},
            "changes": (*self._facts.changes, HALF, SHARED),
        }

    def _verdict(self, verdict: Verdict) -> str:
        return f"{SIGNS[verdict]}{written.NO_BREAK_SPACE}{self._word(f'verdicts.{verdict}')}"

    def _verdict_line(self, verdict: Verdict | None, peak: float, usable: float | None) -> str:
        if verdict is None or usable is None:
            return self._word("estimator.no_device")
        share, device = self._share(peak / usable), self._facts.devices[self.device].name
        names = {"verdict": self._verdict(verdict), "device": device, "share": share, "usable": self._gb(usable)}
        return self._word("estimator.verdict_line", **names)

    def _longest(self) -> str:
        if not self.device:
            return ""
        found = solve(self._facts, self.site.formulas, self._given(), "seq", self.device)["value"]
        if found is None:
            return self._word("estimator.longest_none")
        return self._word("estimator.longest_line", seq=self._number(found))

    def _suggestions(self, rows: Estimates, usable: float) -> dict[str, str]:
        """By the id of a change what it frees, the most helpful first."""
        return dict(self._freed(rows, usable))

    def _freed(self, rows: Estimates, usable: float) -> Iterator[tuple[str, str]]:
        named = {tuple(sorted(one.to.items())): one.id for one in self._facts.changes.values()}
        for one in suggestions(self._facts, self.site.formulas, rows.setups[0]):
            change, peak = one["change"], one["peak"]
            verdict = verdict_by_peak(self._facts, peak, usable)
            fallback = HALF if "seq" in change else SHARED
            if verdict and set(change) <= {*self.calculator.options}:
                names = {"frees": self._gb(one["frees"]), "peak": self._gb(peak), "verdict": self._verdict(verdict)}
                found = named.get(tuple(sorted(change.items())), fallback)
                yield found, self._word("estimator.suggestion_line", **names)

    def _adapter(self) -> dict[str, Any]:
        return {
            "figures": self._figures(self.run.rank),
            "ranked": RANKED,
            "ranks": [(rank, self._number(rank), self._ranked(rank)) for rank in RANKS],
        }

    def _ranked(self, rank: int) -> dict[str, str]:
        return {name: text for name, text in self._figures(rank).items() if name in RANKED}

    def _figures(self, rank: int | None) -> dict[str, str]:
        """The figures of the adapter at a rank, as text; None is the default rank."""
        rows = self.ask(setup_of_run(self.run).model_copy(update={"rank": rank}))
        write = {"count": self._number, "share": self._share, "bytes": self._gb}
        return {name: write[unit](figure_of(rows, name)) for name, unit in ADAPTER.items()}

    # What the script and the command line get

    def _command(self) -> str:
        given = self._given()
        options = [f"--{name} {value}" for name, value in given.items() if name != "model"]
        device = [f"--device {self.device}"] if self.device else []
        return " ".join(["python build.py estimate", self.run.model, *options, *device])

    def _script(self) -> dict[str, Any]:
        locale = self.language.locale
        words = {key: self._word(f"estimator.{key}") for key in SCRIPT_WORDS}
        words |= {key: self._word(f"calculator.{key}") for key in FIELD_WORDS}
        return {
            "base": {**self._given(), **({"device": self.device} if self.device else {})},
            "options": dict(described(self.calculator)),
            "adapter": ADAPTER if self.calculator.shows == "adapter" else {},
            "signs": {
                "decimal": written.decimal_sign(locale),
                "group": written.group_sign(locale),
                "percent": written.percent(0.0, locale).replace("0", "{n}"),
            },
            "words": {
                **words,
                "verdicts": {verdict: self._verdict(verdict) for verdict in ("fits", "tight", "too-big")},
                "parts": {part: self._word(f"parts.{part}") for part in PARTS},
                "phases": {phase: self._word(f"phases.{phase}") for phases in PHASES_OF.values() for phase in phases},
                "conflicts": {one: self._word(f"conflicts.{one}") for one in self._facts.conflicts},
            },
        }
