"""Models: the shape and the exact parameter count of an architecture, and the sizes of the rule of thumb."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from cabe.facts.record import Count, Date, Flag, Id, Name, Record, Share, Text, Whole, to_text


class Shape(Record):
    """What estimates take from a model: its weights, counted once (tied matrices too), and how they are laid out.

    Counts are parameters, widths are elements.
    """

    id: Text
    name: Text
    architecture: Name
    total_params: Whole
    text_params: Whole | None = None
    hidden_size: Whole
    num_layers: Whole
    num_attention_heads: Whole
    num_kv_heads: Whole
    head_dim: Whole
    intermediate_size: Count
    vocab_size: Whole
    tied_embeddings: Flag
    max_context: Whole
    qkv_bias: Flag
    attention_output_bias: Flag
    mlp_bias: Flag
    qk_norm: Flag
    sliding_window: Whole | None = None
    windowed_layers: Count = 0
    rotary_share: Share = 1.0


class Model(Shape):
    """One architecture of the facts: its shape, whose it is, and what its counts were compared with."""

    id: Id
    family: Id
    vendor: Text
    release: Date
    licence: Text
    hf_repo: Text
    checkpoint_dtype: Text
    base_model: Text | None = None
    multimodal: Flag = False
    source: list[Text]
    published_params: Text
    published_source: Text
    counted_params: Whole
    verified: Flag
    verification: Literal["exact", "rounded", "label", "base", "near"]
    confidence: Literal["high", "medium", "low"]
    doubt: Text | None = None
    tier: Literal["core", "extended"]


class Architecture(Record):
    """How a family of models builds a layer: what its norms keep, which projections are one matrix, what is capped.

    `gated`: the MLP has a gate beside up; `fused_qkv`, `fused_gate_up`: these projections are one matrix; `pre_norms`,
    `post_norms`: norms before and behind the blocks of a layer; `qk_norm`: q and k are normalised; `query_scaled`:
    queries are scaled by position; `rotary_tables`: tables that live through the layers, `rotary_fp32` in 32 bits;
    `softcap`, `attention_softcap`: logits, or attention scores, are capped; `embedding_scaled`: the embedding is
    scaled, or summed with positions; `embedding_dropout`: and dropped out; `head_bias`: the head has a bias;
    `norm_low`: the weight multiplies after the return to 16 bits; `norm_plus_one`: it multiplies with 1 + weight;
    `norm_vectors`: parameters of a norm, in hidden states: none, a weight, or a weight and a bias;
    `qk_norm_row`: q and k are normalised as whole rows instead of head by head; `qk_norm_own`: every head with a layer
    norm of its own; `layer_norm`: norms are torch.nn.LayerNorm; `parallel`: attention and MLP read the same residual;
    `rotary_joins`: rotary embedding ends in a torch.cat; `rotary_interleaved`: it repeats its tables in each layer;
    `gelu_tanh` and `xielu`: activations computed step by step in Python; `residual_dropouts`: dropouts on outputs of
    blocks; `learned_positions`: rows of a position embedding; `own_linear`: linear layers of its own class;
    `always_masked`: the causal mask is built even where a kernel needs none; `unlike_heads`: torch is not told that q
    has more heads than k and v; `repeats_heads`: k and v are repeated to all heads.
    """

    id: Name
    gated: Flag = True
    fused_qkv: Flag = False
    fused_gate_up: Flag = False
    parallel: Flag = False
    pre_norms: Count = 2
    post_norms: Count = 0
    layer_norm: Flag = False
    norm_vectors: Count = 1
    norm_low: Flag = True
    norm_plus_one: Flag = False
    qk_norm: Flag = False
    qk_norm_row: Flag = False
    qk_norm_own: Flag = False
    query_scaled: Flag = False
    rotary_tables: Count = 1
    rotary_fp32: Flag = False
    rotary_joins: Flag = False
    rotary_interleaved: Flag = False
    gelu_tanh: Flag = False
    xielu: Flag = False
    softcap: Flag = False
    attention_softcap: Flag = False
    embedding_scaled: Flag = False
    learned_positions: Count = 0
    residual_dropouts: Count = 0
    embedding_dropout: Flag = False
    head_bias: Flag = False
    own_linear: Flag = False
    always_masked: Flag = False
    unlike_heads: Flag = False
    repeats_heads: Flag = False
    unmodelled: Text | None = None  # why its models are known but not estimated
    source: list[Text]


def to_size(value: Any) -> str:
    text = to_text(value)
    if not SIZE.fullmatch(text):
        raise ValueError(f"{text!r} is not a size, expected billions of parameters such as 7B or 1.5B")
    return size_name(text.rstrip("bB"))


def size_name(billions: str) -> str:
    """The one spelling of a size: exact, without zeros that mean nothing."""
    return f"{Decimal(billions).normalize():f}B"


SIZE = re.compile(r"(?P<billions>\d{1,6}(?:\.\d{1,6})?)[bB]", re.ASCII)
SIZE_RANGE = re.compile(r"(?P<low>\d{1,6}(?:\.\d{1,6})?)[bB]?\s*[-–]\s*(?P<high>\d{1,6}(?:\.\d{1,6})?)[bB]", re.ASCII)


class Size(Record):
    """A size means N·10⁹ parameters exactly; `shape` is the model that lends it layers and widths for a LoRA count."""

    size: Annotated[str, BeforeValidator(to_size)]
    shape: Id
