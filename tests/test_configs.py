"""A config.json: what it states is what the facts state, what it lacks is told at once, and estimates take its path.

Each file of `configs/` is named for a model of data/models.yaml and holds the keys that its configuration has on the
Hugging Face Hub, without those that no width depends on. Read in mlc-ai/mlc-llm@79d603f,
python/mlc_llm/model/model_preset.py, with the keys that it renames or leaves out added (sliding_window of Mistral 7B,
q_lora_rank of DeepSeek V2 Lite, the context of Qwen1.5 MoE before its chat version):

    deepseek-v2-lite, gemma-2-9b, gemma-2b, gemma-3-1b, gpt2-124m, internlm2.5-7b, llama-3.2-1b, minicpm-2b,
    ministral-3-3b, mistral-7b-v0.1, mixtral-8x7b, olmo-2-7b, phi-4-mini-3.8b, qwen-1.8b, qwen1.5-moe-a2.7b,
    qwen2-0.5b, qwen3-0.6b, santacoder-1.1b, stablelm-2-1.6b

All others are the widths of data/models.yaml under the keys of the configuration class in transformers 5.24;
gemma-3-4b is as sparse as Google's own file, which leaves heads and vocabulary to the defaults of the class.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from pydantic import ValidationError

from cabe.cli import FIELDS, commands
from cabe.facts import Facts, read_config, read_facts
from cabe.facts.config_types import TYPES
from cabe.facts.models import Model, Shape
from cabe.memory import Formulas, answer, counts, with_configs
from cabe.reading import Faults
from tests.conftest import ROOT

pytestmark = pytest.mark.usefixtures("worked_out_once")

CONFIGS = sorted((ROOT / "tests" / "configs").glob("*.json"))
LLAMA = {
    "model_type": "llama",
    "hidden_size": 2048,
    "num_hidden_layers": 16,
    "num_attention_heads": 32,
    "intermediate_size": 8192,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
}
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """`write(hidden_size=…)` saves Llama's configuration with some keys changed, None for one that goes."""

    def save(**changes: Any) -> Path:
        path = tmp_path / "config.json"
        path.write_text(json.dumps({key: value for key, value in {**LLAMA, **changes}.items() if value is not None}))
        return path

    return save


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(commands, [*map(str, arguments)])


def told(path: Path, facts: Facts) -> list[str]:
    """The faults of a configuration, without the path of the file."""
    with pytest.raises(Faults) as error:
        read_config(path, facts.architectures)
    return [str(fault).removeprefix(path.as_posix()).removeprefix(":") for fault in error.value.faults]


def as_text(value: Any) -> str:
    return (
        str(value).lower() if isinstance(value, bool) else f"{value:.12g}" if isinstance(value, float) else str(value)
    )


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_configuration_states_what_the_facts_state(path: Path, facts: Facts, formulas: Formulas) -> None:
    stated = read_config(path, facts.architectures)
    counted = counts(facts, formulas, path.stem, stated)
    model = facts.models[path.stem]
    fields = {*Shape.model_fields, "checkpoint_dtype", "multimodal"} - {"id", "name", "active_params"} - COUNTED
    if path.stem in LONGER:
        stated = {**stated, "max_context": as_text(model.max_context)}
    known = {name: as_text(getattr(model, name)) for name in fields - ({"checkpoint_dtype"} - set(stated))}
    assert said(stated) == said(known)
    wanted = set() if unmodelled(facts, model) else {as_text(model.text_params or model.total_params)}
    assert set(counted.values()) == wanted


LONGER = ("qwen-1.8b",)  # the vendor's card states a longer context than the configuration
COUNTED = {"total_params", "text_params", "counted_params", "mtp_params", "tower_linear_params"}


def said(fields: Mapping[str, str]) -> dict[str, str]:
    """The fields that say something else than their default."""
    return {name: text for name, text in fields.items() if text != as_text(Model.model_fields[name].default)}


def unmodelled(facts: Facts, model: Model) -> bool:
    return bool(facts.architectures[model.architecture].unmodelled)


