"""Facts: everything that is known, each table by id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cabe.facts.cited import Figure, Reference
from cabe.facts.devices import Device, Hint
from cabe.facts.measured import Measured
from cabe.facts.methods import (
    CacheDtype,
    Dtype,
    Loss,
    Method,
    Optimizer,
    Option,
    Precision,
    Quantization,
    Sharding,
    Slack,
    TargetSet,
    Threshold,
)
from cabe.facts.models import Architecture, Model, Shape, Size
from cabe.facts.outcomes import Benchmark, Outcome
from cabe.facts.rules import Change, Conflict
from cabe.facts.setups import Pick, Planned, RunList, Setup
from cabe.facts.training_configs import ConfigKey
from cabe.reading import Faults


@dataclass(frozen=True)
class Facts:
    """Everything that is known, each table by id. `read` is the newest date on which a file's facts were read.

    `configs` holds what the paths of a command line stand for: the shape that a config.json states, or its faults.
    """

    read: str
    architectures: Mapping[str, Architecture]
    models: Mapping[str, Model]
    sizes: Mapping[str, Size]
    devices: Mapping[str, Device]
    methods: Mapping[str, Method]
    precisions: Mapping[str, Precision]
    dtypes: Mapping[str, Dtype]
    quantizations: Mapping[str, Quantization]
    optimizers: Mapping[str, Optimizer]
    target_sets: Mapping[str, TargetSet]
    losses: Mapping[str, Loss]
    shardings: Mapping[str, Sharding]
    cache_dtypes: Mapping[str, CacheDtype]
    slacks: Mapping[str, Slack]
    verdicts: Mapping[str, Threshold]
    options: Mapping[str, Option]
    conflicts: Mapping[str, Conflict]
    changes: Mapping[str, Change]
    run_lists: Mapping[str, RunList]
    planned: Mapping[str, Planned]
    picks: Mapping[str, Pick]
    hints: Mapping[str, Hint]
    references: Mapping[str, Reference]
    figures: Mapping[str, Figure]
    measured: Mapping[str, Measured]
    benchmarks: Mapping[str, Benchmark]
    outcomes: Mapping[str, Outcome]
    config_keys: Mapping[str, ConfigKey]
    configs: Mapping[str, Shape | Faults] = field(default_factory=dict)

    @cached_property
    def defaults(self) -> Mapping[str, Any]:
        """The defaults that are the same for every method, by field of a set-up; every set-up asks for them."""
        stated = {option.id: option.default for option in self.options.values() if option.default is not None}
        made = Setup.model_validate({"model": "-", **stated})
        return {name: getattr(made, name) for name in Setup.model_fields if getattr(made, name) not in (None, "-")}
