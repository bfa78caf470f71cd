"""The calculators with every option, by keyboard: each answers as `build.py estimate` does for the command it shows."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from cabe.facts import Facts, answerable, setup_from
from cabe.memory import PARTS, Estimates, Formulas, component, estimate, room, solve, suggestions, verdict_by_peak
from cabe.pages import Site, address
from cabe.pages.calculators import CALCULATORS, kind_of
from cabe.pages.results import SIGNS
from cabe.words import Language
from cabe.words.numbers import GB, NO_BREAK_SPACE, gigabytes, number, percent
from tests.browser.conftest import Open, tab_to
from tests.browser.test_axe import violations

pytestmark = pytest.mark.browser

GIB = 2.0**30
NO_NUMBER = re.compile(r"\b(NaN|undefined|null|Infinity)\b|\[object")
JUNK = ("", "-3", "0", "1e99", "999999999999", "NaN", "1.234,5", "7B", "<b>", "2,5")

# Everything that the result says, and where the bar and its parts stand.
SHOWN = """() => {
  const form = document.querySelector("form[data-estimator]");
  const all = (selector, made) => [...form.querySelectorAll(selector)].map(made);
  const seen = (node) => !node.hasAttribute("hidden");
  return {
    texts: all("[data-text]", (one) => [one.dataset.text, one.textContent]),
    parts: all("[data-part]", (row) => [row.dataset.part, ...[...row.cells].slice(1).map((cell) => cell.textContent)]),
    blocks: all("[data-block], [data-rest], [data-limit], [data-limit-label]", (one) =>
      seen(one) ? ["x", "x1", "width", "transform", "text-anchor"].map((name) =>
        one.getAttribute(name)?.replace(/[0-9.]+/g, (digits) => Number(digits))) : null),
    figures: all("[data-figure]", (one) => one.textContent),
    changes: all("[data-change]:not([hidden])", (one) => [one.dataset.change, one.querySelector("span").textContent]),
    fields: all("[data-option]", (one) => [one.dataset.option, seen(one)]),
    messages: all("[data-error]", (one) => [one.dataset.error, one.textContent]).filter(([, text]) => text),
  };
}"""
SAID = """() => [...document.querySelectorAll("form[data-estimator] [data-error]")]
  .map((one) => [one.dataset.error, one.textContent])"""


Found = tuple[str, str]  # a calculator, and the id of its page


@pytest.fixture
def opened(open_page: Open, site: Site, language: Language, estimator: Found) -> Callable[..., Page]:
    """Opens the page of the calculator; `state` is what its address holds after the #."""

    def open_(state: str = "", **how: Any) -> Page:
        return open_page(address(site.pages[language.code][estimator[1]]) + (f"#{state}" if state else ""), **how)

    return open_


def text(page: Page, name: str) -> str:
    return page.locator(f".estimator [data-text={name}]").last.inner_text().strip()


def given(page: Page) -> dict[str, str]:
    """The set-up of the command that the page shows."""
    words = text(page, "command").split()
    assert words[:3] == ["python", "build.py", "estimate"]
    return {"model": words[3], **{name[2:]: value for name, value in zip(words[4::2], words[5::2], strict=True)}}


def asked(facts: Facts, formulas: Formulas, setup: dict[str, str]) -> Estimates:
    return estimate(facts, formulas, [answerable(facts, setup_from(without(setup)))])


def without(setup: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in setup.items() if name != "device"}


def agrees(page: Page, facts: Facts, formulas: Formulas, language: Language) -> None:
    """What the page shows is what Python computes and writes for the command that it shows."""
    setup = given(page)
    rows = asked(facts, formulas, setup)
    if page.locator("[data-chart]").count():
        peak = rows.value(0, "peak") or 0.0
        parts = {part: amount for part in PARTS if (amount := component(rows, 0, part))}
        assert text(page, "peak") == number(peak / GB, language.locale), setup
        shown = {part: texts for part, *texts in page.evaluate(SHOWN)["parts"] if texts[0]}
        assert shown == {
            part: [gigabytes(amount, language.locale), percent(amount / peak, language.locale)]
            for part, amount in parts.items()
        }, setup
        mid, high = (gigabytes(rows.value(0, f"driver_{end}") or 0.0, language.locale) for end in ("mid", "high"))
        key = "reported_line" if setup["method"] == "inference" else "driver_line"
        assert text(page, "driver_line") == language.word(f"estimator.{key}", mid=mid, high=high), setup
    else:
        figure = page.locator("dl [data-figure=trainable_params]").inner_text()
        assert figure == number(rows.value(0, "trainable_params") or 0.0, language.locale), setup
    assert not NO_NUMBER.search(page.locator(".estimator").inner_text()), setup


