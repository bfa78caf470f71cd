"""What goes wrong on the command line and on the disk: the exit code, the message, and the old site still whole."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cabe.cli import _json as as_json
from cabe.cli import commands
from cabe.publishing import publish, writer
from cabe.reading import Faults
from tests.conftest import ROOT, Edit

OLD = {"index.html": b"home", "en/a.html": b"old a", "en/gone.html": b"gone", "assets/site.css": b"css"}
NEW = {"index.html": b"home", "en/a.html": b"new a", "pt/b.html": b"b", "assets/site.css": b"css"}

CODES = ", ".join(sorted(path.name for path in (ROOT / "content").iterdir() if path.is_dir()))

pytestmark = pytest.mark.usefixtures("worked_out_once")


def shown(given: object) -> str:
    """A command as the id of its test; what it says is no part of that."""
    return " ".join(given) if isinstance(given, list) else ""


def run(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(commands, ["--root", str(root), *arguments])


def held(folder: Path) -> dict[str, bytes]:
    """What readers get from a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in (writer.MADE, writer.IGNORE)
    }


@pytest.fixture
def out(sources: Path, built_articles: Path) -> Path:
    """The site as it was built before something went wrong."""
    shutil.copytree(built_articles, sources / "out")
    return sources / "out"


def assert_refused(result: Result, *beginnings: str, ending: str = "; nothing was written") -> None:
    """Exit code 1 and one line for each beginning, then their count; no traceback, nothing on standard output."""
    *lines, last = result.stderr.splitlines() or [""]
    assert [line for line, start in zip(lines, beginnings, strict=False) if not line.startswith(start)] == []
    assert len(lines) == len(beginnings), result.stderr
    assert last == f"{len(lines)} fault{'s' if len(lines) > 1 else ''}{ending}"
    assert (result.exit_code, type(result.exception), result.stdout) == (1, SystemExit, "")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--colour"], "No such option '--colour'."),
        (["bild"], "No such command 'bild'."),
        (["--out"], "Option '--out' requires an argument."),
        (["--base-url", "example.org"], "'example.org' is not an address such as https://example.org/docs/"),
        *(
            (["--base-url", url], f"{url!r} is not an address such as https://example.org/docs/")
            for url in (
                "https://example.org/?page=1",
                "https:///x",
                "https://[::1",
                "https://x\x01y",
                "https://a\udcff/",
                "https://a b/",
                "https://a:b/",
                "ftp://example.org/",
                "",
            )
        ),
        (["--language", "xx"], "there is no language 'xx'; there are " + CODES),
        (["--language", "pt", "--language", "PT"], "there is no language 'PT'; there are " + CODES),
        (["--out", "elsewhere", "check"], "--out, --base-url, --language and --jobs belong"),
        (["check", "content"], "Got unexpected extra argument (content)"),
        (["estimate"], "Missing argument 'MODEL'."),
        (["estimate", "7B", "14B"], "one MODEL, please; got 7B 14B"),
        (["estimate", "7B", "--rank"], "Option '--rank' requires an argument."),
        (["estimate", "7B", "--rnak", "8"], "No such option '--rnak'. Did you mean '--rank'?"),
    ],
    ids=shown,
)
def test_wrong_usage_is_told_and_ends_with_2(sources: Path, arguments: list[str], says: str) -> None:
    result = run(sources, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert says in result.stderr
    assert not (sources / "site").exists()


@pytest.mark.parametrize("name", ["nowhere", "file"])
def test_a_root_that_is_no_folder_is_wrong_usage(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("text")
    assert run(tmp_path / name).exit_code == 2


def test_an_empty_root_names_the_folder_that_it_lacks(tmp_path: Path) -> None:
    result = run(tmp_path)
    assert (result.exit_code, type(result.exception)) == (1, SystemExit)
    assert str(tmp_path / "content") in result.stderr


def test_a_template_that_is_gone_is_named(sources: Path) -> None:
    (sources / "templates" / "article.html").unlink()
    result = run(sources)
    assert (result.exit_code, type(result.exception)) == (1, SystemExit)
    assert "templates/article.html" in result.stderr


def test_an_estimate_lists_all_that_is_wrong_with_its_options_at_once() -> None:
    options = {"method": "lorra", "rank": "many", "kbit-prep": "true", "precision": "best", "targets": "q,x"}
    given = [text for name, value in options.items() for text in (f"--{name}", value)]
    assert_refused(
        run(ROOT, "estimate", "9X", *given, "--device", "rtx-4091", "--device", "nothing-like-it"),
        "estimate: device: there is no device 'nothing-like-it'",
        "estimate: device: there is no device 'rtx-4091' (did you mean ",
        "estimate: kbit-prep: there is no 'true'; expected one of yes, norms, no",
        "estimate: method: there is no 'lorra' (did you mean lora, qlora?); expected one of ",
        "estimate: model: there is no model '9X'",
        "estimate: precision: there is no 'best'; expected one of ",
        "estimate: rank: 'many' is not a number",
        "estimate: targets: there is no 'x'; expected one of ",
        ending="",
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["7B", "--method", "inferense"], "method: there is no 'inferense'"),
        (["7B", "--method", "LoRA"], "method: there is no 'LoRA' (did you mean lora, qlora?); expected one of "),
        (["7B", "--adapter", "dora"], "adapter: dora is not modelled; modelled: "),
        (["7B", "--method", "full", "--quantization", "nf4"], "quantization: packed weights cannot be trained in full"),
        (["7B", "--method", "qlora", "--quantization", "none"], "quantization: qlora without quantization is lora"),
        (["7B", "--rank", "0"], "rank: '0' is too few, expected a whole number of at least 1"),
        (["7B", "--rank", "-8"], "rank: '-8' is too few, expected a whole number of at least 1"),
        (["7B", "--rank", "8,5"], "rank: '8,5' is not a number, expected digits and a decimal point"),
        (["7B", "--rank", "1e400"], "rank: '1e400' is too large for a number"),
        (["0B"], "model: a size must be above 0"),
        (["llama"], "model: the model 'llama' is ambiguous: "),
        (["lama-3.1-8b"], "model: there is no model 'lama-3.1-8b' (did you mean llama-3.1-8b"),
        ([""], "model: is empty, expected a value"),
        (["7B", "--device", "rtx"], "device: the device 'rtx' is ambiguous: "),
    ],
    ids=shown,
)
def test_an_option_that_cannot_be_answered_is_named(arguments: list[str], says: str) -> None:
    assert_refused(run(ROOT, "estimate", *arguments), f"estimate: {says}", ending="")
    assert_refused(run(ROOT, "estimate", *arguments, "--json"), f"estimate: {says}", ending="")


