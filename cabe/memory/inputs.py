"""From answerable set-ups to the inputs of the formulas: one float64 column per input, one row per set-up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from cabe.facts import BILLION, MODULES, Answerable, Facts, Subject, modules_of


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
