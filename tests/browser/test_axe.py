"""axe-core finds nothing to mend on any page, wide and light or narrow and dark."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page

from tests.browser.conftest import Open

pytestmark = pytest.mark.browser

OPTIONS = {"resultTypes": ["violations"], "preload": False}  # preloading style sheets would fetch them from the disk


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
    results: dict[str, Any] = Axe().run(page, options=OPTIONS).response
    assert results["testEngine"]["name"] == "axe-core"
    return [
        f"{violation['id']}: {violation['help']}: {node['target']} {node['html'][:120]}"
        for violation in results["violations"]
        for node in violation["nodes"]
    ]