def test_every_architecture_has_a_configuration_here_and_a_row_in_the_table(facts: Facts) -> None:
    assert {facts.models[path.stem].architecture for path in CONFIGS} == set(facts.architectures)
    rows = {kind.architecture for kind in TYPES.values()} | {kind.beside_towers for kind in TYPES.values()} - {""}
    assert set(facts.architectures) <= rows


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_an_estimate_of_a_path_is_that_of_the_model_in_the_facts(path: Path, facts: Facts, formulas: Formulas) -> None:
    if unmodelled(facts, facts.models[path.stem]):
        pytest.skip("this architecture is not modelled")
    given = {"method": "lora", "targets": "q,v", "seq": "1024", "attention": "sdpa"}
    found = with_configs(facts, formulas, [str(path)])
    by_path = answer(found, formulas, {"model": str(path), **given}, ["a100-80gb"])
    by_id = answer(facts, formulas, {"model": path.stem, **given}, ["a100-80gb"])
    assert by_path.pop("model") == by_path["setup"].pop("model") == str(path)
    assert by_id.pop("model") == by_id["setup"].pop("model") == path.stem
    assert by_path == by_id


@pytest.mark.parametrize(
    ("changes", "field", "text"),
    [
        ({}, "num_kv_heads", "32"),
        ({"num_key_value_heads": 8}, "num_kv_heads", "8"),
        ({"hidden_size": 2.048e3}, "hidden_size", "2048"),
        ({}, "head_dim", "64"),
        ({"head_dim": 128}, "head_dim", "128"),
        ({}, "tied_embeddings", "false"),
        ({"model_type": "gemma", "num_key_value_heads": 1}, "tied_embeddings", "true"),
        ({"model_type": "gemma", "num_key_value_heads": 1}, "head_dim", "256"),
        ({"attention_bias": True}, "qkv_bias", "true"),
        ({"attention_bias": True}, "attention_output_bias", "true"),
        ({"model_type": "glm", "num_key_value_heads": 2}, "qkv_bias", "true"),
        ({"model_type": "glm", "num_key_value_heads": 2}, "attention_output_bias", "false"),
        ({"dtype": "bfloat16", "torch_dtype": "float16"}, "checkpoint_dtype", "bfloat16"),
        ({"model_type": "mistral", "num_key_value_heads": 8}, "sliding_window", "4096"),
        ({"model_type": "mistral", "num_key_value_heads": 8}, "windowed_layers", "16"),
        ({"model_type": "qwen2", "num_key_value_heads": 8, "sliding_window": 512}, "windowed_layers", "0"),
        (
            {"model_type": "qwen2", "num_key_value_heads": 8, "use_sliding_window": True, "max_window_layers": 10},
            "windowed_layers",
            "6",
        ),
        ({"model_type": "gemma2", "num_key_value_heads": 8}, "windowed_layers", "8"),
        ({"model_type": "olmo3", "layer_types": ["full_attention"] * 16}, "windowed_layers", "0"),
        ({"model_type": "phi3", "rope_parameters": {"partial_rotary_factor": 0.75}}, "rotary_share", "0.75"),
        ({"model_type": "phi3", "partial_rotary_factor": 0.75}, "rotary_share", "0.75"),
        (
            {"rope_scaling": {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 65536}},
            "max_context",
            "262144",
        ),
        ({"model_type": "gpt_neox"}, "rotary_share", "0.25"),
        ({"model_type": "falcon"}, "num_kv_heads", "1"),
        ({"model_type": "falcon", "intermediate_size": None}, "intermediate_size", "8192"),
        ({"model_type": "falcon", "new_decoder_architecture": True, "num_kv_heads": 8}, "num_kv_heads", "8"),
        (
            {"model_type": "stablelm", "num_key_value_heads": 8, "use_parallel_residual": True, "qk_layernorm": True},
            "architecture",
            "stablelm_parallel",
        ),
    ],
    ids=str,
)
def test_a_key_or_its_default_means_what_it_means_to_transformers(
    facts: Facts, write: Write, changes: Mapping[str, Any], field: str, text: str
) -> None:
    assert read_config(write(**changes), facts.architectures)[field] == text


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"hidden_size": None}, ["1: hidden_size: the key is missing (or n_embd, d_model); a llama needs it"]),
        ({"hidden_size": "2048"}, ["1: hidden_size: is the text '2048', expected a whole number; correct the file"]),
        ({"hidden_size": True}, ["1: hidden_size: is true, expected a whole number; correct the file"]),
        ({"hidden_size": [2048]}, ["1: hidden_size: is a list, expected a whole number; correct the file"]),
        ({"hidden_size": 2048.5}, ["1: hidden_size: '2048.5' is not a count, expected a whole number of at least 1"]),
        ({"hidden_size": 0}, ["1: hidden_size: '0' is too few, expected a whole number of at least 1"]),
        ({"hidden_size": -8}, ["1: hidden_size: '-8' is too few, expected a whole number of at least 1"]),
        ({"hidden_size": float("nan")}, ["1: hidden_size: 'NaN' is not a number, expected digits"]),
        ({"hidden_size": 10**9}, ["1: hidden_size: 1000000000 is too large, expected at most 100000000"]),
        ({"hidden_size": 10**400}, ["1: hidden_size: 1.0000000000000000000e+400 is too large"]),
        ({"hidden_size": 2000}, ["1: hidden_size: 2000 cannot be split among 32 heads, and head_dim is missing"]),
        ({"num_key_value_heads": 5}, ["1: num_key_value_heads: 32 heads cannot share 5 heads of keys and values"]),
        ({"tie_word_embeddings": "false"}, ["1: tie_word_embeddings: is the text 'false', expected true or false"]),
        ({"torch_dtype": 16}, ["1: torch_dtype: is the number 16, expected text"]),
        ({"model_type": None}, ["1: model_type: is missing; name a config.json of a language model"]),
        ({"model_type": 5}, ["1: model_type: is no text"]),
        ({"model_type": "lama"}, ["1: model_type: there is no 'lama' among the architectures (did you mean llama"]),
        (
            {"model_type": "olmo3", "layer_types": ["full_attention"]},
            ["1: layer_types: names 1 layers, but there are 16"],
        ),
        ({"model_type": "olmo3", "layer_types": [1]}, ["1: layer_types: is no list of texts; correct the file"]),
        (
            {"model_type": "gpt_neox", "use_parallel_residual": False},
            ["1: use_parallel_residual: only true is modelled for gpt_neox; another value makes another architecture"],
        ),
        (
            {"model_type": "falcon", "alibi": True, "multi_query": False},
            ["1: alibi: only false is modelled for falcon", "1: multi_query: only true is modelled for falcon"],
        ),
        (
            {"model_type": "granitemoehybrid", "shared_intermediate_size": 8192},
            ["1: layer_types: the key is missing", "1: num_local_experts: the key is missing"],
        ),
        (
            {
                "text_config": {
                    "model_type": "llama",
                    "hidden_size": 64,
                    "num_hidden_layers": 2,
                    "num_attention_heads": 2,
                }
            },
            [
                "1: text_config.intermediate_size: the key is missing; a llama needs it",
                "1: text_config.max_position_embeddings: the key is missing; a llama needs it",
                "1: text_config.vocab_size: the key is missing; a llama needs it",
            ],
        ),
    ],
    ids=str,
)
def test_what_is_wrong_with_a_configuration_is_told_at_once(
    facts: Facts, write: Write, changes: Mapping[str, Any], says: list[str]
) -> None:
    lines = told(write(**changes), facts)
    assert [line for line, start in zip(lines, says, strict=False) if not line.startswith(start)] == []
    assert len(lines) == len(says), lines


