"""A training configuration that is pasted sets what it speaks of, and says what it did not understand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from cabe.pages import Site, address
from cabe.words import Language
from tests.browser.conftest import Open, tab_to
from tests.browser.test_axe import violations

pytestmark = pytest.mark.browser

AXOLOTL = """\
base_model: NousResearch/Meta-Llama-3.1-8B   # as loaded
load_in_4bit: true
adapter: qlora
datasets:
  - path: some/data
    type: alpaca
sequence_len: 4096
lora_r: 32
lora_alpha: 16
lora_dropout: 0.05
lora_target_linear: true
lora_target_modules:
gradient_accumulation_steps: 4
micro_batch_size: 2
optimizer: paged_adamw_8bit
bf16: auto
tf32: false
gradient_checkpointing: true
gradient_checkpointing_kwargs:
  use_reentrant: true
flash_attention: true
loraplus_lr_ratio: 16
special_tokens:
  pad_token: "<|end_of_text|>"
"""
FACTORY = """\
### model
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
trust_remote_code: true

### method
stage: sft
finetuning_type: lora
lora_rank: 8
lora_target: all
deepspeed: examples/deepspeed/ds_z3_config.json

cutoff_len: 2048
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
enable_liger_kernel: true
bf16: true
"""
TRL = """\
model_name_or_path: google/gemma-2-9b
max_length: 1024
per_device_train_batch_size: 4
attn_implementation: eager
gradient_checkpointing: false
optim: adamw_torch_fused
"""
PEFT = """{"peft_type": "LORA", "base_model_name_or_path": "mistralai/Mistral-7B-v0.1", "r": 64, "lora_alpha": 128,
"target_modules": ["q_proj", "v_proj"], "modules_to_save": ["classifier"], "use_dora": false, "auto_mapping": null}"""
LISTS = """\
adapter: lora
lora_target_modules: [q_proj, 'k_proj', "v_proj"]
fsdp:
- full_shard
- auto_wrap
fsdp_config:
    fsdp_offload_params: true
"""

CASES = [
    (
        AXOLOTL,
        "--method qlora --seq 4096 --batch 2 --optimizer paged-adamw-8bit --rank 32 --lora-dropout 0.05"
        " --checkpointing full-reentrant --accumulation 4",
        ["loraplus_lr_ratio"],
    ),
    (FACTORY, "--method lora --rank 8 --loss fused --accumulation 8", []),
    (TRL, "--method full --seq 1024 --batch 4 --checkpointing none --attention eager", []),
    (PEFT, "--method lora --rank 64 --targets q,v", ["modules_to_save"]),
    (LISTS, "--method lora --targets q,k,v", ["fsdp_offload_params"]),
]
MODELS = ["llama-3.1-8b", "qwen2.5-7b", "gemma-2-9b", "mistral-7b-v0.1", "mistral-7b-v0.1"]  # the last names none


@pytest.fixture
def tool(open_page: Open, site: Site, language: Language) -> Callable[[], Page]:
    path = address(site.pages[language.code]["training-vram"])

    def opened() -> Page:
        page = open_page(path)
        tab_to(page, "[data-training] summary")
        page.keyboard.press("Enter")
        return page

    return opened


def paste(page: Page, text: str) -> None:
    page.locator("[data-training-config]").fill("")
    tab_to(page, "[data-training-config]")
    page.keyboard.insert_text(text)


def options(words: list[str]) -> dict[str, str]:
    return dict(zip(words[::2], words[1::2], strict=True))


def test_what_is_pasted_is_the_set_up(tool: Callable[[], Page]) -> None:
    page = tool()
    for (text, command, unknown), model in zip(CASES, MODELS, strict=True):
        paste(page, text)
        words = page.locator(".estimator [data-text=command]").last.inner_text().split()
        made = options(words[4:])
        made.pop("--device", None)
        assert (words[3], made) == (model, options(command.split()))
        said = page.locator("[data-keys-of=unknown]").inner_text()
        assert [key for key in said.split(", ") if key] == unknown


def test_what_devices_share_waits_for_their_number(tool: Callable[[], Page]) -> None:
    page = tool()
    paste(page, FACTORY)
    page.evaluate("document.querySelectorAll('.estimator details').forEach((one) => (one.open = true))")
    page.locator(".estimator [name=gpus]").fill("8")
    words = page.locator(".estimator [data-text=command]").last.inner_text()
    assert "--gpus 8" in words
    assert "--sharding zero3" in words


@pytest.mark.parametrize(
    "text", ["no keys at all", "- a\n- list", "[1, 2]", "a: 1\n   b: 2\n c: 3", '{"a": ', "7", "null", "a: [1\n  b: {"]
)
def test_what_is_no_configuration_is_told_and_changes_nothing(
    tool: Callable[[], Page], language: Language, text: str
) -> None:
    if language.code != "en":
        return  # once is enough
    page = tool()
    before = page.locator(".estimator [data-text=command]").last.inner_text()
    paste(page, text)
    assert page.locator(".estimator [data-text=command]").last.inner_text() == before or "a" in text
    if page.locator("[data-keys]").is_hidden():
        assert page.locator("[data-training-error]").inner_text() == language.word("estimator.no_configuration")


def test_numbers_out_of_range_are_told_at_their_fields(tool: Callable[[], Page], language: Language) -> None:
    page = tool()
    paste(page, "adapter: lora\nsequence_len: -5\nlora_r: 1e99\nmicro_batch_size: many\n")
    for option in ("seq", "rank", "batch"):
        assert page.locator(f".estimator [name={option}]").get_attribute("aria-invalid") == "true", option
    assert page.locator(".estimator [data-text=command]").last.inner_text() == ""
    assert language.word("calculator.check_fields") in page.locator(".estimator .verdict").inner_text()


def test_the_panel_is_clean_and_within_a_phone(tool: Callable[[], Page]) -> None:
    page = tool()
    paste(page, AXOLOTL)
    page.set_viewport_size({"width": 320, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert violations(page) == []
    page.set_viewport_size({"width": 1280, "height": 900})
