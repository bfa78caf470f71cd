"""Tables that are filtered and sorted in place, and runs side by side: by keyboard, by address, without a script."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from cabe.facts import Facts, answerable, setup_from
from cabe.memory import PARTS, Formulas, component, estimate, room, verdict_by_peak
from cabe.pages import Site
from cabe.pages.catalogue import Catalogue, catalogue_of
from cabe.pages.catalogue.common import usable_of, verdict_words
from cabe.pages.catalogue.entry import Entry
from cabe.pages.catalogue.render import page as made
from cabe.pages.estimator import SCRIPT, estimator
from cabe.pages.frame import templates_of
from cabe.pages.scripts import scripts
from cabe.pages.site import place
from cabe.pages.training_grid import METHODS
from cabe.publishing import publish
from cabe.words import Language
from cabe.words.numbers import gigabyte_range, gigabytes, number, percent
from tests.browser.conftest import Open, tab_to
from tests.browser.test_axe import violations
from tests.browser.test_pages import OVERHANG

pytestmark = pytest.mark.browser

PAGES = (("models", "index"), ("devices", "index"), ("methods", "index"), ("methods", "lora"), ("compare", "index"))
VISIBLE = "() => [...document.querySelectorAll('[data-rows] tbody tr')].filter((row) => !row.hidden)"
NAMES = f"() => ({VISIBLE})().map((row) => row.cells[0].textContent)"
OWN = f"() => ({VISIBLE})().map((row) => [row.cells[0].textContent, row.cells[1].textContent])"
# Everything that the comparison says, and where its bars stand.
SIDE_BY_SIDE = """() => {
  const all = (selector, made) => [...document.querySelectorAll(selector)].map(made);
  const seen = (node) => !node.closest("[hidden]");
  const texts = (nodes) => [...nodes].map((one) => one.textContent);
  const place = (one) => ["x", "x1", "width", "transform"].map((name) =>
    one.getAttribute(name)?.replace(/[0-9.]+/g, (digits) => Number(digits)));
  return {
    runs: all("[data-run]", (run) => seen(run) && texts(run.querySelectorAll("[data-text]"))),
    blocks: all("[data-block], [data-limit]", (one) => seen(one) && place(one)),
    table: all(".runs tr", (row) => seen(row) && texts([...row.cells].filter(seen))).filter(Boolean),
    limit: document.querySelector("[data-limit-label]").textContent,
  };
}"""


@pytest.fixture(scope="module")
def catalogue(site: Site) -> Catalogue:
    return catalogue_of(site)


@pytest.fixture(scope="module")
def built(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of this module with their assets, on disk: the thousand others take most of a build."""
    site, templates = catalogue.site, templates_of(catalogue.site)
    entries = [Entry(catalogue, language, kind, one) for language in site.languages for kind, one in PAGES]
    assets = {f"assets/{path.name}": path.read_bytes() for path in (site.templates / "assets").iterdir()}
    folder = tmp_path_factory.mktemp("overviews") / "site"
    publish(
        dict(made(entry, templates) for entry in entries)
        | assets
        | dict(scripts(site.templates))
        | {SCRIPT: estimator(site)},
        folder,
    )
    return folder


def type_into(page: Page, name: str, typed: str) -> None:
    tab_to(page, f"[name={name}]")
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.type(typed)


def test_a_table_is_filtered_by_keyboard_and_says_how_many_are_left(
    open_page: Open, language: Language, catalogue: Catalogue
) -> None:
    page = open_page(place(language, "methods", "lora"))
    for typed, wanted in (("llama 8b", None), ("qwen3 30b", 1), ("no such model", 0)):
        type_into(page, "text", typed)
        names = [model.name for model in catalogue.models.values()]
        named = [name for name in names if all(part in name.lower().replace(" ", "") for part in typed.split())]
        assert page.evaluate(NAMES) == named
        assert wanted in (None, len(named))
        count = language.word("overview.models", n=number(len(named), language.locale), count=len(named))
        expect(page.locator("[data-count]")).to_have_text(count)
        expect(page.locator("[data-announce]")).to_have_text(count if named else language.word("overview.none"))
        expect(page.locator("[data-none]")).to_be_visible(visible=not named)
    tab_to(page, "button[type=reset]")
    page.keyboard.press("Enter")
    assert page.evaluate(NAMES) == names