def type_into(page: Page, option: str, typed: str) -> None:
    tab_to(page, f".estimator [name={option}]")
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.type(typed)


def messages(page: Page) -> dict[str, str]:
    return {name: said for name, said in page.evaluate(SAID) if said}


def unfold(page: Page) -> None:
    page.evaluate("document.querySelectorAll('.estimator details').forEach((one) => (one.open = true))")


def test_the_script_changes_nothing_of_what_the_build_wrote(opened: Callable[..., Page]) -> None:
    page = opened(script=False)
    baked = page.evaluate(SHOWN)
    expect(page.locator(".estimator noscript p")).to_be_visible()
    assert opened().evaluate(SHOWN) == baked


def test_the_default_is_what_the_command_line_answers(
    opened: Callable[..., Page], facts: Facts, formulas: Formulas, language: Language
) -> None:
    agrees(opened(), facts, formulas, language)


# From a disk in light on a wide screen, and from a sub-folder of a server in dark on a phone, with a model that has
# experts and towers, whose fields are hidden for others.
@pytest.mark.parametrize("phone", [False, True], ids=["wide", "phone"])
def test_every_field_changes_the_answer_by_keyboard(
    opened: Callable[..., Page],
    facts: Facts,
    formulas: Formulas,
    language: Language,
    estimator: Found,
    served: str,
    phone: bool,
) -> None:
    method = CALCULATORS[estimator[0]].methods[0]
    state = f"model=gemma-4-26b-a4b&method={method}" if phone else ""
    page = opened(state, **({"scheme": "dark", "start": served, "width": 320} if phone else {}))
    unfold(page)
    options = [one for one in CALCULATORS[estimator[0]].options if not (phone and one == "model")]
    assert not phone or "experts" not in options or page.locator("[data-option=experts]").is_visible()
    for option in options:
        if page.locator(f"[data-option={option}]").is_hidden():
            continue
        kind, before = kind_of(option), text(page, "command")
        if kind == "number":
            type_into(page, option, "0,05" if option == "lora-dropout" else "3")
        elif kind == "name":
            type_into(page, option, "Qwen2.5 7B" if option == "model" else "rtx-3090-24gb")
        else:
            tab_to(page, f".estimator [name={option}]")
            page.keyboard.press("Space" if kind == "modules" else "ArrowDown")
            if text(page, "command") == before and kind == "choice":
                page.keyboard.press("ArrowUp")
        if messages(page):  # at odds with another option: said beside the one to blame
            page.keyboard.press("Home")
        if option == "gpus":
            assert messages(page) == {"sharding": language.word("conflicts.split-model")}
            tab_to(page, ".estimator [name=sharding]")
            page.keyboard.press("End")
        assert messages(page) == {}, option
        assert text(page, "command") != before or kind == "choice", option
        agrees(page, facts, formulas, language)


def test_set_ups_at_random_agree_with_the_command_line(
    opened: Callable[..., Page], facts: Facts, formulas: Formulas, language: Language, estimator: Found
) -> None:
    chance, page, answered = random.Random(20261130), opened(), 0
    unfold(page)
    calculator = CALCULATORS[estimator[0]]
    models = page.evaluate("Object.keys(cabe.facts.models.rows)")
    for _ in range(40):
        state = {"model": chance.choice(models), "method": chance.choice(calculator.methods)}
        for option in calculator.options:
            if kind_of(option) == "choice" and option != "method" and chance.random() < 0.4:
                state[option] = str(chance.choice(page.evaluate(VALUES, option)))
            elif kind_of(option) == "number" and option != "lora-dropout" and chance.random() < 0.5:
                state[option] = str(chance.choice((1, 2, 7, 64, 1024)))
        page.evaluate("(state) => (location.hash = new URLSearchParams(state))", state)
        page.wait_for_function(
            "(model) => cabe.facts.models.rows[model][0] === document.forms[0].elements.model.value", arg=state["model"]
        )
        if not messages(page):
            answered += 1
            agrees(page, facts, formulas, language)
    assert answered > 10


IS_SHOWN = """(model) => cabe.facts.models.rows[model][0] ===
  document.querySelector(".estimator [name=model]").value"""
VALUES = "(option) => [...document.querySelector(`.estimator [name=${option}]`).options].map((one) => one.value)"


