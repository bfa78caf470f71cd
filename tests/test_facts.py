"""Facts: what is in data/ adds up, and values mean what a person means."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from cabe.facts import Device, Facts, answerable, estimated_models, find, find_subject, read_facts, setup_from
from cabe.facts.record import to_count, to_day, to_flag, to_id, to_number, to_text, to_url
from cabe.memory import Formulas, estimate, room
from cabe.reading import Faults
from tests.conftest import Edit

pytestmark = pytest.mark.usefixtures("worked_out_once")


def test_the_shape_of_every_model_adds_up_to_its_parameters(facts: Facts, formulas: Formulas) -> None:
    models = estimated_models(facts)
    setups = [answerable(facts, setup_from({"model": model.id, "method": "full"})) for model in models]
    made = estimate(facts, formulas, setups).rows
    wrong = {
        model.id: (int(count), model.text_params or model.total_params)
        for model, count in zip(models, made["model_params"], strict=True)
        if count != (model.text_params or model.total_params)
    }
    assert wrong == {}


def test_models_called_exact_equal_the_published_count(facts: Facts) -> None:
    exact = [model for model in facts.models.values() if model.verification == "exact"]
    assert len(exact) > 30
    assert [model.id for model in exact if model.counted_params != model.total_params] == []


def test_there_are_enough_models_devices_and_sizes(facts: Facts) -> None:
    assert len(facts.models) >= 20
    assert len(real_devices(facts)) >= 162
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
        ("A10", "a10-24gb"),
        ("h100", "h100-80gb"),
        ("rx-7900-xt", "rx-7900-xt-20gb"),
        ("apple-m4-max-64", "apple-m4-max-64gb"),
        ("aws-p5-48", "aws-p5-48xlarge"),
        ("colab", "colab-free-t4"),
    ],
)
def test_a_unique_prefix_or_another_spelling_finds_a_device(facts: Facts, typed: str, meant: str) -> None:
    assert find(typed, facts.devices, "device") == meant


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("a100", "ambiguous: a100-40gb, a100-80gb$"),
        ("apple-m3", "ambiguous: apple-m3-8gb, apple-m3-16gb, apple-m3-24gb$"),
        ("aws-g5", "ambiguous: aws-g5-xlarge, aws-g5-12xlarge, aws-g5-48xlarge$"),
        ("rtx-2080", "did you mean rtx-2080-ti-11gb"),
        ("4090", "did you mean rtx-4090-24gb, rtx-4090-laptop-16gb"),
        ("tpu-v5", "there is no device 'tpu-v5'$"),
    ],
)
def test_a_device_is_never_taken_for_another(facts: Facts, typed: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        find(typed, facts.devices, "device")


def real_devices(facts: Facts) -> list[Device]:
    return [device for device in facts.devices.values() if device.kind != "nominal"]


def test_the_memory_in_the_name_of_a_device_is_its_memory(facts: Facts) -> None:
    """Error correction takes up to 1/16, the system's own carve-outs on boards with one pool up to 7 %."""
    named = [(device, re.search(r"-(\d+)gb$", device.id)) for device in real_devices(facts)]
    shares = {device.id: device.memory_mib * device.gpus / 1024 / int(match[1]) for device, match in named if match}
    assert len(shares) > 120
    assert [device for device, share in shares.items() if not 0.93 <= share <= 1.001] == []


PCIE = {"azure-nc24ads-a100-v4", "azure-nc96ads-a100-v4"}  # boards of their card with the same memory, only slower


def test_an_instance_repeats_the_figures_of_its_card(facts: Facts) -> None:
    repeated = ("memory_mib", "driver_reserve_mib", "display_reserve_mib", "bf16", "fp8")
    instances = [device for device in facts.devices.values() if device.kind == "instance"]
    assert len(instances) == 37
    for instance in instances:
        card = facts.devices[instance.gpu or ""]
        fields = repeated if instance.id in PCIE else (*repeated, "memory_bandwidth_gb_s")
        assert [getattr(instance, field) for field in fields] == [getattr(card, field) for field in fields], instance.id


