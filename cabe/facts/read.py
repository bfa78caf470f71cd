"""The files of `data/` as one frozen Facts; every mistake in every file is found in one run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from cabe.facts.cited import Figure, Reference
from cabe.facts.consistency import (
    hint_faults,
    key_faults,
    missing_records,
    option_faults,
    pick_faults,
    row_faults,
    rule_faults,
    run_faults,
    setup_faults,
)
from cabe.facts.devices import Device, Hint
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
from cabe.facts.rows import fault_at, make
from cabe.facts.rules import Change, Conflict
from cabe.facts.setups import Pick, Planned, RunList
from cabe.facts.tables import Facts
from cabe.facts.training_configs import ConfigKey
from cabe.reading import Document, Fault, Faults, Place, read_yaml

R = TypeVar("R", bound=Record)
# file → key in it → (attribute of Facts, record, the record's key field)
TABLES: Mapping[str, Mapping[str, tuple[str, type[Record], str]]] = {
    "models.yaml": {
        "architectures": ("architectures", Architecture, "id"),
        "models": ("models", Model, "id"),
    },
    "devices.yaml": {"devices": ("devices", Device, "id"), "hints": ("hints", Hint, "id")},
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
        "conflicts": ("conflicts", Conflict, "id"),
        "changes": ("changes", Change, "id"),
    },
    "setups.yaml": {
        "sizes": ("sizes", Size, "size"),
        "run_lists": ("run_lists", RunList, "id"),
        "planned": ("planned", Planned, "id"),
        "picks": ("picks", Pick, "id"),
    },
    "measured.yaml": {"measured": ("measured", Measured, "id")},
    "outcomes.yaml": {"benchmarks": ("benchmarks", Benchmark, "id"), "outcomes": ("outcomes", Outcome, "id")},
    "training_configs.yaml": {"config_keys": ("config_keys", ConfigKey, "key")},
    "cited.yaml": {"references": ("references", Reference, "id"), "figures": ("figures", Figure, "id")},
}
PAGED = ("models", "devices")  # tables whose records have a page of their own
RESERVED = {"index", "con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
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
            faults.append(fault_at(document, (), "is not a mapping", f"start with {', '.join(['read', *tables])}"))
            continue
        faults += _unknown_keys(document, {"read", *tables})
        dates.append(_read_date(document, faults))
        for key, (attribute, record, id_field) in tables.items():
            found[attribute] = MappingProxyType(_table(document, key, record, id_field, faults))
    faults += _loose_ends(documents, found, {f"data/{file}" for file in TABLES} - {fault.file for fault in faults})
    if faults:
        raise Faults(faults)
    facts = Facts(read=max(dates), **found)
    faults += missing_records(documents["methods.yaml"], facts)
    faults += option_faults(documents["methods.yaml"], facts)
    faults += rule_faults(documents["methods.yaml"], facts)
    faults += key_faults(documents["training_configs.yaml"], facts)
    if faults:  # every set-up takes its defaults from there, and would be told as well
        raise Faults(faults)
    faults += hint_faults(documents["devices.yaml"], facts)
    faults += pick_faults(documents["setups.yaml"], facts)
    faults += run_faults(documents["setups.yaml"], facts)
    for key in ("measured", "outcomes"):
        faults += setup_faults(documents[FILE_OF[key]], key, facts)
    faults += row_faults(documents["outcomes.yaml"], facts)
    if faults:
        raise Faults(faults)
    return facts


def _unknown_keys(document: Document, known: set[str]) -> list[Fault]:
    return [
        fault_at(document, (key,), "unknown key", f"expected one of {', '.join(sorted(known))}")
        for key in document.value
        if key not in known
    ]


def _read_date(document: Document, faults: list[Fault]) -> str:
    try:
        return to_day(document.value.get("read", ""))
    except ValueError as error:
        faults.append(fault_at(document, ("read",), str(error), "state the day on which the facts were read"))
        return ""


def _table(document: Document, key: str, record: type[R], id_field: str, faults: list[Fault]) -> dict[str, R]:
    rows = document.value.get(key)
    if not isinstance(rows, list):
        faults.append(fault_at(document, (key,), "is missing or not a list", "expected a list of records"))
        return {}
    table: dict[str, R] = {}
    first: dict[str, int] = {}
    for index, row in enumerate(rows):
        made = make(record, row, document, (key, index), faults)
        if made is None:
            continue
        row_id = getattr(made, id_field)
        plain = row_id.lower().replace(".", "-")
        if plain in RESERVED and key in PAGED:
            mend = "the overview of all, or a device of Windows, has this name; choose another"
            faults.append(fault_at(document, (key, index, id_field), f"{row_id!r} cannot be an address", mend))
        if plain in first:
            what = f"{row_id!r} and the record on line {first[plain]} are the same but for case, points and hyphens"
            faults.append(fault_at(document, (key, index, id_field), what, "give one of them another id"))
        first[plain] = document.line((key, index, id_field))
        table[row_id] = made
    return table


def _loose_ends(documents: Mapping[str, Document], found: Mapping[str, Any], sound: set[str]) -> list[Fault]:
    """Ids that one record takes from another table and that are not there, between files without other faults."""
    wanted = [
        ("models.yaml", "models", "architecture", "architectures"),
        ("setups.yaml", "sizes", "shape", "models"),
        ("setups.yaml", "run_lists", "device", "devices"),
        ("setups.yaml", "planned", "bytes_per_parameter", "figures"),
        ("setups.yaml", "picks", "models", "models"),
        ("setups.yaml", "picks", "devices", "devices"),
        ("devices.yaml", "hints", "reference", "references"),
        ("cited.yaml", "figures", "reference", "references"),
        ("devices.yaml", "devices", "gpu", "devices"),
        ("methods.yaml", "methods", "quantization", "quantizations"),
        ("outcomes.yaml", "benchmarks", "device", "devices"),
        ("outcomes.yaml", "outcomes", "benchmark", "benchmarks"),
    ]
    faults = []
    for file, key, field, table in wanted:
        if {f"data/{file}", f"data/{FILE_OF[table]}"} <= sound:
            names = dict(_names(key, documents[file].value[key], field))
            faults += _unknown(documents[file], names, found[table], table)
    if "data/methods.yaml" in sound:
        for index, option in enumerate(found["options"].values()):
            values = found.get(VALUES.get(option.id.replace("-", "_"), ""))
            if values is not None:
                default = {("options", index, "default"): option.default}
                faults += _unknown(documents["methods.yaml"], default, values, f"values of {option.id}")
    return faults


def _names(key: str, rows: Sequence[Mapping[str, Any]], field: str) -> Iterator[tuple[Place, Any]]:
    """What a field of each row names, one by one where it is a list."""
    for index, row in enumerate(rows):
        named = row.get(field)
        if isinstance(named, list):
            yield from (((key, index, field, number), name) for number, name in enumerate(named))
        else:
            yield (key, index, field), named


def _unknown(document: Document, names: Mapping[Any, Any], table: Mapping[str, Any], what: str) -> list[Fault]:
    return [
        fault_at(document, place, f"there is no {name!r} among the {what}{nearest(name, table)}")
        for place, name in names.items()
        if name and name not in NOTHING and name not in table
    ]