@pytest.mark.parametrize(
    ("model", "changes", "says"),
    [
        ("llama-3.2-1b", {"num_kv_heads": 5}, ["num_kv_heads: 32 heads cannot share 5 heads of keys and values"]),
        (
            "llama-3.2-1b",
            {"windowed_layers": 17},
            [
                "sliding_window: is missing or 0, but windowed_layers is 17",
                "windowed_layers: counts 17 layers, but there are 16",
            ],
        ),
        ("lfm2-1.2b", {"conv_layers": 17}, ["conv_layers: counts 17 layers, but there are 16"]),
        (
            "lfm2-1.2b",
            {"windowed_layers": 7, "sliding_window": 8},
            ["conv_layers: conv_layers and windowed_layers are 17 layers, but there are 16"],
        ),
        ("lfm2-1.2b", {"conv_kernel": 0}, ["conv_kernel: is missing or 0, but conv_layers is 10"]),
        (
            "lfm2-1.2b",
            {"first_attention_layer": 11},
            ["first_attention_layer: 11 layers without attention, but there are 10"],
        ),
        (
            "gemma-4-e2b",
            {"global_layers": 36},
            ["global_layers: counts 36 layers, but there are 35"],
        ),
        ("gemma-4-e2b", {"global_layers": 8}, ["windowed_layers: windowed_layers and global_layers are 36 layers"]),
        ("gemma-4-e2b", {"kv_shared_layers": 36}, ["kv_shared_layers: counts 36 layers, but there are 35"]),
        (
            "gemma-4-e2b",
            {"kv_shared_layers": 35},
            ["kv_shared_layers: 35 of 35 layers have no layer to share with"],
        ),
        (
            "gemma-4-e2b",
            {"kv_shared_layers": 34},
            ["kv_shared_layers: 30 of 28 other layers have no layer of their kind to share with"],
        ),
        (
            "gemma-4-e2b",
            {"kv_shared_global_layers": 21},
            [
                "kv_shared_global_layers: 21 of 20 layers that share",
                "kv_shared_layers: 21 of 7 global layers have no layer of their kind to share with",
            ],
        ),
        ("mixtral-8x7b", {"experts_per_token": 9}, ["experts_per_token: 9 experts for each token, but there are 8"]),
        (
            "mixtral-8x7b",
            {"experts": 0},
            [
                "experts: is missing or 0, but expert_layers is 32",
                "experts_per_token: 2 experts for each token, but there are 0",
            ],
        ),
        ("mixtral-8x7b", {"expert_layers": 33}, ["expert_layers: counts 33 layers, but there are 32"]),
        (
            "mixtral-8x7b",
            {"first_expert_layer": 1},
            ["first_expert_layer: 1 layers below 32 with experts, but there are 32 layers"],
        ),
        (
            "qwen3.5-35b-a3b",
            {"expert_layers": 39},
            ["intermediate_size: is 0, but 1 layers have an MLP of this width"],
        ),
        ("deepseek-v3", {"v_head_dim": 0}, ["v_head_dim: is missing or 0, but kv_lora_rank is 512"]),
        ("deepseek-v3", {"qk_rope_head_dim": 0}, ["qk_rope_head_dim: is missing or 0, but kv_lora_rank is 512"]),
        ("gemma-3-4b", {"text_params": 5 * 10**9}, ["text_params: 5000000000 parameters are more than all", "tower_"]),
        ("mixtral-8x7b", {"active_params": 10**12}, ["active_params: 1000000000000 parameters are more than all"]),
        ("llama-3.2-1b", {"mtp_params": 10**12}, ["mtp_params: 1000000000000 parameters are more than all"]),
        ("llama-3.2-1b", {"tower_linear_params": 8}, ["tower_linear_params: 8 parameters are more than the towers"]),
    ],
    ids=str,
)
def test_counts_that_cannot_stand_together_are_no_shape(
    facts: Facts, model: str, changes: Mapping[str, Any], says: list[str]
) -> None:
    known = {name: as_text(value) for name, value in facts.models[model] if value is not None}
    known = {name: text for name, text in known.items() if name in Shape.model_fields}
    with pytest.raises(ValidationError) as error:
        Shape.model_validate({**known, **{name: as_text(value) for name, value in changes.items()}})
    lines = sorted(f"{one['loc'][0]}: {one['msg']}" for one in error.value.errors())
    assert [line for line, start in zip(lines, says, strict=False) if not line.startswith(start)] == []
    assert len(lines) == len(says), lines


