"""Models and devices as files, `data/models.json` and `data/devices.json`: every field, and where it was read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cabe.memory import room
from cabe.pages.downloads.whole import whole
from cabe.pages.site import Download, Site

COMPUTED: Mapping[str, tuple[str, ...]] = {
    "models": (),
    "devices": ("memory_bytes", "usable_bytes"),
}  # beside the facts


def models(site: Site) -> Iterator[Download]:
    """All models, each with every field of the facts."""
    yield _file(site, "models", model_records(site))


def devices(site: Site) -> Iterator[Download]:
    """All devices, each with every field of the facts and with what follows from them in bytes."""
    yield _file(site, "devices", device_records(site))


def model_records(site: Site) -> list[dict[str, Any]]:
    """The models as the file has them."""
    return [model.model_dump() for model in site.facts.models.values()]


def device_records(site: Site) -> list[dict[str, Any]]:
    """The devices as the file has them; memory and usable memory are those of one card."""
    made = []
    for device in site.facts.devices.values():
        space = room(site.facts, site.formulas, device.id)
        computed = zip(COMPUTED["devices"], (round(space.memory), round(space.usable)), strict=True)
        made.append({**device.model_dump(), **dict(computed)})
    return made


def _file(site: Site, name: str, records: list[dict[str, Any]]) -> Download:
    return Download(name, f"data/{name}.json", whole(site, name, records), len(records))
