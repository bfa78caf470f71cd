"""Questions the other way round: the largest batch, length or model that fits a device, and what to change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import takewhile
from typing import Any

from cabe.facts import (
    MOST,
    Answerable,
    Facts,
    answerable,
    estimated_models,
    holds,
    is_size,
    setup_from,
)
from cabe.memory.answers import devices_of, mistakes, record
from cabe.memory.estimates import Estimates, estimate
from cabe.memory.formulas import Formulas
from cabe.memory.verdicts import room, verdict_by_peak

MOST_BATCH = 65536
MOST_GPUS = 4096
FAN = 64  # values tried at once: so many rows take little longer than one (one at a time took three times as long)


def solve(facts: Facts, formulas: Formulas, given: Mapping[str, str], what: str, device: str) -> dict[str, Any]:
    """The largest `batch`, `seq` or `model`, or the smallest number of `gpus`, whose verdict on a device is "fits".

    `value` is None where not even the smallest fits; `estimate` is then that of the smallest. A value that is given for
    what is asked counts for nothing. Raises ValueError with one line per mistake, or for a set-up that has no peak.
    """
    found, wrong = devices_of(facts, [device])
    wrong += _wrong_with(facts, given, what)
    if wrong:
        raise ValueError("\n".join(wrong))
    value, rows = SOLVERS[what](facts, _asker(facts, formulas, given, found[0]))
    return {"solve": what, "device": found[0], "value": value, "estimate": record(rows, 0, found)}


def _wrong_with(facts: Facts, given: Mapping[str, str], what: str) -> list[str]:
    """One line per mistake in the options; the unknown has only to be readable, and a size has no peak to compare."""
    easy = {"batch": "1", "seq": str(MOST), "gpus": "1"}  # no conflict is with these
    wrong = mistakes(facts, {**given, **({what: easy[what]} if what in easy else {})})
    if what in easy and what in given:
        alone = mistakes(facts, {"model": given["model"], what: given[what]})
        wrong += [line for line in alone if line.startswith(f"{what}:")]
    if what != "model" and is_size(given["model"]):
        wrong.append("model: a bare size has no peak to fit into a device; name a model")
    return wrong


Ask = Callable[..., tuple[list[bool], Estimates]]


def _asker(facts: Facts, formulas: Formulas, given: Mapping[str, str], device: str) -> Ask:
    usable = room(facts, formulas, device).usable

    def ask(*changes: Mapping[str, str]) -> tuple[list[bool], Estimates]:
        """Whether each change of the set-up fits, and the estimates, a row each; several differ in a number alone."""
        first = answerable(facts, setup_from({**given, **changes[0]}))
        numbers = [{name: int(value) for name, value in one.items()} for one in changes[1:]]
        others = [replace(first, options={**first.options, **one}) for one in numbers]
        rows = estimate(facts, formulas, [first, *others])
        peaks = [rows.value(row, "peak") for row in range(len(changes))]
        return [verdict_by_peak(facts, peak, usable) == "fits" for peak in peaks], rows

    return ask


def _largest(option: str, most: int, ask: Ask, least: int = 1) -> tuple[int | None, Estimates]:
    """The largest whole number of an option that fits, from `least` on, by narrowing; memory grows with it."""
    low, high = least - 1, max(most + 1, least)  # the first fits or is nothing, the last does not
    while high - low > 1:
        step = max(1, (high - low) // FAN)
        tried = range(low + step, high, step)
        fits, _ = ask(*({option: str(value)} for value in tried))
        low += step * len(list(takewhile(bool, fits)))
        high = min(high, low + step)
    return (low if least <= low <= most else None), ask({option: str(max(low, least))})[1]


def _largest_seq(_: Facts, ask: Ask) -> tuple[int | None, Estimates]:
    """Up to what the model reads; a prompt that is named has to have room."""
    setup = ask({"seq": str(MOST)})[1].setups[0]
    shape, prompt = setup.subject.shape, setup.options.get("prompt") or 1
    return _largest("seq", shape.max_context if shape else 1, ask, least=prompt)


def _largest_model(facts: Facts, ask: Ask) -> tuple[str | None, Estimates]:
    models = sorted(estimated_models(facts), key=lambda model: (-(model.text_params or model.total_params), model.id))
    rows = None
    for model in models:
        try:
            (fits,), asked = ask({"model": model.id})
        except ValueError:  # this model has none of the modules that are to be trained
            continue
        rows = asked
        if fits and asked.setups[0].options["seq"] <= model.max_context:
            return model.id, asked
    if rows is None:
        raise ValueError("model: none can be trained with these options")
    return None, rows


def _fewest_gpus(_: Facts, ask: Ask) -> tuple[int | None, Estimates]:
    """The fewest devices that fit their shares; FSDP is taken where the set-up does not say what they share.

    Inference is modelled on one device alone.
    """
    (fits,), rows = ask({"gpus": "1"})
    options = rows.setups[0].options
    if fits or options["method"] == "inference":
        return 1 if fits else None, rows
    stated = options["sharding"]
    sharding = {"sharding": "fsdp" if stated == "none" else stated}
    if not ask({"gpus": str(MOST_GPUS), **sharding})[0][0]:
        return None, rows
    few, many = 1, MOST_GPUS
    while many - few > 1:  # every share shrinks, or stays, as devices are added
        middle = (few + many) // 2
        few, many = (few, middle) if ask({"gpus": str(middle), **sharding})[0][0] else (middle, many)
    return many, ask({"gpus": str(many), **sharding})[1]


SOLVERS: Mapping[str, Callable[[Facts, Ask], tuple[int | str | None, Estimates]]] = {
    "batch": lambda _, ask: _largest("batch", MOST_BATCH, ask),
    "seq": _largest_seq,
    "model": _largest_model,
    "gpus": _fewest_gpus,
}


def suggestions(facts: Facts, formulas: Formulas, setup: Answerable) -> list[dict[str, Any]]:
    """Changes that lower the peak of a set-up, the most helpful first: `change`, `peak` and `frees` in bytes."""
    options = dict(setup.options)
    changes = [dict(one.to) for one in facts.changes.values() if holds(one.when, options)]
    if options["seq"] > 1:
        changes.append({"seq": str(options["seq"] // 2)})
    changes.append(_shared_out(facts, options))
    possible = [(change, made) for change in changes if (made := _changed(facts, setup, change))]
    changes = [change for change, _ in possible]
    setups = [setup, *(made for _, made in possible)]
    peaks = estimate(facts, formulas, setups).rows["peak"].tolist()
    found = [
        {"change": change, "peak": peak, "frees": peaks[0] - peak}
        for change, peak in zip(changes, peaks[1:], strict=True)
        if peak < peaks[0]
    ]
    return sorted(found, key=lambda one: -one["frees"])


def _shared_out(facts: Facts, options: Mapping[str, Any]) -> dict[str, str]:
    """The next step of sharing a model out: over two devices, weights as well, or over twice as many."""
    if options["gpus"] == 1:
        return {"gpus": "2", "sharding": "fsdp"}
    if facts.shardings[options["sharding"]].shards_weights:
        return {"gpus": str(2 * options["gpus"])}
    return {"sharding": "fsdp"}


def _changed(facts: Facts, setup: Answerable, change: Mapping[str, str]) -> Answerable | None:
    """The set-up with some options changed; None where the others do not allow it."""
    given = {name.replace("_", "-"): str(value) for name, value in setup.options.items()}
    try:
        return answerable(facts, setup_from({**given, **change}))
    except ValueError:
        return None
