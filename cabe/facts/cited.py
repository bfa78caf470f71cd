"""Figures that prose quotes, and the works that references point to."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from cabe.facts.record import Date, Id, Number, Record, Text


class Reference(Record):
    """A work that pages cite. Titles stay in the language they were published in."""

    id: Id
    authors: Text
    title: Text
    year: Date | None = None
    where: Text
    url: Text


class Figure(Record):
    """A quoted figure: one `value`, or a range from `low` to `high`, in `unit`, and where it was read.

    `share` is a fraction shown as per cent; `billions` are billions of parameters, shown as 1B; `scientific` keeps
    the notation in which learning rates are written.
    """

    id: Id
    value: Number | None = None
    low: Number | None = None
    high: Number | None = None
    unit: Literal["share", "times", "bytes", "count", "billions", "scientific"]
    reference: Id
    locator: Text

    @model_validator(mode="after")
    def _one_or_two(self) -> Figure:
        if (self.value is None) == (self.low is None or self.high is None):
            raise ValueError("has neither a value nor a range, expected `value`, or `low` and `high`")
        return self
