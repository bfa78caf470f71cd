"""The facts of a device, in the reader's language, and where each was read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cabe.facts import Device
from cabe.pages.catalogue.entry import Entry
from cabe.pages.site import place

FLAGS = ("bf16", "fp8")


def facts_of(entry: Entry, device: Device) -> dict[str, Any]:
    """The rows of the table of facts, what readers are warned of, and the sources."""
    return {
        "rows": list(_rows(entry, device)),
        "card": _card(entry, device),
        "warnings": list(_warnings(entry, device)),
        "sources": device.source,
    }


def _rows(entry: Entry, device: Device) -> Iterator[tuple[str, str]]:
    word = entry.word
    if device.vendor:
        yield word(f"catalogue.facts.{'provider' if device.kind == 'instance' else 'vendor'}"), device.vendor
    if device.year:
        yield word("catalogue.facts.year"), str(device.year)
    if device.gpus > 1:
        yield word("catalogue.facts.gpus"), entry.number(device.gpus)
    if device.memory_bandwidth_gb_s:
        yield word("catalogue.facts.bandwidth"), f"{entry.number(device.memory_bandwidth_gb_s)}\u00a0GB/s"
    for name in FLAGS:
        if (flag := getattr(device, name)) is not None:
            yield word(f"catalogue.facts.{name}"), word(f"catalogue.answers.{'yes' if flag else 'no'}")
    if device.compute_capability:
        yield word("catalogue.facts.compute_capability"), device.compute_capability


def _card(entry: Entry, device: Device) -> tuple[str, str] | None:
    """The card of an instance: its name, and its page."""
    card = entry.catalogue.devices.get(device.gpu or "")
    return (card.name or card.id, place(entry.language, "devices", card.id)) if card else None


def _warnings(entry: Entry, device: Device) -> Iterator[str]:
    card = entry.catalogue.card(device)
    if card.bf16 is False:
        yield entry.word("estimator.no_bf16", device=device.name)
    if card.vendor != "NVIDIA":
        yield entry.word("catalogue.not_cuda")
