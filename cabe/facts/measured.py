"""Measured runs: what others measured and published, with the set-up as far as it is known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from pydantic import model_validator

from cabe.facts.devices import Device
from cabe.facts.record import Amount, Count, Flag, Id, Positive, Record, Text, Whole
from cabe.facts.setups import Setup

# why a point is compared with nothing: each is a word of `left_out` in every words.yaml
LeftOut = Literal["offload", "compile", "adapter", "model", "quantization", "engine", "set-up-unknown"]

UNITS: Mapping[str, tuple[float, ...]] = {  # unit as reported → bytes that it may stand for; others are not looked at
    "bytes": (1,),
    "MiB": (2**20,),
    "GiB": (2**30,),
    "GB": (1e9,),
    "GB?": (1e9, 2**30),
}


class MeasuredSource(Record):
    """Where a measurement was read: a file of a repository at a commit, and the place in it."""

    repo: Text
    commit: Text | None = None
    path: Text | None = None
    locator: Text | None = None


class Measured(Record):
    """One published measurement. Bytes are per device unless `memory_scope` says otherwise.

    `memory_bytes_min` and `memory_bytes_max` are the range that the reported value and unit allow; `setup` holds the
    options it stands for, where every one of them is known and modelled; `left_out` says why it has none.
    """

    id: Id
    kind: Literal["measured"]
    recommended: Flag
    model: Text
    params_b: Positive
    method: Text
    method_detail: Text | None = None
    weights_dtype: Text | None = None
    quantization: Text | None = None
    double_quant: Flag | None = None
    optimizer: Text | None = None
    master_weights: Text | None = None
    trainable_params: Count | None = None
    lora_rank: Count | None = None
    lora_targets: Text | list[Text] | None = None
    lora_dtype: Text | None = None
    micro_batch_size: Count | None = None
    grad_accum: Count | None = None
    seq_len: Count | None = None
    seq_kind: Text | None = None
    gradient_checkpointing: Flag | None = None
    attention: Text | None = None
    ce: Text | None = None
    compile: Flag | None = None
    num_gpus: Count | None = None
    sharding: Text
    device: Text | None = None
    memory_value: Amount
    memory_unit: Text
    memory_scope: Literal["per_gpu", "total_over_gpus", "largest_of_gpus"]
    memory_bytes_min: Whole
    memory_bytes_max: Whole
    measured_what: Text
    quantity: Literal["allocated", "reserved", "nvidia-smi", "unknown"]
    aux: dict[str, Text] | None = None
    software: Text | None = None
    date: Text
    source: MeasuredSource
    confidence: Literal["high", "medium", "low"]
    notes: Text | None = None
    setup: Setup | None = None
    same_shape: Text | None = None
    left_out: LeftOut | None = None

    @property
    def middle(self) -> float:
        """The centre of the measured range, in bytes."""
        return (self.memory_bytes_min + self.memory_bytes_max) / 2

    @model_validator(mode="after")
    def _one_of_two(self) -> Measured:
        if self.setup and self.left_out:
            raise ValueError("has a set-up and is left out, expected `setup` or `left_out`")
        if self.recommended and not self.setup and not self.left_out:
            raise ValueError("is recommended and compared with nothing, expected `setup`, or `left_out` with a reason")
        return self

    @model_validator(mode="after")
    def _value_in_its_range(self) -> Measured:
        low, high = self.memory_bytes_min, self.memory_bytes_max
        if low > high:
            raise ValueError("`memory_bytes_min` is above `memory_bytes_max`, expected the smaller number first")
        meant = [self.memory_value * unit for unit in UNITS.get(self.memory_unit, ())]
        if meant and not any(low - 1 <= value <= high + 1 for value in meant):  # ends are rounded to whole bytes
            what = f"{self.memory_value:g} {self.memory_unit} is not between `memory_bytes_min` and `memory_bytes_max`"
            raise ValueError(f"{what}, expected the range in bytes that value and unit leave open")
        return self


def card_of(point: Measured, devices: Mapping[str, Device]) -> Device | None:
    """The device that a point was measured on, None where it is not among ours; `RTX 3090 x2` is two RTX 3090."""
    name = re.sub(r" x\d+$", "", point.device or "")
    return next((device for device in devices.values() if name in (device.name, *device.also)), None)
