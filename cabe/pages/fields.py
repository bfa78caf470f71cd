"""The fields of a calculator as the template draws them, filled with its default set-up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cabe.facts import Facts, Run, When, estimated_models, field_defaults, field_kinds, filled, holds, modules_of
from cabe.memory.inputs import OF_SHAPE
from cabe.pages.calculators import HINTS, OPTIONAL, RANGES, Calculator, Kind, choices_of, kind_of, traits, when_of
from cabe.pages.prose import Ask, setup_of_run
from cabe.pages.site import Site
from cabe.words import Language
from cabe.words import numbers as written


@dataclass(frozen=True)
class Asked:
    """One calculator on one page in one language, with a run and the device that it is to fit, if any."""

    site: Site
    language: Language
    ask: Ask
    calculator: Calculator
    run: Run
    device: str

    @property
    def facts(self) -> Facts:
        return self.site.facts

    def word(self, key: str, **values: object) -> str:
        return self.language.word(key, **values)

    def gb(self, amount: float) -> str:
        return written.gigabytes(amount, self.language.locale)

    def number(self, value: float) -> str:
        return written.number(value, self.language.locale)

    def share(self, share: float) -> str:
        return written.percent(share, self.language.locale)

    def given(self) -> dict[str, str]:
        """The options that the default set-up states, as text by their name on the command line."""
        stated = setup_of_run(self.run).model_dump(by_alias=True, exclude_none=True)
        return {name: str(value) for name, value in stated.items()}

    def plain(self, value: float) -> str:
        """A number as it may be typed: every digit, no signs between groups."""
        return f"{value:.15g}".replace(".", written.decimal_sign(self.language.locale))


ALWAYS = ("intermediate_size", "tied_embeddings", "qkv_bias")  # shown of every shape, though they may be 0


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


def names(asked: Asked) -> dict[str, list[str]]:
    """What may be typed into a field that takes a name."""
    devices = [one.name for one in asked.facts.devices.values() if one.kind != "nominal" and one.name]
    return {"model": sorted(model.name for model in estimated_models(asked.facts)), "device": devices}


def field(asked: Asked, option: str) -> Field:
    options = filled(asked.facts, setup_of_run(asked.run)) | traits(asked.facts, asked.run.model)
    given = options.get(option.replace("-", "_"))
    chosen = modules_of(asked.facts, str(given)) if option == "targets" else [given]
    low, high = (asked.plain(end) for end in RANGES.get(option, (0, 0)))
    choices = [
        Choice(value, asked.word(f"choices.{option}.{value}"), when_of(option, value), value in chosen)
        for value in choices_of(asked.facts, asked.calculator, option)
    ]
    return Field(
        option=option,
        kind=kind_of(option),
        label=asked.word(f"options.{asked.calculator.labels.get(option, option)}"),
        hint=asked.word(f"hints.{option}", low=low, high=high) if option in HINTS else "",
        value=_typed(asked, option, given),
        choices=tuple(choices),
        hidden=not holds(when_of(option), options) if when_of(option) else False,
    )


@dataclass(frozen=True)
class Width:
    """One field of a shape as the template draws it; `hidden` where the model shown has none of it."""

    name: str
    kind: str
    label: str
    value: str
    hidden: bool


def widths(asked: Asked) -> list[Width]:
    """The shape of the default model, field by field, so that a reader can make another of it."""
    model, kinds, defaults = asked.facts.models[asked.run.model], field_kinds(), field_defaults()
    values = {name: getattr(model, name) for name in kinds}
    inputs = {field: input_ for input_, field in OF_SHAPE.items()} | {"qk_norm": "qk_norm"}
    labels = {name: asked.word(f"formulas.{inputs[name]}" if name in inputs else f"shape.{name}") for name in kinds}
    return [
        Width(name, kind, labels[name], _plain(asked, values[name]), _is_usual(name, values[name] or 0, defaults))
        for name, kind in kinds.items()
    ]


def _is_usual(name: str, value: Any, defaults: Mapping[str, float]) -> bool:
    return name not in ALWAYS and value == defaults.get(name)


def _plain(asked: Asked, value: Any) -> str:
    """A field of a shape as text, a flag as 0 or 1."""
    return value if isinstance(value, str) else asked.plain(float(value or 0))


def _typed(asked: Asked, option: str, given: Any) -> str:
    """What stands in a text field."""
    if option == "model":
        return asked.facts.models[asked.run.model].name
    if option == "device":
        return (asked.facts.devices[asked.device].name or "") if asked.device else ""
    if option in RANGES and not (option in OPTIONAL and not given):
        return asked.plain(given)
    return ""