def test_a_contradiction_in_the_facts_is_told_with_its_line(sources: Path) -> None:
    path = sources / "data" / "models.yaml"
    text = path.read_text(encoding="utf-8")
    at = text.index("experts_per_token: ", text.index("id: mixtral-8x7b"))
    path.write_text(text[:at] + "experts_per_token: 9" + text[text.index("\n", at) :], encoding="utf-8")
    line = text[:at].count("\n") + 1
    with pytest.raises(Faults) as error:
        read_facts(sources)
    what = "models.mixtral-8x7b.experts_per_token: 9 experts for each token, but there are 8"
    assert str(error.value) == f"data/models.yaml:{line}: {what}"


LISTED = "[" + ", ".join(map(str, range(400))) + "]"


@pytest.mark.parametrize(
    ("base", "changes", "says"),
    [
        (
            "glm-4.5",
            {"partial_rotary_factor": "0"},
            "partial_rotary_factor: is the number 0, expected a number above 0",
        ),
        ("phi-2", {"partial_rotary_factor": "2"}, "partial_rotary_factor: '2' is no share, expected a number above 0"),
        ("phi-2", {"partial_rotary_factor": "-0.5"}, "partial_rotary_factor: is the number -0.5, expected a number"),
        ("phi-2", {"partial_rotary_factor": "1e300"}, "partial_rotary_factor: is the number 1E+300, expected a number"),
        ("phi-2", {"partial_rotary_factor": '"half"'}, "partial_rotary_factor: is the text 'half', expected a number"),
        ("minimax-m2", {"rotary_dim": "0"}, "rotary_dim: is the number 0, expected a number above 0"),
        ("minimax-m2", {"rotary_dim": "256"}, "rotary_dim: '2' is no share, expected a number above 0 and up to 1"),
        ("gpt-oss-20b", {"rope_scaling.factor": "1e300"}, "rope_scaling.factor: is the number 1E+300, expected"),
        ("gpt-oss-20b", {"rope_scaling.factor": "1e999999"}, "rope_scaling.factor: is the number 1E+999999, expected"),
        (
            "gpt-oss-20b",
            {"rope_scaling.original_max_position_embeddings": "1e999990"},
            "rope_scaling.original_max_position_embeddings: is the number 1E+999990, expected",
        ),
        ("lfm2-1.2b", {"block_ffn_dim_multiplier": "-3"}, "block_ffn_dim_multiplier: is the number -3, expected"),
        (
            "lfm2-1.2b",
            {"block_ffn_dim_multiplier": "1e-9"},
            "block_ff_dim: is 0, but 16 layers have an MLP of this width",
        ),
        (
            "lfm2-1.2b",
            {"layer_types": "null", "full_attn_idxs": "[16]"},
            "full_attn_idxs: names the number 16, expected",
        ),
        ("llama-4-scout", {"text_config.moe_layers": "[-5]"}, "text_config.moe_layers: names the number -5, expected"),
        ("llama-4-scout", {"text_config.moe_layers": '["x"]'}, "text_config.moe_layers: names the text 'x', expected"),
        ("llama-4-scout", {"text_config.moe_layers": "[null]"}, "text_config.moe_layers: names null, expected layers"),
        (
            "llama-4-scout",
            {"text_config.moe_layers": "[0.5]"},
            "text_config.moe_layers: names the number 0.5, expected",
        ),
        (
            "llama-4-scout",
            {"text_config.moe_layers": "[NaN]"},
            "text_config.moe_layers: names the number NaN, expected",
        ),
        (
            "llama-4-scout",
            {"text_config.moe_layers": "[1e999999]"},
            "text_config.moe_layers: names the number 1E+999999",
        ),
        ("llama-4-scout", {"text_config.moe_layers": LISTED}, "text_config.moe_layers: names the number 48, expected"),
        ("llama-4-scout", {"text_config.moe_layers": "5"}, "text_config.moe_layers: is the number 5, expected a list"),
        (
            "llama-4-scout",
            {"text_config.interleave_moe_layer_step": "0.5"},
            "text_config.interleave_moe_layer_step: '0.5' is not a count",
        ),
        (
            "llama-4-scout",
            {"text_config.interleave_moe_layer_step": "0"},
            "text_config.interleave_moe_layer_step: '0' is too few",
        ),
        (
            "llama-4-scout",
            {"text_config.no_rope_layers": "null", "text_config.no_rope_layer_interval": "0.5"},
            "text_config.no_rope_layer_interval: '0.5' is not a count",
        ),
        (
            "llama-4-scout",
            {"text_config.no_rope_layers": "[2, null]"},
            "text_config.no_rope_layers: expected 0 or 1 for each of 48 layers",
        ),
        (
            "qwen2-0.5b",
            {"use_sliding_window": "true", "max_window_layers": "1e9999999"},
            "max_window_layers: 1E+9999999 is too large, expected at most 100000000",
        ),
        (
            "gemma-3-4b",
            {"text_config.sliding_window_pattern": "1e99999999"},
            "text_config.sliding_window_pattern: 1E+99999999 is too large",
        ),
        ("qwen3-30b-a3b", {"num_hidden_layers": "100000000"}, "num_hidden_layers: 100000000 is too large, expected at"),
        ("qwen3-30b-a3b", {"num_experts": "100000"}, "num_experts: 100000 is too large, expected at most 10000"),
        ("qwen3-30b-a3b", {"decoder_sparse_step": "0"}, "decoder_sparse_step: '0' is too few"),
        ("qwen3-30b-a3b", {"mlp_only_layers": "[48]"}, "mlp_only_layers: names the number 48, expected layers from 0"),
        (
            "qwen3-30b-a3b",
            {"num_experts_per_tok": "100000"},
            "num_experts_per_tok: 100000 experts for each token, but there are 128",
        ),
        (
            "gemma-4-26b-a4b",
            {"text_config.top_k_experts": "9999"},
            "text_config.top_k_experts: 9999 experts for each token, but there are 128",
        ),
        ("mixtral-8x7b", {"num_local_experts": "1"}, "num_experts_per_tok: 2 experts for each token, but there are 1"),
        (
            "gemma-4-e2b",
            {"text_config.num_kv_shared_layers": "1000"},
            "text_config.num_kv_shared_layers: counts 1000 layers, but there are 35",
        ),
        (
            "gpt-oss-20b",
            {"layer_types": json.dumps(["foo"] * 24)},
            "layer_types: names the text 'foo', expected sliding_attention or full_attention",
        ),
        ("qwen2-0.5b", {"torch_dtype": r'"\ud800"'}, r"torch_dtype: is the text '\ud800', which holds an invisible"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_value_of_which_no_shape_can_be_made_is_told_at_its_key(
    facts: Facts, tmp_path: Path, base: str, changes: Mapping[str, str], says: str
) -> None:
    (line,) = told(changed(tmp_path / "config.json", base, changes), facts)
    assert line.partition(": ")[2].startswith(says)


def changed(path: Path, base: str, changes: Mapping[str, str]) -> Path:
    """A configuration of a model with the JSON of some keys changed, as a file that states it."""
    made = json.loads((ROOT / "tests" / "configs" / f"{base}.json").read_text(encoding="utf-8"))
    for key in changes:
        *parts, last = key.split(".")
        held = made
        for part in parts:
            held = held[part]
        held[last] = f"@{key}@"
    text = json.dumps(made, indent=1)
    for key, raw in changes.items():
        text = text.replace(f'"@{key}@"', raw)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_key_that_stands_twice_is_shown_without_invisible_signs(facts: Facts, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(r'{"\ud800": 1, "\ud800": 2}', encoding="utf-8")
    assert told(path, facts) == [r"1: '\ud800': the key stands twice (first on line 1); remove one of the two"]


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"", "1: is empty, expected a JSON object"),
        (b" \n", "1: is empty, expected a JSON object"),
        (b"[1]", "1: is not a JSON object, expected { … } around its keys"),
        (b'"llama"', "1: is not a JSON object"),
        (b'{"model_type": "llama",\n}', "2: is not JSON: "),
        (b"model_type: llama", "1: is not JSON: "),
        (b'{"a": 1}\n{"a": 2}', "2: is not JSON: Extra data"),
        (b'{"a": {"b": 1,\n"c": 2,\n"b": 3}}', "3: a.b: the key stands twice (first on line 1); remove one of the two"),
        (b'{"a": ' * 60 + b"1" + b"}" * 60, "1: is nested too deeply"),
        (b"[" * 200_000, "1: is nested too deeply"),
        ('{"a": "é"}'.encode("latin-1"), "1: the encoding is not UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "1: the encoding is UTF-16 or binary"),
        (b'{"a": "' + b"x" * 50_000_000 + b'"}', " has 50.0 MB, which no configuration has; expected at most 4 MB"),
    ],
    ids=lambda value: repr(value[:30]),
)
def test_a_file_that_is_no_configuration_has_one_clear_message(
    facts: Facts, tmp_path: Path, raw: bytes, says: str
) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(raw)
    (line,) = told(path, facts)
    assert line.startswith(says)


def test_the_line_of_a_key_is_told_and_a_setting_that_is_no_width_may_be_anything(facts: Facts, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**LLAMA, "time_step_limit": [0, float("inf")], "vocab_size": "many"}, indent=2))
    assert told(path, facts) == ["7: vocab_size: is the text 'many', expected a whole number; correct the file"]


