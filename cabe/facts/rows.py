"""Rows of a file as records: what is wrong with each key is told with its line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, TypeVar, get_args

from pydantic import ValidationError

from cabe.facts.lookup import nearest
from cabe.facts.record import Record
from cabe.reading import Document, Fault, Place

R = TypeVar("R", bound=Record)


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
        return fault_at(
            document, where, "unknown key" + nearest(str(where[-1]), known), f"known keys: {', '.join(known)}"
        )
    if detail["type"] == "missing":
        return fault_at(document, where, "the key is missing", "add it; a fact without a source says so in words")
    what = str(detail["msg"]).removeprefix("Value error, ")
    return fault_at(document, where, what[0].lower() + what[1:])


def fault_at(document: Document, place: Place, what: str, mend: str = "") -> Fault:
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
