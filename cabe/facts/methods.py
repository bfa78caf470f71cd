"""Methods and what they keep: byte counts by precision, quantization and optimizer, and the rule of thumb's factors."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from cabe.facts.record import Amount, Count, Flag, Id, Positive, Record, Share, Text


class Method(Record):
    """`rule_slope` is GB per billion parameters, `rule_constant` GB; full takes them from its precision instead."""

    id: Id
    trains_all: Flag
    quantization: Id
    rule_slope: Positive | None = None
    rule_constant: Amount | None = None
    source: list[Text]


class Precision(Record):
    """Bytes per trained weight in full fine-tuning; `dtype` stands for the width of `dtype` (2 bytes in 16 bits)."""

    id: Id
    weight_bytes: Positive | None = None
    gradient_bytes: Positive | None = None
    master_bytes: Amount
    moment_bytes: Positive | None = None
    rule_slope: Positive | None = None
    rule_constant: Amount | None = None
    source: list[Text]


class Dtype(Record):
    id: Id
    bytes: Positive


class CacheDtype(Record):
    """Bytes of an element of the KV cache, the scales of packed values included; None is the width of `dtype`."""

    id: Id
    bytes: Positive | None = None
    source: list[Text]


class Quantization(Record):
    """Bytes per weight of the packed values and, beside them, of the constants that scale blocks of values.

    `indexed`: a 32-bit group index for each input of a matrix; `row_scaled`: a 32-bit scale for each of its outputs;
    `keeps_unpacked`: 16-bit matrices are kept for backward; `unpack_bytes`: what unpacking takes for each weight;
    `packs_all`: embeddings, head and experts are packed too.
    """

    id: Id
    bytes: Amount
    constant_bytes: Amount
    indexed: Flag = False
    row_scaled: Flag = False
    keeps_unpacked: Flag = False
    unpack_bytes: Amount = 2.0
    packs_all: Flag = False
    source: list[Text]


class Optimizer(Record):
    """Moments kept for each trained weight, and what the step needs on top.

    `eight_bit_bytes`: bytes of one moment with its constants where it has 8 bits, else 0; `moment_bytes`: width of
    moments where it does not follow the precision; `step_copy`: a copy of all trained weights; `step_matrix`: copies
    of the largest matrix, at its own width, `step_matrix_bytes`: or at this many bytes an element (16-bit weights).
    """

    id: Id
    moments: Count
    moment_bytes: Positive | None = None
    eight_bit_bytes: Amount = 0.0
    factored: Flag = False
    step_copy: Flag = False
    step_matrix: Count = 0
    step_matrix_bytes: Amount = 0.0
    source: list[Text]


class Loss(Record):
    """How an implementation of the loss holds logits: bytes for each logit of the micro-batch or of one chunk.

    `logit_shift` is added for more than one sequence, `logit_autocast` under autocast; `logit_narrow` is what models
    save whose own loss code keeps 16 bits; `splits` chunks of a sequence, or chunks of `rows_per_sequence`; `head_kept`
    bytes for each logit while chunks of the head's gradient add up.
    """

    id: Id
    logit_forward: Amount = 0.0
    logit_shift: Amount = 0.0
    logit_autocast: Amount = 0.0
    logit_backward: Amount = 0.0
    logit_narrow: Amount = 0.0
    chunk_forward: Amount = 0.0
    chunk_backward: Amount = 0.0
    chunk_hidden: Amount = 0.0
    splits: Count = 0
    rows_per_sequence: Count = 0
    head_kept: Amount = 0.0
    whole_logits: Flag = False
    chunked_head: Flag = False
    recomputed_loss: Flag = False
    fused_loss: Flag = False
    fused_upcast: Flag = False
    source: list[Text]


class Sharding(Record):
    """What each of several devices keeps only its part of, and the buffers that communication takes.

    `gradient_copy`: a copy of all gradients; `bucket_elements`: of one of two buffers; `holds_inputs`: inputs of layers
    stay through backward beside adapters.
    """

    id: Id
    shards_states: Flag = False
    shards_gradients: Flag = False
    shards_weights: Flag = False
    gradient_copy: Flag = False
    bucket_elements: Count = 0
    holds_inputs: Flag = False
    source: list[Text]


class Slack(Record):
    """What the driver holds beyond the peak of a kind of run.

    At the median `share` times the peak and `bytes` on top; in nine runs of ten at most `high_share` and `high_bytes`.
    Both are ratios to the peak, which stay as they are below `from_bytes`, the smallest peak measured.
    """

    id: Id
    share: Positive
    bytes: Amount
    high_share: Positive
    high_bytes: Amount
    from_bytes: Positive
    source: list[Text]

    @model_validator(mode="after")
    def _in_order(self) -> Slack:
        if self.share < 1:
            raise ValueError("`share` is below 1, expected 1 or more: nothing is held below the peak")
        extra = self.high_share - self.share
        if extra < 0 or extra + (self.high_bytes - self.bytes) / self.from_bytes < 0:  # the ends of 1 / peak
            raise ValueError(
                "the high end is below the median at some peak, expected it above at all from `from_bytes` on"
            )
        return self


class Threshold(Record):
    """The share of a device's usable memory up to which a verdict holds."""

    id: Id
    share: Share
    source: list[Text]


Module = Literal["q", "k", "v", "o", "gate", "up", "down", "other", "embed", "head"]


class TargetSet(Record):
    id: Id
    modules: list[Module]


class Option(Record):
    """An option of a set-up: its default, its values where no table holds them, and values refused by name."""

    id: Id
    default: Text | None = None
    values: tuple[Text, ...] = ()
    refused: tuple[Text, ...] = ()
