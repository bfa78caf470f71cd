"""The device-fit diagram of a device: well-known models around the limit of each method."""

from __future__ import annotations

from typing import Any

from cabe import charts
from cabe.facts import Device
from cabe.pages.bars import DeviceNeed
from cabe.pages.catalogue.entry import Entry
from cabe.pages.catalogue.estimates import PICKS, Catalogue
from cabe.pages.site import place
from cabe.pages.training_grid import COMMON_LENGTH, METHODS

FITTING, BEYOND = 2, 1  # runs of a method that are drawn: the largest that fit, and the smallest that do not
FARTHEST = 1.1  # times the memory of the device: a longer bar would leave no room for words in the frame


def well_known(entry: Entry, device: Device) -> dict[str, Any]:
    """The drawing with its texts: for each card of the device, at the common set-up."""
    space = entry.catalogue.rooms[device.id]
    needs = [
        _need(entry, device, model, method)
        for method in METHODS
        for model in _around_the_limit(entry.catalogue, device, method)
    ]
    geometry = charts.device_fit(space.memory, space.usable, [charts.Need(need.low, need.high) for need in needs])
    return {
        "chart": geometry,
        "needs": needs,
        "caption": entry.word("catalogue.well_known.caption", seq=entry.number(COMMON_LENGTH), **entry.thresholds()),
        "usable": entry.gb(space.usable),
        "memory": entry.gb(space.memory),
        "device": entry.word("catalogue.frame", count=device.gpus, memory=entry.gb(space.memory)),
    }


def _around_the_limit(catalogue: Catalogue, device: Device, method: str) -> list[str]:
    peaks = sorted((catalogue.common_peak(model, method, device.gpus), model) for model in picked(catalogue))
    fitting = [model for peak, model in peaks if catalogue.verdict(peak, device.id) == "fits"]
    most = FARTHEST * catalogue.rooms[device.id].memory
    beyond = [model for peak, model in peaks if model not in fitting and peak <= most]
    return [*fitting[-FITTING:], *beyond[:BEYOND]]


def picked(catalogue: Catalogue) -> list[str]:
    """The models that stand for all, from the smallest."""
    return catalogue.site.facts.picks[PICKS].models


def _need(entry: Entry, device: Device, model: str, method: str) -> DeviceNeed:
    peak = entry.catalogue.common_peak(model, method, device.gpus)
    short = entry.word(f"catalogue.methods.{method}.short")
    return DeviceNeed(
        name=entry.word("run_on_model", model=entry.catalogue.models[model].name, method=short),
        page=place(entry.language, "models", model),
        figure=entry.gb(peak),
        verdict=entry.catalogue.verdict(peak, device.id),
        low=peak,
        high=peak,
    )