def test_16_and_8_bit_floats_follow_the_compute_capability(facts: Facts) -> None:
    """bf16 from Ampere (8.0) on, fp8 from Ada (8.9) on."""
    stated = [device for device in facts.devices.values() if device.compute_capability]
    assert len(stated) > 50
    for device in stated:
        capability = float(device.compute_capability or 0)
        assert (device.bf16, device.fp8) == (capability >= 8.0, capability >= 8.9), device.id


def test_an_apple_chip_lends_two_thirds_or_three_quarters_of_its_memory(facts: Facts, formulas: Formulas) -> None:
    apple = [device for device in facts.devices.values() if device.vendor == "Apple"]
    assert len(apple) == 52
    for device in apple:
        share = 3 / 4 if device.memory_mib >= 36 * 1024 else 2 / 3
        assert room(facts, formulas, device.id).usable == int(device.memory_mib * share) * 2**20, device.id


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


@pytest.mark.parametrize("text", ["1e13", "-1e30", "1e308", "1e-13"])
def test_a_number_that_no_page_could_write_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"too (large|small) for a number, expected"):
        to_number(text)


@pytest.mark.parametrize("text", ["２０２６-１１-３０", "2026-11", "banana", ""])
def test_a_day_is_written_in_digits(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected YYYY|empty"):
        to_day(text)


@pytest.mark.parametrize("text", ["javascript:alert(1)", "data:text/html,x", "//arxiv.org", "https://", "https://[x"])
def test_what_is_no_address_of_a_page_is_no_link(text: str) -> None:
    with pytest.raises(ValueError, match="is not an address, expected https://"):
        to_url(text)


@pytest.mark.parametrize(
    ("typed", "name"),
    [("7B", "7B"), ("07.0b", "7B"), ("70B", "70B"), ("7-7B", "7B"), ("7.000001B", "7.000001B"), ("32-27B", "27-32B")],
)
def test_a_size_has_one_exact_name(facts: Facts, typed: str, name: str) -> None:
    assert find_subject(facts, typed).name == name


VALUE = "value: 100000\n"
WRONG = [
    ("cited.yaml", VALUE, "value: 1\n    low: 1\n", ["has a value and an end of a range"]),
    ("cited.yaml", VALUE, "value: 1\n    low: 1\n    high: 2\n", ["has a value and an end of a range"]),
    ("cited.yaml", VALUE, "low: 3\n    high: 2\n", ["`low` is above `high`"]),
    ("cited.yaml", VALUE, "value: 1e30\n", ["'1e30' is too large for a number, expected at most 1e+12"]),
    ("cited.yaml", "url: https://arxiv.org/abs/1910.02054", "url: javascript:x", ["'javascript:x' is not an address"]),
    ("devices.yaml", "usable_share: 0.75", "usable_share: 75", ["'75' is no share"]),
    ("devices.yaml", "usable_share: 0.75", "usable_share: -1", ["'-1' is no share"]),
    ("devices.yaml", "memory_gb: 36", "memory_gb: 0", ["has no usable memory"]),
    ("devices.yaml", "memory_gb: 36", "memory_gb: 1e30", ["'1e30' is too large"]),
    ("devices.yaml", "kind: nominal", "kind: unified", ["devices.laptop-36gb: has the memory of another kind"]),
    ("devices.yaml", "memory_gb: 36", "memory_mib: 36000", ["devices.laptop-36gb: has the memory of another kind"]),
    ("devices.yaml", "    gpu: t4-16gb\n", "", ["devices.colab-free-t4: `gpu` and `kind` disagree"]),
    ("devices.yaml", "year: 2024", "year: 20244", [".year: 20244 is no year of a device, expected 2010 to 2035"]),
    ("devices.yaml", "year: 2024", "year: 24", [".year: 24 is no year of a device, expected 2010 to 2035"]),
    ("measured.yaml", "memory_bytes_min: ", "memory_bytes_min: 0 #", ["memory_bytes_min: '0' is too few"]),
    ("measured.yaml", "memory_bytes_max: ", "memory_bytes_max: 1 #", ["is above `memory_bytes_max`"]),
    ("measured.yaml", "memory_unit: GiB", "memory_unit: MiB", ["23.05 MiB is not between `memory_bytes_min` and `m"]),
    ("measured.yaml", "memory_value: 23.05", "memory_value: 23.06", ["23.06 GiB is not between"]),
    ("measured.yaml", "model: yi-1.5-34b,", "model: 34B,", ["setup.model: 34B is a size, which has no peak"]),
    ("measured.yaml", "model: yi-1.5-34b,", "model: 27-32B,", ["setup.model: 27-32B is a size, which has no peak"]),
    ("measured.yaml", "    method: qlora\n", "    method: lora\n", ["is qlora, but the run's own method is lora"]),
    ("methods.yaml", "share: 1.062", "share: 0.99", ["slacks.training: `share` is below 1"]),
    ("methods.yaml", "high_share: 1.232", "high_share: 1.061", ["slacks.training: the high end is below the median"]),
    (
        "methods.yaml",
        "high_bytes: 2415000000",
        "high_bytes: 1000",
        ["slacks.training: the high end is below the median"],
    ),
    ("outcomes.yaml", "row: 9,", "row: 125,", ["outcomes.fms-base-9.row: 125 is beyond the 124 rows of fms-base"]),
    ("outcomes.yaml", "row: 9,", "row: 10,", ["row 10 of fms-base is fms-base-9 already"]),
    (
        "outcomes.yaml",
        "setup: {model: santacoder-1.1b,",
        "setup: {model: 7B,",
        ["setup.model: 7B is a size, which has no peak"],
    ),
    ("methods.yaml", "rule_slope: 2\n", "rule_slope: 0\n", ["'0' is not above 0"]),
    ("methods.yaml", "rule_slope: 2\n", "rule_slope: -2\n", ["'-2' is not above 0"]),
    ("methods.yaml", "{id: bf16, bytes: 2}", "{id: bf16, bytes: -2}", ["'-2' is not above 0"]),
    ("methods.yaml", "modules: [q, k, v, o]}", "modules: [q, zz]}", ["target_sets.attention.modules.1"]),
    ("methods.yaml", "{id: rank, default: 16}", "{id: rank, default: 0}", ["options.rank.default: '0' is too few"]),
    ("methods.yaml", "default: all-linear", "default: al-linear", ["options.targets.default: there is no 'al-linear'"]),
    ("methods.yaml", "{id: seq, default: 2048}", "{id: seq}", ["options.seq: the default of 'seq' is missing"]),
    ("methods.yaml", "{id: seq,", "{id: sec,", ["the option 'seq' is missing", "there is no option 'sec'"]),
    ("methods.yaml", "id: fits\n", "id: fit\n", ["verdicts: 'fits' is missing"]),
    ("methods.yaml", "share: 0.80\n", "share: 0.99\n", ["'fits' ends above 'tight'"]),
    ("models.yaml", "total_params: 6738415616", "total_params: 0", ["'0' is too few"]),
    ("setups.yaml", "billions: 7,", "billions: 1e30,", ["'1e30' is too large"]),
]


@pytest.mark.parametrize(("file", "old", "new", "says"), WRONG, ids=[f"{one[0]} {one[2]}" for one in WRONG])
def test_a_figure_without_sense_is_told_once(
    file: str, old: str, new: str, says: list[str], sources: Path, edit: Edit
) -> None:
    edit(f"data/{file}", old, new)
    with pytest.raises(Faults) as raised:
        read_facts(sources)
    assert len(raised.value.faults) == len(says)
    for fault, said in zip(raised.value.faults, says, strict=True):
        assert said in str(fault)


def test_a_tilde_is_no_value(sources: Path, edit: Edit) -> None:
    edit("data/devices.yaml", "    year: 2022\n", "    year: ~\n")
    assert read_facts(sources).devices["rtx-3050-8gb"].year is None


def test_a_model_whose_architecture_is_not_modelled_says_why(sources: Path, edit: Edit) -> None:
    edit("data/models.yaml", "  - id: smollm3\n", "  - id: smollm3\n    unmodelled: its layers are new\n")
    with pytest.raises(ValueError, match="model: smollm3-3b is not modelled: its layers are new"):
        answerable(read_facts(sources), setup_from({"model": "smollm3-3b"}))
