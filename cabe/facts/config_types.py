"""What each `model_type` of a configuration is: its architecture, and the keys that differ from the common ones.

A row names the architecture of data/models.yaml and, where it differs from COMMON, how a field of the shape is taken:
a function of `config_keys`, or a value that the architecture fixes. Defaults are those of the configuration class in
transformers 5.24; where that class has the size of one model as default, the key is needed instead. `only` names keys
that must have one value if they are there, since another makes another architecture, `stated` those that must be there
with it; `turns` names a flag that makes it another row; `beside_towers` is the architecture of the language model
within a multimodal one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from cabe.facts.config_keys import (
    context,
    flag,
    half,
    same,
    share,
    split,
    text,
    times,
    whole,
    window,
    windowed,
    windowed_above,
)

COMMON: Mapping[str, Any] = {
    "hidden_size": whole("hidden_size", "n_embd", "d_model"),
    "num_layers": whole("num_hidden_layers", "n_layer"),
    "num_attention_heads": whole("num_attention_heads", "n_head"),
    "num_kv_heads": whole("num_key_value_heads"),
    "head_dim": whole("head_dim", default=split),
    "intermediate_size": whole("intermediate_size"),
    "vocab_size": whole("vocab_size"),
    "tied_embeddings": flag("tie_word_embeddings", default=False),
    "max_context": context(),
    "qkv_bias": False,
    "attention_output_bias": False,
    "mlp_bias": False,
    "qk_norm": False,
    "windowed_layers": 0,
    "sliding_window": None,
    "rotary_share": 1.0,
    "checkpoint_dtype": text("dtype", "torch_dtype", default=None),  # not of the shape, but stated all the same
}


@dataclass(frozen=True)
class Kind:
    """One row of the table; see the top of the file."""

    architecture: str
    fields: Mapping[str, Any]
    only: Mapping[str, Any]
    stated: Mapping[str, Any]
    turns: Mapping[str, str]
    beside_towers: str


def kind(
    architecture: str,
    *,
    only: Mapping[str, Any] = MappingProxyType({}),
    stated: Mapping[str, Any] = MappingProxyType({}),
    turns: Mapping[str, str] = MappingProxyType({}),
    beside_towers: str = "",
    **fields: Any,
) -> Kind:
    """A row: what is common to all, with what differs."""
    return Kind(architecture, {**COMMON, **fields}, only, stated, turns, beside_towers)


AS_MANY: Mapping[str, Any] = {"num_kv_heads": whole("num_key_value_heads", default=same("num_attention_heads"))}
ATTENTION_BIAS: Mapping[str, Any] = {
    "qkv_bias": flag("attention_bias", default=False),
    "attention_output_bias": flag("attention_bias", default=False),
}
MLP_BIAS: Mapping[str, Any] = {"mlp_bias": flag("mlp_bias", default=False)}
ALL_BIASES: Mapping[str, Any] = {"qkv_bias": True, "attention_output_bias": True, "mlp_bias": True}
TIED: Mapping[str, Any] = {"tied_embeddings": flag("tie_word_embeddings", default=True)}
QWEN_WINDOW: Mapping[str, Any] = {"windowed_layers": windowed_above, "sliding_window": window(default=4096)}
GPT: Mapping[str, Any] = {
    "num_kv_heads": same("num_attention_heads"),
    "head_dim": split,
    "intermediate_size": whole("intermediate_size", "n_inner", default=times(4, "hidden_size")),
    "max_context": context("n_positions"),
    **TIED,
    **ALL_BIASES,
}
FALCON: Mapping[str, Any] = {
    "head_dim": split,
    "intermediate_size": whole("ffn_hidden_size", default=times(4, "hidden_size")),
    "max_context": context(default=2048),
    **TIED,
}
GEMMA: Mapping[str, Any] = {"head_dim": whole("head_dim", default=256), **TIED, **ATTENTION_BIAS}
GLM: Mapping[str, Any] = {
    "head_dim": whole("head_dim", default=128),
    "qkv_bias": flag("attention_bias", default=True),
    "rotary_share": share("partial_rotary_factor", default=0.5),
}
STABLELM: Mapping[str, Any] = {
    "head_dim": split,
    "qkv_bias": flag("use_qkv_bias", default=False),
    "rotary_share": share("partial_rotary_factor", "rope_pct", default=0.25),
}

TYPES: Mapping[str, Kind] = {
    "llama": kind("llama", **AS_MANY, **ATTENTION_BIAS, **MLP_BIAS),
    "mistral": kind("mistral", windowed_layers=windowed(4096), sliding_window=window(default=4096)),
    "ministral3": kind(
        "ministral3",
        head_dim=whole("head_dim", default=128),
        windowed_layers=windowed(),
        sliding_window=window(),
    ),
    "qwen": kind(
        "qwen",
        only={"no_bias": True},
        num_kv_heads=same("num_attention_heads"),
        head_dim=whole("kv_channels", default=split),
        intermediate_size=half("intermediate_size"),
        qkv_bias=True,
    ),
    "qwen2": kind("qwen2", qkv_bias=True, **QWEN_WINDOW),
    "qwen3": kind("qwen3", head_dim=whole("head_dim", default=128), qk_norm=True, **ATTENTION_BIAS, **QWEN_WINDOW),
    "smollm3": kind("smollm3", only={"use_sliding_window": False}, **TIED, **ATTENTION_BIAS, **MLP_BIAS),
    "granite": kind("granite", **AS_MANY, **ATTENTION_BIAS, **MLP_BIAS),
    "granitemoehybrid": kind(
        "granitemoehybrid",
        stated={"num_local_experts": 0, "layer_types": "attention"},
        intermediate_size=whole("shared_intermediate_size"),
        **AS_MANY,
        **ATTENTION_BIAS,
    ),
    "gemma": kind("gemma", **GEMMA),
    "gemma2": kind(
        "gemma2",
        windowed_layers=windowed(4096, full_every=2),
        sliding_window=window(default=4096),
        **GEMMA,
    ),
    "gemma3_text": kind(
        "gemma3_text",
        beside_towers="gemma3",
        num_attention_heads=whole("num_attention_heads", default=8),
        num_kv_heads=whole("num_key_value_heads", default=4),
        vocab_size=whole("vocab_size", default=262208),
        max_context=context(default=131072),
        qk_norm=True,
        windowed_layers=windowed(4096, full_every=6, key="sliding_window_pattern"),
        sliding_window=window(default=4096),
        **GEMMA,
    ),
    "phi": kind(
        "phi",
        only={"qk_layernorm": False, "hidden_act": "gelu_new"},
        rotary_share=share("partial_rotary_factor", default=0.5),
        **AS_MANY,
        **ALL_BIASES,
    ),
    "phi3": kind(
        "phi3",
        rotary_share=share("partial_rotary_factor"),
        windowed_layers=windowed(),
        sliding_window=window(),
        **AS_MANY,
    ),
    "olmo": kind("olmo", **AS_MANY, **ATTENTION_BIAS),
    "olmo2": kind("olmo2", qk_norm=True, **AS_MANY, **ATTENTION_BIAS),
    "olmo3": kind(
        "olmo3",
        qk_norm=True,
        windowed_layers=windowed(4096, full_every=4),
        sliding_window=window(default=4096),
        **AS_MANY,
        **ATTENTION_BIAS,
    ),
    "glm": kind("glm", **GLM),
    "glm4": kind("glm4", **GLM),
    "apertus": kind("apertus", only={"hidden_act": "xielu"}, qk_norm=True, **AS_MANY, **ATTENTION_BIAS),
    "internlm2": kind(
        "internlm2",
        qkv_bias=flag("bias", default=True),
        attention_output_bias=flag("bias", default=True),
        **AS_MANY,
    ),
    "internlm3": kind(
        "internlm3",
        qkv_bias=flag("qkv_bias", default=False),
        attention_output_bias=flag("bias", default=False),
        mlp_bias=flag("bias", default=False),
        **AS_MANY,
    ),
    "minicpm": kind("minicpm", head_dim=split, **TIED, **AS_MANY, **ATTENTION_BIAS),
    "stablelm": kind(
        "stablelm",
        turns={"use_parallel_residual": "stablelm_parallel"},
        only={"qk_layernorm": False},
        **STABLELM,
    ),
    "stablelm_parallel": kind("stablelm_parallel", only={"qk_layernorm": True}, qk_norm=True, **STABLELM),
    "falcon": kind(
        "falcon",
        turns={"new_decoder_architecture": "falcon_new_decoder"},
        only={"alibi": False, "parallel_attn": True, "bias": False, "multi_query": True},
        num_kv_heads=1,
        **FALCON,
    ),
    "falcon_new_decoder": kind(
        "falcon_new_decoder",
        only={"alibi": False, "parallel_attn": True, "bias": False, "num_ln_in_parallel_attn": 2},
        num_kv_heads=whole("num_kv_heads", default=same("num_attention_heads")),
        **FALCON,
    ),
    "gpt_neox": kind(
        "gpt_neox",
        only={"use_parallel_residual": True, "hidden_act": "gelu"},
        num_kv_heads=same("num_attention_heads"),
        head_dim=split,
        qkv_bias=flag("attention_bias", default=True),
        attention_output_bias=flag("attention_bias", default=True),
        mlp_bias=True,
        rotary_share=share("rotary_pct", "partial_rotary_factor", default=0.25),
    ),
    "gpt2": kind("gpt2", only={"activation_function": "gelu_new", "n_positions": 1024}, **GPT),
    "gpt_bigcode": kind(
        "gpt_bigcode",
        only={"multi_query": True, "activation_function": "gelu_pytorch_tanh", "n_positions": 2048},
        **{**GPT, "num_kv_heads": 1},
    ),
}
PARTS = ("text_config", "llm_config", "language_config")  # the language model within a multimodal file
OF_THE_PART: Mapping[str, str] = {  # model_type of a multimodal file → that of its part where the part names none
    "gemma3": "gemma3_text",
    "mistral3": "mistral",
}
