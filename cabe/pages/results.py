"""A calculator before anything is typed: its fields, and the result that `build.py estimate` gives for its set-up.

The script estimator.js changes the texts of these nodes, in the same words and with the same rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cabe import charts
from cabe.memory import PARTS, PHASES_OF, Estimates, Verdict, component, suggestions, verdict_by_peak
from cabe.pages.calculators import described
from cabe.pages.fields import Asked, field, names, widths
from cabe.pages.prose import figure_of, room_of, setup_of_run
from cabe.words import numbers as written

RANKS = (4, 8, 16, 32, 64, 128, 256)
ADAPTER = {  # what is shown of an adapter → how it is written
    "trainable_params": "count",
    "trainable_share": "share",
    "trainable_weights": "bytes",
    "trained_state": "bytes",
    "adapter_scale": "count",
}
RANKED = ("trainable_params", "trainable_share", "trainable_weights")  # in the table by rank
SIGNS: Mapping[str, str] = {"fits": "✓", "tight": "!", "too-big": "✕"}
HALF, SHARED = "half-length", "share-out"  # changes that depend on the set-up, beside those of methods.yaml
LONG_PROMPT = "long-prompt"  # a conflict between two numbers, beside those of methods.yaml
CONFIG_FAULTS = ("text", "missing", "wrong", "refused", "unknown", "odds")  # what config.js finds
SCRIPT_WORDS = (
    *("verdict_line", "no_device", "phase_line", "limit", "suggestion_line", "longest_line"),
    *("longest_none", "beyond_context", "no_bf16", "unpacked_experts", "copied", "announce", "unknown_model"),
    *("own_model", "no_configuration", "no_shape", "at_odds", *(f"config_{what}" for what in CONFIG_FAULTS)),
    *("unknown_device", "whole", "no_targets", "nothing_trained", "gate_with_up"),
)
FIELD_WORDS = ("check_fields", *(f"errors.{error}" for error in ("empty", "text", "groups", "range")))


def values(asked: Asked) -> dict[str, Any]:
    """What the template fills in."""
    groups = asked.calculator.groups.items()
    shown = {
        "groups": [(group, [field(asked, option) for option in options]) for group, options in groups],
        "names": names(asked),
        "widths": widths(asked),
        "from_configuration": "accumulation" in asked.calculator.options,
        "architectures": [one.id for one in asked.facts.architectures.values() if not one.unmodelled],
        "shows": asked.calculator.shows,
        "command": _command(asked),
        "script": _script(asked),
    }
    return shown | (_peak(asked) if asked.calculator.shows == "peak" else _adapter(asked))


def _peak(asked: Asked) -> dict[str, Any]:
    rows = asked.ask(setup_of_run(asked.run))
    peak, mid, high = (figure_of(rows, name) for name in ("peak", "driver_mid", "driver_high"))
    usable = room_of(asked.site, asked.device).usable if asked.device else None
    verdict = verdict_by_peak(asked.facts, peak, usable) if usable else None
    amounts = {part: component(rows, 0, part) or 0.0 for part in PARTS}
    terms = [f"{asked.gb(amount)} {asked.word(f'parts.{part}')}" for part, amount in amounts.items() if amount > 0]
    helpful = _suggestions(asked, rows, usable or 0.0) if verdict not in (None, "fits") else {}
    phase = asked.word(f"phases.{rows.rows['phase'].iloc[0]}")
    return {
        "peak": asked.number(peak / written.GB),
        "verdict": verdict or "none",
        "verdict_line": _verdict_line(asked, verdict, peak, usable),
        "driver_line": asked.word(f"estimator.{asked.calculator.driver}", mid=asked.gb(mid), high=asked.gb(high)),
        "phase_line": asked.word("estimator.phase_line", phase=phase),
        "sum": f"{' + '.join(terms)} = {asked.gb(peak)}",
        "chart": charts.share(list(amounts.values()), high, usable),
        "limit": asked.word("estimator.limit", usable=asked.gb(usable)) if usable else "",
        "parts": [
            (part, asked.gb(amount) if amount else "", asked.share(amount / peak) if amount else "")
            for part, amount in amounts.items()
        ],
        "longest": _longest(asked),
        "suggestions": helpful,
        "changes": tuple(dict.fromkeys((*helpful, *asked.facts.changes, HALF, SHARED))),
    }


def _verdict(asked: Asked, verdict: Verdict) -> str:
    return f"{SIGNS[verdict]}{written.NO_BREAK_SPACE}{asked.word(f'verdicts.{verdict}')}"


def _verdict_line(asked: Asked, verdict: Verdict | None, peak: float, usable: float | None) -> str:
    if verdict is None or usable is None:
        return asked.word("estimator.no_device")
    share, device = asked.share(peak / usable), asked.facts.devices[asked.device].name
    names = {"verdict": _verdict(asked, verdict), "device": device, "share": share, "usable": asked.gb(usable)}
    return asked.word("estimator.verdict_line", **names)


def _longest(asked: Asked) -> str:
    if not asked.device:
        return ""
    found = asked.ask.most(setup_of_run(asked.run), "seq", asked.device)
    if not found:
        return asked.word("estimator.longest_none")
    return asked.word("estimator.longest_line", seq=asked.number(found))


def _suggestions(asked: Asked, rows: Estimates, usable: float) -> dict[str, str]:
    """By the id of a change what it frees, the most helpful first."""
    return dict(_freed(asked, rows, usable))


def _freed(asked: Asked, rows: Estimates, usable: float) -> Iterator[tuple[str, str]]:
    named = {tuple(sorted(one.to.items())): one.id for one in asked.facts.changes.values()}
    for one in suggestions(asked.facts, asked.site.formulas, rows.setups[0]):
        change, peak = one["change"], one["peak"]
        verdict = verdict_by_peak(asked.facts, peak, usable)
        fallback = HALF if "seq" in change else SHARED
        if verdict and set(change) <= {*asked.calculator.options}:
            names = {"frees": asked.gb(one["frees"]), "peak": asked.gb(peak), "verdict": _verdict(asked, verdict)}
            found = named.get(tuple(sorted(change.items())), fallback)
            yield found, asked.word("estimator.suggestion_line", **names)


def _adapter(asked: Asked) -> dict[str, Any]:
    return {
        "figures": _figures(asked, asked.run.rank),
        "ranked": RANKED,
        "ranks": [(rank, asked.number(rank), _ranked(asked, rank)) for rank in RANKS],
    }


def _ranked(asked: Asked, rank: int) -> dict[str, str]:
    return {name: text for name, text in _figures(asked, rank).items() if name in RANKED}


def _figures(asked: Asked, rank: int | None) -> dict[str, str]:
    """The figures of the adapter at a rank, as text; None is the default rank."""
    rows = asked.ask(setup_of_run(asked.run).model_copy(update={"rank": rank}))
    write = {"count": asked.number, "share": asked.share, "bytes": asked.gb}
    return {name: write[unit](figure_of(rows, name)) for name, unit in ADAPTER.items()}


def _command(asked: Asked) -> str:
    given = asked.given()
    options = [f"--{name} {value}" for name, value in given.items() if name != "model"]
    device = [f"--device {asked.device}"] if asked.device else []
    return " ".join(["python build.py estimate", asked.run.model, *options, *device])


def _script(asked: Asked) -> dict[str, Any]:
    locale = asked.language.locale
    words = {key: asked.word(f"estimator.{key}") for key in SCRIPT_WORDS}
    words |= {key: asked.word(f"calculator.{key}") for key in FIELD_WORDS}
    words |= {"driver_line": asked.word(f"estimator.{asked.calculator.driver}")}
    return {
        "base": {**asked.given(), **({"device": asked.device} if asked.device else {})},
        "options": dict(described(asked.calculator)),
        "adapter": ADAPTER if asked.calculator.shows == "adapter" else {},
        "signs": {
            "decimal": written.decimal_sign(locale),
            "group": written.group_sign(locale),
            "percent": written.percent(0.0, locale).replace("0", "{n}"),
        },
        "words": {
            **words,
            "verdicts": {verdict: _verdict(asked, verdict) for verdict in ("fits", "tight", "too-big")},
            "parts": {part: asked.word(f"parts.{part}") for part in PARTS},
            "phases": {phase: asked.word(f"phases.{phase}") for phases in PHASES_OF.values() for phase in phases},
            "conflicts": {one: asked.word(f"conflicts.{one}") for one in (*asked.facts.conflicts, LONG_PROMPT)},
        },
    }
