"""Rules over the options of a set-up: which are at odds with one another, and which changes may help.

A condition is text: a value, `not` a value, or `above` a number; a list means any of its values, or none of them where
all are `not`. Conditions work on one set-up and on whole columns alike, and in the calculators, which get them as data.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import and_, or_
from typing import Any

from cabe.facts.record import Id, Record, Text

When = dict[str, Text | list[Text]]


class Conflict(Record):
    """Options that cannot stand together: `option` is to blame where every line of `when` holds."""

    id: Id
    option: Id
    when: When
    says: Text


class Change(Record):
    """Options to change where a run does not fit, `to` their new values, where every line of `when` holds."""

    id: Id
    to: dict[str, Text]
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
