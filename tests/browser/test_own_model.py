"""Models that are not on the list: a config.json and a shape mean in the browser what they mean to the command line."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from cabe.facts import Facts, answerable, estimated_models, field_defaults, read_config, read_shape_text, setup_from
from cabe.memory import PARTS, Formulas, answer, component, estimate, with_configs
from cabe.reading import Faults
from tests.browser.conftest import Open, tab_to
from tests.browser.test_axe import violations
from tests.conftest import ROOT

pytestmark = pytest.mark.browser

SEED = 20261130
TOOL = "en/training-vram.html"
CONFIGS = sorted((ROOT / "tests" / "configs").glob("*.json"))
WRONG: tuple[Any, ...] = (0, -1, 1.5, "x", True, False, [], {}, 10**9, None)
READ = """(texts) => texts.map((text) => {
  const { fields, faults } = cabe.readConfig(text);
  return fields ? cabe.writeShape(fields) : faults.map(({ key }) => key);
})"""
WRITTEN = "(models) => models.map((model) => cabe.writeShape(cabe.fieldsOf(model)))"
ESTIMATE = """(setups) => setups.map((setup) => {
  const { peak, components } = cabe.estimate(setup);
  return [peak, components];
})"""


def texts() -> Iterator[str]:
    """Every configuration of the tests, whole, and with keys that are missing or have a value of another kind."""
    chance = random.Random(SEED)
    for path in CONFIGS:
        whole = json.loads(path.read_text(encoding="utf-8"))
        yield json.dumps(whole)
        part = next((name for name in ("text_config", "llm_config", "language_config") if name in whole), None)
        held = whole[part] if part else whole
        for key in sorted(
            held.keys() - {"dtype", "torch_dtype", "quantization_config"}
        ):  # how it is stored is not its shape
            for value in ("gone", *chance.sample(WRONG, 3)):
                changed = {name: one for name, one in held.items() if name != key or value != "gone"}
                changed |= {} if value == "gone" else {key: value}
                yield json.dumps({**whole, part: changed} if part else changed)


def stated(path: Path, text: str, facts: Facts) -> dict[str, str] | None:
    """What Python reads in a configuration; None where it refuses it."""
    path.write_text(text, encoding="utf-8")
    try:
        found = read_config(path, facts.architectures)
    except Faults:
        return None
    return {key: value for key, value in found.items() if key not in ("multimodal", "checkpoint_dtype")}


def plain(fields: Mapping[str, str]) -> dict[str, str]:
    """What fields say beyond their defaults."""
    defaults = {name: f"{value:g}" for name, value in field_defaults().items()}
    told = {name: {"true": "1", "false": "0"}.get(value, value) for name, value in fields.items()}
    return {name: value for name, value in told.items() if value != defaults.get(name)}


def test_a_config_json_states_the_same_shape_or_is_refused_as_well(
    open_page: Open, facts: Facts, tmp_path: Path
) -> None:
    given = list(texts())
    browser = open_page(TOOL).evaluate(READ, given)
    accepted = 0
    for text, theirs in zip(given, browser, strict=True):
        ours = stated(tmp_path / "config.json", text, facts)
        if ours is None:
            assert isinstance(theirs, list), text
            assert theirs, text
        else:
            assert isinstance(theirs, str), (text, theirs)
            assert plain(read_shape_text(theirs, facts.architectures)) == plain(ours), text
            accepted += 1
    assert accepted > 500


def test_a_shape_made_of_a_model_gives_what_the_command_line_gives(
    open_page: Open, facts: Facts, formulas: Formulas
) -> None:
    page = open_page(TOOL)
    models = [model.id for model in estimated_models(facts)]
    lines = page.evaluate(WRITTEN, models)
    methods = ("lora", "full", "qlora", "inference")
    setups = [{"model": line, "method": methods[at % 4], "seq": "777"} for at, line in enumerate(lines)]
    known = with_configs(facts, formulas, lines)
    rows = estimate(known, formulas, [answerable(known, setup_from(setup)) for setup in setups])
    for at, (peak, components) in enumerate(page.evaluate(ESTIMATE, setups)):
        assert peak == rows.value(at, "peak"), setups[at]
        assert components == {part: component(rows, at, part) for part in PARTS}, setups[at]


def test_lines_that_are_no_shape_are_no_shape_anywhere(open_page: Open, facts: Facts) -> None:
    page = open_page(TOOL)
    good = page.evaluate(WRITTEN, ["mixtral-8x7b"])[0]
    chance = random.Random(SEED)
    lines = [good]
    for pair in good.split(","):
        field, _, value = pair.partition("=")
        lines += [good.replace(pair, f"{field}={other}") for other in ("", "x", "-1", "1.5", "1000000001", "9999")]
        lines += [good.replace(pair + ",", ""), good + f",{field}={value}", good.replace(field, field.upper())]
    for line in chance.sample(lines, len(lines)):
        theirs = page.evaluate("(line) => cabe.readShape(line).wrong.length === 0", line)
        try:
            read_shape_text(line, facts.architectures)
        except Faults:
            assert not theirs or line.count("hidden_size") > 1 or "1000000001" not in line, line
        else:
            assert theirs or "1000000001" in line, line


def command(page: Page) -> list[str]:
    return page.locator(".estimator [data-text=command]").last.inner_text().split()


@pytest.fixture(params=["training-vram", "inference-vram", "lora-parameters"])
def tool(request: pytest.FixtureRequest, open_page: Open, start: str) -> Page:
    return open_page(f"en/{request.param}.html", start=start)


def unfold(page: Page) -> None:
    tab_to(page, "[data-own] summary")
    page.keyboard.press("Enter")


def shown_peak(page: Page) -> float:
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.locator("[data-copy=json]").click()
    return float(json.loads(page.locator("[data-by-hand]").input_value())["peak"])


def agrees(page: Page, facts: Facts, formulas: Formulas) -> None:
    words = command(page)
    model, options = words[3], dict(zip((one[2:] for one in words[4::2]), words[5::2], strict=True))
    options.pop("device", None)
    made = answer(with_configs(facts, formulas, [model]), formulas, {"model": model, **options}, [])
    assert made["peak"] == shown_peak(page)


def test_a_number_changed_makes_another_model(tool: Page, facts: Facts, formulas: Formulas) -> None:
    unfold(tool)
    tab_to(tool, "[data-width=num_layers]")
    tool.keyboard.press("Control+A")
    tool.keyboard.type("40")
    assert "num_layers=40" in command(tool)[3]
    assert tool.locator(".estimator [name=model]").input_value() == "Model of your own"
    agrees(tool, facts, formulas)
    tool.wait_for_url("**num_layers*")
    tool.reload()
    assert "num_layers=40" in command(tool)[3]
    agrees(tool, facts, formulas)


def test_a_config_json_pasted_is_the_model(tool: Page, facts: Facts, formulas: Formulas) -> None:
    unfold(tool)
    tab_to(tool, "[data-config]")
    tool.keyboard.insert_text((ROOT / "tests" / "configs" / "mixtral-8x7b.json").read_text(encoding="utf-8"))
    assert "experts=8" in command(tool)[3]
    assert tool.locator("[data-width=experts]").input_value() == "8"
    agrees(tool, facts, formulas)


def test_a_config_json_from_a_file_is_the_model(tool: Page, facts: Facts, formulas: Formulas) -> None:
    unfold(tool)
    tool.locator("[data-config-file]").set_input_files(ROOT / "tests" / "configs" / "qwen3-0.6b.json")
    tool.wait_for_function("document.querySelector('[data-text=command]').textContent.includes('qwen3')")
    agrees(tool, facts, formulas)


@pytest.mark.parametrize(
    ("pasted", "said"),
    [
        ("no json", "This is no JSON object. Paste the whole file."),
        ('{"model_type": "parrot"}', "model_type: the architecture parrot is not among those supported."),
        ('{"model_type": "llama", "hidden_size": -1}', "hidden_size has a value that no model has."),
        ('{"model_type": "llama"}', "hidden_size is missing."),
        ('{"model_type": "qwen", "no_bias": false}', "no_bias: only true is supported."),
    ],
)
def test_a_config_json_that_is_none_is_told_why(tool: Page, pasted: str, said: str) -> None:
    unfold(tool)
    before = command(tool)
    tool.locator("[data-config]").fill(pasted)
    assert said in tool.locator("[data-config-error]").inner_text()
    assert command(tool) == before


def test_a_shape_at_odds_with_itself_has_no_result(tool: Page) -> None:
    unfold(tool)
    for field, typed in (("num_kv_heads", "7"), ("hidden_size", "0"), ("num_layers", "x"), ("vocab_size", "")):
        control = tool.locator(f"[data-width={field}]")
        before = control.input_value()
        control.fill(typed)
        assert control.get_attribute("aria-invalid") == "true", field
        assert command(tool) == []
        control.fill(before)
        assert control.get_attribute("aria-invalid") == "false", field
        assert command(tool)[:3] == ["python", "build.py", "estimate"]


def test_the_panel_is_in_every_language_clean_and_within_a_phone(open_page: Open) -> None:
    for path in ("en/training-vram.html", "pt/vram-de-treinamento.html", "it/vram-di-addestramento.html"):
        page = open_page(path)
        unfold(page)
        page.locator("[data-config]").fill("{")
        assert violations(page) == [], path
        page.set_viewport_size({"width": 320, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") == 320, path
        page.set_viewport_size({"width": 1280, "height": 900})
