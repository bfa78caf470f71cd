"""Several devices: what each of them keeps, gathers and buffers. Figures are those of one device."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest

from cabe.facts import Facts, answerable, setup_from
from cabe.memory import Formulas, answer, estimate, suggestions

Ask = Callable[..., pd.Series]
PARAMS = 8_030_261_248  # Llama 3.1 8B
LORA = 41_943_040  # rank 16 on all linear layers
FULL = {"method": "full", "precision": "pure", "optimizer": "adamw-foreach"}


@pytest.fixture(scope="module")
def ask(facts: Facts, formulas: Formulas) -> Ask:
    def asked(**options: object) -> pd.Series:
        given = {"model": "llama-3.1-8b", **{name.replace("_", "-"): str(value) for name, value in options.items()}}
        return estimate(facts, formulas, [answerable(facts, setup_from(given))]).rows.iloc[0]

    return asked


@pytest.mark.parametrize(  # of what training keeps, the part of one of four devices
    ("sharding", "weights", "gradients", "states"),
    [
        ("ddp", 1, 1, 1),
        ("zero1", 1, 1, 4),
        ("zero2", 1, 4, 4),
        ("zero3", 4, 4, 4),
        ("fsdp", 4, 4, 4),
    ],
)
def test_each_device_keeps_its_part(ask: Ask, sharding: str, weights: int, gradients: int, states: int) -> None:
    made = ask(**FULL, gpus=4, sharding=sharding)
    assert made["trainable_weights"] == 2 * PARAMS / weights
    assert made["gradients"] == 2 * PARAMS / gradients
    assert made["optimizer_states"] == 4 * PARAMS / states


def test_master_weights_are_shared_out_with_the_states(ask: Ask) -> None:
    assert ask(method="full", precision="master", gpus=8, sharding="zero1")["master_weights"] == 4 * PARAMS / 8


@pytest.mark.parametrize("gpus", [1, 8, 24])
def test_more_devices_do_not_help_plain_data_parallelism(ask: Ask, gpus: int) -> None:
    alone = ask(method="qlora", gpus=1, sharding="ddp")
    assert ask(method="qlora", gpus=gpus, sharding="ddp")["peak"] == alone["peak"]


def test_plain_data_parallelism_copies_gradients_to_buckets(ask: Ask) -> None:
    assert ask(method="lora", gpus=2, sharding="ddp")["buckets"] == 4 * LORA


def test_deepspeed_keeps_two_buckets(ask: Ask) -> None:
    assert ask(method="lora", gpus=2, sharding="zero2")["buckets"] == 2 * 2 * 200_000_000


def test_one_device_buckets_nothing_and_gathers_nothing(ask: Ask) -> None:
    alone = ask(method="lora")
    assert (alone["buckets"], alone["gathered_root"], alone["gathered_layer"], alone["held_inputs"]) == (0, 0, 0, 0)


def test_a_gathered_layer_and_the_embeddings_are_whole_in_16_bits(ask: Ask) -> None:
    made = ask(method="full", gpus=4, sharding="fsdp")
    assert made["gathered_layer"] == 2 * made["layer_params"]
    assert made["gathered_root"] == 2 * (2 * 128_256 * 4096 + 4096)


@pytest.mark.parametrize(("experts", "bytes_per_weight"), [("loop", 0.5), ("grouped", 2)])
def test_experts_are_gathered_as_they_are_stored(ask: Ask, experts: str, bytes_per_weight: float) -> None:
    """fms-acceleration, Mixtral with 4 bits on 2 devices: 21.13 GB, where 16-bit experts would make it 23.3."""
    options = {"model": "mixtral-8x7b", "method": "qlora", "kbit_prep": "no", "experts": experts}
    made = ask(**options, gpus=2, sharding="fsdp")
    assert made["gathered_layer"] == pytest.approx(bytes_per_weight * made["expert_layer_params"], rel=0.05)


def test_mixed_precision_keeps_shards_of_32_bits_and_computes_in_16(ask: Ask) -> None:
    """fms-acceleration: 20 bytes a parameter, divided, at the peak of foreach AdamW."""
    options = {"method": "full", "optimizer": "adamw-foreach", "loss": "fused-old", "kernels": "fused", "gpus": 4}
    made = ask(**options, sharding="fsdp", batch=4, seq=4096)
    assert made["phase"] == "optimizer"
    assert made["peak"] - made["workspace"] == 20 * PARAMS / 4
    assert made["saved_per_token"] == ask(**{**options, "gpus": 1}, precision="pure")["saved_per_token"]


def test_constants_of_packed_weights_stay_whole(ask: Ask) -> None:
    packed = 6_979_321_856  # weights of the linear layers
    whole, half = ask(method="qlora", kbit_prep="no"), ask(method="qlora", kbit_prep="no", gpus=2, sharding="fsdp")
    constants = packed * (1 / 64 + 4 / (64 * 256))
    assert half["frozen_weights"] - constants == (whole["frozen_weights"] - constants) / 2


def test_more_devices_never_need_more_of_one(ask: Ask) -> None:
    peaks = [ask(method="full", gpus=gpus, sharding="fsdp")["peak"] for gpus in (1, 2, 3, 4, 8, 16, 64)]
    assert peaks == sorted(peaks, reverse=True)


@pytest.mark.parametrize(
    ("given", "change"),
    [
        ({}, {"gpus": "2", "sharding": "fsdp"}),
        ({"gpus": "4", "sharding": "ddp"}, {"sharding": "fsdp"}),
        ({"gpus": "4", "sharding": "zero3"}, {"gpus": "8"}),
    ],
)
def test_sharing_out_is_suggested_one_step_at_a_time(
    given: dict[str, str], change: dict[str, str], facts: Facts, formulas: Formulas
) -> None:
    setup = answerable(facts, setup_from({"model": "llama-3.1-70b", "method": "full", **given}))
    assert change in [one["change"] for one in suggestions(facts, formulas, setup)]


def test_the_rule_of_thumb_knows_one_device(ask: Ask) -> None:
    assert ask(method="lora", gpus=2, sharding="ddp")["rule_mid"] == ask(method="lora")["rule_mid"]
    assert pd.isna(ask(method="lora", gpus=2, sharding="fsdp")["rule_mid"])


def test_several_devices_that_share_nothing_are_refused(facts: Facts, formulas: Formulas) -> None:
    with pytest.raises(ValueError, match="split layer by layer over several devices"):
        answer(facts, formulas, {"model": "gemma-3-27b", "method": "qlora", "gpus": "8"})
