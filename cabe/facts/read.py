"""The files of `data/` as one frozen Facts; every mistake in every file is found in one run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, get_args

from pydantic import ValidationError

from cabe.facts.cited import Figure, Reference
from cabe.facts.devices import Device
from cabe.facts.lookup import nearest
from cabe.facts.measured import Measured
from cabe.facts.methods import (
    CacheDtype,
    Dtype,
    Loss,
    Method,
    Optimizer,
    Option,
    Precision,
    Quantization,
    Sharding,
    Slack,
    TargetSet,
    Threshold,
)
from cabe.facts.models import Architecture, Model, Size
from cabe.facts.outcomes import Benchmark, Outcome
from cabe.facts.record import NOTHING, Record, to_day
from cabe.facts.resolution import TABLES as VALUES
from cabe.facts.resolution import problems, value_problem
from cabe.facts.setups import OPTIONS, Planned, RunList, setup_from
from cabe.facts.tables import Facts
from cabe.reading import Document, Fault, Faults, Place, read_yaml

R = TypeVar("R", bound=Record)
# file → key in it → (attribute of Facts, record, the record's key field)
TABLES: Mapping[str, Mapping[str, tuple[str, type[Record], str]]] = {
    "models.yaml": {
        "architectures": ("architectures", Architecture, "id"),
        "models": ("models", Model, "id"),
    },
    "devices.yaml": {"devices": ("devices", Device, "id")},
    "methods.yaml": {
        "methods": ("methods", Method, "id"),
        "precisions": ("precisions", Precision, "id"),
        "dtypes": ("dtypes", Dtype, "id"),
        "quantizations": ("quantizations", Quantization, "id"),
        "optimizers": ("optimizers", Optimizer, "id"),
        "losses": ("losses", Loss, "id"),
        "shardings": ("shardings", Sharding, "id"),
        "cache_dtypes": ("cache_dtypes", CacheDtype, "id"),
        "slacks": ("slacks", Slack, "id"),
        "verdicts": ("verdicts", Threshold, "id"),
        "target_sets": ("target_sets", TargetSet, "id"),
        "options": ("options", Option, "id"),
    },
    "setups.yaml": {
        "sizes": ("sizes", Size, "size"),
        "run_lists": ("run_lists", RunList, "id"),
        "planned": ("planned", Planned, "id"),
    },
    "measured.yaml": {"measured": ("measured", Measured, "id")},
    "outcomes.yaml": {"benchmarks": ("benchmarks", Benchmark, "id"), "outcomes": ("outcomes", Outcome, "id")},
    "cited.yaml": {"references": ("references", Reference, "id"), "figures": ("figures", Figure, "id")},
}
NEEDED: Mapping[str, tuple[str, ...]] = {  # records that code takes by name
    "methods": ("lora", "qlora", "full", "inference"),
    "quantizations": ("none",),
    "slacks": ("training", "inference"),
    "verdicts": ("fits", "tight"),
}
WITHOUT_DEFAULT = ("model", "gradient-dtype", "quantization", "kbit-prep", "prompt")  # it follows from other options
FILE_OF = {attribute: file for file, tables in TABLES.items() for attribute, _, _ in tables.values()}


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
        if not isinstance(document.value, dict):
            faults.append(_fault_at(document, (), "is not a mapping", f"start with {', '.join(['read', *tables])}"))
            continue
        faults += _unknown_keys(document, {"read", *tables})
        dates.append(_read_date(document, faults))
        for key, (attribute, record, id_field) in tables.items():
            found[attribute] = MappingProxyType(_table(document, key, record, id_field, faults))
    faults += _loose_ends(documents, found, {f"data/{file}" for file in TABLES} - {fault.file for fault in faults})
    if faults:
        raise Faults(faults)
    facts = Facts(read=max(dates), **found)
    faults += _missing_records(documents["methods.yaml"], facts)
    faults += _option_faults(documents["methods.yaml"], facts)
    if faults:  # every set-up takes its defaults from there, and would be told as well
        raise Faults(faults)
    faults += _run_faults(documents["setups.yaml"], facts)
    for key in ("measured", "outcomes"):
        faults += _setup_faults(documents[FILE_OF[key]], key, facts)
    if faults:
        raise Faults(faults)
    return facts


def _fault_at(document: Document, place: Place, what: str, mend: str = "") -> Fault:
    """A fault whose key names records by their ids, where they have one, and not by their numbers."""
    key: list[str] = []
    value: Any = document.value
    for step in place:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):  # a key that is missing is what most faults are about
            value = None
        row_id = value.get("id", value.get("size")) if isinstance(step, int) and isinstance(value, dict) else None
        key.append(row_id if isinstance(row_id, str) and re.fullmatch(r"[\w.-]+", row_id) else str(step))
    fault = document.fault(place, what, mend)
    return replace(fault, what=f"{'.'.join(key)}: {what}") if key else fault


def _unknown_keys(document: Document, known: set[str]) -> list[Fault]:
    return [
        _fault_at(document, (key,), "unknown key", f"expected one of {', '.join(sorted(known))}")
        for key in document.value
        if key not in known
    ]


def _read_date(document: Document, faults: list[Fault]) -> str:
    try:
        return to_day(document.value.get("read", ""))
    except ValueError as error:
        faults.append(_fault_at(document, ("read",), str(error), "state the day on which the facts were read"))
        return ""


def _table(document: Document, key: str, record: type[R], id_field: str, faults: list[Fault]) -> dict[str, R]:
    rows = document.value.get(key)
    if not isinstance(rows, list):
        faults.append(_fault_at(document, (key,), "is missing or not a list", "expected a list of records"))
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
            faults.append(_fault_at(document, (key, index, id_field), what, "give one of them another id"))
        first[plain] = document.line((key, index, id_field))
        table[row_id] = made
    return table


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
        return _fault_at(
            document, where, "unknown key" + nearest(str(where[-1]), known), f"known keys: {', '.join(known)}"
        )
    if detail["type"] == "missing":
        return _fault_at(document, where, "the key is missing", "add it; a fact without a source says so in words")
    what = str(detail["msg"]).removeprefix("Value error, ")
    return _fault_at(document, where, what[0].lower() + what[1:])


def _loose_ends(documents: Mapping[str, Document], found: Mapping[str, Any], sound: set[str]) -> list[Fault]:
    """Ids that one record takes from another table and that are not there, between files without other faults."""
    wanted = [
        ("models.yaml", "models", "architecture", "architectures"),
        ("setups.yaml", "sizes", "shape", "models"),
        ("setups.yaml", "run_lists", "device", "devices"),
        ("setups.yaml", "planned", "bytes_per_parameter", "figures"),
        ("cited.yaml", "figures", "reference", "references"),
        ("devices.yaml", "devices", "gpu", "devices"),
        ("methods.yaml", "methods", "quantization", "quantizations"),
        ("outcomes.yaml", "benchmarks", "device", "devices"),
        ("outcomes.yaml", "outcomes", "benchmark", "benchmarks"),
    ]
    faults = []
    for file, key, field, table in wanted:
        if {f"data/{file}", f"data/{FILE_OF[table]}"} <= sound:
            names = {(key, index, field): row.get(field) for index, row in enumerate(documents[file].value[key])}
            faults += _unknown(documents[file], names, found[table], table)
    if "data/methods.yaml" in sound:
        for index, option in enumerate(found["options"].values()):
            values = found.get(VALUES.get(option.id.replace("-", "_"), ""))
            if values is not None:
                default = {("options", index, "default"): option.default}
                faults += _unknown(documents["methods.yaml"], default, values, f"values of {option.id}")
    return faults


def _unknown(document: Document, names: Mapping[Any, Any], table: Mapping[str, Any], what: str) -> list[Fault]:
    return [
        _fault_at(document, place, f"there is no {name!r} among the {what}{nearest(name, table)}")
        for place, name in names.items()
        if name and name not in NOTHING and name not in table
    ]


def _missing_records(document: Document, facts: Facts) -> Iterator[Fault]:
    """Records that estimates take by name."""
    for table, needed in NEEDED.items():
        for name in needed:
            if name not in getattr(facts, table):
                yield _fault_at(document, (table,), f"{name!r} is missing", "the estimates use it")
    if not {"fits", "tight"} - set(facts.verdicts) and facts.verdicts["fits"].share > facts.verdicts["tight"].share:
        yield _fault_at(document, ("verdicts",), "'fits' ends above 'tight'", "give 'fits' the smaller share")


def _option_faults(document: Document, facts: Facts) -> Iterator[Fault]:
    """Options that no set-up has, and defaults that none could have."""
    for index, option in enumerate(facts.options.values()):
        place: Place = ("options", index)
        if option.id not in OPTIONS:
            what = f"there is no option {option.id!r}{nearest(option.id, OPTIONS)}"
            yield _fault_at(document, (*place, "id"), what, f"expected one of {', '.join(OPTIONS[1:])}")
        elif option.default is not None:
            yield from (_fault_at(document, (*place, "default"), what) for what in _default_problems(facts, option))
        elif option.id not in WITHOUT_DEFAULT:
            yield _fault_at(
                document, place, f"the default of {option.id!r} is missing", "add it; a set-up may leave it out"
            )
    for name in OPTIONS:
        if name not in facts.options and name not in WITHOUT_DEFAULT:
            yield _fault_at(
                document, ("options",), f"the option {name!r} is missing", f"add `{{id: {name}, default: …}}`"
            )


def _default_problems(facts: Facts, option: Option) -> Iterator[str]:
    try:
        setup = setup_from({"model": "-", option.id: option.default or ""})
    except ValueError as error:
        yield str(error).removeprefix(f"{option.id}: ")
        return
    name = option.id.replace("-", "_")
    if what := value_problem(facts, name, getattr(setup, name)):
        yield what


def _setup_faults(document: Document, key: str, facts: Facts) -> Iterator[Fault]:
    """Published runs whose set-up no estimate can answer."""
    for index, point in enumerate(getattr(facts, key).values()):
        for option, what in problems(facts, point.setup) if point.setup else ():
            yield _fault_at(document, (key, index, "setup", option), what)


def _run_faults(document: Document, facts: Facts) -> Iterator[Fault]:
    """Runs that no estimate can answer, with the option that is to blame."""
    for index, run_list in enumerate(facts.run_lists.values()):
        for number, run in enumerate(run_list.runs):
            place: Place = ("run_lists", index, "runs", number)
            if not run.model and not run_list.models:
                yield _fault_at(document, (*place, "model"), "is missing", "name a model, or give the list its models")
            for model in run_list.models or (run.model,):
                for option, what in problems(facts, run.model_copy(update={"model": model})) if model else ():
                    yield _fault_at(document, (*place, option), what)
            for option, what in problems(facts, run.low) if run.low else ():
                yield _fault_at(document, (*place, "low", option), what)
