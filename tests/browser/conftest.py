"""A browser for the tests of this folder, and pages that record what must not happen."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import QUIET, installed


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = installed()
    assert path, "no Chromium here: run `make browser`"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield started
        started.close()


Open = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser, built: Path) -> Iterator[Open]:
    """`open_page("en/index.html", width=320, scheme="dark", script=False)` opens a page of the built site from disk.

    Any console message, any error and any request that leaves the folder fails the test.
    """
    contexts = []
    bad: list[str] = []

    def open_(path: str, *, width: int = 1400, scheme: str = "light", script: bool = True, start: str = "") -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            java_script_enabled=script,
        )
        contexts.append(context)
        page = context.new_page()
        home = start or built.as_uri()
        page.on("console", lambda message: bad.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: bad.append(f"error: {error}"))
        page.on(
            "request", lambda request: None if request.url.startswith(home) else bad.append(f"request: {request.url}")
        )
        page.on("requestfailed", lambda request: bad.append(f"failed: {request.url}"))
        page.goto(f"{home}/{path}")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert bad == []


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
