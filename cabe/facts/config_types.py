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
    MOST_LISTED,
    context,
    count,
    described,
    flag,
    half,
    plus,
    product,
    rank,
    same,
    share,
    split,
    stored,
    times,
    whole,
)
from cabe.facts.config_layers import (
    above_dense,
    adjusted,
    below,
    chunked,
    convolutions,
    counted,
    doubled,
    gemma4,
    global_kv_heads,
    interleaved,
    kinds_else,
    shared_global,
    sparse,
    window,
    windowed,
    windowed_above,
    with_experts,
)

COMMON: Mapping[str, Any] = {
    "hidden_size": whole("hidden_size", "n_embd", "d_model"),
    "num_layers": whole("num_hidden_layers", "n_layer", most=MOST_LISTED),
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
    "checkpoint_dtype": stored,  # not of the shape, but stated all the same
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

CHOSEN: Mapping[str, Any] = {"experts_per_token": whole("num_experts_per_tok")}
LOCAL_EXPERTS: Mapping[str, Any] = {  # every layer has experts, as wide as intermediate_size says
    "experts": whole("num_local_experts", "num_experts", most=MOST_LISTED),
    "expert_intermediate": same("intermediate_size"),
    "expert_layers": same("num_layers"),
    **CHOSEN,
}
QWEN_EXPERTS: Mapping[str, Any] = {
    "experts": whole("num_experts", "num_local_experts", most=MOST_LISTED),
    "expert_intermediate": whole("moe_intermediate_size"),
    **with_experts(sparse),
    **CHOSEN,
}
QWEN_SHARED: Mapping[str, Any] = {"shared_expert_intermediate": whole("shared_expert_intermediate_size")}
ROUTED_EXPERTS: Mapping[str, Any] = {
    "experts": whole("n_routed_experts", most=MOST_LISTED),
    "expert_intermediate": whole("moe_intermediate_size"),
    "shared_expert_intermediate": product(rank("n_shared_experts"), whole("moe_intermediate_size")),
    **with_experts(above_dense),
    **CHOSEN,
}
GLM_MOE: Mapping[str, Any] = {
    "qkv_bias": flag("attention_bias", default=False),
    "rotary_share": share("partial_rotary_factor", default=0.5),
    **ROUTED_EXPERTS,
}
LLAMA4: Mapping[str, Any] = {
    "intermediate_size": whole("intermediate_size_mlp"),
    "windowed_layers": chunked,
    "sliding_window": window("attention_chunk_size"),
    "experts": whole("num_local_experts", most=MOST_LISTED),
    "expert_intermediate": whole("intermediate_size"),
    "shared_expert_intermediate": same("expert_intermediate"),
    **with_experts(interleaved),
    **CHOSEN,
    **ATTENTION_BIAS,
}
LATENT: Mapping[str, Any] = {  # multi-head latent attention; a missing rank is one matrix for q
    "q_lora_rank": rank("q_lora_rank"),
    "kv_lora_rank": whole("kv_lora_rank"),
    "qk_nope_head_dim": whole("qk_nope_head_dim"),
    "qk_rope_head_dim": whole("qk_rope_head_dim"),
    "head_dim": plus(whole("qk_nope_head_dim"), whole("qk_rope_head_dim")),
    "v_head_dim": whole("v_head_dim"),
}
DEEPSEEK: Mapping[str, Any] = {
    "only": {"attention_bias": False, "mlp_bias": False, "moe_layer_freq": 1},
    **LATENT,
    **AS_MANY,
    **ROUTED_EXPERTS,
}
DELTA = kinds_else(4, "linear_attention", "full_attention", key="full_attention_interval")
GATED_DELTA: Mapping[str, Any] = {  # a gated delta net in three of four layers
    "only": {"attention_bias": False},
    "head_dim": whole("head_dim", default=256),
    "qk_norm": True,
    "linear_layers": counted("linear_attention", DELTA),
    "linear_key_heads": whole("linear_num_key_heads"),
    "linear_value_heads": whole("linear_num_value_heads"),
    "linear_head_dim": whole("linear_key_head_dim"),
    "conv_kernel": whole("linear_conv_kernel_dim"),
    "first_attention_layer": below("full_attention", DELTA),
    "rotary_share": share("partial_rotary_factor", default=0.25),
}
GEMMA_4: Mapping[str, Any] = {
    "only": {"attention_bias": False},
    "qk_norm": True,
    "windowed_layers": counted("sliding_attention", gemma4),
    "sliding_window": window(default=512),
    "global_layers": counted("full_attention", gemma4),
    "global_head_dim": whole("global_head_dim", default=512),
    "global_kv_heads": global_kv_heads,
    "global_keys_equal_values": flag("attention_k_eq_v", default=False),
    "kv_shared_layers": count("num_kv_shared_layers"),
    "kv_shared_global_layers": shared_global,
    "double_mlp_layers": doubled,
    "per_layer_width": count("hidden_size_per_layer_input", default=256),
    **GEMMA,
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
    "mixtral": kind("mixtral", windowed_layers=windowed(), sliding_window=window(), **LOCAL_EXPERTS),
    "olmoe": kind("olmoe", qk_norm=True, **AS_MANY, **ATTENTION_BIAS, **LOCAL_EXPERTS),
    "phimoe": kind(
        "phimoe",
        stated={"lm_head_bias": True},
        windowed_layers=windowed(),
        sliding_window=window(),
        **ATTENTION_BIAS,
        **LOCAL_EXPERTS,
    ),
    "gpt_oss": kind(
        "gpt_oss",
        head_dim=whole("head_dim", default=64),
        qkv_bias=flag("attention_bias", default=True),
        attention_output_bias=flag("attention_bias", default=True),
        mlp_bias=True,
        windowed_layers=windowed(128, full_every=2),
        sliding_window=window(default=128),
        **LOCAL_EXPERTS,
    ),
    "minimax_m2": kind(
        "minimax_m2",
        head_dim=whole("head_dim", default=128),
        qk_norm=True,
        rotary_share=share("partial_rotary_factor"),
        **LOCAL_EXPERTS,
    ),
    "qwen2_moe": kind(
        "qwen2_moe",
        only={"use_sliding_window": False},
        qkv_bias=flag("qkv_bias", default=True),
        **QWEN_EXPERTS,
        **QWEN_SHARED,
    ),
    "qwen3_moe": kind(
        "qwen3_moe",
        only={"use_sliding_window": False},
        qk_norm=True,
        **ATTENTION_BIAS,
        **QWEN_EXPERTS,
    ),
    "glm4_moe": kind("glm4_moe", turns={"use_qk_norm": "glm4_moe_qk_norm"}, **GLM_MOE),
    "glm4_moe_qk_norm": kind("glm4_moe_qk_norm", qk_norm=True, **GLM_MOE),
    "llama4_text": kind(
        "llama4",
        stated={"use_qk_norm": False},
        turns={"use_qk_norm": "llama4_qk_norm"},
        **LLAMA4,
    ),
    "llama4_qk_norm": kind("llama4_qk_norm", **LLAMA4),
    "deepseek_v2": kind("deepseek_v2", **DEEPSEEK),
    "deepseek_v3": kind("deepseek_v3", **DEEPSEEK),
    "kimi_k2": kind("kimi_k2", **DEEPSEEK),
    "minicpm3": kind(
        "minicpm3",
        only={"attention_bias": False, "mlp_bias": False},
        **{**LATENT, "v_head_dim": whole("v_head_dim", default=split)},
        **TIED,
        **AS_MANY,
    ),
    "qwen3_next": kind("qwen3_next", **GATED_DELTA, **QWEN_EXPERTS, **QWEN_SHARED),
    "qwen3_5_text": kind("qwen3_5", **GATED_DELTA),
    "qwen3_5_moe_text": kind(
        "qwen3_5_moe",
        intermediate_size=0,
        **GATED_DELTA,
        **QWEN_EXPERTS,
        **QWEN_SHARED,
    ),
    "gemma4_text": kind("gemma4", turns={"enable_moe_block": "gemma4_experts"}, **GEMMA_4),
    "gemma4_experts": kind(  # in every layer, beside the MLP
        "gemma4_experts",
        experts=whole("num_experts", most=MOST_LISTED),
        experts_per_token=whole("top_k_experts"),
        expert_intermediate=whole("moe_intermediate_size"),
        shared_expert_intermediate=same("intermediate_size"),
        expert_layers=same("num_layers"),
        **GEMMA_4,
    ),
    "lfm2": kind(
        "lfm2",
        only={"conv_bias": False},
        intermediate_size=adjusted,
        tied_embeddings=flag("tie_embedding", "tie_word_embeddings", default=True),
        qk_norm=True,
        conv_layers=counted("conv", convolutions),
        conv_kernel=whole("conv_L_cache", default=3),
        first_attention_layer=below("full_attention", convolutions),
    ),
}
PARTS = ("text_config", "llm_config", "language_config")  # the language model within a multimodal file
OF_THE_PART: Mapping[str, str] = {  # model_type of a multimodal file → that of its part where the part names none
    "gemma3": "gemma3_text",
    "mistral3": "mistral",
    "llama4": "llama4_text",
    "gemma4": "gemma4_text",
    "qwen3_5": "qwen3_5_text",
    "qwen3_5_moe": "qwen3_5_moe_text",
}


def described_types() -> dict[str, Any]:
    """The table as data: what is common, and of each model_type what differs; see `config_keys.described`."""
    return {
        "common": {field: described(take) for field, take in COMMON.items() if take is not stored},
        "types": {name: _described(row) for name, row in TYPES.items()},
        "parts": PARTS,
        "of_the_part": OF_THE_PART,
    }


def _described(row: Kind) -> dict[str, Any]:
    own = {field: described(take) for field, take in row.fields.items() if take is not COMMON.get(field)}
    said = {name: getattr(row, name) for name in ("only", "stated", "turns", "beside_towers") if getattr(row, name)}
    return {"architecture": row.architecture, **said, "fields": own}