@pytest.mark.parametrize("command", [[], ["check"], ["bundle"], ["estimate", "7B"]], ids=shown)
def test_a_fault_in_the_sources_ends_every_command_with_1_and_writes_nothing(
    sources: Path, edit: Edit, command: list[str]
) -> None:
    edit("data/models.yaml", "total_params: 6738415616", "total_params: 6,7")
    ending = "" if "estimate" in command else "; nothing was written"
    assert_refused(run(sources, *command), "data/models.yaml:", ending=ending)
    assert {path.name for path in sources.iterdir()} == {"data", "content", "templates"}


@pytest.mark.parametrize("target", ["data", "content/new/site", "cabe", "."])
def test_an_output_folder_that_overlaps_a_source_is_refused(sources: Path, target: str) -> None:
    before = held(sources)
    folder = (sources / target).resolve()
    result = run(sources, "--out", str(sources / target))
    assert_refused(result, f"{folder}: the output folder overlaps the source {sources / ''}")
    assert "; choose a folder apart from the sources" in result.stderr
    assert held(sources) == before


def test_an_output_folder_that_is_a_link_to_a_source_is_refused(sources: Path) -> None:
    (sources / "out").symlink_to(sources / "content")
    assert_refused(run(sources, "--out", str(sources / "out")), f"{sources / 'content'}: the output folder overlaps")


