"""Rules over the options of a set-up: which are at odds with one another, and which changes may help.

A condition is text: a value, `not` a value, or, of a number, `above` another; a list means any of its values, or none
of them where all are `not`. Conditions work on one set-up and on whole columns alike, and in the calculators, which get
them as data; consistency.py refuses what no set-up could meet.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import and_, or_
from typing import Annotated, Any

from pydantic import BeforeValidator

from cabe.facts.record import Id, Record, Text, to_text


def _to_lines(value: Any) -> Any:
    if not isinstance(value, dict) or not value:
        raise ValueError("names no option, expected at least one and its value (`{batch: above 1}`)")
    return value


def _to_condition(value: Any) -> str | list[str]:
    if not isinstance(value, list):
        return to_text(value)
    values = [to_text(one) for one in value]
    if not values:
        raise ValueError("is an empty list, expected a value, or a list of values")
    if len({one.startswith("not ") for one in values}) > 1:
        raise ValueError("mixes values and `not`, expected a list of values, or one in which all are `not`")
    return values


Condition = Annotated[str | list[str], BeforeValidator(_to_condition)]
When = Annotated[dict[str, Condition], BeforeValidator(_to_lines)]


class Conflict(Record):
    """Options that cannot stand together: `option` is to blame where every line of `when` holds."""

    id: Id
    option: Id
    when: When
    says: Text


class Change(Record):
    """Options to change where a run does not fit, `to` their new values, where every line of `when` holds."""

    id: Id
    to: Annotated[dict[str, Text], BeforeValidator(_to_lines)]
    when: When


def holds(when: When, options: Mapping[str, Any]) -> Any:
    """Whether every condition is met: by one set-up a flag, by columns of options one flag a row."""
    return reduce(and_, (_met(condition, options[name.replace("-", "_")]) for name, condition in when.items()))


def conditions_of(when: When) -> list[tuple[str, str]]:
    """Option and condition, one by one."""
    return [(name, one) for name, given in when.items() for one in ([given] if isinstance(given, str) else given)]


def value_of(condition: str) -> str:
    """The value that a condition compares with."""
    return condition.removeprefix("not ").removeprefix("above ")


def _met(condition: str | list[str], value: Any) -> Any:
    if isinstance(condition, list):
        join = and_ if all(one.startswith("not ") for one in condition) else or_
        return reduce(join, (_met(one, value) for one in condition))
    if condition.startswith("not "):
        return value != condition.removeprefix("not ")
    if condition.startswith("above "):
        return value > float(condition.removeprefix("above "))
    return value == condition
