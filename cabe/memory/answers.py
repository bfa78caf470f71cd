"""Estimates as plain values: what `build.py estimate --json` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from cabe.facts import Answerable, Device, Facts, answerable, find, problems, setup_from
from cabe.memory.estimates import Estimates, estimate
from cabe.memory.formulas import AT_THE_PEAK, PARTS, STATES, Formulas
from cabe.memory.verdicts import room, verdict_by_peak, verdict_by_rule

NOT_A_SETUP = ("device",)  # columns of a table of set-ups that are no option of one


def answer(facts: Facts, formulas: Formulas, given: Mapping[str, str], devices: Sequence[str] = ()) -> dict[str, Any]:
    """Options by name (as typed) to an estimate in bytes per device; layers that are not modelled are None.

    Raises ValueError with one line per mistake in the options.
    """
    found, wrong = devices_of(facts, devices)
    wrong += mistakes(facts, given)
    if wrong:
        raise ValueError("\n".join(wrong))
    return record(estimate(facts, formulas, [answerable(facts, setup_from(given))]), 0, found)


def devices_of(facts: Facts, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The ids of devices as typed, and one line for each that is not there."""
    found, wrong = [], []
    for name in names:
        try:
            found.append(find(name, facts.devices, "device", "an id of data/devices.yaml"))
        except ValueError as error:
            wrong.append(f"device: {error}")
    return found, wrong


def mistakes(facts: Facts, given: Mapping[str, str]) -> list[str]:
    """One line per mistake; what cannot be read is set aside, so that the rest is looked at as well."""
    try:
        setup = setup_from(given)
    except ValueError as error:
        lines = str(error).splitlines()
        rest = {name: value for name, value in given.items() if not any(line.startswith(f"{name}:") for line in lines)}
        return lines + (mistakes(facts, rest) if "model" in rest else [])
    return [f"{option}: {what}" for option, what in problems(facts, setup)]


def answers(facts: Facts, formulas: Formulas, table: pd.DataFrame) -> list[dict[str, Any]]:
    """One estimate per row of a table of options (text, empty for the default); `{"error": …}` where there is none."""
    made: list[dict[str, Any]] = [{} for _ in range(len(table))]
    setups, places, devices = [], [], []
    for number, row in enumerate(table.to_dict("records")):
        given = {str(name): text for name, text in row.items() if text != "" and name not in NOT_A_SETUP}
        found, wrong = devices_of(facts, str(row.get("device", "")).split())
        wrong += mistakes(facts, given)
        if wrong:
            made[number] = {"error": "; ".join(wrong)}
            continue
        setups.append(answerable(facts, setup_from(given)))
        places.append(number)
        devices.append(found)
    if setups:
        rows = estimate(facts, formulas, setups)
        for index, (number, found) in enumerate(zip(places, devices, strict=True)):
            made[number] = record(rows, index, found)
    return made


def record(rows: Estimates, row: int, devices: Sequence[str]) -> dict[str, Any]:
    """One row of estimates as the mapping that JSON shows, with verdicts for `devices`."""
    setup = rows.setups[row]
    options = {name.replace("_", "-"): value for name, value in setup.options.items()}
    rule = {end: rows.value(row, f"rule_{end}") for end in ("low", "mid", "high")}
    return {
        "model": setup.subject.name,
        "method": options["method"],
        "setup": options,
        "rule": None if rule["mid"] is None else rule,
        "states": rows.value(row, "states"),
        "resident": rows.value(row, "resident"),
        "peak": rows.value(row, "peak"),
        "phase": str(rows.rows["phase"].iloc[row]) or None,
        "driver": _driver(rows, row),
        "trainable_params": rows.value(row, "trainable_params"),
        "components": {part: component(rows, row, part) for part in PARTS},
        "fits": list(_fits(rows, row, devices)),
    }


def _driver(rows: Estimates, row: int) -> dict[str, float] | None:
    """What a monitor shows: at least the peak, at the median, and in nine runs of ten at most."""
    low, mid, high = (rows.value(row, name) for name in ("peak", "driver_mid", "driver_high"))
    return None if low is None or mid is None or high is None else {"low": low, "mid": mid, "high": high}


def component(rows: Estimates, row: int, part: str) -> float | None:
    """What of a part is alive at the peak; without a peak, what of the states is known."""
    if rows.value(row, "peak") is None:
        return rows.value(row, part) if part in STATES else None
    return rows.value(row, f"at_{part}" if part in AT_THE_PEAK else part)


def _fits(rows: Estimates, row: int, devices: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Verdicts by the peak; a size has none and is judged by the rule and its states, on nominal devices alone."""
    for device in devices:
        usable = room(rows.facts, rows.formulas, device).usable
        verdict = verdict_by_peak(rows.facts, rows.value(row, "peak"), usable)
        if verdict is None and rows.facts.devices[device].kind == "nominal":
            states = rows.value(row, "states")
            beyond = states is not None and states > usable  # holds where the rule does not
            verdict = "too-big" if beyond else verdict_by_rule(rows.value(row, "rule_high"), usable)
        warnings = _warnings(rows.setups[row], rows.facts.devices[device])
        warnings += unpacked_experts(rows.facts, rows.setups[row])
        yield {"device": device, "usable": usable, "verdict": verdict, **({"warnings": warnings} if warnings else {})}


def _warnings(setup: Answerable, device: Device) -> list[str]:
    """What a verdict does not say: the run may need what the device or the model has not."""
    found = []
    if setup.options["dtype"] == "bf16" and device.bf16 is False:
        found.append(f"bf16 is not supported natively on {device.name}: use fp16")
    shape = setup.subject.shape
    if shape and not setup.subject.is_size and setup.options["seq"] > shape.max_context:
        found.append(f"{shape.name} reads {shape.max_context} tokens at most")
    return found


def unpacked_experts(facts: Facts, setup: Answerable) -> list[str]:
    """One line where a quantization packs none of the experts, though most of the weights are theirs; else none."""
    shape = setup.subject.shape
    packs = setup.options["quantization"] != "none"
    if not shape or setup.subject.is_size or not shape.expert_layers or not packs:
        return []
    modules = facts.architectures[shape.architecture].expert_modules
    if modules and setup.options["experts"] == "loop":
        return []
    remedy = "transformers 4 packs them: experts loop" if modules else "no version of transformers packs them"
    return [f"the experts of {shape.name} are stacks of matrices, which quantization does not pack; {remedy}"]
