"""One page of the catalogue in one language: what it is about, and how its figures are written."""

from __future__ import annotations

from dataclasses import dataclass

from cabe.facts import BILLION, Device
from cabe.pages.catalogue.estimates import Catalogue
from cabe.words import Language
from cabe.words import numbers as written

MILLION = 1e6


@dataclass(frozen=True)
class Entry:
    """The record of `kind` with the id `record_id`, on the page of `language`."""

    catalogue: Catalogue
    language: Language
    kind: str
    record_id: str

    def word(self, key: str, **values: object) -> str:
        return self.language.word(key, **values)

    def gb(self, amount: float) -> str:
        return written.gigabytes(amount, self.language.locale)

    def gb_bare(self, amount: float) -> str:
        """GB without their unit, for a table that says it once."""
        return written.number(amount / written.GB, self.language.locale)

    def gb_range(self, low: float, high: float) -> str:
        return written.gigabyte_range(low, high, self.language.locale)

    def thresholds(self) -> dict[str, str]:
        """The shares of usable memory up to which a run fits, and is tight."""
        return {name: self.share(one.share) for name, one in self.catalogue.site.facts.verdicts.items()}

    def mb(self, amount: float) -> str:
        return written.megabytes(amount, self.language.locale)

    def usable_note(self, device: Device) -> str:
        """Usable memory of a device in a few words, for each of its cards where it has several."""
        usable = self.gb(self.catalogue.rooms[device.id].usable)
        return self.word("catalogue.usable_note", n=self.number(device.gpus), count=device.gpus, usable=usable)

    def number(self, value: float) -> str:
        return written.number(value, self.language.locale)

    def exact(self, value: int) -> str:
        """A whole number with every digit."""
        return written.number(value, self.language.locale, whole=True)

    def share(self, share: float) -> str:
        return written.percent(share, self.language.locale)

    def params(self, count: float) -> str:
        """Parameters in billions, or in millions where they are fewer: `8.03 billion parameters`."""
        unit, size = ("billions", BILLION) if count >= BILLION else ("catalogue.millions", MILLION)
        amount = float(written.significant(count / size))
        exact = int(amount) if amount.is_integer() else amount
        return self.word("catalogue.params", n=self.word(unit, n=self.number(count / size), count=exact))


@dataclass(frozen=True)
class Heading:
    """What the frame says of a page."""

    title: str
    description: str


@dataclass(frozen=True)
class Section:
    """A part of a page with a heading; `id` is also the name of its template."""

    id: str
    title: str
