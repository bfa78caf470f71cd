"""The base of every fact: a frozen record that takes text from a file, says what it means, and refuses the rest."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator

from cabe.reading import is_address

NOTHING = ("", "~", "null", "Null", "NULL")  # what YAML writers use for "no value"
MOST_NUMBER = 1e12  # products of two still have fewer digits than pages can write
MOST_COUNT = 10**18


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


def to_name(value: Any) -> str:
    """A name as a library spells it: lower case with underscores."""
    text = to_text(value)
    if not re.fullmatch(r"[a-z0-9]+(?:_[a-z0-9]+)*", text):
        raise ValueError(f"{text!r} is not a name, expected lower-case letters, digits and underscores (gemma3_text)")
    return text


def to_number(value: Any) -> float:
    """`8e9`, `8.03e9`, `8_030_261_248`, `.5`; not `8,03`, `8.030.261.248`, `0x10`, `nan`, `inf`."""
    number = float(_exact(value))
    if abs(number) > MOST_NUMBER or 0 < abs(number) < 1 / MOST_NUMBER:
        what = (
            f"large for a number, expected at most {MOST_NUMBER:g}"
            if abs(number) > 1
            else f"small for a number, expected {1 / MOST_NUMBER:g} or 0"
        )
        raise ValueError(f"{to_text(value)!r} is too {what}")
    return number


def to_count(value: Any) -> int:
    """A whole number of at least 0, in any spelling that `to_number` takes."""
    exact = _exact(value)
    if exact > MOST_COUNT:
        raise ValueError(f"{to_text(value)!r} is too large for a number, expected at most {MOST_COUNT:.0e}")
    if exact < 0 or exact != exact.to_integral_value():
        raise ValueError(f"{to_text(value)!r} is not a count, expected a whole number of at least 0")
    return int(exact)


def _exact(value: Any) -> Decimal:
    text = to_text(value)
    if not re.fullmatch(r"[+-]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", text, re.ASCII):
        raise ValueError(f"{text!r} is not a number, expected digits and a decimal point (8030261248, 8.03e9)")
    return Decimal(text.replace("_", ""))


def to_whole(value: Any) -> int:
    """A whole number of at least 1."""
    exact = _exact(value)
    if exact < 1 or exact != exact.to_integral_value():
        what = "is too few" if exact == exact.to_integral_value() else "is not a count"
        raise ValueError(f"{to_text(value)!r} {what}, expected a whole number of at least 1")
    return to_count(value)


def to_amount(value: Any) -> float:
    number = to_number(value)
    if number < 0:
        raise ValueError(f"{to_text(value)!r} is below 0, expected 0 or more")
    return number


def to_positive(value: Any) -> float:
    number = to_number(value)
    if number <= 0:
        raise ValueError(f"{to_text(value)!r} is not above 0, expected a number above 0")
    return number


def to_share(value: Any) -> float:
    number = to_number(value)
    if not 0 < number <= 1:
        raise ValueError(f"{to_text(value)!r} is no share, expected a number above 0 and up to 1")
    return number


def to_flag(value: Any) -> bool:
    text = to_text(value)
    if text not in ("true", "false"):
        raise ValueError(f"{text!r} is neither true nor false, expected one of the two")
    return text == "true"


def to_date(value: Any) -> str:
    text = to_text(value)
    match = re.fullmatch(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", text, re.ASCII)
    try:
        date(*(int(part or 1) for part in match.groups()) if match else ())
    except (TypeError, ValueError) as error:
        raise ValueError(f"{text!r} is not a date, expected YYYY, YYYY-MM or YYYY-MM-DD") from error
    return text


def to_day(value: Any) -> str:
    text = to_date(value)
    if len(text) != len("2026-11-30"):
        raise ValueError(f"{text!r} is not a day, expected YYYY-MM-DD")
    return text


def to_url(value: Any) -> str:
    """An address that a page may link to; `javascript:` and the like would run in a reader's browser."""
    text = to_text(value)
    if not is_address(text) or re.search(r"[\s<>\"]", text):
        raise ValueError(f"{text!r} is not an address, expected https://… with the name of a host")
    return text


Text = Annotated[str, BeforeValidator(to_text)]
Id = Annotated[str, BeforeValidator(to_id)]
Name = Annotated[str, BeforeValidator(to_name)]
Number = Annotated[float, BeforeValidator(to_number)]
Amount = Annotated[float, BeforeValidator(to_amount)]
Positive = Annotated[float, BeforeValidator(to_positive)]
Share = Annotated[float, BeforeValidator(to_share)]
Count = Annotated[int, BeforeValidator(to_count)]
Whole = Annotated[int, BeforeValidator(to_whole)]
Flag = Annotated[bool, BeforeValidator(to_flag)]
Date = Annotated[str, BeforeValidator(to_date)]
Url = Annotated[str, BeforeValidator(to_url)]


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
