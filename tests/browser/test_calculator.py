"""The training calculator by keyboard alone: what is typed, what is answered, and what is said about mistakes."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from cabe.memory import Formulas, evaluate_one
from cabe.pages import Site, address
from cabe.words import Language
from cabe.words.numbers import decimal_sign, number
from tests.browser.conftest import Open, tab_to

pytestmark = pytest.mark.browser

FIELDS = ("billions", "activations_gb")
NO_RESULT = "–"
NO_NUMBER = re.compile(r"\b(NaN|undefined|null|Infinity)\b")

# What is typed, and the number that it is in every language.
READ: Mapping[str, float] = {
    "1,5": 1.5,
    "1.5": 1.5,
    "0,5": 0.5,
    "34,12": 34.12,
    "34.12": 34.12,
    "7": 7.0,
    " 13 ": 13.0,
    "70": 70.0,
    "8,03": 8.03,
    ",5": 0.5,
    "2.": 2.0,
}

# What is typed as billions of parameters, and the word of the message; "" is any message.
REFUSED: Mapping[str, str] = {
    "1.234,5": "groups",
    "1,234.5": "groups",
    "1 234,5": "groups",
    "1,5,0": "",
    "abc": "text",
    "7B": "text",
    "NaN": "text",
    "Infinity": "text",
    "1e99": "",
    "": "empty",
    " ": "empty",
    "-3": "range",
    "0": "range",
    "999999": "range",
}

# Bytes per parameter in the order of the list, and the states of 7 billion parameters in GB.
OPTIMIZERS = ((16, 112), (12, 84), (8, 56))

SHOWN = """() => {
  const form = document.querySelector("form.calculator");
  const text = (selector) => form.querySelector(selector).textContent;
  const fields = ["billions", "activations_gb"];
  const input = (name) => form.elements[name];
  return {
    total: text("[data-result]"),
    states_line: text("[data-line=planned_states_gb]"),
    total_line: text("[data-line=planned_total_gb]"),
    messages: Object.fromEntries(fields.map((name) => [name, text(`#${name}-error`)])),
    marked: fields.filter((name) => input(name).getAttribute("aria-invalid") === "true"),
  };
}"""
RANGES = "() => JSON.parse(document.querySelector('[data-calculator-facts]').textContent).ranges"
COUNT_SAID = """() => {
  window.said = [];
  const status = document.querySelector("form.calculator [data-announce]");
  new MutationObserver(() => said.push(status.textContent)).observe(status, {childList: true, characterData: true});
}"""


@pytest.fixture
def tool(open_page: Open, site: Site, language: Language) -> Page:
    return open_page(tool_path(site, language))


def tool_path(site: Site, language: Language) -> str:
    return address(site.pages[language.code]["training-vram"])


def type_into(page: Page, field: str, text: str, key: str = "Tab") -> None:
    tab_to(page, f"#{field}", key)
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.type(text)


def shown(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(SHOWN)
    return found


def expected(
    formulas: Formulas, language: Language, billions: float, activations_gb: float, bytes_: float = 16
) -> dict[str, Any]:
    """The same computation in Python, written by Python."""
    inputs = {"billions": billions, "activations_gb": activations_gb, "bytes_per_parameter": float(bytes_)}
    made = {**inputs, **evaluate_one(formulas.groups["planned"], inputs)}
    texts = {name: number(value, language.locale) for name, value in made.items()}
    return {
        "total": texts["planned_total_gb"],
        "states_line": language.word("calculator.planned_states_gb", **texts),
        "total_line": language.word("calculator.planned_total_gb", **texts),
        "messages": dict.fromkeys(FIELDS, ""),
        "marked": [],
    }


def test_seven_billion_parameters_need_112_gb_and_132_with_20_of_activations(
    tool: Page, formulas: Formulas, language: Language
) -> None:
    assert shown(tool) == expected(formulas, language, 7, 0)
    assert shown(tool)["total"] == "112"
    assert language.word("calculator.no_script") not in tool.inner_text("body")
    type_into(tool, "activations_gb", "20")
    assert shown(tool) == expected(formulas, language, 7, 20)
    assert shown(tool)["total"] == "132"


def test_a_comma_and_a_point_are_the_decimal_sign_in_every_language(
    tool: Page, formulas: Formulas, language: Language
) -> None:
    for text, value in READ.items():
        type_into(tool, "billions", text, "Shift+Tab")
        type_into(tool, "activations_gb", "0")
        assert shown(tool) == expected(formulas, language, value, 0), text
        type_into(tool, "activations_gb", text)
        assert shown(tool) == expected(formulas, language, value, value), text


def test_what_is_no_number_gets_a_message_beside_its_field_and_no_result(tool: Page, language: Language) -> None:
    words = {word: language.word(f"calculator.errors.{word}").split("{")[0] for word in REFUSED.values() if word}
    for text, word in REFUSED.items():
        type_into(tool, "billions", text)
        answer = shown(tool)
        message = answer["messages"]["billions"]
        assert message, text
        assert message.startswith(words.get(word, "")), text
        assert (answer["total"], answer["states_line"], answer["total_line"]) == (NO_RESULT, "", ""), text
        assert answer["marked"] == ["billions"], text
        assert answer["messages"]["activations_gb"] == "", text
        expect(tool.locator("#billions-error")).to_be_visible()
        assert not NO_NUMBER.search(tool.inner_text("body")), text


def test_the_field_names_its_message_to_a_screen_reader(tool: Page) -> None:
    for field in FIELDS:
        type_into(tool, field, "abc")
        expect(tool.locator(f"#{field}")).to_have_accessible_description(
            re.compile(re.escape(shown(tool)["messages"][field]))
        )
    assert shown(tool)["marked"] == list(FIELDS)


def test_a_message_goes_away_when_the_field_is_mended(tool: Page, formulas: Formulas, language: Language) -> None:
    for text in REFUSED:
        type_into(tool, "billions", text)
        type_into(tool, "billions", "7")
        assert shown(tool) == expected(formulas, language, 7, 0), text
    expect(tool.locator("#billions-error")).to_be_hidden()


def test_no_activations_is_an_answer_and_negative_ones_are_not(
    tool: Page, formulas: Formulas, language: Language
) -> None:
    type_into(tool, "activations_gb", "-1")
    assert shown(tool)["marked"] == ["activations_gb"]
    assert shown(tool)["total"] == NO_RESULT
    type_into(tool, "activations_gb", "0")
    assert shown(tool) == expected(formulas, language, 7, 0)


def test_the_bounds_that_a_message_names_can_be_typed_as_they_stand(tool: Page, language: Language) -> None:
    pattern = re.escape(language.word("calculator.errors.range"))
    pattern = pattern.replace(r"\{low\}", "(?P<low>.+)").replace(r"\{high\}", "(?P<high>.+)")
    ranges = tool.evaluate(RANGES)
    for field in FIELDS:
        type_into(tool, field, "-1")
        found = re.fullmatch(pattern, shown(tool)["messages"][field])
        assert found, shown(tool)["messages"][field]
        read = [tool.evaluate("(text) => cabe.readNumber(text).value", found[end]) for end in ("low", "high")]
        assert read == ranges[field], f"{field}: {found[0]}"


def test_every_result_is_what_python_computes_and_writes(tool: Page, formulas: Formulas, language: Language) -> None:
    chance = random.Random(20261130)
    sign = decimal_sign(language.locale)
    for _ in range(12):
        billions = f"{10 ** chance.uniform(-1.9, 3.9):.3f}"
        activations = f"{10 ** chance.uniform(-1, 4.5):.2f}"
        type_into(tool, "billions", billions.replace(".", sign), "Shift+Tab")
        type_into(tool, "activations_gb", activations.replace(".", sign))
        assert shown(tool) == expected(formulas, language, float(billions), float(activations))


def test_the_arrow_keys_choose_every_optimizer(tool: Page, formulas: Formulas, language: Language) -> None:
    tab_to(tool, "#bytes_per_parameter")
    tool.keyboard.press("Home")
    for index, (bytes_, total) in enumerate(OPTIMIZERS):
        if index:
            tool.keyboard.press("ArrowDown")
        assert shown(tool) == expected(formulas, language, 7, 0, bytes_)
        assert shown(tool)["total"] == str(total)
    assert tool.locator("#bytes_per_parameter option").count() == len(OPTIMIZERS)


def test_a_screen_reader_hears_one_result_and_not_every_key(
    open_page: Open, site: Site, formulas: Formulas, language: Language
) -> None:
    tool = open_page(tool_path(site, language), fresh=True)
    tool.clock.install(time=0)
    tool.clock.pause_at(1000)
    tool.evaluate(COUNT_SAID)
    status = tool.locator("form.calculator [role=status][data-announce]")
    type_into(tool, "billions", "34,12")
    expect(status).to_have_text("")
    tool.clock.run_for(10_000)
    heard = [expected(formulas, language, 34.12, 0)["total_line"]]
    expect(status).to_have_text(heard[0])
    tool.keyboard.type("x")
    tool.clock.run_for(10_000)
    heard.append(language.word("calculator.check_fields"))
    expect(status).to_have_text(heard[1])
    assert tool.evaluate("() => said") == heard


def test_nothing_but_that_line_speaks_by_itself(tool: Page) -> None:
    live = "output, [role=status], [role=alert], [role=log], [aria-live]"  # an <output> is a status by its nature
    spoken = tool.locator("form.calculator").locator(live).and_(tool.locator(":not([aria-live=off])"))
    assert spoken.evaluate_all("(found) => found.map((one) => one.outerHTML)") == [
        '<p class="unseen" role="status" data-announce=""></p>'
    ]


def test_enter_in_a_field_keeps_the_page_and_the_result(tool: Page, formulas: Formulas, language: Language) -> None:
    before = tool.url
    type_into(tool, "billions", "1,5")
    tool.keyboard.press("Enter")
    assert tool.url == before
    assert shown(tool) == expected(formulas, language, 1.5, 0)


def test_the_calculator_works_from_a_server_in_a_sub_folder(
    open_page: Open, site: Site, formulas: Formulas, language: Language, served: str
) -> None:
    page = open_page(tool_path(site, language), start=served)
    type_into(page, "billions", "1,5")
    assert shown(page) == expected(formulas, language, 1.5, 0)


def test_without_javascript_the_default_result_and_a_word_about_it_are_shown(
    open_page: Open, site: Site, formulas: Formulas, language: Language
) -> None:
    page = open_page(tool_path(site, language), script=False)
    assert shown(page) == expected(formulas, language, 7, 0)
    expect(page.locator("[data-result]")).to_have_text("112")
    assert page.locator("form.calculator noscript p").inner_text() == language.word("calculator.no_script")


# Parameters in billions, place of the choice, cache and overhead → the total in GB.
SERVED = ((("8", 0, "1", "20"), "20.4"), (("70", 1, "0", "0"), "70"), (("1,5", 2, "0.5", "0"), "1.27"))


def test_the_calculator_of_inference_adds_cache_and_overhead(
    open_page: Open, site: Site, formulas: Formulas, language: Language
) -> None:
    page = open_page(address(site.pages[language.code]["inference-vram"]))
    for (billions, place, cache, overhead), total in SERVED:
        for field, typed in (("billions", billions), ("cache_gb", cache), ("overhead_percent", overhead)):
            type_into(page, field, typed)
        tab_to(page, "#bytes_per_parameter")
        page.keyboard.press("Home")
        for _ in range(place):
            page.keyboard.press("ArrowDown")
        chosen = float(page.locator("#bytes_per_parameter").input_value())
        typed_numbers = {"billions": billions, "cache_gb": cache, "overhead_percent": overhead}
        inputs = {name: float(text.replace(",", ".")) for name, text in typed_numbers.items()}
        made = evaluate_one(formulas.groups["served"], {**inputs, "bytes_per_parameter": chosen})
        shown_total = page.locator("form.calculator [data-result]").inner_text()
        assert shown_total == number(made["served_total_gb"], language.locale)
        assert shown_total == total.replace(".", decimal_sign(language.locale))
    type_into(page, "overhead_percent", "-1")
    assert page.locator("form.calculator [data-result]").inner_text() == NO_RESULT
    expect(page.locator("#overhead_percent-error")).to_be_visible()
