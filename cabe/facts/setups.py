"""Set-ups: the options of one run, and the named lists of runs that figures and tables show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError, model_validator

from cabe.facts.record import Amount, Flag, Id, Number, OptionRecord, Positive, Record, Text, Whole


class Setup(OptionRecord):
    """One run. An option that is None takes the default that `data/methods.yaml` states for its method.

    `model` is an id, a size (`7B`), a range of sizes (`27-32B`) or, on the command line, the path of a config.json.
    """

    model: Text
    method: Text | None = None
    rank: Whole | None = None
    alpha: Positive | None = None
    targets: Text | None = None
    adapter_dtype: Text | None = None
    dtype: Text | None = None
    precision: Text | None = None
    gradient_dtype: Text | None = None
    quantization: Text | None = None
    kbit_prep: Text | None = None
    optimizer: Text | None = None
    step: Text | None = None
    batch: Whole | None = None
    seq: Whole | None = None
    accumulation: Whole | None = None
    lora_dropout: Number | None = None
    checkpointing: Text | None = None
    attention: Text | None = None
    loss: Text | None = None
    kernels: Text | None = None
    outputs: Text | None = None
    experts: Text | None = None
    offload: Text | None = None
    compile: Text | None = None
    adapter: Text | None = None
    towers: Text | None = None
    gpus: Whole | None = None
    sharding: Text | None = None
    prompt: Whole | None = None
    prefill_logits: Text | None = None
    kv_dtype: Text | None = None
    kv_cache: Text | None = None


def setup_from(given: Mapping[str, str]) -> Setup:
    """The set-up that options state, by name as on the command line. Raises ValueError with one line per mistake."""
    try:
        return Setup.model_validate(given)
    except ValidationError as error:
        lines = [f"{one['loc'][0]}: {_said(dict(one))}" for one in error.errors(include_url=False)]
        raise ValueError("\n".join(lines)) from error


def _said(detail: dict[str, Any]) -> str:
    if detail["type"] == "extra_forbidden":
        return f"there is no such option; options: {', '.join(OPTIONS)}"
    if detail["type"] == "missing":
        return "is empty, expected a value"
    return str(detail["msg"]).removeprefix("Value error, ")


OPTIONS = tuple(field.alias or name for name, field in Setup.model_fields.items())


class Run(Setup):
    """A set-up that is drawn: `id` names its label among the words, `low` is the lower end where it is a range.

    `model` is empty in a list that names `models`: the run is then made once for each of them.
    """

    id: Id
    model: Text = ""
    low: Setup | None = None


class RunList(Record):
    """Named runs of a figure or table: on `device`, or once for each of `models`. `whole` rounds totals to whole GB."""

    id: Id
    device: Id | None = None
    models: tuple[Text, ...] = ()
    whole: Flag = False
    runs: list[Run]


class Pick(Record):
    """Models and devices that stand for all on pages of the catalogue, from the smallest to the largest."""

    id: Id
    models: list[Id]
    devices: list[Id]


class Planned(Record):
    """Inputs of a simple calculator: `bytes_per_parameter` names a cited figure; with `cache_gb` it is of inference."""

    id: Id
    billions: Positive
    bytes_per_parameter: Id
    activations_gb: Amount | None = None
    cache_gb: Amount | None = None
    overhead_percent: Amount | None = None

    @model_validator(mode="after")
    def _of_one_kind(self) -> Planned:
        training, inference = self.activations_gb is not None, (self.cache_gb, self.overhead_percent)
        if training == any(one is not None for one in inference) or (not training and None in inference):
            raise ValueError("needs either activations_gb, or cache_gb and overhead_percent")
        return self

    @property
    def group(self) -> str:
        """The group of formulas that takes these inputs."""
        return "planned" if self.activations_gb is not None else "served"