def test_an_architecture_that_the_facts_lack_is_named(facts: Facts, write: Write) -> None:
    known = {name: one for name, one in facts.architectures.items() if name != "llama"}
    with pytest.raises(Faults, match="architecture 'llama' is not in the facts"):
        read_config(write(), known)


@pytest.mark.parametrize("name", ["llama-3.2-1b", "qwen3-0.6b"])
def test_a_folder_that_holds_a_configuration_may_stand_for_it(name: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes((ROOT / "tests" / "configs" / f"{name}.json").read_bytes())
    made = json.loads(run("estimate", tmp_path, "--method", "full", "--json").stdout)
    assert made["model"] == str(tmp_path)
    assert made["peak"] == json.loads(run("estimate", name, "--method", "full", "--json").stdout)["peak"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["missing.json"], "missing.json: there is no such file; expected a config.json, or a folder that holds one"),
        (["folder/"], "folder/config.json: cannot be read: No such file or directory"),
        (["folder"], "folder/config.json: cannot be read: No such file or directory"),
        (["loop.json"], "loop.json: cannot be read: Too many levels of symbolic links"),
        (["/dev/zero"], "/dev/zero: is no regular file; expected a config.json, or a folder that holds one"),
        (
            ["meta-llama/llama-3.1-8b"],
            "meta-llama/llama-3.1-8b: there is no such file; did you mean the model llama-3.1-8b?",
        ),
        (
            ["empty.json", "--rank", "0"],
            "empty.json:1: is empty, expected a JSON object; download the config.json again",
        ),
    ],
    ids=str,
)
def test_a_path_that_cannot_be_estimated_is_told_with_the_other_mistakes(
    arguments: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.json").write_text("")
    (tmp_path / "loop.json").symlink_to("loop.json")
    monkeypatch.chdir(tmp_path)
    result = run("estimate", *arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines()[0] == f"estimate: model: {says}"
    assert len(result.stderr.splitlines()) == 1 + len(arguments[1:]) // 2 + 1


@pytest.mark.parametrize(
    ("name", "hidden_size"),
    [("fold", 2048), (".", 2048), ("llama-3.2-1b", None), ("1.5B", None), ("null", None)],
)
def test_a_folder_without_a_slash_is_a_path_where_no_model_and_no_size_has_its_name(
    write: Write, monkeypatch: pytest.MonkeyPatch, facts: Facts, formulas: Formulas, name: str, hidden_size: int | None
) -> None:
    folder = write().parent
    (folder / name).mkdir(exist_ok=True)
    (folder / name / "config.json").write_bytes(write().read_bytes())
    monkeypatch.chdir(folder)
    shape = with_configs(facts, formulas, [name]).configs.get(name)
    assert getattr(shape, "hidden_size", None) == hidden_size


def test_what_looks_like_markup_in_a_path_or_an_option_is_printed_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "[red]:smile:.json").write_text(json.dumps(LLAMA))
    monkeypatch.chdir(tmp_path)
    result = run("estimate", "[red]:smile:.json", "--attention", "[/x]", "--device", "rtx-4090")
    assert result.stdout.startswith("[red]:smile:.json · method lora")
    assert "attention [/x]" in result.stdout


def test_a_path_is_solved_for_and_gets_suggestions(write: Write) -> None:
    path = write()
    solved = json.loads(run("estimate", path, "--solve", "batch", "--device", "rtx-4090", "--json").stdout)
    assert solved["value"] >= 1
    assert solved["estimate"]["model"] == str(path)
    made = json.loads(run("estimate", path, "--batch", "256", "--device", "rtx-4090", "--json").stdout)
    assert made["fits"][0]["verdict"] == "too-big"
    assert made["suggestions"]
    assert f"{path} · method lora" in run("estimate", path).stdout


def test_rows_of_a_table_may_name_paths_and_a_faulty_one_stays_in_its_place(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write()
    (tmp_path / "bad.json").write_text(json.dumps({**LLAMA, "hidden_size": "wide", "vocab_size": None}))
    (tmp_path / "setups.csv").write_text(
        "model,method\nconfig.json,full\nbad.json,full\nllama-3.2-1b,full\nhalf.json,full\n"
    )
    changed(tmp_path / "half.json", "phi-2", {"partial_rotary_factor": "2"})
    monkeypatch.chdir(tmp_path)
    result = run("estimate", "--setups", "setups.csv", "--json")
    first, second, third, fourth = json.loads(result.stdout)
    assert (result.exit_code, first["model"], third["model"]) == (1, "config.json", "llama-3.2-1b")
    assert first["peak"] > third["peak"]  # its head is not tied
    assert second == {
        "error": "model: bad.json:1: hidden_size: is the text 'wide', expected a whole number; correct the file; "
        "model: bad.json:1: vocab_size: the key is missing; a llama needs it"
    }
    assert fourth["error"].startswith("model: half.json:17: partial_rotary_factor: '2' is no share")


GIVEN = {
    "id": "tiny-1b",
    "family": "tiny",
    "name": "Tiny: 1B # really",
    "vendor": "Somebody",
    "release": "2026-11",
    "licence": "MIT",
    "hf_repo": "somebody/tiny-1b",
    "source": "somebody/tiny-1b@0123456",
    "published_params": "1B",
    "published_source": "the model's name",
    "verified": "true",
    "verification": "label",
    "confidence": "high",
    "tier": "extended",
}


def test_an_entry_with_all_that_an_author_knows_is_a_record_of_the_facts(sources: Path, write: Write) -> None:
    options = [text for name, value in GIVEN.items() for text in (f"--{name.replace('_', '-')}", value)]
    made = run("import-model", write(torch_dtype="bfloat16"), *options)
    assert (made.exit_code, made.stderr) == (0, "")
    paste(sources, made.stdout)
    model = read_facts(sources).models["tiny-1b"]
    assert {name: as_text(getattr(model, name)) for name in GIVEN if name != "source"} == {
        name: text for name, text in GIVEN.items() if name != "source"
    }
    assert model.source == [GIVEN["source"], "shape from its config.json, by import-model"]
    assert (model.total_params, model.counted_params) == (1_599_145_984, 1_599_145_984)


def test_an_entry_that_is_not_filled_in_is_refused_field_by_field(sources: Path, write: Write) -> None:
    made = run("import-model", write(), "--hf-repo", "somebody/Tiny-1.5B_Base")
    assert (made.exit_code, "id: tiny-1.5b-base" in made.stdout, "name: Tiny 1.5B Base" in made.stdout) == (
        0,
        True,
        True,
    )
    empty = made.stderr.strip().removeprefix("to be filled in: ").split(", ")
    assert set(empty) == set(GIVEN) - {"id", "name", "hf_repo"} | {"checkpoint_dtype"}
    paste(sources, made.stdout)
    with pytest.raises(Faults) as error:
        read_facts(sources)
    refused = {str(fault.what).split(":")[0].removeprefix("models.tiny-1.5b-base.") for fault in error.value.faults}
    assert refused == set(empty) - {"source"} | {"source.0"}


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--name", "Tiny \udcff", "holds the invisible character U+DCFF; remove it"),
        ("--name", "Tiny\x1b[2J", "holds the invisible character U+001B; remove it"),
        ("--id", "Tiny 1B", "'Tiny 1B' is not an id, expected lower-case letters"),
        ("--verified", "maybe", "'maybe' is neither true nor false"),
        ("--release", "soon", "'soon' is not a date, expected YYYY, YYYY-MM or YYYY-MM-DD"),
        ("--confidence", "sure", "input should be 'high', 'medium' or 'low'"),
        ("--source", " ", "is empty, expected a value"),
    ],
    ids=ascii,
)
def test_what_an_author_gives_is_checked_before_an_entry_is_made(
    write: Write, option: str, value: str, says: str
) -> None:
    made = run("import-model", write(), "--vendor", "Somebody", option, value)
    line, count = made.stderr.splitlines()
    assert (made.exit_code, made.stdout, count) == (1, "", "1 fault")
    assert line.startswith(f"{option}: {says}")


