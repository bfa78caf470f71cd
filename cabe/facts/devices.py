"""Devices: what the driver reports as memory, and what of it stays free for a run."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, model_validator

from cabe.facts.record import Count, Flag, Id, Positive, Record, Share, Text, Whole, to_count
from cabe.facts.rules import When

FIRST_YEAR, LAST_YEAR = 2010, 2035  # of devices that somebody may train on; what lies beyond is a slip of the keyboard


def _to_year(value: Any) -> int:
    year = to_count(value)
    if not FIRST_YEAR <= year <= LAST_YEAR:
        raise ValueError(f"{year} is no year of a device, expected {FIRST_YEAR} to {LAST_YEAR}")
    return year


Year = Annotated[int, BeforeValidator(_to_year)]


class Hint(Record):
    """How to have more memory at no cost, for devices whose fields meet `when`; its id is a word of `catalogue.hints`.

    `reference` is where it is published, None where it is nowhere; `command` is what to type.
    """

    id: Id
    when: When
    reference: Id | None = None
    command: Text | None = None


class Device(Record):
    """One device and memory size. `*_mib` are MiB = 2²⁰ bytes; `memory_gb` (nominal devices) is GB = 10⁹ bytes.

    Memory of several cards is per card: `gpus` says how many there are. A nominal device stands for a class of
    machines on the rule-of-thumb pages; its name is a word in each language. `also`: what published runs call it.
    `newer_usable_mib`: what newer systems leave usable; `most_usable_mib`: what a setting may raise it to.
    """

    id: Id
    kind: Literal["discrete", "unified", "instance", "nominal"]
    name: Text | None = None
    also: tuple[Text, ...] = ()
    vendor: Text | None = None
    gpu: Id | None = None
    gpus: Whole = 1
    memory_mib: Count = 0
    memory_gb: Count = 0
    memory_basis: Text
    driver_reserve_mib: Count = 0
    display_reserve_mib: Count = 0
    system_reserve_mib: Count = 0
    usable_share: Share = 1.0
    newer_usable_mib: Count = 0
    most_usable_mib: Count = 0
    usable_basis: Text
    memory_bandwidth_gb_s: Positive | None = None
    bf16: Flag | None = None
    fp8: Flag | None = None
    compute_capability: Text | None = None
    year: Year | None = None
    note: Text | None = None
    source: list[Text]

    @model_validator(mode="after")
    def _some_memory(self) -> Device:
        """A verdict divides by usable memory, which formulas.yaml counts; only its sign is looked at here."""
        reserves = self.driver_reserve_mib + self.display_reserve_mib + self.system_reserve_mib
        if (self.memory_mib + self.memory_gb * 1e9 / 2**20) * self.usable_share <= reserves:
            raise ValueError("has no usable memory, expected `memory_mib` (or `memory_gb`) above the reserves")
        return self

    @model_validator(mode="after")
    def _as_its_kind(self) -> Device:
        """Both sizes would be added up, and an instance takes its place beside its card."""
        if self.memory_gb if self.kind != "nominal" else self.memory_mib:
            raise ValueError(
                "has the memory of another kind, expected `memory_gb` for nominal devices, else `memory_mib`"
            )
        if (self.kind == "instance") != (self.gpu is not None):
            raise ValueError("`gpu` and `kind` disagree, expected the id of its card for an instance, else none")
        return self
