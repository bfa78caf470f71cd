"""A Hugging Face `config.json` as the fields of a model: the shape that it states, by the table of `config_types`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from cabe.facts.config_keys import Config
from cabe.facts.config_types import OF_THE_PART, PARTS, TYPES, Kind
from cabe.facts.json_object import read_object
from cabe.facts.lookup import nearest
from cabe.facts.models import Architecture, Shape
from cabe.reading import Document, Faults, Place

Stated = Mapping[str, str]  # field of a model → its value as text, as data/models.yaml would have it


def is_path(name: str) -> bool:
    """Whether a name of a model means a file or a folder: no id, size or range has a separator or ends in .json."""
    return any(sign in name for sign in ("/", os.sep)) or name.endswith(".json")


def read_config(path: Path, architectures: Mapping[str, Architecture]) -> Stated:
    """The fields that a config.json, or the one in a folder, states of its language model. Raises Faults with all
    that is missing, of the wrong type, or of an architecture that the facts do not have."""
    document = read_object(path / "config.json" if path.is_dir() else path)
    place, model_type = _part(document)
    kind, name = _kind(document, place, model_type)
    architecture = kind.beside_towers if place and kind.beside_towers else kind.architecture
    config = Config(document, place, name)
    if architecture not in architectures:
        what = f"is {name!r}, whose architecture {architecture!r} is not in the facts"
        config.tell((*place, "model_type"), what, "add it to data/models.yaml first: CONTRIBUTING says how")
    _require(config, kind)
    made, places = _made(config, kind)
    texts = {"architecture": architecture, **{field: _text(value) for field, value in made.items()}}
    stated = {field: text for field, text in texts.items() if text}
    if not config.faults:
        _check(config, stated, places)
    if config.faults:
        raise Faults(config.faults)
    return stated | ({"multimodal": "true"} if place else {})


def _part(document: Document) -> tuple[Place, str]:
    """Where the language model is described, the file or a part of it, and its model_type. Raises Faults."""
    parts = [part for part in PARTS if isinstance(document.value.get(part), dict)]
    place: Place = (parts[0],) if parts else ()
    around = document.value.get("model_type")
    named = document.value[parts[0]].get("model_type") if parts else None
    model_type = named or (OF_THE_PART.get(str(around), around) if parts else around)
    if isinstance(model_type, str) and model_type:
        return place, model_type
    wrong = "is missing" if model_type is None else "is no text"
    raise Faults([document.fault((*place, "model_type"), wrong, "name a config.json of a language model")])


def _kind(document: Document, place: Place, model_type: str) -> tuple[Kind, str]:
    """The row of the table for a model_type, turned where a flag says so, and its name. Raises Faults."""
    kind = TYPES.get(model_type)
    if kind is None:
        what = f"there is no {model_type[:40]!r} among the architectures{nearest(model_type, TYPES)}"
        mend = f"import-model knows {', '.join(sorted(TYPES))}"
        raise Faults([document.fault((*place, "model_type"), what, mend)])
    for flag, other in kind.turns.items():
        value = Config(document, place, model_type).value(flag)
        if value and value[1] is True:
            return TYPES[other], other
    return kind, model_type


def _require(config: Config, kind: Kind) -> None:
    """Tell of keys without which, or with another value, the architecture would not be the one of the facts."""
    for key, wanted in {**kind.only, **kind.stated}.items():
        found = config.value(key)
        if found is None and key in kind.stated:
            config.tell((*config.place, key), "the key is missing", f"a {config.model_type} needs it")
        if found is None:
            continue
        place, value = found
        if any(one != wanted for one in (value if isinstance(value, list) else [value])):
            what = f"only {_text(wanted)} is modelled for {kind.architecture}"
            config.tell(place, what, "another value makes another architecture, which needs a record of its own")


def _made(config: Config, kind: Kind) -> tuple[dict[str, Any], dict[str, Place]]:
    """What was taken for each field, and the first key that was read for it."""
    made: dict[str, Any] = {}
    places: dict[str, Place] = {}
    for field, take in kind.fields.items():
        config.asked.clear()
        made[field] = take(config, made) if callable(take) else take
        places[field] = config.asked[0] if config.asked else (*config.place, field)
    return made, places


def _check(config: Config, stated: Stated, places: Mapping[str, Place]) -> None:
    """Tell of what no shape has, at the key that states it: a share above 1, more experts a token than there are."""
    fields = {field: text for field, text in stated.items() if field in Shape.model_fields}
    try:
        Shape.model_validate({**fields, "id": "-", "name": "-", "total_params": "1"})
    except ValidationError as error:
        for one in error.errors(include_url=False):
            field = str(one["loc"][0])
            what = str(one["msg"]).removeprefix("Value error, ")
            config.tell(places.get(field, (*config.place, field)), what, "correct the file")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else f"{value:.12g}" if isinstance(value, float) else str(value)
