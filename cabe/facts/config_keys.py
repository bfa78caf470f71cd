"""How a field of a model's shape is taken from a configuration: one small function for each way.

A field is taken from a key, from several spellings of one key, from what was taken before it, or is fixed by the
architecture. What is missing or of the wrong type is added to the faults of the configuration, so that all are told.
The calculators take fields in the same ways: `described` writes a way as data, config.js has a function of its name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import wraps
from typing import Any, ParamSpec

from cabe.facts.record import to_count, to_whole
from cabe.reading import Document, Fault, Place

MOST_WIDTH = 10**8  # of one width or count: far beyond any model, and the product of all stays a number
MOST_LISTED = 10**4  # of layers, and of experts in one: many times what any model has, and each layer is looked at
MOST_DIGITS = 30  # that a message shows of a number
STORED = {"fp8": "float8_e4m3fn", "mxfp4": "mxfp4 experts + bfloat16"}  # as vendors publish; others requantize
AROUND = {
    "tie_word_embeddings",
    "dtype",
    "torch_dtype",
    "quantization_config",
}  # multimodal files state these outside of text_config
ROTARY = ("rope_parameters", "rope_scaling")  # the newer and the older name of the object that scales positions
KINDS = {bool: "true or false", Decimal: "a whole number", str: "text"}


@dataclass(frozen=True)
class Config:
    """One object of a configuration: the whole file, or the part of it that describes the language model."""

    document: Document
    place: Place
    model_type: str
    faults: list[Fault] = field(default_factory=list)
    asked: list[Place] = field(default_factory=list)  # the keys that were read for a field, the first one first

    def value(self, *names: str) -> tuple[Place, Any] | None:
        """The first of some keys that has a value, null being none; for keys of the whole model, around a part too."""
        around = set(names) <= AROUND
        for place in (self.place, ()) if around else (self.place,):
            held = at(self.document.value, place)
            for name in names:
                if held.get(name) is not None:
                    self.asked.append((*place, name))
                    return (*place, name), held[name]
        return None

    def number(self, *names: str) -> Decimal | None:
        """The first of some keys, here or among the rotary parameters, a number above 0; None where none states it, or
        after its fault was told."""
        for inside in ((), *((key,) for key in ROTARY)):
            place = (*self.place, *inside)
            held = at(self.document.value, place)
            for name in names:
                if held.get(name) is not None:
                    self.asked.append((*place, name))
                    return self._above_0((*place, name), held[name])
        return None

    def _above_0(self, place: Place, value: Any) -> Decimal | None:
        if isinstance(value, Decimal) and value.is_finite() and 0 < value <= MOST_WIDTH:
            return value
        what = f"is {as_told(value)}, expected a number above 0 and up to {MOST_WIDTH}"
        self.tell(place, what, "correct the file")
        return None

    def tell(self, place: Place, what: str, mend: str) -> None:
        self.faults.append(self.document.fault(place, what, mend))


def at(value: Any, place: Place) -> Mapping[str, Any]:
    """The object at a place of nested objects; an empty one where there is none."""
    for step in place:
        value = value.get(step, {}) if isinstance(value, dict) else {}
    return value if isinstance(value, dict) else {}


Made = Mapping[str, Any]  # the fields that stand above a field, None for those that are missing
Take = Callable[[Config, Made], Any]
P = ParamSpec("P")
NEEDED = object()  # the default of a key without which a model has no shape


@dataclass(frozen=True)
class Way:
    """A way to take a field, called as the function that it holds; `name` and `given` are what it was made from."""

    name: str
    given: Mapping[str, Any]
    take: Take

    def __call__(self, config: Config, made: Made) -> Any:
        return self.take(config, made)


def way(make: Callable[P, Take]) -> Callable[P, Way]:
    """A function that makes a way, which then remembers what it was made from."""
    signature = inspect.signature(make)

    @wraps(make)
    def remembered(*args: P.args, **options: P.kwargs) -> Way:
        return Way(make.__name__, signature.bind(*args, **options).arguments, make(*args, **options))

    return remembered


def described(take: Any) -> Any:
    """A way as data: its name with what it was made from, where that differs from the usual; a fixed value as it is."""
    if isinstance(take, Way):
        given = {name: described(value) for name, value in take.given.items() if value is not NEEDED}
        return {"way": take.name, **given}
    return {"way": take.__name__} if callable(take) else list(take) if isinstance(take, tuple) else take


@way
def whole(*names: str, default: Any = NEEDED, most: int = MOST_WIDTH) -> Take:
    """A whole number of at least 1, by the first of some keys that is there."""
    return _taken(names, Decimal, default, most=most)


@way
def count(*names: str, default: Any = 0) -> Take:
    """A whole number of at least 0, none where no key states it."""
    return _taken(names, Decimal, default, to_count)


@way
def rank(name: str) -> Take:
    """A rank, where null, but not silence, says that there is none."""

    def take(config: Config, made: Made) -> int | None:
        here = at(config.document.value, config.place)
        stated: int | None = count(name, default=0 if name in here else NEEDED)(config, made)
        return stated

    return take


@way
def flag(*names: str, default: Any = NEEDED) -> Take:
    """True or false; text such as "false" is refused, since Python takes it for true."""
    return _taken(names, bool, default)


@way
def text(*names: str, default: Any = NEEDED) -> Take:
    return _taken(names, str, default)


@way
def same(name: str) -> Take:
    """What was taken for another field."""
    return lambda _, made: made.get(name)


@way
def times(factor: int, name: str) -> Take:
    """A multiple of what was taken for another field."""
    return lambda _, made: made[name] and factor * made[name]


@way
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


@way
def context(*names: str, default: Any = NEEDED) -> Take:
    """Tokens that a model reads: what a key states, or what YaRN stretches the original length to."""
    stated = whole("max_position_embeddings", *names, default=default)

    def take(config: Config, made: Made) -> int | None:
        length: int | None = stated(config, made)
        if not length or not _is_yarn(config):
            return length
        original, factor = config.number("original_max_position_embeddings"), config.number("factor")
        return max(length, int(original * factor)) if original and factor else length

    return take


def _is_yarn(config: Config) -> bool:
    scaling = [at(config.document.value, (*config.place, key)) for key in ROTARY]
    return any("yarn" in (one.get("type"), one.get("rope_type")) for one in scaling)


@way
def share(*names: str, default: float = 1.0) -> Take:
    """The share of a head that is rotated: a share by one of some keys, or `rotary_dim` elements of a head."""

    def take(config: Config, made: Made) -> float:
        stated = config.number(*names)
        if stated is None and made.get("head_dim") and (width := config.number("rotary_dim")) is not None:
            stated = width / made["head_dim"]
        return float(stated) if stated is not None else default

    return take


@way
def plus(first: Take, second: Take) -> Take:
    """What two keys state, added."""

    def take(config: Config, made: Made) -> int | None:
        terms = first(config, made), second(config, made)
        return None if None in terms else terms[0] + terms[1]

    return take


@way
def product(first: Take, second: Take) -> Take:
    """What two keys state, multiplied."""

    def take(config: Config, made: Made) -> int | None:
        factors = first(config, made), second(config, made)
        return None if None in factors else factors[0] * factors[1]

    return take


def stored(config: Config, made: Made) -> str | None:
    """How the checkpoint holds its weights: what it was quantized to before it was published, or its dtype."""
    found = config.value("quantization_config")
    method = found[1].get("quant_method") if found and isinstance(found[1], dict) else None
    stated: str | None = STORED.get(str(method)) or text("dtype", "torch_dtype", default=None)(config, made)
    return stated


def _taken(
    names: tuple[str, ...],
    kind: type,
    default: Any,
    convert: Callable[[Any], int] = to_whole,
    most: int = MOST_WIDTH,
) -> Take:
    def take(config: Config, made: Made) -> Any:
        found = config.value(*names)
        if found:
            return checked(config, *found, kind, convert, most)
        if default is NEEDED:
            place = (*config.place, names[0])
            others = f" (or {', '.join(names[1:])})" if names[1:] else ""
            config.tell(place, f"the key is missing{others}", f"a {config.model_type} needs it")
            return None
        return default(config, made) if callable(default) else default

    return take


def checked(
    config: Config, place: Place, value: Any, kind: type, convert: Callable[[Any], int], most: int = MOST_WIDTH
) -> Any:
    """A value of the kind that a key should have, a number of at most `most`; None after its fault was told."""
    if not isinstance(value, kind):
        config.tell(place, f"is {as_told(value)}, expected {KINDS[kind]}", "correct the file")
    elif isinstance(value, str) and not value.isprintable():
        config.tell(place, f"is {as_told(value)}, which holds an invisible character", "correct the file")
    elif not isinstance(value, Decimal):
        return value
    elif not value.is_nan() and value > most:
        config.tell(place, f"{digits(value)} is too large, expected at most {most}", "correct the file")
    else:
        try:
            return convert(digits(value))
        except ValueError as error:
            config.tell(place, str(error), "correct the file")
    return None


def digits(number: Decimal) -> str:
    """A number as it stands, or in fewer digits where there are more than anyone reads."""
    text = str(number)
    return text if len(text) <= MOST_DIGITS else f"{number:.{MOST_DIGITS - 10}g}"


def as_told(value: Any) -> str:
    """A value as messages show it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    if isinstance(value, Decimal):
        return f"the number {digits(value)}"
    return "null" if value is None else "a list" if isinstance(value, list) else "an object"
