"""What tests share: the project's own facts and formulas, a copy of the sources to break, and the built site."""

from __future__ import annotations

import pickle
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import cabe
from cabe import facts as facts_stage
from cabe import memory as memory_stage
from cabe import reading
from cabe.facts import Facts, read_facts
from cabe.memory import Formulas, read_formulas
from cabe.pages import Site, read, read_site, render
from cabe.pages.prose import Ask
from cabe.pages.site import Download
from cabe.publishing import collect, publish
from cabe.reading import parse_yaml

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
def known() -> dict[tuple[object, ...], Any]:
    """What `worked_out_once` has worked out, for all modules that ask for it."""
    return {}


@pytest.fixture(scope="module")
def worked_out_once(known: dict[tuple[object, ...], Any]) -> Iterator[None]:
    """Sources that a test leaves alone are read and computed once for all tests: that takes most of the time of each.

    Parsing is a function of text, file and line; every test gets a copy of its own, so that none sees another's.
    Facts and formulas are functions of the files of data/, and estimates of these two; all are frozen. Pages are
    always drawn anew.
    """

    def parsed(text: str, file: str, first_line: int = 1) -> reading.Document:
        key = (text, file, first_line)
        if key not in known:
            known[key] = pickle.dumps(parse_yaml(text, file, first_line))
        document: reading.Document = pickle.loads(known[key])
        return document

    def once(make: Callable[..., Any]) -> Callable[..., Any]:
        def made_once(root: Path, *given: object) -> Any:
            key = (make, *given, *((path.name, path.read_bytes()) for path in sorted((root / "data").glob("*.yaml"))))
            if key not in known:
                known[key] = make(root, *given)
            return known[key]

        return made_once

    def asked(site: Site, files: tuple[Download, ...] = ()) -> Ask:
        ask: Ask = known.setdefault((id(site.facts), id(site.formulas)), Ask(site))  # which keeps both, and their ids
        return replace(ask, files=files)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "parse_yaml", parsed)
        for stage in (facts_stage, read):
            patch.setattr(stage, "read_facts", once(read_facts))
        for stage in (memory_stage, read):
            patch.setattr(stage, "read_formulas", once(read_formulas))
        patch.setattr(sys.modules["cabe.pages.render"], "Ask", asked)  # the package has a function of that name
        yield


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