def test_a_stranger_in_the_output_folder_is_named_and_kept(sources: Path, out: Path) -> None:
    (out / "CNAME").write_text("example.org")
    before = held(out)
    what = "the output folder holds files that no build made: CNAME"
    mend = "move them away, or choose another output folder"
    assert_refused(run(sources, "--out", str(out)), f"{out}: {what}; {mend}")
    assert held(out) == before


def test_an_output_that_is_a_file_is_refused_and_kept(sources: Path) -> None:
    (sources / "site").write_text("mine")
    assert run(sources, "--out", str(sources / "site")).exit_code == 2
    assert_refused(run(sources), f"{sources / 'site'}: the output is not a folder; choose another folder")
    assert (sources / "site").read_text() == "mine"


def test_an_output_that_is_a_mount_point_is_refused(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "ismount", lambda path: Path(path) == sources / "out")
    what = "the output folder is a mount point; choose a folder inside it"
    assert_refused(run(sources, "--out", str(sources / "out")), f"{sources / 'out'}: {what}")


def test_only_the_folder_of_the_project_is_kept_out_of_version_control(sources: Path) -> None:
    assert run(sources, "--language", "en").exit_code == 0
    assert run(sources, "--language", "en", "--out", str(sources / "docs")).exit_code == 0
    assert (sources / "site" / ".gitignore").is_file()
    assert not (sources / "docs" / ".gitignore").exists()


def test_a_build_counts_the_files_that_readers_get(sources: Path) -> None:
    result = run(sources, "--language", "en")
    files = len(held(sources / "site"))
    assert result.stdout == f"{files} files in {sources / 'site'}: {files} changed\n"


def test_a_link_that_leads_to_itself_is_no_output(sources: Path) -> None:
    (sources / "loop").symlink_to("loop")
    assert_refused(run(sources, "--out", str(sources / "loop")), f"{sources / 'loop'}: the link leads back to itself")


@pytest.mark.parametrize("target", ["content", "templates/assets", "site", "site/en", "cabe", "."])
def test_bundles_do_not_go_into_the_sources_or_the_site(sources: Path, target: str) -> None:
    before = {path for path in sources.rglob("*") if path.is_file()}
    assert_refused(run(sources, "bundle", "--out", str(sources / target)), str((sources / target).resolve()))
    assert {path for path in sources.rglob("*") if path.is_file()} == before


def test_without_one_bundle_there_is_none(sources: Path) -> None:
    (sources / "dist" / "cabe-it.zip").mkdir(parents=True)
    path = sources / "dist" / "cabe-it.zip"
    assert_refused(run(sources, "bundle"), f"{path}: is a folder; move it away")
    assert list((sources / "dist").iterdir()) == [path]


PROCESS = [sys.executable, str(ROOT / "build.py")]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    "command", [["estimate", "7B"], ["estimate", "7B", "--json"], ["--help"], ["--language", "en"]], ids=shown
)
def test_an_output_that_takes_nothing_is_told(sources: Path, command: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        line = [*PROCESS, "--root", str(sources), *command]
        result = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (result.returncode, result.stderr) == (1, "standard output: No space left on device\n")


@pytest.mark.parametrize("command", [["estimate", "7B"], ["estimate", "7B", "--json"], ["--help"]], ids=shown)
def test_a_reader_that_has_left_is_no_error(command: list[str]) -> None:
    reader, written = os.pipe()
    os.close(reader)
    result = subprocess.run([*PROCESS, *command], stdout=written, stderr=subprocess.PIPE, check=False)
    os.close(written)
    assert result.stderr == b""


@pytest.mark.parametrize("more", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}], ids=str)
@pytest.mark.parametrize("command", [["estimate", "7B"], ["estimate", "27-32B", "--json"], ["estimate", "9\u00e7"]])
def test_a_terminal_in_ascii_gets_an_answer(more: dict[str, str], command: list[str]) -> None:
    environment = {**os.environ, **more, "PYTHONCOERCECLOCALE": "0"}
    result = subprocess.run([*PROCESS, *command], env=environment, capture_output=True, check=False)
    assert b"Traceback" not in result.stderr
    assert result.returncode == (1 if "9\u00e7" in command else 0)


