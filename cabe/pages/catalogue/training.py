"""What training a model takes: the peak by method, its parts, and how it grows with length and batch."""

from __future__ import annotations

from typing import Any

from cabe.facts import Setup, filled
from cabe.facts.models import Model
from cabe.pages.bars import bar_of, stacked
from cabe.pages.catalogue.entry import Entry
from cabe.pages.training_grid import BATCHES, COMMON_BATCH, METHODS, common_length, lengths_of

TOLD = ("optimizer", "precision", "checkpointing", "attention", "loss")  # options of the set-up that readers are told


def setup_line(entry: Entry, model: Model) -> list[tuple[str, str]]:
    """The set-up that all methods of the page share: the word of each option, and its value."""
    options = filled(entry.catalogue.site.facts, Setup(model=model.id, method="lora"))
    shown = [("options.batch", entry.number(COMMON_BATCH)), ("options.seq", entry.number(common_length(model)))]
    shown += [("options.rank", entry.number(options["rank"])), ("options.targets", _targets(entry))]
    shown += [(f"options.{name}", entry.word(f"choices.{name}.{options[name]}")) for name in TOLD]
    return [(entry.word(name), value) for name, value in shown]


def _targets(entry: Entry) -> str:
    return entry.word(f"catalogue.targets.{entry.catalogue.site.facts.options['targets'].default}")


def summary(entry: Entry, model: Model) -> list[dict[str, Any]]:
    """Method by method at the common set-up: the peak, and what a monitor shows."""
    rows = []
    for method in METHODS:
        at = {"model": model.id, "method": method, "seq": common_length(model), "batch": COMMON_BATCH}
        peak, mid, high = entry.catalogue.training.figures(("peak", "driver_mid", "driver_high"), **at)
        rows.append({"method": method, "peak": entry.gb(peak), "monitor": entry.gb_range(mid, high)})
    return rows


def above_lora(entry: Entry, model: Model) -> str:
    """Why QLoRA takes more than LoRA at the common set-up, which readers would not expect; empty where it does not."""
    if entry.catalogue.common_peak(model.id, "qlora") <= entry.catalogue.common_peak(model.id, "lora"):
        return ""
    own_linear = entry.catalogue.site.facts.architectures[model.architecture].own_linear
    reason = "experts" if model.expert_layers else "own_linear" if own_linear else "vocabulary"
    return entry.word(f"catalogue.above_lora.{reason}")


def breakdown(entry: Entry, model: Model) -> dict[str, Any]:
    """The breakdown chart of the three methods at the common set-up."""
    bars = []
    for method in METHODS[::-1]:
        at = {"model": model.id, "method": method, "seq": common_length(model), "batch": COMMON_BATCH}
        peak = entry.catalogue.training.figure("peak", **at)
        parts = entry.catalogue.training.components(**at)
        name, note = (entry.word(f"catalogue.methods.{method}.{what}") for what in ("short", "note"))
        bars.append(bar_of(entry.language, name[:1].upper() + name[1:], note, entry.gb(peak), parts))
    return stacked(entry.language, bars)


def by_length(entry: Entry, model: Model) -> list[tuple[str, list[tuple[str, list[str]]]]]:
    """For each method the peak in GB, lengths down and batches across."""
    return [(method, [_row(entry, model, method, length) for length in lengths_of(model)]) for method in METHODS]


def _row(entry: Entry, model: Model, method: str, length: int) -> tuple[str, list[str]]:
    at = {"model": model.id, "method": method, "seq": length}
    peaks = [entry.catalogue.training.figure("peak", batch=batch, **at) for batch in BATCHES]
    return entry.number(length), [entry.gb_bare(peak) for peak in peaks]
