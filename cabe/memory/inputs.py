"""From set-ups to the inputs of the formulas: one float64 column per input, one row per set-up.

A set-up is a row of option values; every option has few different values, so each is looked up once per value and not
once per row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cabe.facts import BILLION, MODULES, Facts, Subject, find_subject, modules_of, values_of

Numbers = Mapping[str, float]
Column = np.ndarray[Any, np.dtype[np.float64]]
Codes = np.ndarray[Any, np.dtype[np.integer[Any]]]

SHAPE = {  # input → field of a model
    "hidden_size": "hidden_size",
    "num_layers": "num_layers",
    "num_attention_heads": "num_attention_heads",
    "num_kv_heads": "num_kv_heads",
    "head_dim": "head_dim",
    "intermediate_size": "intermediate_size",
    "vocab_size": "vocab_size",
    "tied": "tied_embeddings",
    "qkv_bias": "qkv_bias",
    "output_bias": "attention_output_bias",
    "mlp_bias": "mlp_bias",
    "masked_layers": "windowed_layers",
    "rotary_share": "rotary_share",
    "global_layers": "global_layers",
    "global_keys_equal_values": "global_keys_equal_values",
    "double_mlp_layers": "double_mlp_layers",
    "per_layer_width": "per_layer_width",
    "tower_params": "tower_params",
    "tower_linear_params": "tower_linear_params",
    "linear_layers": "linear_layers",
    "linear_key_heads": "linear_key_heads",
    "linear_value_heads": "linear_value_heads",
    "linear_head_dim": "linear_head_dim",
    "conv_layers": "conv_layers",
    "conv_kernel": "conv_kernel",
    "first_attention_layer": "first_attention_layer",
    "q_lora_rank": "q_lora_rank",
    "kv_lora_rank": "kv_lora_rank",
    "qk_rope_head_dim": "qk_rope_head_dim",
    "v_head_dim": "v_head_dim",
    "expert_layers": "expert_layers",
    "first_expert_layer": "first_expert_layer",
    "experts": "experts",
    "experts_per_token": "experts_per_token",
    "expert_intermediate": "expert_intermediate",
    "shared_expert_intermediate": "shared_expert_intermediate",
    "global_kv_heads": "global_kv_heads",
    "global_head_dim": "global_head_dim",
    "kv_shared_layers": "kv_shared_layers",
    "kv_shared_global_layers": "kv_shared_global_layers",
}
OF_SHAPE = {**SHAPE, "window": "sliding_window"}  # the same with the one that may be missing, which is then 0
ARCHITECTURE = (
    "gated",
    "fused_qkv",
    "fused_gate_up",
    "parallel",
    "pre_norms",
    "post_norms",
    "layer_norm",
    "norm_vectors",
    "norm_low",
    "norm_plus_one",
    "qk_norm",
    "qk_norm_row",
    "qk_norm_own",
    "query_scaled",
    "rotary_tables",
    "rotary_fp32",
    "rotary_joins",
    "rotary_interleaved",
    "gelu_tanh",
    "xielu",
    "softcap",
    "attention_softcap",
    "embedding_scaled",
    "learned_positions",
    "residual_dropouts",
    "embedding_dropout",
    "head_bias",
    "head_input_scaled",
    "gated_attention",
    "fused_delta",
    "norm_power",
    "v_norm",
    "narrow_loss",
    "own_linear",
    "always_masked",
    "unlike_heads",
    "repeats_heads",
    "shared_gate",
    "router_bias",
    "router_sums",
    "router_fp32",
    "router_casts",
    "clamped",
    "computes_all",
    "qk_norm_rotated",
    "expert_modules",
    "stacks_rewritten",
    "attention_sinks",
    "beside_mlp",
    "caches_all_heads",
    "copies_cache",
)
OPTIMIZER = ("moments", "eight_bit_bytes", "factored", "step_copy", "step_matrix", "step_matrix_bytes")
LOSS = (
    "logit_forward",
    "logit_shift",
    "logit_autocast",
    "logit_backward",
    "logit_narrow",
    "chunk_forward",
    "chunk_backward",
    "chunk_hidden",
    "splits",
    "rows_per_sequence",
    "head_kept",
    "whole_logits",
    "chunked_head",
    "recomputed_loss",
    "fused_loss",
    "fused_upcast",
)
DEVICE_INPUTS = (
    "memory_mib",
    "memory_gb",
    "usable_share",
    "driver_reserve_mib",
    "display_reserve_mib",
    "system_reserve_mib",
)
SLACK = {
    "slack_share": "share",
    "slack_bytes": "bytes",
    "slack_from": "from_bytes",
    "high_share": "high_share",
    "high_bytes": "high_bytes",
}
DRIVER_INPUTS = ("peak", *SLACK)
SHARDING = (
    "shards_states",
    "shards_gradients",
    "shards_weights",
    "gradient_copy",
    "bucket_elements",
    "holds_inputs",
)
NUMBERS = (
    "batch",
    "seq",
    "rank",
    "alpha",
    "accumulation",
    "lora_dropout",
    "gpus",
    "prompt",
)  # options that are numbers already
WIDTHS = ("weight_bytes", "gradient_bytes", "master_bytes", "moment_bytes")  # of a precision
NOTHING = float("nan")
RULE_BYTES = 2.0  # of a weight before it is packed, in the rule of thumb
PROVIDED = frozenset(
    [
        *SHAPE,
        *ARCHITECTURE,
        *OPTIMIZER,
        *LOSS,
        *SHARDING,
        *(f"target_{name}" for name in MODULES),
        *DEVICE_INPUTS,
        *DRIVER_INPUTS,
        *("params", "billions", "is_size", "rule_slope", "rule_constant", "usable_gb"),
        *("bytes_per_parameter", "activations_gb", "cache_gb", "overhead_percent"),
        *("with_towers", "gpus", "batch", "seq", "accumulation", "rank", "alpha", "lora_dropout"),
        *("trains_all", "infers", "autocast", "adapter_fp32", "weights_fp32"),
        *("checkpointing", "eager", "sdpa", "repeated", "fused_kernels", "held_outputs", "in_backward", "loops"),
        *("quantized", "kbit_prep", "head_fp32", "prep_norms", "quantized_bytes", "constant_bytes"),
        *("indexed", "row_scaled", "keeps_unpacked", "unpack_bytes", "packs_all"),
        *("prompt", "all_logits", "concatenating", "packed_cache", "packed_cache_bytes", "window"),
        *(f"full_{name}" for name in WIDTHS),
        *("dtype_bytes", "adapter_bytes", "gradient_width", "moment_width"),
    ]
)  # every input that facts, set-ups and the simple calculator have to give


@dataclass(frozen=True)
class Prepared:
    """Set-ups ready to be turned into inputs, any rows at a time: what each row says, and the numbers it stands for.

    `looked_up` pairs the code of every row with one number per code and input; `given` holds numbers as they came.
    """

    length: int
    looked_up: tuple[tuple[Codes, Mapping[str, Column]], ...]
    given: Mapping[str, Column]


def prepare(
    facts: Facts, options: pd.DataFrame | Mapping[str, list[Any]], subjects: Sequence[Subject], codes: Codes
) -> Prepared:
    """Set-ups as columns of complete options; row n is about `subjects[codes[n]]`."""
    looked_up = [(codes, _spread([_subject_numbers(facts, subject) for subject in subjects]))]
    for name, numbers in _tables(facts).items():
        value_codes, values = _coded(options[name])
        looked_up.append((value_codes, _spread([numbers(value) for value in values])))
    given = {name: np.asarray(options[name], "float64") for name in NUMBERS}
    return Prepared(len(codes), tuple(looked_up), given)


def _coded(column: Any) -> tuple[Codes, Iterable[Any]]:
    """The different values of an option, and for each row the number of its own."""
    if isinstance(column, list):  # of a few set-ups: pandas would take ten times as long
        numbers = {value: number for number, value in enumerate(dict.fromkeys(column))}
        return np.array([numbers[value] for value in column]), numbers
    values = pd.Categorical(column)
    return values.codes, values.categories


def option_numbers(facts: Facts) -> dict[str, dict[str, Numbers]]:
    """Option → value → the inputs that it stands for, for every value that is modelled; `targets` by its named sets."""
    values = {name: values_of(facts, name) for name in _tables(facts)} | {
        "targets": tuple(facts.target_sets),
        "gradient_dtype": ("", *facts.dtypes),
    }
    return {name: {value: numbers(value) for value in values[name]} for name, numbers in _tables(facts).items()}


def model_numbers(facts: Facts, model: str) -> Numbers:
    """The inputs that a model stands for."""
    return _subject_numbers(facts, find_subject(facts, model))


def _spread(numbers: Sequence[Numbers]) -> dict[str, Column]:
    """The numbers of each value of an option as one column per name."""
    return {name: np.array([float(one[name]) for one in numbers]) for name in (numbers[0] if numbers else ())}


def inputs_of(prepared: Prepared, rows: slice) -> dict[str, Column]:
    """The inputs of some rows as float64 columns, `billions_low/mid/high`, `has_shape` and `is_range` beside them."""
    columns: dict[str, Column] = {}
    for codes, numbers in prepared.looked_up:
        own = codes[rows]
        columns |= {name: column[own] for name, column in numbers.items()}
    columns |= {name: column[rows] for name, column in prepared.given.items()}
    columns |= _rule_factors(columns)
    return columns


def _subject_numbers(facts: Facts, subject: Subject) -> Numbers:
    shape = subject.shape
    architecture = facts.architectures[shape.architecture] if shape else None
    exact = float(shape.text_params or shape.total_params) if shape and not subject.is_size else NOTHING
    return {
        "params": subject.low * BILLION if subject.is_size else exact,
        "billions_low": subject.low,
        "billions_mid": (subject.low + subject.high) / 2,
        "billions_high": subject.high,
        "is_size": subject.is_size,
        "is_range": subject.low != subject.high,
        "has_shape": shape is not None,
        **{name: (getattr(shape, field) or 0) if shape else 0 for name, field in OF_SHAPE.items()},
        **{name: getattr(architecture, name) if architecture else 0 for name in ARCHITECTURE},
    }


def _tables(facts: Facts) -> Mapping[str, Callable[[Any], Numbers]]:
    """Option → the inputs that one of its values stands for."""
    return {
        "method": lambda value: {
            "trains_all": facts.methods[value].trains_all,
            "infers": value == "inference",
            **{name: getattr(facts.slacks[slack_of(value)], field) for name, field in SLACK.items()},
            "packed_bytes": facts.quantizations[facts.methods[value].quantization].bytes,
            **_rule(facts.methods[value]),
        },
        "targets": lambda value: {f"target_{name}": name in modules_of(facts, value) for name in MODULES},
        "optimizer": lambda value: {
            "moment_width": facts.optimizers[value].moment_bytes or 0,
            "own_moments": facts.optimizers[value].moments != 2 or facts.optimizers[value].eight_bit_bytes > 0,
            **{name: getattr(facts.optimizers[value], name) for name in OPTIMIZER},
        },
        "loss": lambda value: {name: getattr(facts.losses[value], name) for name in LOSS},
        "quantization": lambda value: {
            "quantized": value != "none",
            "quantized_bytes": facts.quantizations[value].bytes,
            "constant_bytes": facts.quantizations[value].constant_bytes,
            "indexed": facts.quantizations[value].indexed,
            "row_scaled": facts.quantizations[value].row_scaled,
            "packs_all": facts.quantizations[value].packs_all,
            "keeps_unpacked": facts.quantizations[value].keeps_unpacked,
            "unpack_bytes": facts.quantizations[value].unpack_bytes,
        },
        "sharding": lambda value: {name: getattr(facts.shardings[value], name) for name in SHARDING},
        "towers": lambda value: {"with_towers": value == "all"},
        "kv_dtype": lambda value: {
            "packed_cache_bytes": facts.cache_dtypes[value].bytes or 0,
            "packed_cache": facts.cache_dtypes[value].bytes is not None,
        },
        "kv_cache": lambda value: {"concatenating": value == "concatenating"},
        "prefill_logits": lambda value: {"all_logits": value == "all"},
        "step": lambda value: {"in_backward": value == "in-backward"},
        "checkpointing": lambda value: {"checkpointing": value != "none"},
        "attention": lambda value: {
            "eager": value == "eager",
            "sdpa": value == "sdpa",
            "repeated": value == "flash-repeated",
        },
        "kernels": lambda value: {"fused_kernels": value == "fused"},
        "outputs": lambda value: {"held_outputs": value == "held"},
        "experts": lambda value: {"loops": value == "loop"},
        "kbit_prep": lambda value: {
            "kbit_prep": value != "no",
            "head_fp32": value == "yes",
            "prep_norms": value == "norms",
        },
        "adapter_dtype": lambda value: {"adapter_fp32": value == "fp32", "adapter_bytes": facts.dtypes[value].bytes},
        "dtype": lambda value: {"weights_fp32": value == "fp32", "dtype_bytes": facts.dtypes[value].bytes},
        "gradient_dtype": lambda value: {"gradient_width": facts.dtypes[value].bytes if value else 0},
        "precision": lambda value: {"autocast": value == "amp", **_precision(facts, value)},
    }


def slack_of(method: str) -> str:
    """The kind of run whose measured slack a method has."""
    return "inference" if method == "inference" else "training"


def _rule(record: Any) -> Numbers:
    return {
        name: NOTHING if getattr(record, name) is None else getattr(record, name)
        for name in ("rule_slope", "rule_constant")
    }


def _precision(facts: Facts, value: str) -> Numbers:
    """Bytes of a weight trained in full, 0 where they follow dtype, and the rule's factors."""
    precision = facts.precisions[value]
    return {
        **{f"full_{name}": getattr(precision, name) or 0 for name in WIDTHS},
        **{f"full_{name}": number for name, number in _rule(precision).items()},
    }


