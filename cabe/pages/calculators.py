"""The calculators as data: what each asks, in which order, when an option means something, and what it shows.

`estimator.js` gets the same description as data. A new option of a calculator is its name in `groups`, and its words:
`options.<option>`, `choices.<option>.<value>` and, where it is in HINTS, `hints.<option>`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from cabe.facts import MODULES, Facts, When, filled, holds, setup_from, values_of

Kind = Literal["name", "number", "modules", "choice"]


@dataclass(frozen=True)
class Calculator:
    """`groups` names options in order, by the word above them; the first group is open, the others unfold.

    `labels` are options that go by another word here; `shows` is what the result is about, `driver` the word for what
    lies beyond it: published runs of inference do not say whether they report what a monitor shows.
    """

    methods: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]]
    shows: Literal["peak", "adapter"]
    labels: Mapping[str, str]
    driver: str = "driver_line"

    @property
    def options(self) -> tuple[str, ...]:
        return tuple(option for group in self.groups.values() for option in group)


CALCULATORS: Mapping[str, Calculator] = {
    "training": Calculator(
        methods=("lora", "qlora", "full"),
        groups={
            "run": ("model", "method", "device", "seq", "batch"),
            "weights": ("quantization", "kbit-prep", "dtype", "precision", "gradient-dtype", "optimizer", "towers"),
            "adapter": ("rank", "targets", "adapter-dtype", "lora-dropout"),
            "step": ("checkpointing", "attention", "loss", "outputs", "kernels", "experts", "accumulation", "step"),
            "devices": ("gpus", "sharding"),
        },
        shows="peak",
        labels={},
    ),
    "inference": Calculator(
        methods=("inference",),
        groups={
            "run": ("model", "device", "seq", "batch", "quantization", "dtype"),
            "cache": ("kv-dtype", "kv-cache", "prompt", "prefill-logits"),
            "model": ("attention", "experts", "towers"),
        },
        shows="peak",
        labels={"seq": "context", "batch": "sequences"},
        driver="reported_line",
    ),
    "lora": Calculator(
        methods=("lora", "qlora"),
        groups={"run": ("model", "rank", "alpha", "targets", "adapter-dtype", "optimizer")},
        shows="adapter",
        labels={},
    ),
}
ADAPTERS: When = {"method": ["lora", "qlora"]}
LOW_RANK: When = {**ADAPTERS, "targets": ["not embed", "not head", "not embed,head"]}  # those two are trained whole
NEEDS: Mapping[str, When] = {  # when an option means something; the others always do
    "rank": LOW_RANK,
    "alpha": LOW_RANK,
    "targets": ADAPTERS,
    "adapter-dtype": ADAPTERS,
    "lora-dropout": LOW_RANK,
    "kbit-prep": {**ADAPTERS, "quantization": "not none"},
    "sharding": {"gpus": "above 1"},
    "gradient-dtype": {"method": "full"},
    "experts": {"has-experts": "yes"},
    "towers": {"has-towers": "yes"},
}
TRAITS = {"has-experts": "expert_layers", "has-towers": "tower_params"}  # what NEEDS may ask of a model → its number
CHOICE_NEEDS: Mapping[tuple[str, str], When] = {
    ("precision", "master"): {"method": "full"},
    ("precision", "no-master"): {"method": "full"},
}
LEFT_OUT = {("loss", "triton-4.45")}  # one version of one library
RANGES: Mapping[str, tuple[float, float]] = {
    "seq": (1, 10_000_000),
    "batch": (1, 65_536),
    "accumulation": (1, 65_536),
    "rank": (1, 65_536),
    "alpha": (0.01, 65_536),
    "gpus": (1, 4096),
    "prompt": (1, 10_000_000),
    "lora-dropout": (0, 0.99),
}
FRACTIONS = ("lora-dropout", "alpha")  # the other numbers are whole
OPTIONAL = ("device", "prompt")
UNSTATED = ("gradient-dtype",)  # choices of which one is to leave the option to the others
HINTS = ("model", "device", *RANGES)
NAMES = ("model", "device")


def kind_of(option: str) -> Kind:
    """How an option is asked for."""
    if option in NAMES:
        return "name"
    if option in RANGES:
        return "number"
    return "modules" if option == "targets" else "choice"


def traits(facts: Facts, model: str) -> dict[str, str]:
    """What NEEDS may ask of a model, as values of options."""
    shape = facts.models[model]
    return {trait.replace("-", "_"): "yes" if getattr(shape, field) else "no" for trait, field in TRAITS.items()}


def when_of(option: str, value: str = "") -> When:
    """When an option, or one of its values, means something."""
    return CHOICE_NEEDS.get((option, value), {}) if value else NEEDS.get(option, {})


def choices_of(facts: Facts, calculator: Calculator, option: str) -> tuple[str, ...]:
    """The values of an option that at least one method of a calculator takes."""
    if option == "method":
        return calculator.methods
    if option == "targets":
        return MODULES
    if kind_of(option) != "choice":
        return ()
    values = (*(("",) if option in UNSTATED else ()), *values_of(facts, option.replace("-", "_")))
    return tuple(value for value in values if _taken(facts, calculator, option, value))


def _taken(facts: Facts, calculator: Calculator, option: str, value: str) -> bool:
    rules = [rule for rule in facts.conflicts.values() if rule.option == option]
    setups = [
        filled(facts, setup_from({"model": "-", "method": method, option: value})) for method in calculator.methods
    ]
    refused = all(any(holds(rule.when, options) for rule in rules) for options in setups)
    return (option, value) not in LEFT_OUT and not refused


def described(calculator: Calculator) -> Iterator[tuple[str, dict[str, Any]]]:
    """Option by option, what the script has to know: its kind, when it means something, and the numbers it takes."""
    for option in calculator.options:
        found: dict[str, Any] = {"kind": kind_of(option)}
        if option in NEEDS:
            found["when"] = NEEDS[option]
        if option in RANGES:
            low, high = RANGES[option]
            found |= {"low": low, "high": high, "whole": option not in FRACTIONS}
        if option in OPTIONAL:
            found["optional"] = True
        yield option, found
