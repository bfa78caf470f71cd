"""One estimate as plain values: what `build.py estimate --json` prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cabe.facts import Facts, answerable, find, setup_from
from cabe.facts.resolution import problems
from cabe.memory.estimates import PARTS, Estimates, estimate
from cabe.memory.formulas import Formulas
from cabe.memory.verdicts import room, verdict_by_rule, verdict_by_states


def answer(facts: Facts, formulas: Formulas, given: Mapping[str, str], devices: Sequence[str] = ()) -> dict[str, Any]:
    """Options by name (as typed) to an estimate in bytes per device; layers that are not modelled are None.

    Raises ValueError with one line per mistake in the options.
    """
    found, wrong = _devices(facts, devices)
    wrong += _problems(facts, given)
    if wrong:
        raise ValueError("\n".join(wrong))
    rows = estimate(facts, formulas, [answerable(facts, setup_from(given))])
    return _record(rows, 0) | {"fits": [_fit(rows, 0, device) for device in found]}


def _devices(facts: Facts, devices: Sequence[str]) -> tuple[list[str], list[str]]:
    found, wrong = [], []
    for device in devices:
        try:
            found.append(find(device, facts.devices, "device"))
        except ValueError as error:
            wrong.append(f"device: {error}")
    return found, wrong


def _problems(facts: Facts, given: Mapping[str, str]) -> list[str]:
    """One line per mistake; what cannot be read is set aside, so that the rest is looked at as well."""
    try:
        setup = setup_from(given)
    except ValueError as error:
        lines = str(error).splitlines()
        rest = {name: value for name, value in given.items() if not any(line.startswith(f"{name}:") for line in lines)}
        return lines + (_problems(facts, rest) if "model" in rest else [])
    return [f"{option}: {what}" for option, what in problems(facts, setup)]


def _record(rows: Estimates, row: int) -> dict[str, Any]:
    setup = rows.setups[row]
    options = {name.replace("_", "-"): _shown(value) for name, value in setup.options.items()}
    rule = {end: rows.value(row, f"rule_{end}") for end in ("low", "mid", "high")}
    return {
        "model": setup.subject.name,
        "method": options["method"],
        "setup": options,
        "rule": None if rule["mid"] is None else rule,
        "states": rows.value(row, "states"),
        "resident": rows.value(row, "resident"),
        "peak": None,
        "phase": None,
        "driver": None,
        "trainable_params": rows.value(row, "trainable_params"),
        "components": {part: rows.value(row, part) if part in rows.rows.columns else None for part in PARTS},
    }


def _shown(value: Any) -> Any:
    return {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value


def _fit(rows: Estimates, row: int, device_id: str) -> dict[str, Any]:
    """Nominal devices are judged by the rule, real ones by states that exceed them: no peak is modelled yet."""
    usable = room(rows.facts, rows.formulas, device_id).usable
    nominal = rows.facts.devices[device_id].kind == "nominal"
    by_rule = verdict_by_rule(rows.value(row, "rule_high"), usable)
    verdict = by_rule if nominal else verdict_by_states(rows.value(row, "states"), usable)
    return {"device": device_id, "usable": usable, "verdict": verdict}
