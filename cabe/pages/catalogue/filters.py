"""What a table of the catalogue is filtered by: fields above it, and the words that its script says.

`overview.js` has a test for each kind of filter: `text` (words of the name), `same` (a value of the row), `most` and
`least` (a figure of the row), `device` (a column of sizes) and `verdict` (what a row says there). A filter is named in
the address.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cabe.facts import BILLION
from cabe.pages.catalogue.entry import Entry
from cabe.words import numbers as written

SIZES = (1, 4, 10, 20, 40, 100)  # billions of parameters: the ends of the classes that models are filtered by
ERRORS = ("text", "groups")  # of a number that is typed


@dataclass(frozen=True)
class Choice:
    """A value of a filter; `column` where it is a device of a matrix."""

    value: str
    label: str
    column: int | None = None


@dataclass(frozen=True)
class Filter:
    """One field. `groups`: choices under a label, which is empty where they have none; `of`: the figure compared."""

    name: str
    kind: str
    label: str
    groups: tuple[tuple[str, tuple[Choice, ...]], ...] = ()
    of: str = ""


def written_out(entry: Entry, name: str, kind: str, of: str = "") -> Filter:
    """A field that is typed into."""
    return Filter(name, kind, entry.word(f"overview.filters.{name}"), of=of)


def chosen(entry: Entry, name: str, kind: str, choices: Iterable[Choice]) -> Filter:
    """A field with choices, the first of which is all."""
    everything = Choice("", entry.word("overview.all"))
    return Filter(name, kind, entry.word(f"overview.filters.{name}"), (("", (everything, *choices)),))


def named(values: Iterable[str]) -> list[Choice]:
    """Names as choices, each once, in alphabetical order."""
    return [Choice(value, value) for value in sorted(set(values), key=str.casefold)]


def sizes(entry: Entry) -> Filter:
    """Classes of models by their parameters."""
    ends = [f"{size}" for size in SIZES]
    pairs = list(zip(["", *ends], [*ends, ""], strict=True))
    choices = [Choice(f"{low}-{high}", _size_label(entry, low, high)) for low, high in pairs]
    return chosen(entry, "size", "same", choices)


def size_of(params: int) -> str:
    """The class of a model, as the filter names it."""
    low = max((size for size in SIZES if params > size * BILLION), default="")
    high = min((size for size in SIZES if params <= size * BILLION), default="")
    return f"{low}-{high}"


def script(entry: Entry, counted: str) -> Mapping[str, Any]:
    """What the script says: how many rows there are, in every form of the plural, and what is wrong with a number."""
    locale = entry.language.locale
    forms = entry.language.words[f"overview.{counted}"]
    return {
        "language": entry.language.tag,
        "signs": {"decimal": written.decimal_sign(locale), "group": written.group_sign(locale)},
        "counted": {"other": forms} if isinstance(forms, str) else dict(forms),
        "errors": {error: entry.word(f"calculator.errors.{error}") for error in ERRORS},
    }


def count_line(entry: Entry, counted: str, rows: Sequence[object]) -> str:
    """How many rows there are, before anything is filtered."""
    return entry.word(f"overview.{counted}", n=entry.number(len(rows)), count=len(rows))


def _size_label(entry: Entry, low: str, high: str) -> str:
    key = "first" if not low else "between" if high else "last"
    return entry.word(f"overview.sizes.{key}", low=low, high=high)
