"""What a reader switches: language, theme, folded navigation, and the way past it by keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from cabe.pages import Site, address
from cabe.words import Language
from tests.browser.conftest import Open, tab_to

pytestmark = pytest.mark.browser

ARTICLE, TOOL, HOME = "will-it-fit", "training-vram", "index"
PHONE, WIDE = 320, 1400
CHOICES = ("system", "light", "dark")

# Pages of each kind in one language: the keyboard meets the same frame in all of them.
SAMPLES = ("en/index.html", "en/will-it-fit.html", "en/training-vram.html", "index.html", "404.html")

BACKGROUND = "() => getComputedStyle(document.body).backgroundColor"
CHOSEN = (
    "() => [document.documentElement.dataset.theme ?? 'system', document.querySelector('.theme input:checked').value]"
)
NO_STORAGE = """Object.defineProperty(window, "localStorage", {
  get() { throw new DOMException("Storage is closed", "SecurityError"); },
});"""

# The element with the focus, and whether a reader sees that it has it: an outline of its own or, for a field that is
# drawn by its label, of the label's text.
FOCUSED = """() => {
  const element = document.activeElement;
  const drawn = getComputedStyle(element).opacity === "0" ? element.nextElementSibling : element;
  const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(drawn);
  const seen = outlineStyle !== "none" && parseFloat(outlineWidth) > 0 && !/, 0\\)$|transparent/.test(outlineColor);
  return [element === document.body ? "" : element.outerHTML.slice(0, 80), seen];
}"""
FIRST_IN_CONTENT = """() => {
  const reach = "a[href], button, input, select, summary, [tabindex='0']";
  const first = [...document.getElementById("content").querySelectorAll(reach)].find((one) => one.checkVisibility());
  return document.activeElement === first;
}"""
IN_VIEW = """() => {
  const { top, bottom } = document.activeElement.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}"""


def path_of(site: Site, code: str, page: str) -> str:
    return address(site.pages[code][page])


def choose(page: Page, theme: str) -> None:
    page.locator(f".theme label:has(input[value={theme}])").click()


def test_the_language_switch_keeps_the_page_and_the_section(open_page: Open, site: Site, start: str) -> None:
    page = open_page(f"{path_of(site, 'en', ARTICLE)}#usable", start=start)
    for code in ("it", "en", "pt", "it", "pt", "en"):
        page.get_by_role("link", name=code.upper(), exact=True).click()
        page.wait_for_url(f"**/{path_of(site, code, ARTICLE)}#usable")
        expect(page.locator("html")).to_have_attribute("lang", re.compile(f"^{code}"))
        expect(page.locator("#usable")).to_be_in_viewport()


def test_the_language_switch_takes_the_section_that_the_reader_went_to(open_page: Open) -> None:
    page = open_page("en/will-it-fit.html")
    page.locator(".contents").get_by_role("link", name="Common mistakes").click()
    page.get_by_role("link", name="IT", exact=True).press("Enter")
    page.wait_for_url("**/it/il-modello-ci-sta.html#mistakes")


def test_the_language_switch_works_without_javascript(open_page: Open) -> None:
    page = open_page("en/will-it-fit.html#usable", script=False)
    page.get_by_role("link", name="PT", exact=True).click()
    page.wait_for_url("**/pt/o-modelo-vai-caber.html")


def test_the_language_switch_marks_the_language_of_the_page(open_page: Open, site: Site, language: Language) -> None:
    page = open_page(path_of(site, language.code, HOME))
    assert page.locator(".languages [aria-current]").all_inner_texts() == [language.code.upper()]


def test_the_theme_switch_overrules_the_system_and_gives_way_to_it(open_page: Open) -> None:
    page = open_page("en/will-it-fit.html", fresh=True)
    seen = {}
    for choice in CHOICES:
        choose(page, choice)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            seen[choice, scheme] = page.evaluate(BACKGROUND)
    light, dark = seen["system", "light"], seen["system", "dark"]
    assert light != dark
    assert (seen["light", "light"], seen["light", "dark"]) == (light, light)
    assert (seen["dark", "light"], seen["dark", "dark"]) == (dark, dark)


def test_the_theme_is_chosen_with_the_arrow_keys(open_page: Open) -> None:
    page = open_page("en/will-it-fit.html", fresh=True)
    tab_to(page, ".theme input")
    for choice in ("light", "dark", "system"):
        page.keyboard.press("ArrowRight")
        assert page.evaluate(CHOSEN) == [choice, choice]


@pytest.mark.parametrize("choice", CHOICES)
def test_the_theme_is_remembered_by_every_page(open_page: Open, site: Site, served: str, choice: str) -> None:
    page = open_page("en/will-it-fit.html", start=served, scheme="dark" if choice == "light" else "light", fresh=True)
    choose(page, "dark" if choice == "light" else "light")
    choose(page, choice)
    background = page.evaluate(BACKGROUND)
    page.reload()
    assert page.evaluate(CHOSEN) == [choice, choice]
    assert page.evaluate(BACKGROUND) == background
    page.goto(f"{served}/{path_of(site, 'pt', TOOL)}")
    assert page.evaluate(CHOSEN) == [choice, choice]
    assert page.evaluate(BACKGROUND) == background


def test_a_theme_chosen_on_a_page_from_a_disk_holds_for_that_page(open_page: Open) -> None:
    page = open_page("en/will-it-fit.html", fresh=True)
    light = page.evaluate(BACKGROUND)
    choose(page, "dark")
    assert page.evaluate(BACKGROUND) != light
    page.reload()
    expect(page.locator("fieldset.theme")).to_be_visible()


def test_where_storage_is_closed_the_theme_switch_still_works(open_page: Open) -> None:
    page = open_page("en/will-it-fit.html", fresh=True)
    light = page.evaluate(BACKGROUND)
    page.add_init_script(NO_STORAGE)
    page.reload()
    assert page.evaluate(CHOSEN) == ["system", "system"]
    choose(page, "dark")
    assert page.evaluate(CHOSEN) == ["dark", "dark"]
    assert page.evaluate(BACKGROUND) != light


def test_without_javascript_there_is_no_theme_switch(open_page: Open) -> None:
    expect(open_page("en/will-it-fit.html", script=False).locator(".theme")).to_be_hidden()


def test_on_a_phone_the_navigation_is_folded_and_opens_by_keyboard(
    open_page: Open, site: Site, language: Language
) -> None:
    page = open_page(path_of(site, language.code, ARTICLE), width=PHONE)
    for side in ("chapter", "contents"):
        links = page.locator(f".{side} nav a")
        assert links.count() > 1
        assert links.filter(visible=True).count() == 0
        tab_to(page, f".{side} summary")
        page.keyboard.press("Enter")
        assert links.filter(visible=True).count() == links.count()
        page.keyboard.press("Enter")
        assert links.filter(visible=True).count() == 0


def test_on_a_wide_screen_the_navigation_is_open(open_page: Open, site: Site, language: Language) -> None:
    page = open_page(path_of(site, language.code, ARTICLE), width=WIDE)
    for side in ("chapter", "contents"):
        links = page.locator(f".{side} nav a")
        assert links.filter(visible=True).count() == links.count() > 1


def test_the_navigation_folds_and_unfolds_with_the_width(open_page: Open) -> None:
    page = open_page("en/will-it-fit.html", width=WIDE)
    for width in (PHONE, WIDE, PHONE):
        page.set_viewport_size({"width": width, "height": 900})
        expect(page.locator(".chapter nav")).to_be_visible(visible=width == WIDE)


def test_without_javascript_a_phone_shows_the_navigation(open_page: Open) -> None:
    expect(open_page("en/will-it-fit.html", width=PHONE, script=False).locator(".chapter nav")).to_be_visible()


@pytest.mark.parametrize(("name", "width"), [(HOME, WIDE), (ARTICLE, PHONE), (TOOL, WIDE)])
def test_the_first_tab_leads_past_the_navigation(
    open_page: Open, site: Site, language: Language, name: str, width: int
) -> None:
    page = open_page(path_of(site, language.code, name), width=width)
    page.keyboard.press("Tab")
    skip = page.locator(".skip")
    expect(skip).to_be_focused()
    expect(skip).to_have_text(language.word("nav.skip"))
    assert page.evaluate(IN_VIEW)
    page.keyboard.press("Enter")
    assert page.url.endswith("#content")
    expect(page.locator("#content")).to_be_in_viewport()
    page.keyboard.press("Tab")
    assert page.evaluate(FIRST_IN_CONTENT)


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_focus_is_seen_wherever_it_is(open_page: Open, sample: str) -> None:
    page = open_page(sample)
    links = page.locator("a[href]").filter(visible=True).count()
    visited: dict[str, bool] = {}
    unseen = []
    while True:
        page.keyboard.press("Tab")
        element, seen = page.evaluate(FOCUSED)
        if not element or len(visited) > 200:
            break
        visited[f"{len(visited)} {element}"] = seen
        if not (seen and page.evaluate(IN_VIEW)):
            unseen.append(element)
    assert unseen == []
    assert len(visited) >= links