def _rule_factors(columns: Mapping[str, Column]) -> dict[str, Column]:
    """The rule's factors: full takes them from its precision, adapters from the method; NaN where it does not hold."""
    full = columns["trains_all"] > 0
    beyond = _beyond_the_rule(columns, full)
    return {
        name: np.where(beyond, np.nan, np.where(full, columns[f"full_{name}"], columns[name]))
        for name in ("rule_slope", "rule_constant")
    }


def _beyond_the_rule(columns: Mapping[str, Column], full: Any) -> Any:
    """Where the rule was not made for the options: it knows 16-bit weights, the method's own packing,
    Adam and one device."""
    gradients = columns["gradient_width"]
    other_gradients = (gradients > 0) & (gradients != columns["full_gradient_bytes"])
    other_packing = (columns["quantized_bytes"] != columns["packed_bytes"]) | (columns["indexed"] > 0)
    other_training = (columns["own_moments"] > 0) | other_gradients  # too little of it in an adapter to matter
    loose = (columns["expert_layers"] > 0) & ((columns["expert_modules"] == 0) | (columns["loops"] == 0))
    other_packing |= loose & (columns["quantized"] > 0)  # stacks of experts, most of the weights, are not packed
    shared_out = (columns["gpus"] > 1) & (columns["shards_states"] > 0)
    return (columns["dtype_bytes"] != RULE_BYTES) | other_packing | (full & other_training) | shared_out
