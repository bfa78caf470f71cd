"""Broken sources: each file of `faulty/` holds an accident, and the messages that it must give, word for word.

    about   what the case shows, in one sentence
    edits   what is done to a copy of the sources, in order, each to one `file`:
              old, new      the first `old` becomes `new`
              text          the whole file, a new one perhaps
              bytes         the file is saved in this encoding instead of UTF-8
              remove: true  the file goes
    says    the lines on standard error, in order, without the last one, which counts them

In `says`, `«text»` stands for the number of the first line that holds the text, after the edits, in the file that the
message names; a line that ends in `…` states the beginning of a message, where the rest lists names that may grow.
"""

from __future__ import annotations

import re
import shutil
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from babel import Locale
from click.testing import CliRunner, Result

import cabe
from cabe.cli import commands
from cabe.facts import read_facts
from cabe.pages import read_site, render
from cabe.publishing import collect
from cabe.words import read_languages
from tests.conftest import Edit

CASES = sorted((Path(__file__).parent / "faulty").glob("*.yaml"))
LINE_OF = re.compile(r"«(.+?)»")
SOURCES = ("*.yaml", "*.md")

pytestmark = pytest.mark.usefixtures("worked_out_once")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_broken_source_gives_its_messages_and_leaves_the_old_site_as_it_was(
    path: Path, sources: Path, built_articles: Path
) -> None:
    case = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert set(case) == {"about", "edits", "says"}
    shutil.copytree(built_articles, sources / "out")
    for one in case["edits"]:
        apply(sources, **one)
    result = build(sources)
    says = [with_line_numbers(line, sources) for line in case["says"]]
    *lines, last = result.stderr.splitlines() or [""]
    assert shortened(lines, says) == says
    assert last == f"{len(says)} fault{'s' if len(says) > 1 else ''}; nothing was written"
    assert (result.exit_code, type(result.exception)) == (1, SystemExit)
    assert held(sources / "out") == held(built_articles)
    assert {one.name for one in sources.iterdir()} == {"data", "content", "templates", "out"}


def test_there_are_cases() -> None:
    assert len(CASES) > 150


def apply(root: Path, file: str, *, old: str = "", new: str = "", text: str | None = None, **more: Any) -> None:
    """One edit of a case."""
    path = root / file
    if more.get("remove"):
        path.unlink()
    elif "bytes" in more:
        path.write_bytes(path.read_text(encoding="utf-8").encode(more["bytes"], errors="replace"))
    elif text is not None:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    else:
        before = path.read_text(encoding="utf-8")
        assert old in before, f"{old!r} is not in {file}"
        path.write_text(before.replace(old, new, 1), encoding="utf-8")


def build(root: Path) -> Result:
    return CliRunner().invoke(commands, ["--root", str(root), "--out", str(root / "out")])


def with_line_numbers(message: str, root: Path) -> str:
    """The message with each `«text»` replaced by the number of its line."""
    path = root / message.partition(":")[0]

    def number(match: re.Match[str]) -> str:
        lines = path.read_bytes().decode("utf-8", errors="replace").split("\n")
        found = next((number for number, line in enumerate(lines, 1) if match[1] in line), None)
        assert found, f"no line of {path} holds {match[1]!r}"
        return str(found)

    return LINE_OF.sub(number, message)


def shortened(lines: Sequence[str], says: Sequence[str]) -> list[str]:
    """The lines, each cut where the expected one ends in `…`, if it is the same up to there."""
    cut = [
        want if want.endswith("…") and line.startswith(want[:-1]) else line
        for line, want in zip(lines, says, strict=False)
    ]
    return cut + list(lines[len(cut) :])


def held(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("8e9", 8_000_000_000),
        ("8.03e9", 8_030_000_000),
        ("8.03e+9", 8_030_000_000),
        ("8_030_261_248", 8_030_261_248),
        ('"8030261248"', 8_030_261_248),
        ("8030261248.0", 8_030_261_248),
        ("010", 10),
    ],
)
def test_a_count_is_the_number_that_a_person_means(sources: Path, edit: Edit, written: str, meant: int) -> None:
    edit("data/models.yaml", "total_params: 6738415616", f"total_params: {written}")
    count = read_facts(sources).models["llama-2-7b"].total_params
    assert (count, type(count)) == (meant, int)


@pytest.mark.parametrize("written", ["3.10", "12:30", "010", "no", "on", "0x10", "8e9", "2026-11-30"])
def test_a_text_stays_as_it_is_written(sources: Path, edit: Edit, written: str) -> None:
    edit("data/models.yaml", "name: Llama 2 7B", f"name: {written}")
    assert read_facts(sources).models["llama-2-7b"].name == written


@pytest.mark.parametrize("written", ["010", "3.10", "no", "8e9"])
def test_an_id_stays_as_it_is_written(sources: Path, edit: Edit, written: str) -> None:
    edit("data/models.yaml", "- id: qwen1.5-4b", f"- id: {written}")
    assert written in read_facts(sources).models


def test_the_locale_no_is_norwegian(sources: Path, edit: Edit) -> None:
    edit("content/it/words.yaml", "locale: it", "locale: no")
    languages = {one.code: one for one in read_languages(sources, "en")}
    assert languages["it"].locale == Locale("no")


def test_spaces_within_an_expression_make_no_difference(
    sources: Path, edit: Edit, articles: Mapping[str, bytes]
) -> None:
    edit("content/pt/full-fine-tuning.md", '{{ fact("master.weight_bytes") }}', '{{fact("master.weight_bytes")}}')
    assert rendered(sources) == articles


def test_what_editors_and_systems_leave_beside_pages_is_no_page(sources: Path, articles: Mapping[str, bytes]) -> None:
    english = sources / "content" / "en"
    (english / ".#index.md").symlink_to("somebody@somewhere.1234")
    (english / "._index.md").write_bytes(b"\0\5\26\7 resource fork")
    (english / "index.md~").write_text("an older version")
    (sources / "content" / ".obsidian").mkdir()
    (sources / "content" / ".DS_Store").write_bytes(b"\0")
    assert rendered(sources) == articles


SPELLINGS: Mapping[str, Callable[[str], bytes]] = {
    "a byte-order mark": lambda text: text.encode("utf-8-sig"),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "CR alone": lambda text: text.replace("\n", "\r").encode(),
    "accents as signs of their own": lambda text: unicodedata.normalize("NFD", text).encode(),
    "no newline at the end": lambda text: text.rstrip("\n").encode(),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_way_a_text_is_saved_changes_no_byte_of_the_site(
    sources: Path, articles: Mapping[str, bytes], spelling: str
) -> None:
    for folder in ("data", "content"):
        for path in [found for pattern in SOURCES for found in (sources / folder).rglob(pattern)]:
            saved = SPELLINGS[spelling](path.read_text(encoding="utf-8"))
            assert saved != path.read_bytes() or spelling == "accents as signs of their own"
            path.write_bytes(saved)
    assert rendered(sources) == articles


def rendered(root: Path) -> dict[str, bytes]:
    return collect(render(read_site(root, cabe.__version__)))
