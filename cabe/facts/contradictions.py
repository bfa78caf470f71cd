"""Counts and widths of a shape that cannot stand together, though each could by itself: parts would be below 0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a shape asks for its contradictions
    from cabe.facts.models import Shape

Contradiction = tuple[str, str]  # the field, and what it is at odds with
COUNTED = (  # layers of one kind
    "expert_layers",
    "first_expert_layer",
    "linear_layers",
    "conv_layers",
    "first_attention_layer",
    "windowed_layers",
    "global_layers",
    "kv_shared_layers",
    "double_mlp_layers",
)
EXCLUSIVE = (("linear_layers", "conv_layers", "windowed_layers"), ("windowed_layers", "global_layers"))
SERVED = {  # heads of keys and values → heads of queries, of which each serves as many
    "num_kv_heads": "num_attention_heads",
    "global_kv_heads": "num_attention_heads",
    "linear_key_heads": "linear_value_heads",
}
NEEDS = {  # a field that is not 0 → those that must not be 0 either
    "windowed_layers": ("sliding_window",),
    "expert_layers": ("experts", "experts_per_token", "expert_intermediate"),
    "kv_lora_rank": ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"),
    "q_lora_rank": ("kv_lora_rank",),
    "linear_layers": ("linear_key_heads", "linear_value_heads", "linear_head_dim", "conv_kernel"),
    "conv_layers": ("conv_kernel",),
    "global_layers": ("global_head_dim", "global_kv_heads"),
}


def contradictions(shape: Shape) -> dict[str, str]:
    """What fields are at odds with others, one message a field; nothing where the shape is sound."""
    found: dict[str, str] = {}
    for rule in (_needed, _heads, _beyond, _shared, _experts, _parameters):
        for field, what in rule(shape):
            found.setdefault(field, what)
    return found


def _needed(shape: Shape) -> Iterator[Contradiction]:
    for field, others in NEEDS.items():
        for other in others:
            if getattr(shape, field) and not getattr(shape, other):
                yield other, f"is missing or 0, but {field} is {getattr(shape, field)}"


def _heads(shape: Shape) -> Iterator[Contradiction]:
    for field, heads in SERVED.items():
        few, many = getattr(shape, field), getattr(shape, heads)
        if few and many % few:
            yield field, f"{many} heads cannot share {few} heads of keys and values"


def _beyond(shape: Shape) -> Iterator[Contradiction]:
    """Kinds of layers of which there are more than layers, by themselves or together."""
    if many := [field for field in COUNTED if getattr(shape, field) > shape.num_layers]:
        yield from ((one, f"counts {getattr(shape, one)} layers, but there are {shape.num_layers}") for one in many)
        return  # sums would say it again
    for fields in EXCLUSIVE:
        held = [field for field in fields if getattr(shape, field)]
        if (layers := sum(getattr(shape, field) for field in held)) > shape.num_layers:
            yield held[0], f"{' and '.join(held)} are {layers} layers, but there are {shape.num_layers}"
    if shape.first_expert_layer + shape.expert_layers > shape.num_layers:
        below = f"{shape.first_expert_layer} layers below {shape.expert_layers} with experts"
        yield "first_expert_layer", f"{below}, but there are {shape.num_layers} layers"
    if shape.first_attention_layer > shape.linear_layers + shape.conv_layers:
        others = shape.linear_layers + shape.conv_layers
        yield "first_attention_layer", f"{shape.first_attention_layer} layers without attention, but there are {others}"


def _shared(shape: Shape) -> Iterator[Contradiction]:
    """Layers that take keys and values from one of their kind below, which must then be there."""
    of_global = shape.kv_shared_global_layers
    of_window = shape.kv_shared_layers - of_global
    if shape.kv_shared_layers >= shape.num_layers:
        yield "kv_shared_layers", f"{shape.kv_shared_layers} of {shape.num_layers} layers have no layer to share with"
    if of_window < 0:
        yield "kv_shared_global_layers", f"{of_global} of {shape.kv_shared_layers} layers that share"
    for kind, shared, layers in (
        ("global", of_global, shape.global_layers),
        ("other", of_window, shape.num_layers - shape.global_layers),
    ):
        if shared > 0 and 0 <= layers <= shared:
            yield "kv_shared_layers", f"{shared} of {layers} {kind} layers have no layer of their kind to share with"


def _experts(shape: Shape) -> Iterator[Contradiction]:
    if shape.experts_per_token > shape.experts:
        yield "experts_per_token", f"{shape.experts_per_token} experts for each token, but there are {shape.experts}"
    if not shape.intermediate_size and (dense := shape.num_layers - shape.expert_layers) > 0:
        yield "intermediate_size", f"is 0, but {dense} layers have an MLP of this width"


def _parameters(shape: Shape) -> Iterator[Contradiction]:
    """Parts that are larger than the whole."""
    total = shape.total_params
    for field in ("text_params", "mtp_params", "active_params"):
        if (getattr(shape, field) or 0) > total:
            yield field, f"{getattr(shape, field)} parameters are more than all, total_params: {total}"
    if shape.tower_params < 0:
        yield "text_params", f"text_params and mtp_params are more than all, total_params: {total}"
    if shape.tower_linear_params > shape.tower_params:
        what = f"{shape.tower_linear_params} parameters are more than the towers have"
        yield "tower_linear_params", f"{what}: {shape.tower_params}"