def test_a_python_without_the_packages_is_told_where_they_are(tmp_path: Path) -> None:
    line = [sys.executable, "-E", "-S", str(ROOT / "build.py")]  # -S: no site-packages
    result = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    mend = "run `make site` first, then .venv/bin/python build.py …"
    assert (result.returncode, result.stderr) == (1, f"click is not installed here; {mend}\n")


def test_an_interrupt_while_the_program_loads_leaves_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "cabe").mkdir()
    (tmp_path / "cabe" / "__init__.py").write_text("raise KeyboardInterrupt")
    shutil.copy(ROOT / "build.py", tmp_path)
    line = [sys.executable, str(tmp_path / "build.py")]
    result = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (1, "Aborted!\n")


def test_json_has_no_infinity() -> None:
    with pytest.raises(Faults, match="too large for a number"):
        as_json({"states": float("inf")}, 1)


@pytest.mark.parametrize(("experts", "told"), [("grouped", True), ("loop", False)])
def test_experts_that_no_quantization_packs_are_told_of_without_a_device(experts: str, told: bool) -> None:
    made = run(ROOT, "estimate", "glm-4.5-air", "--method", "qlora", "--experts", experts)
    assert ("does not pack" in made.output) is told


def test_a_range_of_sizes_says_why_it_has_no_states() -> None:
    assert "not modelled  a range of sizes has no shape" in run(ROOT, "estimate", "27-32B").stdout
    assert "no model lends this size its shape" in run(ROOT, "estimate", "9B").stdout
    assert "shape" not in run(ROOT, "estimate", "7B").stdout


@pytest.mark.parametrize(
    ("options", "says", "hides"),
    [
        (["full"], "precision amp", "dtype bf16"),
        (["full", "--precision", "pure"], "dtype bf16, precision pure", "rank"),
        (["full", "--precision", "no-master"], "dtype bf16, precision no-master", "rank"),
        (["lora"], "dtype bf16, precision amp", "autocast"),
        (["qlora", "--precision", "pure"], "precision pure (no autocast)", "amp"),
    ],
    ids=shown,
)
def test_the_head_of_an_estimate_names_the_options_that_count(options: list[str], says: str, hides: str) -> None:
    head = run(ROOT, "estimate", "7B", "--method", *options).stdout.splitlines()[0]
    assert says in head
    assert hides not in head


