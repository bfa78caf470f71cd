"""The frontier of a device: the largest model that fits, by method and length."""

from __future__ import annotations

from cabe.facts import Device
from cabe.pages.catalogue.entry import Entry
from cabe.pages.site import place
from cabe.pages.training_grid import LENGTHS, METHODS


def frontier(entry: Entry, device: Device) -> list[tuple[str, list[tuple[str, str] | None]]]:
    """For each length the name and the path of the largest model by method, None where none fits."""
    return [(entry.number(length), [_cell(entry, device, method, length) for method in METHODS]) for length in LENGTHS]


def _cell(entry: Entry, device: Device, method: str, length: int) -> tuple[str, str] | None:
    found = entry.catalogue.largest(device.id, method, length)
    return (found.name, place(entry.language, "models", found.id)) if found else None
