"""Models that are not in the facts: the shape of a config.json or of one line, with parameters counted by formulas."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from cabe.facts import (
    BILLION,
    Answerable,
    Facts,
    Shape,
    Stated,
    Subject,
    filled,
    find_subject,
    is_path,
    is_shape_text,
    read_config,
    read_shape_text,
    setup_from,
)
from cabe.facts.record import NOTHING
from cabe.memory.estimates import estimate
from cabe.memory.formulas import Formulas
from cabe.reading import Fault, Faults

MOST_PARAMS = 10**15  # hundreds of times the largest model; a float counts them one by one up to 9e15


def with_configs(facts: Facts, formulas: Formulas, names: Iterable[str]) -> Facts:
    """The facts, and beside them what those of `names` state that are a shape, or paths of a config.json or folder."""
    found: dict[str, Shape | Faults] = {}
    for name in {name.strip() for name in names if _is_meant(facts, name.strip())}:
        try:
            found[name] = shape_of(facts, formulas, name, _stated(facts, name))
        except Faults as error:
            found[name] = error
    return replace(facts, configs=MappingProxyType(found))


def _stated(facts: Facts, name: str) -> Stated:
    """What a line or a file states. Raises Faults."""
    if not _is_file(name) and is_shape_text(name):
        return read_shape_text(name, facts.architectures)
    if not os.path.lexists(name):  # of a loop of links, the reader tells
        raise Faults([Fault(name, 0, "there is no such file", _meant(facts, name))])
    return read_config(Path(name), facts.architectures)


def _is_file(name: str) -> bool:
    return is_path(name) or os.path.lexists(name)


def _is_meant(facts: Facts, name: str) -> bool:
    """Whether a name means a shape or a path: it looks like one, or it is there and names no model and no size."""
    if is_path(name) or is_shape_text(name) or name in NOTHING or not os.path.lexists(name):
        return is_path(name) or is_shape_text(name)
    try:
        find_subject(facts, name)
    except ValueError:
        return True
    return False


def _meant(facts: Facts, name: str) -> str:
    """The id of the model whose repository has this name, which people type as well."""
    ids = [model.id for model in facts.models.values() if model.hf_repo.lower() == name.lower()]
    return f"did you mean the model {ids[0]}?" if ids else "expected a config.json, or a folder that holds one"


def shape_of(facts: Facts, formulas: Formulas, name: str, stated: Stated) -> Shape:
    """What a configuration states as a shape that estimates take, with its parameters counted; `name` is its id.

    Parameters of an architecture that is not modelled cannot be counted: they are then 1. Raises Faults.
    """
    fields = {field: text for field, text in stated.items() if field in Shape.model_fields}
    shape = Shape.model_validate({**fields, "id": name, "name": name, "total_params": "1"})
    if facts.architectures[shape.architecture].unmodelled:
        return shape
    params = counted(facts, formulas, shape)
    if params > MOST_PARAMS:
        raise Faults([Fault(name, 0, f"its shape has {params:.0e} parameters", "correct the widths")])
    return shape.model_copy(update={"total_params": int(params)})


def counts(facts: Facts, formulas: Formulas, name: str, stated: Stated) -> dict[str, str]:
    """The counts of an entry for the facts, by field; none of towers, nor of layers that are not modelled."""
    shape = shape_of(facts, formulas, name, stated)
    if facts.architectures[shape.architecture].unmodelled:
        return {}
    count = str(shape.total_params)
    return {"text_params": count} if "multimodal" in stated else {"total_params": count, "counted_params": count}


def counted(facts: Facts, formulas: Formulas, shape: Shape) -> float:
    """Parameters of the language model, by the formula `model_params`."""
    subject = Subject(shape.id, shape.total_params / BILLION, shape.total_params / BILLION, shape, is_size=False)
    options = filled(facts, setup_from({"model": shape.id, "method": "full"}))
    params = estimate(facts, formulas, [Answerable(subject, options)]).value(0, "model_params")
    return params or 0.0
