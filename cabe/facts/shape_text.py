"""A shape in one line, `architecture=llama,hidden_size=4096,…`, for the command line and addresses of calculators.

Fields are those of `Shape`, each once; what is left out takes its default, a flag is then false.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import ValidationError

from cabe.facts.config import Stated
from cabe.facts.lookup import nearest
from cabe.facts.models import Architecture, Shape
from cabe.facts.record import to_count, to_flag, to_share, to_whole
from cabe.reading import Fault, Faults

LABEL = "the shape"  # what messages call it: the line itself would be longer than they are
COUNTED = ("id", "name", "total_params", "text_params", "mtp_params", "active_params", "tower_linear_params")
FIELDS = tuple(field for field in Shape.model_fields if field not in COUNTED)
FLAGS = ("tied_embeddings", "qkv_bias", "attention_output_bias", "mlp_bias", "qk_norm")  # false where nothing is said
MEND = "write architecture=llama,hidden_size=4096 and so on"


def is_shape_text(name: str) -> bool:
    """Whether a name of a model states its shape; no id, size or path of a config.json has the sign."""
    return "=" in name


def read_shape_text(text: str, architectures: Mapping[str, Architecture]) -> Stated:
    """The fields that a line states. Raises Faults with all that is missing, unknown, wrong or at odds."""
    pairs = [(key.strip(), value.strip()) for key, _, value in (one.partition("=") for one in text.split(","))]
    stated = dict(pairs)
    faults = list(_misnamed(pairs))
    if (name := stated.get("architecture")) and name not in architectures:
        faults.append(Fault(LABEL, 0, f"there is no architecture {name!r}{nearest(name, architectures)}", MEND))
    try:
        fields = {field: value for field, value in stated.items() if field in FIELDS and value}
        Shape.model_validate({**dict.fromkeys(FLAGS, "false"), **fields, "id": "-", "name": "-", "total_params": "1"})
    except ValidationError as error:
        faults += [
            Fault(LABEL, 0, f"{one['loc'][0]}: {_said(one['type'], one['msg'])}", MEND) for one in error.errors()
        ]
    if faults:
        raise Faults(faults)
    return {**dict.fromkeys(FLAGS, "false"), **stated}


def _misnamed(pairs: list[tuple[str, str]]) -> Iterator[Fault]:
    seen: set[str] = set()
    for field, value in pairs:
        if field not in FIELDS:
            yield Fault(LABEL, 0, f"a shape has no field {field[:40]!r}{nearest(field, FIELDS)}", MEND)
        elif field in seen:
            yield Fault(LABEL, 0, f"{field} is stated twice", "state it once")
        elif not value:
            yield Fault(LABEL, 0, f"{field} is empty", "give it a value, or leave it out")
        seen.add(field)


def _said(kind: str, message: str) -> str:
    return "is missing" if kind == "missing" else message.removeprefix("Value error, ")


def field_kinds() -> dict[str, str]:
    """How each field of the line is read: `whole` from 1 on, `count` from 0 on, `flag`, `share`, or the `name`."""
    ways = {to_whole: "whole", to_count: "count", to_flag: "flag", to_share: "share"}
    functions = {name: [getattr(one, "func", None) for one in Shape.model_fields[name].metadata] for name in FIELDS}
    found = {name: next((ways[one] for one in own if one in ways), "whole") for name, own in functions.items()}
    return {**found, "architecture": "name"}


def field_defaults() -> dict[str, float]:
    """What a field is where the line leaves it out; those that it has to state are missing."""
    stated = {name: Shape.model_fields[name] for name in FIELDS}
    optional = {name: float(one.default or 0) for name, one in stated.items() if not one.is_required()}
    return dict.fromkeys(FLAGS, 0.0) | optional