def test_nonsense_gets_a_message_beside_its_field_and_no_result(
    opened: Callable[..., Page], facts: Facts, formulas: Formulas, language: Language, estimator: Found
) -> None:
    page = opened()
    unfold(page)
    for option in CALCULATORS[estimator[0]].options:
        if kind_of(option) not in ("number", "name") or page.locator(f"[data-option={option}]").is_hidden():
            continue
        before = page.locator(f".estimator [name={option}]").input_value()
        for junk in JUNK:
            type_into(page, option, junk)
            assert not NO_NUMBER.search(page.locator(".estimator .result").inner_text()), (option, junk)
            if said := messages(page):
                assert list(said) == [option], junk
                assert page.locator(f".estimator [name={option}]").get_attribute("aria-invalid") == "true"
                assert text(page, "command") == "", (option, junk)
        type_into(page, option, before)
        assert messages(page) == {}, option
        agrees(page, facts, formulas, language)


def test_an_address_from_elsewhere_is_read_as_if_it_were_typed(opened: Callable[..., Page]) -> None:
    page = opened("model=nobody&method=sideways&seq=-5&loss=%3Cb%3E&device=x&rank=zzz&unit=stone")
    assert not NO_NUMBER.search(page.locator(".estimator").inner_text())
    assert "model" in messages(page)


def test_reloading_and_sharing_give_the_same(opened: Callable[..., Page]) -> None:
    page = opened()
    type_into(page, "model", "Qwen2.5 14B")
    shown = page.evaluate(SHOWN)
    page.wait_for_url("**#*model=qwen2.5-14b*")
    page.reload()
    assert page.evaluate(SHOWN) == shown


