"""How usable memory comes about: what the driver reports, less what the system keeps."""

from __future__ import annotations

from cabe.facts import Device
from cabe.pages.catalogue.entry import Entry
from cabe.words import numbers as written

MIB = 2**20
RESERVES = ("driver_reserve_mib", "display_reserve_mib", "system_reserve_mib")


def room_rows(entry: Entry, device: Device) -> list[tuple[str, str, str]]:
    """Line by line the word, the amount in MiB and in GB, from the whole memory to what is usable."""
    space = entry.catalogue.rooms[device.id]
    lines = [("device_memory", space.memory)]
    if device.usable_share < 1:
        lines.append(("unmapped", -space.memory * (1 - device.usable_share)))
    taken = [(name, getattr(device, name)) for name in RESERVES]
    lines += [(name, -mib * MIB) for name, mib in taken if mib]
    lines.append(("usable", space.usable))
    return [(_name(entry, device, name), *_amounts(entry, amount)) for name, amount in lines]


def _name(entry: Entry, device: Device, name: str) -> str:
    wired = name == "system_reserve_mib" and device.vendor == "Apple"
    return entry.word(f"catalogue.room.{'unwired' if wired else name}")


def _amounts(entry: Entry, amount: float) -> tuple[str, str]:
    sign = written.MINUS if amount < 0 else ""
    mib = entry.exact(round(abs(amount) / MIB))
    return f"{sign}{mib}{written.NO_BREAK_SPACE}MiB", f"{sign}{entry.gb(abs(amount))}"
