"""Does it fit? Usable memory of a device, and the verdict on a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cabe.facts import Facts
from cabe.memory.formulas import Formulas, evaluate_one
from cabe.memory.inputs import DEVICE_INPUTS

Verdict = Literal["fits", "tight", "too-big"]


@dataclass(frozen=True)
class Room:
    """Bytes of one card or one pool: all of it, and what a run may use."""

    device: str
    memory: float
    usable: float


def room(facts: Facts, formulas: Formulas, device_id: str) -> Room:
    """The memory of a device. Raises KeyError for an id that is not there."""
    device = facts.devices[device_id]
    made = evaluate_one(formulas.groups["devices"], {name: float(getattr(device, name)) for name in DEVICE_INPUTS})
    return Room(device_id, made["device_memory"], made["usable"])


def verdict_by_rule(high: float | None, usable: float) -> Verdict | None:
    """Rule of thumb against a nominal device: fits when the high end does. The rule holds its own reserve."""
    if high is None:
        return None
    return "fits" if high <= usable else "too-big"


def verdict_by_peak(facts: Facts, peak: float | None, usable: float) -> Verdict | None:
    """The peak as a share of a device's usable memory, against the two thresholds in methods.yaml."""
    if peak is None:
        return None
    if usable <= 0:
        return "too-big"
    share = peak / usable
    return (
        "fits"
        if share <= facts.verdicts["fits"].share
        else "tight"
        if share <= facts.verdicts["tight"].share
        else "too-big"
    )


def largest_by_rule(formulas: Formulas, slope: float, constant: float, usable: float) -> float:
    """Billions of parameters of the largest model that the rule lets into `usable` bytes; not below 0."""
    inputs = {"usable_gb": usable / 1e9, "rule_slope": slope, "rule_constant": constant}
    return max(0.0, evaluate_one(formulas.groups["reverse"], inputs)["largest_billions"])
