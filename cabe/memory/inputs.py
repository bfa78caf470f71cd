"""From the options of a set-up to the inputs of the formulas: names looked up, defaults filled in, the rest refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from cabe.facts import Facts, Setup, find, nearest
from cabe.facts.models import SIZE, SIZE_RANGE, Model

MODULES = ("q", "k", "v", "o", "gate", "up", "down")
BILLION = 1e9


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
    options = {**_defaults(facts, setup), **{key: value for key, value in setup if value is not None}}
    subject, problems = None, _problems(facts, options)
    try:
        subject = find_subject(facts, setup.model)
    except ValueError as error:
        problems.insert(0, f"model: {error}")
    if problems or subject is None:
        raise ValueError("\n".join(problems))
    names = [name for name in Setup.model_fields if name in options and name != "model"]
    return Answerable(subject, {"model": subject.name, **{name: options[name] for name in names}})


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
    model = facts.models[find(name.strip(), facts.models, "model")]
    billions = model.total_params / BILLION
    return Subject(model.id, billions, billions, model, is_size=False)


def _defaults(facts: Facts, setup: Setup) -> dict[str, Any]:
    defaults = dict(facts.defaults)
    method = facts.methods.get(setup.method or defaults["method"])
    quantization = setup.quantization or (method.quantization if method else "none")
    return {**defaults, "quantization": quantization, "kbit_prep": quantization != "none"}


def _problems(facts: Facts, options: Mapping[str, Any]) -> list[str]:
    tables: list[tuple[str, Mapping[str, object], Sequence[str]]] = [
        ("method", facts.methods, facts.not_modelled.method),
        ("precision", facts.precisions, ()),
        ("dtype", facts.dtypes, ()),
        ("adapter_dtype", facts.dtypes, ()),
        ("gradient_dtype", facts.dtypes, ()),
        ("quantization", facts.quantizations, facts.not_modelled.quantization),
        ("optimizer", facts.optimizers, facts.not_modelled.optimizer),
    ]
    found = []
    for name, table, refused in tables:
        value = options.get(name)
        label = name.replace("_", "-")
        if value in refused:
            found.append(f"{label}: {value} is not modelled; modelled: {', '.join(table)}")
        elif value is not None and value not in table:
            found.append(f"{label}: there is no {value!r}{nearest(value, table)}; expected one of {', '.join(table)}")
    return found + _target_problems(facts, options) + _conflicts(facts, options)


def _target_problems(facts: Facts, options: Mapping[str, Any]) -> list[str]:
    found = []
    for module in modules_of(facts, options["targets"]):
        if module in facts.not_modelled.targets:
            found.append(f"targets: {module} is not modelled; modelled: {', '.join(MODULES)}")
        elif module not in MODULES:
            expected = ", ".join([*facts.target_sets, *MODULES])
            found.append(f"targets: there is no {module!r}; expected one of {expected}")
    return found


def _conflicts(facts: Facts, options: Mapping[str, Any]) -> list[str]:
    method = facts.methods.get(options["method"])
    quantized = options["quantization"] != "none"
    found = []
    if method and method.trains_all and quantized:
        found.append("quantization: packed weights cannot be trained in full; use lora or qlora, or quantization none")
    if options["method"] == "qlora" and not quantized:
        found.append("quantization: qlora without quantization is lora; use the method lora")
    if options["rank"] < 1:
        found.append("rank: 0 trains nothing; expected a whole number of at least 1")
    return found


def modules_of(facts: Facts, targets: str) -> list[str]:
    """The target modules that `targets` names: a set (`all-linear`) or a list (`q,v`)."""
    if targets in facts.target_sets:
        return list(facts.target_sets[targets].modules)
    return [module.strip() for module in targets.split(",")]


def columns_of(facts: Facts, setups: Sequence[Answerable]) -> pd.DataFrame:
    """One row of formula inputs per set-up, with `billions_low/mid/high`, `has_shape` and `is_range` beside them."""
    return pd.DataFrame([{**_subject_inputs(one.subject), **_option_inputs(facts, one.options)} for one in setups])


def _subject_inputs(subject: Subject) -> dict[str, float | bool]:
    shape = subject.shape
    widths = (
        "hidden_size",
        "num_layers",
        "num_attention_heads",
        "num_kv_heads",
        "head_dim",
        "intermediate_size",
    )
    return {
        "params": subject.low * BILLION if subject.is_size or shape is None else float(shape.total_params),
        "billions_low": subject.low,
        "billions_mid": (subject.low + subject.high) / 2,
        "billions_high": subject.high,
        "is_size": float(subject.is_size),
        "is_range": subject.low != subject.high,
        "has_shape": shape is not None,
        **{name: float(getattr(shape, name)) if shape else 0.0 for name in widths},
    }


def _option_inputs(facts: Facts, options: Mapping[str, Any]) -> dict[str, float]:
    method = facts.methods[options["method"]]
    quantization = facts.quantizations[options["quantization"]]
    quantized = options["quantization"] != "none"
    dtype_bytes = facts.dtypes[options["dtype"]].bytes
    targets = modules_of(facts, options["targets"])
    kept_in_32_bits = quantized and options["kbit_prep"]
    return {
        "trains_all": float(method.trains_all),
        "rank": float(options["rank"]),
        **{f"target_{module}": float(module in targets) for module in MODULES},
        "quantized": float(quantized),
        "quantized_bytes": quantization.bytes,
        "constant_bytes": quantization.constant_bytes,
        "kept_bytes": facts.dtypes["fp32"].bytes if kept_in_32_bits else dtype_bytes,
        "moments": float(facts.optimizers[options["optimizer"]].moments),
        **_trained_bytes(facts, options, dtype_bytes),
    }


def _trained_bytes(facts: Facts, options: Mapping[str, Any], dtype_bytes: float) -> dict[str, float]:
    """Bytes per trained weight and the rule's factors: full takes them from its precision, adapters from the method."""
    method = facts.methods[options["method"]]
    precision = facts.precisions[options["precision"]]
    rule = precision if method.trains_all else method
    if method.trains_all:
        width = dtype_bytes
        weight, gradient = precision.weight_bytes or width, precision.gradient_bytes or width
        master, moment = precision.master_bytes, precision.moment_bytes or width
    else:
        weight = gradient = moment = facts.dtypes[options["adapter_dtype"]].bytes
        master = 0.0
    if options.get("gradient_dtype"):
        gradient = facts.dtypes[options["gradient_dtype"]].bytes
    return {
        "weight_bytes": weight,
        "gradient_bytes": gradient,
        "master_bytes": master,
        "moment_bytes": moment,
        "rule_slope": float("nan") if rule.rule_slope is None else rule.rule_slope,
        "rule_constant": float("nan") if rule.rule_constant is None else rule.rule_constant,
    }
