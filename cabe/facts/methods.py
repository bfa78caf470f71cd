"""Methods and what they keep: byte counts by precision, quantization and optimizer, and the rule of thumb's factors."""

from __future__ import annotations

from cabe.facts.record import Count, Flag, Id, Number, OptionRecord, Record, Text


class Method(Record):
    """`rule_slope` is GB per billion parameters, `rule_constant` GB; full takes them from its precision instead."""

    id: Id
    trains_all: Flag
    quantization: Id
    rule_slope: Number | None = None
    rule_constant: Number | None = None
    source: list[Text]


class Precision(Record):
    """Bytes per trained weight in full fine-tuning; `dtype` stands for the width of `dtype` (2 bytes in 16 bits)."""

    id: Id
    weight_bytes: Number | None = None
    gradient_bytes: Number | None = None
    master_bytes: Number
    moment_bytes: Number | None = None
    rule_slope: Number | None = None
    rule_constant: Number | None = None
    source: list[Text]


class Dtype(Record):
    id: Id
    bytes: Number


class Quantization(Record):
    """Bytes per weight of the packed values and, beside them, of the constants that scale blocks of values."""

    id: Id
    bytes: Number
    constant_bytes: Number
    source: list[Text]


class Optimizer(Record):
    """How many moments it keeps for each trained weight."""

    id: Id
    moments: Count
    source: list[Text]


class TargetSet(Record):
    id: Id
    modules: list[Id]


class Defaults(OptionRecord):
    """The value of each option that is not given; `dtype` is also the width of what a quantized model keeps apart."""

    method: Id
    rank: Count
    targets: Text
    adapter_dtype: Id
    dtype: Id
    precision: Id
    optimizer: Id


class NotModelled(OptionRecord):
    """Values that are known but refused by name, since no formula covers them."""

    method: list[Id]
    targets: list[Id]
    quantization: list[Id]
    optimizer: list[Id]