def test_the_language_switch_keeps_the_set_up(opened: Callable[..., Page], start: str) -> None:
    page = opened(start=start)
    type_into(page, "model", "Qwen2.5 14B")
    command = text(page, "command")
    for other in ("pt", "it", "en"):
        tab_to(page, f".languages a[hreflang^={other}]")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/{other}/**")
        assert text(page, "command") == command


def test_gib_writes_the_same_bytes_in_another_unit(
    opened: Callable[..., Page], facts: Facts, formulas: Formulas, language: Language, estimator: Found
) -> None:
    page = opened()
    tab_to(page, ".estimator [name=unit]")
    page.keyboard.press("ArrowRight")
    rows = asked(facts, formulas, given(page))
    if CALCULATORS[estimator[0]].shows == "peak":
        assert text(page, "peak") == number((rows.value(0, "peak") or 0.0) / GIB, language.locale)
        assert f"{text(page, 'peak')}{NO_BREAK_SPACE}GiB" in text(page, "sum")
    else:
        file = number((rows.value(0, "trainable_weights") or 0.0) / GIB, language.locale)
        assert page.locator("dl [data-figure=trainable_weights]").inner_text() == f"{file}{NO_BREAK_SPACE}GiB"
    page.wait_for_url("**#*unit=GiB")
    page.reload()
    assert page.locator(".estimator [name=unit][value=GiB]").is_checked()


def plain(value: Any) -> str:
    """A value of an option as text, 32.0 as 32."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def test_json_is_what_the_command_line_prints(opened: Callable[..., Page], facts: Facts, formulas: Formulas) -> None:
    page = opened()
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    tab_to(page, ".estimator [data-copy=json]")
    page.keyboard.press("Enter")
    made = json.loads(page.locator("[data-by-hand]").input_value())
    rows = asked(facts, formulas, given(page))
    assert made["peak"] == rows.value(0, "peak")
    assert made["components"] == {part: component(rows, 0, part) for part in PARTS}
    assert {name: plain(value) for name, value in rows.setups[0].options.items() if value != 0.0} == {
        name.replace("-", "_"): plain(value) for name, value in made["setup"].items() if value not in (None, 0)
    }


def test_a_screen_reader_hears_one_result(opened: Callable[..., Page], language: Language, estimator: Found) -> None:
    page = opened(fresh=True)
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    status = page.locator(".estimator [data-announce]")
    expect(status).to_have_text("")
    type_into(page, "model", "Qwen2.5 14B")
    expect(status).to_have_text("")
    page.clock.run_for(10_000)
    if CALCULATORS[estimator[0]].shows == "peak":
        peak = f"{text(page, 'peak')}{NO_BREAK_SPACE}GB"
        said = language.word("estimator.announce", verdict=text(page, "verdict_line"), peak=peak)
        assert status.inner_text() == said
    type_into(page, "model", "Nothing")
    page.clock.run_for(10_000)
    assert status.inner_text() == language.word("calculator.check_fields")


# A run that does not fit, and the device that it is to fit.
TOO_BIG = "model=llama-3.1-8b&method=full&seq=4096&device=rtx-4090-24gb"


@pytest.fixture
def training(open_page: Open, site: Site, language: Language) -> Callable[..., Page]:
    """Opens the training calculator with a state, in the same tab as the state before: a new one takes a second."""
    path = address(site.pages[language.code]["training-vram"])
    tab: list[Page] = []

    def open_(state: str) -> Page:
        if not tab:
            tab.append(open_page(f"{path}#{state}"))
            return tab[0]
        here = tab[0].url.partition("#")[0]
        tab[0].goto("about:blank")  # or only what follows the # would change, and the page would not be opened anew
        tab[0].goto(f"{here}#{state}")
        return tab[0]

    return open_


def test_what_helps_is_what_the_command_line_suggests(
    training: Callable[..., Page], facts: Facts, formulas: Formulas, language: Language
) -> None:
    page = training(TOO_BIG)
    usable = room(facts, formulas, "rtx-4090-24gb").usable
    expected = []
    for one in suggestions(facts, formulas, asked(facts, formulas, given(page)).setups[0]):
        verdict = verdict_by_peak(facts, one["peak"], usable)
        word = f"{SIGNS[verdict or '']}{NO_BREAK_SPACE}{language.word(f'verdicts.{verdict}')}"
        frees, peak = (gigabytes(one[name], language.locale) for name in ("frees", "peak"))
        expected.append(language.word("estimator.suggestion_line", frees=frees, peak=peak, verdict=word))
    assert [line for _, line in page.evaluate(SHOWN)["changes"]] == expected


def test_one_press_applies_a_suggestion_and_keeps_what_it_promised(
    training: Callable[..., Page], facts: Facts, formulas: Formulas, language: Language
) -> None:
    page = training(TOO_BIG)
    for _ in range(3):
        change, line = page.evaluate(SHOWN)["changes"][0]
        tab_to(page, f"[data-change={change}] button")
        page.keyboard.press("Enter")
        assert f"{text(page, 'peak')}{NO_BREAK_SPACE}GB" in line
        agrees(page, facts, formulas, language)
        expect(page.locator(".estimator [data-verdict]")).to_be_focused()
        if not page.evaluate(SHOWN)["changes"]:
            break
    assert "fits" in (page.locator(".estimator [data-verdict]").get_attribute("class") or "")


def test_the_longest_that_fits_is_the_one_that_the_command_line_finds(
    training: Callable[..., Page], facts: Facts, formulas: Formulas, language: Language
) -> None:
    for state in ("method=qlora&batch=7", "method=qlora&attention=eager", "method=full"):
        page = training(f"model=qwen2.5-7b&{state}&device=rtx-4090-24gb")
        most = solve(facts, formulas, without(given(page)), "seq", "rtx-4090-24gb")["value"]
        line = (
            language.word("estimator.longest_line", seq=number(most, language.locale))
            if most
            else language.word("estimator.longest_none")
        )
        assert text(page, "longest") == line, state


def test_axe_finds_nothing_in_a_calculator_unfolded(training: Callable[..., Page]) -> None:
    for state in (TOO_BIG, "model=nobody&gpus=0"):
        page = training(state)
        unfold(page)
        assert violations(page) == [], state
        page.emulate_media(color_scheme="dark")
        assert violations(page) == [], state
        page.emulate_media(color_scheme="light")


def test_nothing_reaches_over_the_edge_of_a_phone(training: Callable[..., Page]) -> None:
    page = training(TOO_BIG)
    unfold(page)
    page.set_viewport_size({"width": 320, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert page.evaluate(OVER) == []


OVER = """() => {
  const edge = document.querySelector(".estimator").getBoundingClientRect().right;
  return [...document.querySelectorAll(".estimator :is(p, label, input, select, button, table, svg, text, rect)")]
    .filter((one) => one.getBoundingClientRect().right > edge + 0.5).map((one) => one.outerHTML.slice(0, 80));
}"""


def test_options_at_odds_are_named_beside_the_one_to_blame(
    training: Callable[..., Page], facts: Facts, language: Language
) -> None:
    met = set()
    for state in (
        "method=full&quantization=int8",
        "method=qlora&quantization=none",
        "method=lora&quantization=nf4",
        "method=lora&dtype=fp32&precision=pure",
        "method=qlora&dtype=fp32",
        "method=lora&gpus=2",
        "method=lora&step=in-backward&accumulation=2",
    ):
        page = training(f"model=llama-3.1-8b&{state}")
        (option, message), *others = page.evaluate(SHOWN)["messages"]
        rule = next(rule for rule in facts.conflicts.values() if language.word(f"conflicts.{rule.id}") == message)
        assert (rule.option, others) == (option, []), state
        assert text(page, "command") == ""
        met.add(rule.id)
    elsewhere = {"mlx-training", "fp32-packed-inference"}  # of what training does not offer
    assert met == set(facts.conflicts) - elsewhere
