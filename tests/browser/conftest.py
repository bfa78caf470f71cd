"""A browser for the tests of this folder, and pages that record what must not happen."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, sync_playwright

import cabe
from cabe.pages import Site, address, read_site
from cabe.pages.calculators import CALCULATORS
from cabe.words import outline
from tests.browser.chromium import QUIET, installed
from tests.conftest import ROOT

MOST_TABS = 240
CATALOGUE = [  # of a thousand pages those with the longest names and the most to show, of each kind in each language
    "en/models/mistral-7b-v0.1.html",
    "pt/modelos/deepseek-r1-distill-qwen-1.5b.html",
    "it/modelli/kimi-k2.html",
    "en/devices/strix-halo-128gb.html",
    "pt/dispositivos/max-1550-128gb.html",
    "it/dispositivi/apple-m3-pro-36gb.html",
    "pt/dispositivos/index.html",
]


@cache  # once a run, not once a test: reading takes a tenth of a second
def _site() -> Site:
    return read_site(ROOT, cabe.__version__)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `path` runs for every HTML page, one that asks for `language` for every language,
    one that asks for `estimator` for every calculator with all options: its name, and the id of its page."""
    if "path" in metafunc.fixturenames:
        pages = [address(page) for own in _site().pages.values() for page in own.values()]
        pages += CATALOGUE
        metafunc.parametrize("path", [*sorted(pages), "index.html", "404.html"])
    if "language" in metafunc.fixturenames:
        metafunc.parametrize("language", _site().languages, ids=lambda language: language.code)
    if "estimator" in metafunc.fixturenames:
        metafunc.parametrize("estimator", sorted(_estimators()), ids=lambda one: one[0])


def _estimators() -> Iterator[tuple[str, str]]:
    for page in _site().pages["en"].values():
        for fence in outline(page.body).fences:
            if (name := fence.kind.removeprefix("calculator ")) in CALCULATORS:
                yield name, page.id


def tab_to(page: Page, selector: str, key: str = "Tab") -> None:
    """Press Tab (or Shift+Tab) until the element has the focus."""
    for _ in range(MOST_TABS):
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} never reaches {selector}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = installed()
    assert path, "no Chromium here: run `make browser`"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield started
        started.close()


@pytest.fixture(scope="session")
def kept(browser: Browser) -> Iterator[dict[bool, Page]]:
    """A page with JavaScript and one without, for one test after another: a new page takes longer than most tests."""
    pages = {script: browser.new_context(java_script_enabled=script).new_page() for script in (True, False)}
    yield pages
    for page in pages.values():
        page.context.close()


Open = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser, kept: dict[bool, Page], built: Path) -> Iterator[Open]:
    """`open_page("en/index.html", width=320, scheme="dark", script=False)` opens a page of the built site from disk.

    Any console message, any error and any request that leaves the folder fails the test. A test that changes more than
    the page (storage, clock, start-up scripts) asks for one of its own with `fresh=True`.
    """
    used: dict[Page, dict[str, Callable[[Any], None]]] = {}
    bad: list[str] = []

    def open_(
        path: str,
        *,
        width: int = 1400,
        scheme: str = "light",
        script: bool = True,
        start: str = "",
        fresh: bool = False,
    ) -> Page:
        page = kept[script]
        if fresh or page in used:
            page = browser.new_context(java_script_enabled=script).new_page()
        home = start or built.as_uri()
        used[page] = _watchers(home, bad)
        for event, watcher in used[page].items():
            page.on(event, watcher)  # type: ignore[call-overload]
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(media="screen", color_scheme="dark" if scheme == "dark" else "light")
        page.goto(f"{home}/{path}")
        return page

    yield open_
    for page, watchers in used.items():
        page.goto("about:blank")
        for event, watcher in watchers.items():
            page.remove_listener(event, watcher)
        if page not in kept.values():
            page.context.close()
    assert bad == []


def _watchers(home: str, bad: list[str]) -> dict[str, Callable[[Any], None]]:
    """By event of a page: adds to `bad` what must not happen."""

    def note(kind: str, text: object) -> None:
        bad.append(f"{kind}: {text}")

    def leaves(request: Request) -> bool:
        return not request.url.startswith((home, "about:blank"))

    def fails(request: Request) -> bool:
        return request.failure != "net::ERR_ABORTED"  # the test left the page before its icon was read

    return {
        "console": lambda message: note("console", message.text),
        "pageerror": lambda error: note("error", error),
        "request": lambda request: note("request", request.url) if leaves(request) else None,
        "requestfailed": lambda request: note("failed", request.url) if fails(request) else None,
    }


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def served(built: Path) -> Iterator[str]:
    """The address of the built site in a sub-folder of a server on this machine: http://127.0.0.1:…/built/site."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(built.parent.parent)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    folder = built.relative_to(built.parent.parent).as_posix()
    yield f"http://127.0.0.1:{server.server_port}/{folder}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(params=["disk", "server"])
def start(request: pytest.FixtureRequest) -> str:
    """Where `open_page` starts: the site on disk, then the same files from a sub-folder of a server."""
    return str(request.getfixturevalue("served")) if request.param == "server" else ""
