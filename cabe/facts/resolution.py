"""Set-ups made answerable: names looked up, defaults filled in, what is unknown or not modelled refused by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cabe.facts.lookup import find, nearest
from cabe.facts.models import SIZE, SIZE_RANGE, Model
from cabe.facts.setups import Setup
from cabe.facts.tables import Facts

MODULES = ("q", "k", "v", "o", "gate", "up", "down")
BILLION = 1e9

Problem = tuple[str, str]  # the option, and what is wrong with its value


@dataclass(frozen=True)
class Subject:
    """What a set-up is about: a model, a size, or a range of sizes; billions of parameters from `low` to `high`.

    `shape` lends a size its layers and widths; None for a size that no model is named for.
    """

    name: str
    low: float
    high: float
    shape: Model | None
    is_size: bool

    @property
    def label(self) -> str:
        """The name as pages write it: a range with an en dash."""
        return self.name if self.low == self.high else self.name.replace("-", "–")


@dataclass(frozen=True)
class Answerable:
    """A set-up whose every name exists and whose every default is filled in."""

    subject: Subject
    options: Mapping[str, Any]


def answerable(facts: Facts, setup: Setup) -> Answerable:
    """The set-up with names resolved and defaults filled in.

    Raises ValueError with one line for each option that is unknown, not modelled, or at odds with another.
    """
    found = list(problems(facts, setup))
    if found:
        raise ValueError("\n".join(f"{option}: {what}" for option, what in found))
    subject, options = find_subject(facts, setup.model), _filled(facts, setup)
    names = [name for name in Setup.model_fields if name in options and name != "model"]
    return Answerable(subject, {"model": subject.name, **{name: options[name] for name in names}})


def problems(facts: Facts, setup: Setup) -> Iterator[Problem]:
    """What keeps a set-up from being answered, option by option."""
    try:
        find_subject(facts, setup.model)
    except ValueError as error:
        yield "model", str(error)
    options = _filled(facts, setup)
    yield from _value_problems(facts, options)
    yield from _target_problems(facts, options)
    yield from _conflicts(facts, options)


def find_subject(facts: Facts, name: str) -> Subject:
    """The model, size or range of sizes that `name` means. Raises ValueError with the nearest names."""
    if match := SIZE_RANGE.fullmatch(name.strip()):
        low, high = sorted((float(match["low"]), float(match["high"])))
        if low == 0:
            raise ValueError("a size must be above 0")
        return Subject(f"{low:g}-{high:g}B", low, high, None, is_size=True)
    if match := SIZE.fullmatch(name.strip()):
        billions = float(match["billions"])
        if billions == 0:
            raise ValueError("a size must be above 0")
        size = f"{billions:g}B"
        shape = facts.models[facts.sizes[size].shape] if size in facts.sizes else None
        return Subject(size, billions, billions, shape, is_size=True)
    try:
        model = facts.models[find(name.strip(), facts.models, "model")]
    except ValueError as error:
        if "(" in str(error) or "ambiguous" in str(error):
            raise
        mend = "expected an id of data/models.yaml, a size (7B) or a range of sizes (27-32B)"
        raise ValueError(f"{error}; {mend}") from error
    billions = model.total_params / BILLION
    return Subject(model.id, billions, billions, model, is_size=False)


def _filled(facts: Facts, setup: Setup) -> dict[str, Any]:
    """The options that are given, over the defaults of the method."""
    given = {name: getattr(setup, name) for name in Setup.model_fields if getattr(setup, name) is not None}
    defaults = dict(facts.defaults)
    method = facts.methods.get(setup.method or defaults["method"])
    quantization = setup.quantization or (method.quantization if method else "none")
    return {**defaults, "quantization": quantization, "kbit_prep": quantization != "none", **given}


def _value_problems(facts: Facts, options: Mapping[str, Any]) -> Iterator[Problem]:
    tables: list[tuple[str, Mapping[str, object], Sequence[str]]] = [
        ("method", facts.methods, facts.not_modelled.method),
        ("precision", facts.precisions, ()),
        ("dtype", facts.dtypes, ()),
        ("adapter_dtype", facts.dtypes, ()),
        ("gradient_dtype", facts.dtypes, ()),
        ("quantization", facts.quantizations, facts.not_modelled.quantization),
        ("optimizer", facts.optimizers, facts.not_modelled.optimizer),
    ]
    for name, table, refused in tables:
        value, option = options.get(name), name.replace("_", "-")
        if value in refused:
            yield option, f"{value} is not modelled; modelled: {', '.join(table)}"
        elif value is not None and value not in table:
            yield option, f"there is no {value!r}{nearest(value, table)}; expected one of {', '.join(table)}"


def _target_problems(facts: Facts, options: Mapping[str, Any]) -> Iterator[Problem]:
    for module in modules_of(facts, options["targets"]):
        if module in facts.not_modelled.targets:
            yield "targets", f"{module} is not modelled; modelled: {', '.join(MODULES)}"
        elif module not in MODULES:
            yield "targets", f"there is no {module!r}; expected one of {', '.join([*facts.target_sets, *MODULES])}"


def _conflicts(facts: Facts, options: Mapping[str, Any]) -> Iterator[Problem]:
    method = facts.methods.get(options["method"])
    quantized = options["quantization"] != "none"
    if method and method.trains_all and quantized:
        yield "quantization", "packed weights cannot be trained in full; use lora or qlora, or quantization none"
    if options["method"] == "qlora" and not quantized:
        yield "quantization", "qlora without quantization is lora; use the method lora"
    if options["rank"] < 1:
        yield "rank", "0 trains nothing; expected a whole number of at least 1"


def modules_of(facts: Facts, targets: str) -> list[str]:
    """The target modules that `targets` names: a set (`all-linear`) or a list (`q,v`)."""
    if targets in facts.target_sets:
        return list(facts.target_sets[targets].modules)
    return [module.strip() for module in targets.split(",")]
