"""The README: its commands run, its tree names what exists, its table names every dependency."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from cabe.cli import commands

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
START = ".venv/bin/python build.py"  # the environment of `make site`: another Python has not the packages
COMMANDS = [line.split("#")[0].removeprefix(START).strip() for line in README.splitlines() if line.startswith(START)]


def test_every_command_of_the_readme_is_run_by_the_environment() -> None:
    assert len(COMMANDS) > 4
    assert re.findall(r"^python3? .*", README, re.MULTILINE) == []


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_readme_runs(line: str, tmp_path: Path) -> None:
    arguments = shlex.split(line.replace("DIR", str(tmp_path / "out")).replace("URL", "https://example.org/"))
    if "--out" not in arguments and (not arguments or arguments[0] == "bundle"):
        arguments += ["--out", str(tmp_path / "out")]
    result = CliRunner().invoke(commands, arguments)
    assert result.exit_code == 0, result.output


def test_the_tree_names_what_exists() -> None:
    tree = README[README.index("## The house") : README.index("## Commands")]
    top = re.findall(r"^(\w[\w.]*/?) ", tree, re.MULTILINE)
    inside = re.findall(r"^  (\w[\w.]*/?) ", tree, re.MULTILINE)
    assert top
    assert [name for name in top if not (ROOT / name).exists()] == []
    assert [name for name in inside if not (ROOT / "cabe" / name).exists()] == []
    packages = {path.name for path in (ROOT / "cabe").iterdir() if path.name not in ("__init__.py", "__pycache__")}
    assert packages == {name.rstrip("/") for name in inside}


def test_every_dependency_earns_a_sentence() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = [re.split(r"[<>=\[]", one)[0] for one in wanted]
    assert [name for name in names if not re.search(rf"\|[^|]*\b{name}\b[^|]*\|", README)] == []


def test_every_target_of_the_readme_is_in_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^make (\w+)", README, re.MULTILINE)
    assert {"site", "test"} <= set(targets)
    assert [target for target in targets if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []


def test_the_lock_file_has_hashes_and_no_address() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert "--hash=sha256:" in lock
    assert not re.search(r"https?://|--index|--find-links|--extra-index", lock)
