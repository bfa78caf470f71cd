"""How a field of a model's shape is taken from a configuration: one small function for each way.

A field is taken from a key, from several spellings of one key, from what was taken before it, or is fixed by the
architecture. What is missing or of the wrong type is added to the faults of the configuration, so that all are told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from cabe.facts.record import to_whole
from cabe.reading import Document, Fault, Place

MOST_WIDTH = 10**8  # of one width or count: far beyond any model, and the product of all stays a number
AROUND = {"tie_word_embeddings", "dtype", "torch_dtype"}  # multimodal files state these outside of text_config
ROTARY = ("rope_parameters", "rope_scaling")  # the newer and the older name of the object that scales positions
KINDS = {bool: "true or false", Decimal: "a whole number", str: "text", list: "a list"}


@dataclass(frozen=True)
class Config:
    """One object of a configuration: the whole file, or the part of it that describes the language model."""

    document: Document
    place: Place
    model_type: str
    faults: list[Fault] = field(default_factory=list)

    def value(self, *names: str) -> tuple[Place, Any] | None:
        """The first of some keys that has a value, null being none; for keys of the whole model, around a part too."""
        around = set(names) <= AROUND
        for place in (self.place, ()) if around else (self.place,):
            held = _at(self.document.value, place)
            for name in names:
                if held.get(name) is not None:
                    return (*place, name), held[name]
        return None

    def number(self, *names: str) -> Decimal | None:
        """The number of the first of some keys, here or among the rotary parameters; None where none states it."""
        for inside in ((), *((key,) for key in ROTARY)):
            held = _at(self.document.value, (*self.place, *inside))
            for name in names:
                if isinstance(held.get(name), Decimal) and held[name].is_finite():
                    return Decimal(held[name])
        return None

    def tell(self, place: Place, what: str, mend: str) -> None:
        self.faults.append(self.document.fault(place, what, mend))


def _at(value: Any, place: Place) -> Mapping[str, Any]:
    for step in place:
        value = value.get(step, {}) if isinstance(value, dict) else {}
    return value if isinstance(value, dict) else {}


Made = Mapping[str, Any]  # the fields that stand above a field, None for those that are missing
Take = Callable[[Config, Made], Any]
NEEDED = object()  # the default of a key without which a model has no shape


def whole(*names: str, default: Any = NEEDED) -> Take:
    """A whole number of at least 1, by the first of some keys that is there."""
    return _taken(names, Decimal, default)


def flag(*names: str, default: Any = NEEDED) -> Take:
    """True or false; text such as "false" is refused, since Python takes it for true."""
    return _taken(names, bool, default)


def text(*names: str, default: Any = NEEDED) -> Take:
    return _taken(names, str, default)


def same(name: str) -> Take:
    """What was taken for another field."""
    return lambda _, made: made.get(name)


def times(factor: int, name: str) -> Take:
    """A multiple of what was taken for another field."""
    return lambda _, made: made[name] and factor * made[name]


def half(name: str) -> Take:
    """Half of what a key states, as Qwen's first configurations count gate and up as one width."""
    stated = whole(name)
    return lambda config, made: (width := stated(config, made)) and width // 2


