"""An entry for data/models.yaml: what a configuration states, and what an author has to add, ready to be pasted."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from pydantic import ValidationError

from cabe.facts.config import Stated
from cabe.facts.models import Model, Shape
from cabe.reading import INVISIBLE, Fault

SOMETIMES: Mapping[str, str] = {  # what most configurations state, or can be counted from
    "total_params": "all parameters, those of towers or of layers that are not modelled among them",
    "counted_params": "as total_params, counted by instantiating the configuration with transformers",
    "checkpoint_dtype": "bfloat16, float16 or float32: the configuration does not state it",
}
COUNTED = "shape from its config.json, by import-model"  # the last source of every entry
HEAD = ("id", "family", "name", "vendor", "release", "licence", "hf_repo")
PLAIN = re.compile(r"(?![-?:,\[\]{}#&*!|>'\"%@` ])(?!.*(: | #))[^\n]*[^\s:]")


def entry(stated: Stated, given: Mapping[str, str], hints: Mapping[str, str]) -> str:
    """The record as YAML in the layout of data/models.yaml; what is still to be filled in is empty, with what it is.

    `given` holds what the author knows, by field; sources stand on lines of their own. `hints` says what a field is. A
    required field that is empty is a fault of `check`.
    """
    known = {**_from_repo(given.get("hf_repo", "")), **stated, **given}
    fields = [field for field in _order() if _is_written(field, known.get(field, ""))]
    hints = {**SOMETIMES, **hints}
    lines = [line for field in fields for line in _lines(field, known.get(field, ""), hints.get(field, ""))]
    return "\n".join(f"    {line}" for line in lines).replace("    ", "  - ", 1) + "\n"


def given_faults(given: Mapping[str, str]) -> list[Fault]:
    """What is wrong with the fields that an author gives, by option; those that are missing may be filled in later."""
    values = {name: text.split("\n") if name == "source" else text for name, text in given.items()}
    faults = [
        Fault(_option(name), 0, f"holds the invisible character U+{ord(found[0]):04X}", "remove it")
        for name, text in given.items()
        if (found := INVISIBLE.search(text))
    ]
    try:
        Model.model_validate({name: value for name, value in values.items() if not INVISIBLE.search(given[name])})
    except ValidationError as error:
        told = [one for one in error.errors(include_url=False) if one["loc"][0] in given and one["type"] != "missing"]
        says = [(str(one["loc"][0]), str(one["msg"]).removeprefix("Value error, ")) for one in told]
        faults += [Fault(_option(name), 0, what[0].lower() + what[1:]) for name, what in says]
    return faults


def _option(field: str) -> str:
    return f"--{field.replace('_', '-')}"


def to_be_filled(text: str) -> list[str]:
    """The fields of an entry that are still empty."""
    return re.findall(r"^ +(\w+):  #", text, re.MULTILINE) + re.findall(r"^ +(\w+):\n +-  #", text, re.MULTILINE)


def _order() -> list[str]:
    return list(dict.fromkeys([*HEAD, *Shape.model_fields, *Model.model_fields]))


def _is_written(field: str, text: str) -> bool:
    """Whether a field stands in an entry: it is needed, or says something else than its default."""
    about = Model.model_fields[field]
    return about.is_required() or text not in ("", str(about.default).lower().removesuffix(".0"))


def _from_repo(repo: str) -> dict[str, str]:
    """An id and a name as most of the facts have them, made of the name of a repository."""
    name = repo.rpartition("/")[2]
    made = "-".join(re.findall(r"[a-z0-9]+(?:\.[a-z0-9]+)*", name.lower()))
    return {"id": made, "name": name.replace("-", " ").replace("_", " ")} if made else {}


def _lines(field: str, text: str, hint: str) -> list[str]:
    if field == "source":
        return ["source:", *(f"  - {_yaml(one)}" if one else f"  -  # {hint}" for one in [*text.split("\n"), COUNTED])]
    return [f"{field}: {_yaml(text)}" if text else f"{field}:  # {hint}"]


def _yaml(text: str) -> str:
    """A text as YAML reads it back: plain where nothing in it means something else."""
    return text if PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
