"""Outcomes of published runs: which finished and which gave no result, so that verdicts can be held against them."""

from __future__ import annotations

from pydantic import model_validator

from cabe.facts.record import Count, Flag, Id, Positive, Record, Text, Whole
from cabe.facts.setups import Setup


class Benchmark(Record):
    """A published file of runs on one kind of device with the same software: `rows` runs, of which `left_out` are not
    among the outcomes, for the reason in `note`."""

    id: Id
    repo: Text
    commit: Text
    path: Text
    device: Id
    software: Text
    rows: Whole
    left_out: Count = 0
    note: Text | None = None


class Outcome(Record):
    """One run: `row` of the benchmark's file (the first run is row 1), `config` its set-up in the benchmark's words.

    `peak_bytes`: the most that PyTorch had allocated on the first device, for a run that finished; `nvidia_smi_mib`:
    what the driver showed at most, a mean over the devices. The reason of a missing result is not published.
    """

    id: Id
    benchmark: Id
    row: Whole
    model: Text
    config: Text
    finished: Flag
    peak_bytes: Whole | None = None
    nvidia_smi_mib: Positive
    setup: Setup

    @model_validator(mode="after")
    def _a_result_has_a_peak(self) -> Outcome:
        if self.finished != (self.peak_bytes is not None):
            raise ValueError("`finished` and `peak_bytes` disagree, expected a peak for a run that finished, else none")
        return self
