"""The simple calculators: a few numbers, one choice, two formulas; no model is needed. calculator.js does the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cabe.pages.prose import named, planned_figures
from cabe.pages.site import Site
from cabe.words import Language
from cabe.words import numbers as written

ERRORS = ("empty", "text", "groups", "range")


@dataclass(frozen=True)
class Simple:
    """`group` of formulas; `choices`: cited figures of bytes for each parameter; `ranges`: the numbers that are typed.

    Words: `<words>.<field>`, `<words>.<field>_hint`, `<words>.choices.<figure>`, and one for each formula of `lines`,
    the last of which is the result.
    """

    group: str
    words: str
    choices: tuple[str, ...]
    ranges: Mapping[str, tuple[float, float]]
    lines: tuple[str, ...]


BILLIONS = (0.001, 10_000.0)
GB = (0.0, 100_000.0)
SIMPLE: Mapping[str, Simple] = {
    "training-vram": Simple(
        group="planned",
        words="calculator",
        choices=("planning-adam", "planning-adam-8bit", "planning-sgd-momentum"),
        ranges={"billions": BILLIONS, "activations_gb": GB},
        lines=("planned_states_gb", "planned_total_gb"),
    ),
    "inference-vram": Simple(
        group="served",
        words="served",
        choices=("weight-16-bit", "weight-8-bit", "weight-4-bit"),
        ranges={"billions": BILLIONS, "cache_gb": GB, "overhead_percent": (0.0, 1000.0)},
        lines=("served_weights_gb", "served_total_gb"),
    ),
}


def values(site: Site, language: Language, simple: Simple, planned_id: str) -> dict[str, Any]:
    """What the template fills in, with the figures of a planned set-up."""
    locale = language.locale
    figures = planned_figures(site, planned_id)
    shown = {name: written.number(value, locale) for name, value in figures.items()}
    bytes_ = [(choice, named(site.facts.figures, choice, "cited figure").value or 0.0) for choice in simple.choices]
    return {
        "words": simple.words,
        "figures": shown,
        "fields": list(simple.ranges),
        "lines": simple.lines,
        "choices": [(choice, written.number(value, locale), value) for choice, value in bytes_],
        "chosen": site.facts.planned[planned_id].bytes_per_parameter,
        "script": _script(site, language, simple),
    }


def _script(site: Site, language: Language, simple: Simple) -> dict[str, Any]:
    own = {line: language.word(f"{simple.words}.{line}") for line in simple.lines}
    shared = {key: language.word(f"calculator.{key}") for key in ("check_fields", *(f"errors.{one}" for one in ERRORS))}
    return {
        "formulas": {one.name: one.tree for one in site.formulas.groups[simple.group]},
        "ranges": simple.ranges,
        "lines": simple.lines,
        "signs": {
            "decimal": written.decimal_sign(language.locale),
            "group": written.group_sign(language.locale),
        },
        "words": {**own, **shared},
    }
