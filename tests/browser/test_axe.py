"""axe-core finds nothing to mend on any page, wide and light or narrow and dark."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page

from tests.browser.conftest import Open

pytestmark = pytest.mark.browser

OPTIONS = {"resultTypes": ["violations"], "preload": False}  # preloading style sheets would fetch them from the disk
CONTRAST = "color-contrast"
# A list holds dozens of formulas, all of one make, and contrast takes most of the time: it is measured on the first of
# each list, and the others have to look like what was measured. (From 18.66 px on text may need less contrast.)
MEASURED, ALIKE = ".formula-list > :first-child", ".formula-list > :not(:first-child)"
UNLIKE = """([measured, alike]) => {
  const look = (one) => {
    const { color, background, opacity, fontSize } = getComputedStyle(one);
    return [color, background, opacity, parseFloat(fontSize) < 18.66].join(" ");
  };
  const within = (selector) => [...document.querySelectorAll(`${selector}, :is(${selector}) *`)];
  const known = new Set(within(measured).map(look));
  return within(alike).filter((one) => !known.has(look(one))).map((one) => one.outerHTML.slice(0, 120));
}"""


def test_axe_finds_no_violation(open_page: Open, path: str) -> None:
    page = open_page(path, width=1400, scheme="light")
    wide = violations(page)
    page.set_viewport_size({"width": 320, "height": 900})
    page.emulate_media(color_scheme="dark")
    assert {"wide and light": wide, "narrow and dark": violations(page)} == {
        "wide and light": [],
        "narrow and dark": [],
    }


def violations(page: Page) -> list[str]:
    """What axe-core would have mended, one line for each element."""
    assert page.evaluate(UNLIKE, [MEASURED, ALIKE]) == []
    return [
        *_violations(page, {"rules": {CONTRAST: {"enabled": False}}}),
        *_violations(page, {"runOnly": [CONTRAST]}, {"exclude": [[ALIKE]]}),
    ]


def _violations(page: Page, options: dict[str, Any], context: dict[str, Any] | None = None) -> list[str]:
    results: dict[str, Any] = Axe().run(page, context, {**OPTIONS, **options}).response
    assert results["testEngine"]["name"] == "axe-core"
    return [
        f"{violation['id']}: {violation['help']}: {node['target']} {node['html'][:120]}"
        for violation in results["violations"]
        for node in violation["nodes"]
    ]