def test_rows_are_sorted_by_keyboard(open_page: Open, catalogue: Catalogue) -> None:
    page = open_page("en/methods/lora.html")
    by_peak = sorted(catalogue.models.values(), key=lambda model: catalogue.peaks["lora"][model.id])
    tab_to(page, "[data-sort=peak] button")
    page.keyboard.press("Enter")
    assert page.evaluate(NAMES) == [model.name for model in by_peak]
    expect(page.locator("[data-sort=peak]")).to_have_attribute("aria-sort", "ascending")
    page.keyboard.press("Enter")
    assert page.evaluate(NAMES)[0] == by_peak[-1].name
    expect(page.locator("[data-sort=peak]")).to_have_attribute("aria-sort", "descending")
    expect(page.locator("[data-sort=peak] button")).to_be_focused()


@pytest.mark.parametrize("device", ["rtx-4090-24gb", "apple-m1-8gb", "aws-p5-48xlarge"])
def test_a_chosen_device_has_its_verdicts_beside_the_names(
    open_page: Open, catalogue: Catalogue, language: Language, device: str
) -> None:
    page = open_page(f"{place(language, 'methods', 'lora')}#device={device}")
    said = verdict_words(Entry(catalogue, language, "methods", "lora"))
    usable, facts = usable_of(catalogue)[device], catalogue.site.facts
    verdicts = {
        one.name: verdict_by_peak(facts, catalogue.peaks["lora"][one.id], usable) for one in catalogue.models.values()
    }
    assert page.evaluate(OWN) == [[name, said[verdict]] for name, verdict in verdicts.items() if verdict]
    page.locator("[name=verdict]").select_option("fits")
    assert page.evaluate(NAMES) == [name for name, verdict in verdicts.items() if verdict == "fits"]


def test_the_address_keeps_filters_and_order_in_every_language(open_page: Open) -> None:
    page = open_page("en/methods/lora.html")
    type_into(page, "text", "qwen")
    page.locator("[name=device]").select_option("rtx-3090-24gb")
    page.locator("[data-sort=params] button").click()
    page.wait_for_url("**order=params*")
    shown = page.evaluate(NAMES)
    page.reload()
    assert page.evaluate(NAMES) == shown
    page.locator(".languages a[hreflang=it]").click()
    page.wait_for_url("**/it/metodi/lora.html#*")
    assert page.evaluate(NAMES) == shown
    assert len(shown) > 1
    expect(page.locator("thead [data-own]")).to_contain_text("3090")


def test_memory_is_compared_with_what_is_typed(open_page: Open, catalogue: Catalogue) -> None:
    page = open_page("pt/modelos/index.html#method=full")
    type_into(page, "most", "20,5")
    fitting = [one.name for one in catalogue.models.values() if catalogue.peaks["full"][one.id] <= 20.5e9]
    assert page.evaluate(NAMES) == fitting
    type_into(page, "most", "abc")
    expect(page.locator("#filter-most-error")).not_to_be_empty()
    expect(page.locator("[name=most]")).to_have_attribute("aria-invalid", "true")
    assert len(page.evaluate(NAMES)) == len(catalogue.models)
    page = open_page("en/devices/index.html#least=100&vendor=Apple")
    usable = usable_of(catalogue)
    wanted = [one.name for one in catalogue.devices.values() if one.vendor == "Apple" and usable[one.id] >= 100e9]
    assert page.evaluate(NAMES) == wanted


def test_without_javascript_the_whole_table_is_there(open_page: Open, catalogue: Catalogue) -> None:
    page = open_page("it/metodi/lora.html", script=False)
    expect(page.locator("form[data-filters]")).to_be_hidden()
    expect(page.locator("[data-rows] tbody tr").last).to_be_visible()
    assert page.locator("[data-rows] tbody tr:visible").count() == len(catalogue.models)
    expect(page.locator("#devices")).to_be_visible()


def test_the_comparison_is_baked_as_the_script_draws_it(open_page: Open, language: Language) -> None:
    path = place(language, "compare")
    baked = open_page(path, script=False).evaluate(SIDE_BY_SIDE)
    page = open_page(path)
    assert page.evaluate(SIDE_BY_SIDE) == baked
    setup = "#models=llama-3.1-8b,llama-3.1-8b,qwen3-8b&methods=qlora,lora,lora"
    page.goto(page.url.split("#")[0] + setup)
    assert page.evaluate(SIDE_BY_SIDE) == baked


