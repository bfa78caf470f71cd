"""What gives a device more memory at no cost, each hint with the place where it is published."""

from __future__ import annotations

from dataclasses import dataclass

from cabe.facts import Device, holds
from cabe.facts.cited import Reference
from cabe.pages.catalogue.entry import Entry
from cabe.pages.catalogue.room import MIB

ECC = "ecc-share"  # a cited figure


@dataclass(frozen=True)
class FreeHint:
    """A hint in words; `reference` is None where nobody published it."""

    text: str
    reference: Reference | None
    command: str | None


def hints(entry: Entry, device: Device) -> list[FreeHint]:
    """The hints whose rule a device meets."""
    facts = entry.catalogue.site.facts
    amounts = {
        "newer": device.newer_usable_mib * MIB,
        "most": device.most_usable_mib * MIB,
        "display": device.display_reserve_mib * MIB,
    }
    names = {name: entry.gb(amount) for name, amount in amounts.items()}
    names["share"] = entry.share(facts.figures[ECC].value or 0.0)
    names["megabytes"] = entry.exact(device.memory_mib)
    return [
        FreeHint(
            entry.word(f"catalogue.hints.{hint.id}", **names),
            facts.references[hint.reference] if hint.reference else None,
            hint.command,
        )
        for hint in facts.hints.values()
        if holds(hint.when, dict(device))
    ]