def test_what_no_configuration_states_can_be_given(facts: Facts) -> None:
    assert facts.models
    assert set(FIELDS) == set(Model.model_fields) - set(Shape.model_fields) - {
        "checkpoint_dtype",
        "multimodal",
        "counted_params",
        "mtp_params",
    } | {"id", "name"}


def test_a_multimodal_entry_counts_the_language_model_and_leaves_the_whole_to_the_author() -> None:
    made = run("import-model", ROOT / "tests" / "configs" / "gemma-3-4b.json")
    assert "    text_params: 3880263168\n" in made.stdout
    assert "    multimodal: true\n" in made.stdout
    assert {"total_params", "counted_params"} <= set(made.stderr.strip().removeprefix("to be filled in: ").split(", "))


def paste(sources: Path, text: str) -> None:
    """The text at the end of a copy of data/models.yaml."""
    path = sources / "data" / "models.yaml"
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


LINE = (
    "architecture=llama,hidden_size=4096,num_layers=32,num_attention_heads=32,num_kv_heads=8,head_dim=128,"
    "intermediate_size=14336,vocab_size=128256,max_context=131072"
)


def test_a_shape_in_one_line_is_estimated_as_the_model_that_has_it(facts: Facts, formulas: Formulas) -> None:
    known = with_configs(facts, formulas, [LINE])
    for method in ("full", "lora", "qlora", "inference"):
        ours, theirs = (answer(known, formulas, {"model": one, "method": method}, []) for one in (LINE, "llama-3.1-8b"))
        assert (ours["peak"], ours["components"]) == (theirs["peak"], theirs["components"])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (LINE.replace("llama", "lama"), "there is no architecture 'lama' (did you mean llama"),
        (LINE.replace("head_dim=128,", ""), "head_dim: is missing"),
        (LINE.replace("num_layers=32", "num_layers=0"), "num_layers: '0' is too few"),
        (LINE.replace("num_kv_heads=8", "num_kv_heads=7"), "num_kv_heads: 32 heads cannot share 7"),
        (LINE + ",colour=red", "a shape has no field 'colour'"),
        (LINE + ",num_layers=33", "num_layers is stated twice"),
        (LINE.replace("hidden_size=4096", "hidden_size=100000000").replace("=32,", "=100000000,"), "parameters"),
    ],
)
def test_a_line_that_is_no_shape_is_told_why(line: str, said: str) -> None:
    result = run("estimate", line, "--method", "lora")
    assert result.exit_code == 1
    assert said in result.stderr