def split(config: Config, made: Made) -> int | None:
    """The width of a head where no key states it: the hidden size, split among the heads."""
    hidden, heads = made["hidden_size"], made["num_attention_heads"]
    if hidden is None or heads is None:
        return None
    if hidden % heads:
        found = config.value("hidden_size", "n_embd", "d_model")
        what = f"{hidden} cannot be split among {heads} heads, and head_dim is missing"
        config.tell(found[0] if found else config.place, what, "state head_dim")
    return int(hidden // heads)


def context(*names: str, default: Any = NEEDED) -> Take:
    """Tokens that a model reads: what a key states, or what YaRN stretches the original length to."""
    stated = whole("max_position_embeddings", *names, default=default)

    def take(config: Config, made: Made) -> int | None:
        length: int | None = stated(config, made)
        original, factor = config.number("original_max_position_embeddings"), config.number("factor")
        if length and original and factor and _is_yarn(config):
            return max(length, int(original * factor))
        return length

    return take


def _is_yarn(config: Config) -> bool:
    scaling = [_at(config.document.value, (*config.place, key)) for key in ROTARY]
    return any("yarn" in (one.get("type"), one.get("rope_type")) for one in scaling)


def window(name: str = "sliding_window", default: int | None = None) -> Take:
    """Tokens that windowed layers see, where `windowed_layers` counted some."""
    stated = whole(name, default=default)
    return lambda config, made: stated(config, made) if made["windowed_layers"] else None


def windowed(default: int | None = None, *, full_every: int | None = None, key: str = "") -> Take:
    """Layers with a window: those that `layer_types` names, else all but every n-th; none without a window.

    `default` is the window where the key is missing, `key` the one that may state n.
    """

    def take(config: Config, made: Made) -> int | None:
        if not _has_window(config, default):
            return 0
        if (listed := kinds_of_layers(config, made)) is not None:
            return listed.count("sliding_attention")
        layers: int | None = made["num_layers"]
        stated = config.number(key) if key else None
        every = int(stated) if stated is not None and stated >= 1 else full_every
        return layers - layers // every if layers and every else layers

    return take


def windowed_above(config: Config, made: Made) -> int | None:
    """Qwen's layers with a window: those from `max_window_layers` on, if it is switched on at all."""
    if not flag("use_sliding_window", default=False)(config, made):
        return 0
    if (listed := kinds_of_layers(config, made)) is not None:
        return listed.count("sliding_attention")
    layers: int | None = made["num_layers"]
    first = config.number("max_window_layers")
    return layers and max(0, layers - int(28 if first is None else first))


def _has_window(config: Config, default: int | None) -> bool:
    held = _at(config.document.value, config.place)
    return held.get("sliding_window", default) is not None


def kinds_of_layers(config: Config, made: Made) -> list[str] | None:
    """What `layer_types` calls each layer; None where it is missing or faulty."""
    found = config.value("layer_types")
    if not found:
        return None
    place, listed = found
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        config.tell(place, f"is {_shown(listed)}, expected a list of texts", "correct the file")
        return None
    if made["num_layers"] is not None and len(listed) != made["num_layers"]:
        what = f"names {len(listed)} layers, but there are {made['num_layers']}"
        config.tell(place, what, "correct one of the two")
    return listed


def share(*names: str, default: float = 1.0) -> Take:
    """The share of a head that is rotated: a share by one of some keys, or `rotary_dim` elements of a head."""

    def take(config: Config, made: Made) -> float:
        stated = config.number(*names)
        if stated is None and made.get("head_dim") and (width := config.number("rotary_dim")) is not None:
            stated = width / made["head_dim"]
        return float(stated) if stated is not None else default

    return take


def _taken(names: tuple[str, ...], kind: type, default: Any) -> Take:
    def take(config: Config, made: Made) -> Any:
        found = config.value(*names)
        if found:
            return _checked(config, *found, kind)
        if default is NEEDED:
            place = (*config.place, names[0])
            others = f" (or {', '.join(names[1:])})" if names[1:] else ""
            config.tell(place, f"the key is missing{others}", f"a {config.model_type} needs it")
            return None
        return default(config, made) if callable(default) else default

    return take


def _checked(config: Config, place: Place, value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        config.tell(place, f"is {_shown(value)}, expected {KINDS[kind]}", "correct the file")
        return None
    if kind is not Decimal:
        return value
    try:
        number = to_whole(str(value))
    except ValueError as error:
        config.tell(place, str(error), "correct the file")
        return None
    if number > MOST_WIDTH:
        config.tell(place, f"{number} is too large, expected at most {MOST_WIDTH}", "correct the file")
        return None
    return number


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    if isinstance(value, Decimal):
        return f"the number {value}"
    return "a list" if isinstance(value, list) else "an object"
