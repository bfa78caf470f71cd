"""Models: the shape and the exact parameter count of an architecture, and the sizes of the rule of thumb."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from cabe.facts.contradictions import contradictions
from cabe.facts.record import Count, Date, Flag, Id, Name, Record, Share, Text, Whole, to_text


class Shape(Record):
    """What estimates take from a model: its weights, counted once (tied matrices too), and how they are laid out.

    A mixture of experts has `expert_layers` layers with `experts` each, of which `experts_per_token` compute; dense
    layers, where there are some, have an MLP of `intermediate_size`. `first_expert_layer`: the number of dense layers
    below the first with experts. `active_params`: what one token passes through.

    Layers that are not like the others are counted: `linear_layers` (gated delta nets) and `conv_layers` (short
    convolutions) in place of attention, `first_attention_layer` of them below the first with it; `global_layers` among
    windowed ones, with heads of their own width; `kv_shared_layers` that take keys and values from a layer below
    (`kv_shared_global_layers` of them global); `double_mlp_layers`, whose MLP is twice as wide. `kv_lora_rank` and what
    follows: multi-head latent attention; a `q_lora_rank` of 0 has one matrix for q. `per_layer_width`: an embedding of
    its own for every layer.

    Counts are parameters, widths are elements.
    """

    id: Text
    name: Text
    architecture: Name
    total_params: Whole
    text_params: Whole | None = None
    mtp_params: Count = 0
    tower_linear_params: Count = 0
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
    experts: Count = 0
    experts_per_token: Count = 0
    expert_intermediate: Count = 0
    shared_expert_intermediate: Count = 0
    expert_layers: Count = 0
    first_expert_layer: Count = 0
    active_params: Whole | None = None
    q_lora_rank: Count = 0
    kv_lora_rank: Count = 0
    qk_nope_head_dim: Count = 0
    qk_rope_head_dim: Count = 0
    v_head_dim: Count = 0
    linear_layers: Count = 0
    linear_key_heads: Count = 0
    linear_value_heads: Count = 0
    linear_head_dim: Count = 0
    conv_layers: Count = 0
    conv_kernel: Count = 0
    first_attention_layer: Count = 0
    global_layers: Count = 0
    global_head_dim: Count = 0
    global_kv_heads: Count = 0
    global_keys_equal_values: Flag = False
    kv_shared_layers: Count = 0
    kv_shared_global_layers: Count = 0
    double_mlp_layers: Count = 0
    per_layer_width: Count = 0

    @model_validator(mode="after")
    def _is_sound(self) -> Shape:
        """Each contradiction at its field, as mistakes of a single field are."""
        if found := contradictions(self):
            told = (
                (field, PydanticCustomError("contradiction", "{what}", {"what": what})) for field, what in found.items()
            )
            details = [InitErrorDetails(type=one, loc=(field,), input=getattr(self, field)) for field, one in told]
            raise ValidationError.from_exception_data(type(self).__name__, details)
        return self

    @property
    def tower_params(self) -> int:
        """Parameters of vision and audio towers, and of what joins them to the language model; 0 without towers."""
        return self.total_params - self.mtp_params - self.text_params if self.text_params else 0


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
    `head_input_scaled`: its input is scaled; `gated_attention`: q_proj puts out a gate beside q;
    `fused_delta`: q, k, v and z of a gated delta net are one matrix, b and a another; `norm_power`:
    norms take a power of the mean square; `v_norm`: v is normalised without a weight;
    `narrow_loss`: its own loss code, up to transformers 4.48, makes no 32-bit copy of the logits;
    `norm_low`: the weight multiplies after the return to 16 bits; `norm_plus_one`: it multiplies with 1 + weight;
    `norm_vectors`: parameters of a norm, in hidden states: none, a weight, or a weight and a bias;
    `qk_norm_row`: q and k are normalised as whole rows instead of head by head; `qk_norm_own`: every head with a layer
    norm of its own; `layer_norm`: norms are torch.nn.LayerNorm; `parallel`: attention and MLP read the same residual;
    `rotary_joins`: rotary embedding ends in a torch.cat; `rotary_interleaved`: it repeats its tables in each layer;
    `gelu_tanh` and `xielu`: activations computed step by step in Python; `residual_dropouts`: dropouts on outputs of
    blocks; `learned_positions`: rows of a position embedding; `own_linear`: linear layers of its own class;
    `always_masked`: the causal mask is built even where a kernel needs none; `unlike_heads`: torch is not told that q
    has more heads than k and v; `repeats_heads`: k and v are repeated to all heads; `shared_gate`: a gate of one output
    weighs the expert that all tokens share; `router_bias`: the router has a bias for each expert; `router_sums`: scores
    of chosen experts are divided by their sum; `router_fp32`: and stay in 32 bits; `router_casts`: it
    computes in 32 bits; `clamped`: experts clamp gate and up, step by step; `computes_all`: every expert computes
    every token; `expert_modules`: in transformers 4 each expert was a module; `stacks_rewritten`: PEFT takes gate, up
    and down for the stacks of the experts; `attention_sinks`: every head has a score of its own to sink;
    `beside_mlp`: experts stand beside an MLP, behind norms of their own;
    `qk_norm_rotated`: q and k are normalised without a weight in layers that see a window, or a chunk;
    `caches_all_heads`: k and v are repeated before they are cached; `copies_cache`: a cache that is concatenated lives
    twice.
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
    head_input_scaled: Flag = False
    gated_attention: Flag = False
    fused_delta: Flag = False
    norm_power: Flag = False
    v_norm: Flag = False
    narrow_loss: Flag = False
    own_linear: Flag = False
    always_masked: Flag = False
    unlike_heads: Flag = False
    repeats_heads: Flag = False
    shared_gate: Flag = False
    router_bias: Flag = False
    router_sums: Flag = True
    router_fp32: Flag = False
    router_casts: Flag = False
    clamped: Flag = False
    computes_all: Flag = False
    qk_norm_rotated: Flag = False
    expert_modules: Flag = True
    stacks_rewritten: Flag = True
    attention_sinks: Flag = False
    beside_mlp: Flag = False
    caches_all_heads: Flag = False
    copies_cache: Flag = False
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


def is_size(name: str) -> bool:
    """Whether a model is given as a bare size, or a range of sizes."""
    return any(pattern.fullmatch(name.strip()) for pattern in (SIZE, SIZE_RANGE))


SIZE = re.compile(r"(?P<billions>\d{1,6}(?:\.\d{1,6})?)[bB]", re.ASCII)
SIZE_RANGE = re.compile(r"(?P<low>\d{1,6}(?:\.\d{1,6})?)[bB]?\s*[-–]\s*(?P<high>\d{1,6}(?:\.\d{1,6})?)[bB]", re.ASCII)


class Size(Record):
    """A size means N·10⁹ parameters exactly; `shape` is the model that lends it layers and widths for a LoRA count."""

    size: Annotated[str, BeforeValidator(to_size)]
    shape: Id
