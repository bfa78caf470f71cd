"""Layers that are not like the others, counted from a configuration: windows, experts, delta nets, convolutions.

Configurations list every layer (`layer_types`, `mlp_only_layers`) or state a pattern; the facts count them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from cabe.facts.config_keys import Config, Made, Take, as_told, at, count, flag, rank, way, whole

WINDOWED = ("sliding_attention", "full_attention")  # what layer_types calls layers of models with a window


@way
def window(name: str = "sliding_window", default: int | None = None) -> Take:
    """Tokens that windowed layers see, where `windowed_layers` counted some."""
    stated = whole(name, default=default)
    return lambda config, made: stated(config, made) if made["windowed_layers"] else None


@way
def windowed(default: int | None = None, *, full_every: int | None = None, key: str = "") -> Take:
    """Layers with a window: those that `layer_types` names, else all but every n-th; none without a window.

    `default` is the window where the key is missing, `key` the one that may state n.
    """

    def take(config: Config, made: Made) -> int | None:
        listed = kinds_of_layers(config, made, WINDOWED)
        if not _has_window(config, default):
            return 0
        if listed is not None:
            return listed.count("sliding_attention")
        layers: int | None = made["num_layers"]
        every = spacing(key, full_every)(config, made)
        return layers - layers // every if layers and every else layers

    return take


def windowed_above(config: Config, made: Made) -> int | None:
    """Qwen's layers with a window: those from `max_window_layers` on, if it is switched on at all."""
    listed = kinds_of_layers(config, made, WINDOWED)
    if not flag("use_sliding_window", default=False)(config, made):
        return 0
    if listed is not None:
        return listed.count("sliding_attention")
    layers: int | None = made["num_layers"]
    first = count("max_window_layers", default=28)(config, made)
    return layers and max(0, layers - (first or 0))


def spacing(key: str, default: int | None) -> Take:
    """Every how many layers one is of another kind, by a key, if it is there; a count of at least 1."""
    stated = whole(key, default=default)
    return lambda config, made: (stated(config, made) or default) if key else default


def _has_window(config: Config, default: int | None) -> bool:
    held = at(config.document.value, config.place)
    return held.get("sliding_window", default) is not None


def kinds_of_layers(config: Config, made: Made, known: tuple[str, ...]) -> list[str] | None:
    """What `layer_types` calls each layer, one of the `known` kinds; None where it is missing or faulty."""
    found = config.value("layer_types")
    if not found:
        return None
    place, listed = found
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        config.tell(place, "is no list of texts", "correct the file")
        return None
    if unknown := next((one for one in listed if one not in known), None):
        config.tell(place, f"names {as_told(unknown)}, expected {' or '.join(known)}", "correct the file")
        return None
    if made["num_layers"] is not None and len(listed) != made["num_layers"]:
        what = f"names {len(listed)} layers, but there are {made['num_layers']}"
        config.tell(place, what, "correct one of the two")
    return listed


@way
def kinds_else(every: int, first: str, other: str, key: str = "") -> Callable[[Config, Made], Sequence[str]]:
    """What each layer is: as `layer_types` says, else `first` with every n-th `other`; `key` may state n."""

    def listed(config: Config, made: Made) -> Sequence[str]:
        stated = kinds_of_layers(config, made, (first, other))
        if stated is not None or made["num_layers"] is None:
            return stated or []
        n = spacing(key, every)(config, made)
        return [first if (layer + 1) % n else other for layer in range(made["num_layers"])]

    return listed


@way
def counted(kind: str, listed: Callable[[Config, Made], Sequence[str]]) -> Take:
    """Layers of one kind."""
    return lambda config, made: listed(config, made).count(kind)


@way
def below(kind: str, listed: Callable[[Config, Made], Sequence[str]]) -> Take:
    """Layers below the first of a kind; none where there is no such layer."""

    def take(config: Config, made: Made) -> int:
        layers = listed(config, made)
        return layers.index(kind) if kind in layers else 0

    return take


def named_layers(config: Config, made: Made, key: str) -> frozenset[int] | None:
    """The layers that a key lists by their numbers, from 0 on; None where it is missing, or after its fault."""
    listed, layers = _list(config, key), made["num_layers"]
    if listed is None or layers is None:
        return None
    for one in listed:
        if not isinstance(one, Decimal) or not one.is_finite() or not 0 <= one < layers or one % 1:
            what = f"names {as_told(one)}, expected layers from 0 to {layers - 1}"
            config.tell((*config.place, key), what, "correct the file")
            return None
    return frozenset(map(int, listed))


def _list(config: Config, key: str) -> list[Any] | None:
    """The list that a key states; None where it is missing, or after its fault was told."""
    found = config.value(key)
    if found and not isinstance(found[1], list):
        config.tell(found[0], f"is {as_told(found[1])}, expected a list", "correct the file")
        return None
    return found[1] if found else None


