"""What tests share: the project's own facts and formulas, a copy of the sources to break, and the built site."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import cabe
from cabe.facts import Facts, read_facts
from cabe.memory import Formulas, read_formulas
from cabe.pages import Site, read_site, render
from cabe.publishing import collect, publish

ROOT = Path(__file__).resolve().parent.parent
SHOWN = "shown"
CATALOGUE = "catalogue: [models, devices, methods, compare]"  # the line of content/site.yaml


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", action="store_true", help="rewrite the golden files instead of comparing")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What tests show, after the last of them: a worker of `-n` has no terminal, so it comes with its report."""
    for report in [one for outcome in ("passed", "failed") for one in terminalreporter.stats.get(outcome, [])]:
        for name, text in report.user_properties:
            if name == SHOWN and report.when == "call":
                terminalreporter.write_line(text)


Show = Callable[[str], None]


@pytest.fixture
def show(request: pytest.FixtureRequest) -> Show:
    """`show(text)` prints a line at the end of the run, even when all is green."""
    return lambda text: request.node.user_properties.append((SHOWN, text))


@pytest.fixture(scope="session")
def facts() -> Facts:
    return read_facts(ROOT)


@pytest.fixture(scope="session")
def formulas() -> Formulas:
    return read_formulas(ROOT)


@pytest.fixture(scope="session")
def site() -> Site:
    return read_site(ROOT, cabe.__version__)


@pytest.fixture(scope="session")
def files(site: Site) -> dict[str, bytes]:
    """The whole site in memory."""
    return collect(render(site))


@pytest.fixture(scope="session")
def built(files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site on disk."""
    folder = tmp_path_factory.mktemp("built") / "site"
    publish(files, folder)
    return folder


@pytest.fixture(scope="session")
def articles(site: Site) -> dict[str, bytes]:
    """The site without its thousand catalogue pages, in memory: what is built from `sources`."""
    return collect(render(replace(site, navigation=replace(site.navigation, catalogue=()))))


@pytest.fixture(scope="session")
def built_articles(articles: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site without its catalogue, on disk."""
    folder = tmp_path_factory.mktemp("articles") / "site"
    publish(articles, folder)
    return folder


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of data, content and templates that a test may break; it names no catalogue, which takes longest."""
    for name in ("data", "content", "templates"):
        shutil.copytree(ROOT / name, tmp_path / name)
    path = tmp_path / "content" / "site.yaml"
    text = path.read_text(encoding="utf-8")
    assert CATALOGUE in text
    path.write_text(text.replace(CATALOGUE, "catalogue: []"), encoding="utf-8")
    return tmp_path


Edit = Callable[[str, str, str], None]


@pytest.fixture
def edit(sources: Path) -> Edit:
    """`edit(file, old, new)` replaces one text in a copied source; the old text must be there."""

    def replace(file: str, old: str, new: str) -> None:
        path = sources / file
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {file}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return replace