@pytest.mark.parametrize("writes", [1, 4])
def test_a_disk_that_is_full_leaves_the_old_site(
    sources: Path, out: Path, edit: Edit, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    before = held(out)
    edit("content/en/words.yaml", "licence: MIT licence", "licence: Licence MIT")
    full = OSError(errno.ENOSPC, "No space left on device")
    with stopped(monkeypatch, Stop(at=writes, steps=("write_bytes",), error=full)):
        result = run(sources, "--out", str(out))
    assert (result.exit_code, type(result.exception), result.stdout) == (1, SystemExit, "")
    assert result.stderr == "output: No space left on device; nothing was published\n"
    assert held(out) == before
    assert {path.name for path in sources.iterdir()} == {"data", "content", "templates", "out"}
    assert run(sources, "--out", str(out)).exit_code == 0
    assert held(out) != before


def test_a_folder_that_may_not_be_written_is_named(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = sources / ".out.new"
    denied = PermissionError(errno.EACCES, "Permission denied", str(stage))
    with stopped(monkeypatch, Stop(at=1, steps=("mkdir",), error=denied, for_good=True)):
        result = run(sources, "--out", str(sources / "out"))
    assert (result.exit_code, result.stderr) == (1, f"{stage}: Permission denied; nothing was published\n")


def test_a_build_that_is_interrupted_at_the_keyboard_leaves_the_old_site(
    sources: Path, out: Path, edit: Edit, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = held(out)
    edit("content/en/words.yaml", "licence: MIT licence", "licence: Licence MIT")
    with stopped(monkeypatch, Stop(at=3, steps=("write_bytes",))):
        result = run(sources, "--out", str(out))
    assert (result.exit_code, result.stderr.strip()) == (1, "Aborted!")
    assert held(out) == before
    assert {path.name for path in sources.iterdir()} == {"data", "content", "templates", "out"}


# The steps at which a build can be stopped: everything that changes the disk, and the exchange of the two folders.
STEPS: dict[str, Any] = {
    "mkdir": os,
    "link": os,
    "rename": os,
    "unlink": os,
    "rmdir": os,
    "write_bytes": Path,
    "CDLL": ctypes,
}


@dataclass
class Stop:
    """What happens at step number `at`: `error`, once or at every later step too (a dead process does nothing more)."""

    at: int
    for_good: bool = False
    error: BaseException | None = None
    steps: tuple[str, ...] = tuple(STEPS)
    seen: int = 0

    def due(self) -> bool:
        self.seen += 1
        return self.seen == self.at or (self.for_good and self.seen > self.at)


@contextmanager
def stopped(monkeypatch: pytest.MonkeyPatch, stop: Stop) -> Iterator[None]:
    """The steps of the disk, of which one fails."""
    with monkeypatch.context() as patch:
        for name in stop.steps:
            patch.setattr(STEPS[name], name, _step(name, getattr(STEPS[name], name), stop))
        yield


def _step(name: str, original: Callable[..., Any], stop: Stop) -> Callable[..., Any]:
    def step(*given: Any, **more: Any) -> Any:
        if not stop.due():
            return original(*given, **more)
        if name == "write_bytes":  # half of the file is on the disk already
            path, content = given
            original(path, content[: len(content) // 2])
        raise stop.error or KeyboardInterrupt

    return step


@pytest.fixture(scope="module")
def dead_process() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


WAYS: dict[str, Callable[[int], Stop]] = {
    "interrupted": lambda at: Stop(at),
    "killed": lambda at: Stop(at, for_good=True),
    "failing": lambda at: Stop(at, error=OSError(errno.EIO, "Input/output error")),
}


@pytest.mark.parametrize("system", ["linux", "darwin"])
@pytest.mark.parametrize("way", WAYS)
def test_a_build_that_stops_at_any_step_leaves_one_whole_site_and_the_next_build_tidies_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dead_process: int, way: str, system: str
) -> None:
    """Linux exchanges the folders in one step; elsewhere there are two renames, and a kill may fall between them."""
    monkeypatch.setattr(sys, "platform", system)
    for at in count(1):
        target = tmp_path / str(at) / "site"
        publish(OLD, target)
        stop = WAYS[way](at)
        with monkeypatch.context() as patch:
            patch.setattr(os, "getpid", lambda: dead_process)
            with stopped(patch, stop):
                _attempt(target)
        if stop.seen < at:
            break
        there = target if target.exists() else _moved_away(target, way, system)
        assert held(there) in (OLD, NEW), f"step {at}"
        publish(NEW, target)
        assert held(target) == NEW
        assert list(target.parent.iterdir()) == [target], f"step {at}"
    assert at > 15


def _attempt(target: Path) -> None:
    with suppress(KeyboardInterrupt, OSError):
        publish(NEW, target)


def _moved_away(target: Path, way: str, system: str) -> Path:
    """The old site between two renames: only a kill may leave it there."""
    assert (way, system) == ("killed", "darwin"), f"{way} on {system}: no site in its place"
    (old,) = target.parent.glob(".site.old-*")
    return old


@pytest.mark.parametrize("way", WAYS)
def test_a_first_build_that_stops_at_any_step_leaves_no_half_of_a_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dead_process: int, way: str
) -> None:
    for at in count(1):
        target = tmp_path / str(at) / "site"
        target.parent.mkdir()
        stop = WAYS[way](at)
        with monkeypatch.context() as patch:
            patch.setattr(os, "getpid", lambda: dead_process)
            with stopped(patch, stop):
                _attempt(target)
        if stop.seen < at:
            break
        assert not target.exists() or held(target) == NEW, f"step {at}"
        publish(NEW, target)
        assert held(target) == NEW
        assert list(target.parent.iterdir()) == [target], f"step {at}"
    assert at > 10