def sparse(config: Config, made: Made) -> list[int]:
    """Qwen's layers with experts: every n-th, without those that `mlp_only_layers` names."""
    dense = named_layers(config, made, "mlp_only_layers") or ()
    step = spacing("decoder_sparse_step", 1)(config, made)
    return [layer for layer in range(made["num_layers"] or 0) if layer not in dense and not (layer + 1) % step]


def interleaved(config: Config, made: Made) -> list[int]:
    """Llama 4's layers with experts: those that `moe_layers` lists, else every n-th."""
    if (named := named_layers(config, made, "moe_layers")) is not None:
        return sorted(named)
    step = spacing("interleave_moe_layer_step", 1)(config, made)
    return list(range(step - 1, made["num_layers"] or 0, step))


def above_dense(config: Config, made: Made) -> list[int]:
    """Layers with experts where the lowest ones are dense."""
    first = rank("first_k_dense_replace")(config, made) or 0
    return list(range(first, made["num_layers"] or 0))


@way
def as_many_as(listed: Callable[[Config, Made], list[int]]) -> Take:
    """The number of some layers."""
    return lambda config, made: len(listed(config, made))


@way
def lowest(listed: Callable[[Config, Made], list[int]]) -> Take:
    """The first of some layers."""
    return lambda config, made: next(iter(listed(config, made)), 0)


def with_experts(listed: Callable[[Config, Made], list[int]]) -> dict[str, Take]:
    """The two fields that say which layers have experts."""
    return {"expert_layers": as_many_as(listed), "first_expert_layer": lowest(listed)}


def chunked(config: Config, made: Made) -> int:
    """Llama 4's layers that see their own chunk: those with a rotary embedding, three of four where nothing is said."""
    listed = kinds_of_layers(config, made, ("chunked_attention", "full_attention"))
    layers: int = made["num_layers"] or 0
    if config.value("attention_chunk_size") is None:
        return 0
    if listed is not None:
        return listed.count("chunked_attention")
    if rotated := _list(config, "no_rope_layers"):
        if len(rotated) != layers or any(one not in (0, 1) for one in rotated):
            config.tell((*config.place, "no_rope_layers"), f"expected 0 or 1 for each of {layers} layers", "correct it")
        return sum(map(bool, rotated))
    every: int = spacing("no_rope_layer_interval", 4)(config, made)
    return layers - layers // every


def gemma4(config: Config, made: Made) -> list[str]:
    """Gemma 4's layers; the uppermost is global, whatever the list or the pattern says."""
    listed = list(kinds_else(6, "sliding_attention", "full_attention")(config, made))
    return [*listed[:-1], "full_attention"] if listed else []


def shared_global(config: Config, made: Made) -> int:
    """Gemma 4's global layers among the uppermost ones, which take keys and values from a layer below."""
    shared = made["kv_shared_layers"]
    return gemma4(config, made)[-shared:].count("full_attention") if shared else 0


def doubled(config: Config, made: Made) -> int:
    """Gemma 4's layers with an MLP twice as wide: those that share keys and values, if it is switched on."""
    shared = min(made["kv_shared_layers"] or 0, made["num_layers"] or 0)  # more than all is told of the shared ones
    return shared if flag("use_double_wide_mlp", default=False)(config, made) else 0


def global_kv_heads(config: Config, made: Made) -> int | None:
    """Heads of keys and values in Gemma 4's global layers: their own number where keys are values as well."""
    own: int | None = None
    if flag("attention_k_eq_v", default=False)(config, made):
        own = whole("num_global_key_value_heads", default=None)(config, made)
    heads: int | None = made["num_kv_heads"]
    return own or heads


def convolutions(config: Config, made: Made) -> list[str]:
    """LFM2's layers: as `layer_types` says, else attention in those that `full_attn_idxs` names."""
    if (listed := kinds_of_layers(config, made, ("conv", "full_attention"))) is not None:
        return listed
    named = named_layers(config, made, "full_attn_idxs")
    attention = range(made["num_layers"] or 0) if named is None else named
    return ["full_attention" if layer in attention else "conv" for layer in range(made["num_layers"] or 0)]


def adjusted(config: Config, made: Made) -> int | None:
    """The width of LFM2's MLP: two thirds of what is stated, as a multiple of a block, unless it says otherwise."""
    width: int | None = whole("block_ff_dim", "intermediate_size")(config, made)
    if width is None or not flag("block_auto_adjust_ff_dim", default=True)(config, made):
        return width
    block = whole("block_multiple_of", default=256)(config, made) or 256
    scale = config.number("block_ffn_dim_multiplier")
    width = int((scale if scale is not None else 1) * (2 * width // 3))
    return -(-width // block) * int(block)
