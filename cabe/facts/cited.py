"""Figures that prose quotes, and the works that references point to."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from cabe.facts.record import Date, Id, Number, Record, Text, Url


class Reference(Record):
    """A work that pages cite. Titles stay in the language they were published in."""

    id: Id
    authors: Text
    title: Text
    year: Date | None = None
    where: Text
    url: Url | None = None


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
        ends = [end for end in (self.low, self.high) if end is not None]
        if self.value is not None and ends:
            raise ValueError("has a value and an end of a range, expected `value`, or `low` and `high`")
        if self.value is None and len(ends) < 2:
            raise ValueError("has neither a value nor a range, expected `value`, or `low` and `high`")
        if ends != sorted(ends):
            raise ValueError("`low` is above `high`, expected the smaller of the two as `low`")
        return self
