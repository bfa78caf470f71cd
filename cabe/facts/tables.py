"""Facts: everything that is known, each table by id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cabe.facts.cited import Figure, Reference
from cabe.facts.devices import Device
from cabe.facts.methods import Defaults, Dtype, Method, NotModelled, Optimizer, Precision, Quantization, TargetSet
from cabe.facts.models import Model, Size
from cabe.facts.setups import Planned, RunList


@dataclass(frozen=True)
class Facts:
    """Everything that is known, each table by id. `read` is the newest date on which a file's facts were read."""

    read: str
    models: Mapping[str, Model]
    sizes: Mapping[str, Size]
    devices: Mapping[str, Device]
    methods: Mapping[str, Method]
    precisions: Mapping[str, Precision]
    dtypes: Mapping[str, Dtype]
    quantizations: Mapping[str, Quantization]
    optimizers: Mapping[str, Optimizer]
    target_sets: Mapping[str, TargetSet]
    defaults: Defaults
    not_modelled: NotModelled
    run_lists: Mapping[str, RunList]
    planned: Mapping[str, Planned]
    references: Mapping[str, Reference]
    figures: Mapping[str, Figure]
