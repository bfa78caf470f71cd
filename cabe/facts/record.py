"""The base of every fact: a frozen record that takes text from a file, says what it means, and refuses the rest."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator

NOTHING = ("", "~", "null", "Null", "NULL")  # what YAML writers use for "no value"


def _kebab(name: str) -> str:
    return name.replace("_", "-")


def to_text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("is a list or a mapping, expected a single value")
    if value.strip() in NOTHING:
        raise ValueError("is empty, expected a value")
    return value.strip()


def to_id(value: Any) -> str:
    text = to_text(value)
    if not re.fullmatch(r"[a-z0-9]+(?:[.-][a-z0-9]+)*", text):
        raise ValueError(f"{text!r} is not an id, expected lower-case letters, digits, hyphens, points (llama-3.1-8b)")
    return text


def to_number(value: Any) -> float:
    """`8e9`, `8.03e9`, `8_030_261_248`, `.5`; not `8,03`, `8.030.261.248`, `0x10`, `nan`, `inf`."""
    text = to_text(value)
    if not re.fullmatch(r"[+-]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", text):
        raise ValueError(f"{text!r} is not a number, expected digits and a decimal point (8030261248, 8.03e9)")
    number = float(text.replace("_", ""))
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{text!r} is too large for a number")
    return number


def to_count(value: Any) -> int:
    """A whole number of at least 0, in any spelling that `to_number` takes."""
    to_number(value)
    exact = Decimal(to_text(value).replace("_", ""))
    if exact < 0 or exact != exact.to_integral_value():
        raise ValueError(f"{to_text(value)!r} is not a count, expected a whole number of at least 0")
    return int(exact)


def to_flag(value: Any) -> bool:
    text = to_text(value)
    if text not in ("true", "false"):
        raise ValueError(f"{text!r} is neither true nor false, expected one of the two")
    return text == "true"


def to_date(value: Any) -> str:
    text = to_text(value)
    match = re.fullmatch(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", text)
    try:
        date(*(int(part or 1) for part in match.groups()) if match else ())
    except (TypeError, ValueError) as error:
        raise ValueError(f"{text!r} is not a date, expected YYYY, YYYY-MM or YYYY-MM-DD") from error
    return text


Text = Annotated[str, BeforeValidator(to_text)]
Id = Annotated[str, BeforeValidator(to_id)]
Number = Annotated[float, BeforeValidator(to_number)]
Count = Annotated[int, BeforeValidator(to_count)]
Flag = Annotated[bool, BeforeValidator(to_flag)]
Date = Annotated[str, BeforeValidator(to_date)]


class Record(BaseModel):
    """A frozen record. Keys in files are kebab case or snake case as declared; unknown ones are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _drop_nothing(cls, values: Any) -> Any:
        """An optional key with no value is the same as a key that is not there."""
        if not isinstance(values, dict):
            raise ValueError("is not a mapping, expected `key: value` lines")
        return {key: value for key, value in values.items() if not (value in NOTHING and cls._optional(key))}

    @classmethod
    def _optional(cls, key: str) -> bool:
        fields = {field.alias or name: field for name, field in cls.model_fields.items()}
        return key in fields and not fields[key].is_required()


class OptionRecord(Record):
    """A record whose keys are option names, written with hyphens (`adapter-dtype`)."""

    model_config = ConfigDict(alias_generator=_kebab)