SETUPS = (
    ("llama-3.1-8b", "full", 512, 2, "h100-80gb"),
    ("qwen3-30b-a3b", "qlora", 4096, 1, "rtx-4090-24gb"),
    ("gemma-3-12b", "inference", 8192, 3, "apple-m3-pro-36gb"),
)


def test_runs_side_by_side_say_what_the_command_line_says(
    open_page: Open, language: Language, facts: Facts, formulas: Formulas, catalogue: Catalogue
) -> None:
    said = verdict_words(Entry(catalogue, language, "compare", "index"))
    for model, method, seq, batch, device in SETUPS:
        state = f"models=olmo-2-7b,{model}&methods=lora,{method}&seq={seq}&batch={batch}&device={device}"
        page = open_page(f"{place(language, 'compare')}#{state}")
        page.reload()
        setup = setup_from({"model": model, "method": method, "seq": str(seq), "batch": str(batch)})
        rows = estimate(facts, formulas, [answerable(facts, setup)])
        usable, peak = room(facts, formulas, device).usable, rows.value(0, "peak") or 0.0
        verdict = verdict_by_peak(facts, peak, usable)
        assert verdict
        shown = page.evaluate(SIDE_BY_SIDE)
        told = {"share": percent(peak / usable, language.locale), "usable": gigabytes(usable, language.locale)}
        line = language.word("compare.verdict_line", verdict=said[verdict], **told)
        assert shown["runs"][1][1:3] == [gigabytes(peak, language.locale), line]
        mid, high = (rows.value(0, f"driver_{end}") or 0.0 for end in ("mid", "high"))
        table = {row[0]: row[2] for row in shown["table"]}
        parts = {language.word(f"parts.{part}"): component(rows, 0, part) for part in PARTS}
        texts = {name: gigabytes(amount, language.locale) if amount else "–" for name, amount in parts.items()}
        assert {name: text for name, text in table.items() if name in texts} == {
            name: text for name, text in texts.items() if name in table
        }
        assert table[language.word("compare.monitor")] == gigabyte_range(mid, high, language.locale)
        assert [run for run in shown["runs"][2:] if run] == []


def test_runs_are_chosen_by_keyboard_and_shared(open_page: Open) -> None:
    page = open_page("en/compare/index.html")
    type_into(page, "model-1", "no such model")
    expect(page.locator("#model-1-error")).not_to_be_empty()
    assert page.evaluate(SIDE_BY_SIDE)["runs"][0] is False
    type_into(page, "model-1", "mistral 7b v0.3")
    expect(page.locator("#model-1-error")).to_be_empty()
    type_into(page, "seq", "1,5")
    expect(page.locator("#seq-error")).not_to_be_empty()
    type_into(page, "seq", "1024")
    page.wait_for_url("**seq=1024*")
    shown: dict[str, Any] = page.evaluate(SIDE_BY_SIDE)
    expect(page.locator("[data-announce]")).to_contain_text(f"{shown['runs'][0][0]}: {shown['runs'][0][1]}")
    page.reload()
    assert page.evaluate(SIDE_BY_SIDE) == shown
    page.locator(".languages a[hreflang=pt-BR]").click()
    page.wait_for_url("**/pt/comparar/index.html#*seq=1024*")
    assert page.locator("[name=model-1]").input_value() == "Mistral 7B v0.3"


def test_one_model_alone_stands_with_its_methods(open_page: Open) -> None:
    page = open_page("en/compare/index.html#models=llama-3.2-1b")
    shown = [page.locator(f"[name=method-{at}]").input_value() for at in (1, 2, 3)]
    assert shown == list(METHODS)
    assert {page.locator(f"[name=model-{at}]").input_value() for at in (1, 2, 3)} == {"Llama 3.2 1B"}


@pytest.mark.parametrize(
    "overview",
    [
        "pt/modelos/index.html#text=llama",
        "it/dispositivi/index.html#text=rtx",
        "pt/metodos/lora.html#text=llama&device=rtx-4090-24gb",
        "it/confronto/index.html",
    ],
)
def test_nothing_is_clipped_and_axe_finds_nothing(open_page: Open, overview: str) -> None:
    page = open_page(overview, width=1400)
    assert (page.evaluate(OVERHANG), violations(page)) == (0, [])
    page.set_viewport_size({"width": 320, "height": 900})
    page.emulate_media(color_scheme="dark")
    assert (page.evaluate(OVERHANG), violations(page)) == (0, [])
