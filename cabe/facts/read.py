"""The files of `data/` as one frozen Facts; every mistake in every file is found in one run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, get_args

from pydantic import ValidationError

from cabe.facts.cited import Figure, Reference
from cabe.facts.devices import Device
from cabe.facts.lookup import nearest
from cabe.facts.methods import Defaults, Dtype, Method, NotModelled, Optimizer, Precision, Quantization, TargetSet
from cabe.facts.models import Model, Size
from cabe.facts.record import Record, to_date
from cabe.facts.resolution import problems
from cabe.facts.setups import Planned, RunList
from cabe.facts.tables import Facts
from cabe.reading import Document, Fault, Faults, Place, read_yaml

R = TypeVar("R", bound=Record)
DEFAULTS = {
    "method": "methods",
    "adapter-dtype": "dtypes",
    "dtype": "dtypes",
    "precision": "precisions",
    "optimizer": "optimizers",
}


# file → key in it → (attribute of Facts, record, the record's key field)
TABLES: Mapping[str, Mapping[str, tuple[str, type[Record], str]]] = {
    "models.yaml": {"models": ("models", Model, "id")},
    "devices.yaml": {"devices": ("devices", Device, "id")},
    "methods.yaml": {
        "methods": ("methods", Method, "id"),
        "precisions": ("precisions", Precision, "id"),
        "dtypes": ("dtypes", Dtype, "id"),
        "quantizations": ("quantizations", Quantization, "id"),
        "optimizers": ("optimizers", Optimizer, "id"),
        "target_sets": ("target_sets", TargetSet, "id"),
    },
    "setups.yaml": {
        "sizes": ("sizes", Size, "size"),
        "run_lists": ("run_lists", RunList, "id"),
        "planned": ("planned", Planned, "id"),
    },
    "cited.yaml": {"references": ("references", Reference, "id"), "figures": ("figures", Figure, "id")},
}
FILE_OF = {attribute: file for file, tables in TABLES.items() for attribute, _, _ in tables.values()}
SINGLES: Mapping[str, Mapping[str, type[Record]]] = {
    "methods.yaml": {"defaults": Defaults, "not_modelled": NotModelled},
}


def read_facts(root: Path) -> Facts:
    """The facts below `root`/data. Raises Faults with every mistake of every file."""
    faults: list[Fault] = []
    documents: dict[str, Document] = {}
    found: dict[str, Any] = {}
    dates = []
    for file, tables in TABLES.items():
        try:
            document = read_yaml(root / "data" / file, root)
        except Faults as error:
            faults += error.faults
            continue
        documents[file] = document
        singles = SINGLES.get(file, {})
        if not isinstance(document.value, dict):
            faults.append(document.fault((), "is not a mapping", f"start with {', '.join(['read', *tables])}"))
            continue
        faults += _unknown_keys(document, {"read", *tables, *singles})
        dates.append(_read_date(document, faults))
        for key, (attribute, record, id_field) in tables.items():
            found[attribute] = MappingProxyType(_table(document, key, record, id_field, faults))
        for key, record in singles.items():
            found[key] = _single(document, key, record, faults)
    faults += _loose_ends(documents, found, {f"data/{file}" for file in TABLES} - {fault.file for fault in faults})
    if faults:
        raise Faults(faults)
    facts = Facts(read=max(dates), **found)
    if faults := list(_run_faults(documents["setups.yaml"], facts)):
        raise Faults(faults)
    return facts


def _unknown_keys(document: Document, known: set[str]) -> list[Fault]:
    return [
        document.fault((key,), "unknown key", f"expected one of {', '.join(sorted(known))}")
        for key in document.value
        if key not in known
    ]


def _read_date(document: Document, faults: list[Fault]) -> str:
    try:
        date = to_date(document.value.get("read", ""))
        if len(date) != len("2026-11-30"):
            raise ValueError(f"{date!r} is not a day, expected YYYY-MM-DD")
        return date
    except ValueError as error:
        faults.append(document.fault(("read",), str(error), "state the day on which the facts were read"))
        return ""


def _table(document: Document, key: str, record: type[R], id_field: str, faults: list[Fault]) -> dict[str, R]:
    rows = document.value.get(key)
    if not isinstance(rows, list):
        faults.append(document.fault((key,), "is missing or not a list", "expected a list of records"))
        return {}
    table: dict[str, R] = {}
    first: dict[str, int] = {}
    for index, row in enumerate(rows):
        made = make(record, row, document, (key, index), faults)
        if made is None:
            continue
        row_id = getattr(made, id_field)
        plain = row_id.lower().replace(".", "-")
        if plain in first:
            what = f"{row_id!r} and the record on line {first[plain]} are the same but for case, points and hyphens"
            faults.append(document.fault((key, index, id_field), what, "give one of them another id"))
        first[plain] = document.line((key, index, id_field))
        table[row_id] = made
    return table


def _single(document: Document, key: str, record: type[R], faults: list[Fault]) -> R | None:
    if key not in document.value:
        faults.append(document.fault((key,), "is missing", "expected a mapping"))
        return None
    return make(record, document.value[key], document, (key,), faults)


def make(record: type[R], row: Any, document: Document, place: Place, faults: list[Fault]) -> R | None:
    """The record that a row of a document states, or None after its mistakes have been added to `faults`."""
    try:
        return record.model_validate(row)
    except ValidationError as error:
        details = [dict(detail) for detail in error.errors(include_url=False)]
        meant = {_meant(detail, record) for detail in details}
        faults += [
            _fault(document, place, detail, record)
            for detail in details
            if not (detail["type"] == "missing" and detail["loc"] in meant)
        ]
        return None


def _meant(detail: Mapping[str, Any], record: type[Record]) -> Place | None:
    """The place that a misspelt key should have had, so that it is not reported as missing as well."""
    if detail["type"] != "extra_forbidden":
        return None
    close = get_close_matches(str(detail["loc"][-1]), _keys(record, detail["loc"]), n=1, cutoff=0.5)
    return (*detail["loc"][:-1], *close) if close else None


def _keys(record: type[Record], place: Place) -> list[str]:
    """The keys that may stand at a place of a record, which may be inside a record of its own."""
    for step in place[:-1]:
        field = {one.alias or name: one for name, one in record.model_fields.items()}.get(str(step))
        inner = (field.annotation, *get_args(field.annotation)) if field else ()
        record = next((one for one in inner if isinstance(one, type) and issubclass(one, Record)), record)
    return [field.alias or name for name, field in record.model_fields.items()]


def _fault(document: Document, place: Place, detail: dict[str, Any], record: type[Record]) -> Fault:
    where = (*place, *detail["loc"])
    if detail["type"] == "extra_forbidden":
        known = _keys(record, detail["loc"])
        return document.fault(where, "unknown key" + nearest(str(where[-1]), known), f"known keys: {', '.join(known)}")
    if detail["type"] == "missing":
        return document.fault(where, "the key is missing", "add it; a fact without a source says so in words")
    what = str(detail["msg"]).removeprefix("Value error, ")
    return document.fault(where, what[0].lower() + what[1:])


def _loose_ends(documents: Mapping[str, Document], found: Mapping[str, Any], sound: set[str]) -> list[Fault]:
    """Ids that one record takes from another table and that are not there, between files without other faults."""
    wanted = [
        ("setups.yaml", "sizes", "shape", "models"),
        ("setups.yaml", "run_lists", "device", "devices"),
        ("setups.yaml", "planned", "bytes_per_parameter", "figures"),
        ("cited.yaml", "figures", "reference", "references"),
        ("devices.yaml", "devices", "gpu", "devices"),
        ("methods.yaml", "methods", "quantization", "quantizations"),
    ]
    faults = []
    for file, key, field, table in wanted:
        if {f"data/{file}", f"data/{FILE_OF[table]}"} <= sound:
            names = {(key, index, field): row.get(field) for index, row in enumerate(documents[file].value[key])}
            faults += _unknown(documents[file], names, found[table], table)
    if "data/methods.yaml" in sound:
        document = documents["methods.yaml"]
        for option, table in DEFAULTS.items():
            faults += _unknown(
                document, {("defaults", option): document.value["defaults"][option]}, found[table], table
            )
    return faults


def _unknown(document: Document, names: Mapping[Any, Any], table: Mapping[str, Any], what: str) -> list[Fault]:
    return [
        document.fault(place, f"there is no {name!r} among the {what}{nearest(name, table)}")
        for place, name in names.items()
        if name and name not in table
    ]


def _run_faults(document: Document, facts: Facts) -> Iterator[Fault]:
    """Runs that no estimate can answer, with the option that is to blame."""
    for index, run_list in enumerate(facts.run_lists.values()):
        for number, run in enumerate(run_list.runs):
            place: Place = ("run_lists", index, "runs", number)
            if not run.model and not run_list.models:
                yield document.fault((*place, "model"), "is missing", "name a model, or give the list its models")
            for model in run_list.models or (run.model,):
                for option, what in problems(facts, run.model_copy(update={"model": model})) if model else ():
                    yield document.fault((*place, option), what)
            for option, what in problems(facts, run.low) if run.low else ():
                yield document.fault((*place, "low", option), what)
