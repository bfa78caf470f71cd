"""Facts: what is in data/ adds up, and values mean what a person means."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from cabe.facts import Facts, find
from cabe.facts.models import Model
from cabe.facts.record import to_count, to_flag, to_id, to_number, to_text


def params_of_shape(model: Model) -> int:
    """Parameters counted from the shape alone: what transformers builds for this architecture."""
    hidden, layers, head = model.hidden_size, model.num_layers, model.head_dim
    q, kv = model.num_attention_heads * head, model.num_kv_heads * head
    layer = 2 * hidden * q + 2 * hidden * kv + 3 * hidden * model.intermediate_size
    layer += (q + 2 * kv) if model.qkv_bias else 0
    norms = {"gemma2": 4, "gemma3_text": 4}.get(model.architecture, 2) * hidden
    if model.qk_norm:
        norms += q + kv if model.architecture == "olmo2" else 2 * head
    embeddings = model.vocab_size * hidden * (1 if model.tied_embeddings else 2)
    return layers * (layer + norms) + hidden + embeddings


def test_the_shape_of_every_model_adds_up_to_its_parameters(facts: Facts) -> None:
    wrong = {model.id: params_of_shape(model) for model in facts.models.values()}
    assert {name: count for name, count in wrong.items() if count != facts.models[name].total_params} == {}


def test_models_called_exact_equal_the_published_count(facts: Facts) -> None:
    exact = [model for model in facts.models.values() if model.verification == "exact"]
    assert len(exact) > 30
    assert [model.id for model in exact if model.counted_params != model.total_params] == []


def test_there_are_enough_models_devices_and_sizes(facts: Facts) -> None:
    real = [device for device in facts.devices.values() if device.kind != "nominal"]
    assert len(facts.models) >= 20
    assert len(real) >= 15
    assert {"0.5B", "1.5B", "3B", "7B", "8B", "14B", "70B"} <= set(facts.sizes)


def test_every_fact_names_a_source(facts: Facts) -> None:
    tables = (facts.models, facts.devices, facts.methods, facts.precisions, facts.quantizations, facts.optimizers)
    assert [record.id for table in tables for record in table.values() if not record.source] == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("8e9", 8_000_000_000),
        ("8.03e9", 8_030_000_000),
        ("8.03e+9", 8_030_000_000),
        ("8.0e9", 8_000_000_000),
        ("1e3", 1000),
        ("8_030_261_248", 8_030_261_248),
        ("8030261248", 8_030_261_248),
        ("9007199254740993", 9_007_199_254_740_993),
        ("0", 0),
    ],
)
def test_a_count_is_the_number_that_a_person_means(text: str, number: int) -> None:
    assert to_count(text) == number


@pytest.mark.parametrize(
    "text", ["8,03", "8.030.261.248", "0x10", "nan", "inf", "-5", "1.5", "1e400", "", "null", "8 e9"]
)
def test_a_count_that_could_mean_two_things_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected|too large|empty"):
        to_count(text)


@pytest.mark.parametrize(("text", "number"), [(".5", 0.5), ("5.", 5.0), ("-1e-4", -1e-4), ("1e-5", 1e-5)])
def test_a_number_may_leave_out_a_zero(text: str, number: float) -> None:
    assert to_number(text) == number


@pytest.mark.parametrize("text", ["yes", "no", "on", "off", "y", "True", "1", ""])
def test_a_flag_is_true_or_false_and_nothing_else(text: str) -> None:
    with pytest.raises(ValueError, match=r"true|empty"):
        to_flag(text)


@pytest.mark.parametrize("text", ["010", "08", "3.10", "12", "no", "on", "llama-3.1-8b"])
def test_ids_stay_as_they_are_written(text: str) -> None:
    assert to_id(text) == text


@pytest.mark.parametrize("text", ["Llama 3.1 8B", "12:30", "1_000", "null", "~", "", "-a", "a--b", "ação"])
def test_what_is_no_id_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"id|empty"):
        to_id(text)


@pytest.mark.parametrize("value", [["a"], {"a": "b"}, None])
def test_text_is_text(value: object) -> None:
    with pytest.raises(ValueError, match="list or a mapping"):
        to_text(value)


def test_records_are_frozen(facts: Facts) -> None:
    with pytest.raises(ValidationError, match="frozen"):
        facts.models["llama-2-7b"].total_params = 1


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("rtx-4090-24gb", "rtx-4090-24gb"),
        ("rtx-4090", "rtx-4090-24gb"),
        ("RTX 4090", "rtx-4090-24gb"),
        ("rtx4090laptop", "rtx-4090-laptop-16gb"),
        ("a100-80", "a100-80gb"),
    ],
)
def test_a_unique_prefix_or_another_spelling_finds_a_device(facts: Facts, typed: str, meant: str) -> None:
    assert find(typed, facts.devices, "device") == meant


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("qwen2.5", "ambiguous: qwen2.5-0.5b, qwen2.5-1.5b"),
        ("lama-3.1-8b", "did you mean llama-3.1-8b"),
        ("", "there is no model ''"),
    ],
)
def test_an_ambiguous_or_unknown_name_lists_the_nearest(facts: Facts, typed: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        find(typed, facts.models, "model")


def test_the_prefix_of_an_exact_id_does_not_make_it_ambiguous(facts: Facts) -> None:
    assert find("llama3.1-8b", facts.models, "model") == "llama-3.1-8b"
