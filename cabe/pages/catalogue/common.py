"""The one set-up that overviews compare by: its options as readers see them, and verdicts at its peaks."""

from __future__ import annotations

from collections.abc import Mapping

from cabe.facts import Setup, filled
from cabe.memory import Verdict, verdict_by_peak
from cabe.pages.catalogue.entry import Entry
from cabe.pages.catalogue.estimates import Catalogue
from cabe.pages.catalogue.sizes import Judge
from cabe.pages.results import SIGNS
from cabe.pages.training_grid import COMMON_BATCH, COMMON_LENGTH
from cabe.words.numbers import NO_BREAK_SPACE

TRAINING = ("optimizer", "precision", "checkpointing", "attention", "loss")
TOLD: Mapping[str, tuple[str, ...]] = {  # by method the options that readers are told, beside length and batch
    "qlora": ("rank", "targets", "quantization", "kbit-prep", *TRAINING),
    "lora": ("rank", "targets", "dtype", *TRAINING),
    "full": TRAINING,
    "inference": ("quantization", "dtype", "kv-dtype", "kv-cache"),
}
LABELS: Mapping[str, Mapping[str, str]] = {"inference": {"seq": "context", "batch": "sequences"}}


def usable_of(catalogue: Catalogue) -> dict[str, float]:
    """By device the bytes that a run may use, of one card where there are several."""
    return {device: catalogue.rooms[device].usable for device in catalogue.devices}


def judge_of(catalogue: Catalogue) -> Judge:
    """The verdict on a peak, in bytes, with the thresholds of the facts."""
    facts = catalogue.site.facts
    return lambda peak, usable: verdict_by_peak(facts, peak, usable)


def verdict_words(entry: Entry) -> dict[Verdict, str]:
    """Each verdict as its sign and its word."""
    verdicts: tuple[Verdict, ...] = ("fits", "tight", "too-big")
    return {one: f"{SIGNS[one]}{NO_BREAK_SPACE}{entry.word(f'verdicts.{one}')}" for one in verdicts}


def setup_line(entry: Entry, method: str) -> list[tuple[str, str]]:
    """The set-up of a method: the word of each option, and its value."""
    options = filled(entry.catalogue.site.facts, Setup(model="-", method=method))
    labels = LABELS.get(method, {})
    shown = [("batch", entry.number(COMMON_BATCH)), ("seq", entry.number(COMMON_LENGTH))]
    shown += [(name, _value(entry, name, options[name.replace("-", "_")])) for name in TOLD[method]]
    return [(entry.word(f"options.{labels.get(name, name)}"), value) for name, value in shown]


def _value(entry: Entry, name: str, value: object) -> str:
    if isinstance(value, int):
        return entry.number(value)
    return entry.word(f"catalogue.targets.{value}" if name == "targets" else f"choices.{name}.{value}")
