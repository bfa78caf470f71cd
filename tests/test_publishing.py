"""The one writer: a site appears whole or not at all, and only over what a build made."""

from __future__ import annotations

import os
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from click.testing import CliRunner

from cabe.cli import commands
from cabe.publishing import collect, publish, write_whole, writer, zipped
from cabe.reading import Faults

ONE = {"index.html": b"one", "en/a.html": b"a"}
TWO = {"index.html": b"two", "en/b.html": b"b"}


def held(folder: Path) -> dict[str, bytes]:
    """What readers get from a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in (writer.MADE, writer.IGNORE)
    }


def left_behind(folder: Path) -> list[str]:
    return [path.name for path in folder.parent.iterdir() if path != folder]


def test_a_site_is_written_and_then_replaced(tmp_path: Path) -> None:
    target = tmp_path / "site"
    publish(ONE, target)
    assert held(target) == ONE
    publish(TWO, target)
    assert held(target) == TWO
    assert left_behind(target) == []


def test_a_second_build_with_no_change_writes_nothing(tmp_path: Path) -> None:
    target = tmp_path / "site"
    publish(ONE, target)
    before = {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in [target, *target.rglob("*")]}
    assert publish(ONE, target) == 0
    assert {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in [target, *target.rglob("*")]} == before


def test_only_changed_files_are_rewritten(tmp_path: Path) -> None:
    target = tmp_path / "site"
    publish(ONE, target)
    kept = (target / "en" / "a.html").stat().st_ino
    assert publish({**ONE, "index.html": b"new"}, target) == 1
    assert (target / "en" / "a.html").stat().st_ino == kept


def test_a_file_that_is_no_longer_made_goes(tmp_path: Path) -> None:
    target = tmp_path / "site"
    publish(ONE, target)
    assert publish({"index.html": b"one"}, target) == 2  # the page and the list of files
    assert held(target) == {"index.html": b"one"}


def test_a_folder_with_strangers_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "site"
    publish(ONE, target)
    (target / "CNAME").write_text("example.org")
    with pytest.raises(Faults, match="files that no build made: CNAME"):
        publish(TWO, target)
    assert held(target) == {**ONE, "CNAME": b"example.org"}


def test_a_link_to_a_folder_is_a_stranger_too(tmp_path: Path) -> None:
    target = tmp_path / "site"
    publish(ONE, target)
    (target / "photos").symlink_to(tmp_path)
    with pytest.raises(Faults, match="photos"):
        publish(TWO, target)


def test_a_folder_with_nothing_but_the_committed_gitignore_is_fine(tmp_path: Path) -> None:
    target = tmp_path / "site"
    target.mkdir()
    (target / ".gitignore").write_bytes(writer.IGNORE_TEXT)
    publish(ONE, target)
    assert held(target) == ONE


@pytest.mark.parametrize("place", ["content", "content/site", "."])
def test_a_target_that_overlaps_a_source_is_refused(place: str, tmp_path: Path) -> None:
    (tmp_path / "content").mkdir()
    with pytest.raises(Faults, match="overlaps"):
        publish(ONE, tmp_path / place, [tmp_path / "content"])


def test_a_mount_point_is_refused() -> None:
    with pytest.raises(Faults, match=r"mount point|files that no build made"):
        publish(ONE, Path("/proc"))


def test_a_target_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "site").write_text("x")
    with pytest.raises(Faults, match="not a folder"):
        publish(ONE, tmp_path / "site")


def test_a_full_disk_leaves_the_old_site_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "site"
    publish(ONE, target)
    written: list[Path] = []

    def full(path: Path, content: bytes) -> int:
        written.append(path)
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        return len(content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space"):
        publish(TWO, target)
    monkeypatch.undo()
    assert held(target) == ONE
    assert left_behind(target) == []


def test_without_an_exchange_two_renames_do_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "_renameat2", lambda *_: False)
    target = tmp_path / "site"
    publish(ONE, target)
    publish(TWO, target)
    assert held(target) == TWO
    assert left_behind(target) == []


def test_a_kill_between_the_two_renames_is_repaired_by_the_next_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "_renameat2", lambda *_: False)
    target = tmp_path / "site"
    publish(ONE, target)
    rename = Path.rename

    dead: list[bool] = []

    def killed(path: Path, goal: Path) -> Path:
        if dead or ".new-" in path.name:
            dead.append(True)
            raise KeyboardInterrupt  # a dead process renames nothing back
        return rename(path, goal)

    monkeypatch.setattr(Path, "rename", killed)
    with pytest.raises(KeyboardInterrupt):
        publish(TWO, target)
    monkeypatch.undo()
    assert not target.exists()
    publish(TWO, target)
    assert held(target) == TWO
    assert left_behind(target) == []


def test_what_a_dead_build_left_is_removed_and_a_living_one_is_not_touched(tmp_path: Path) -> None:
    target = tmp_path / "site"
    dead, living = tmp_path / ".site.new-999999999", tmp_path / f".site.new-{os.getppid()}"
    dead.mkdir()
    living.mkdir()
    publish(ONE, target)
    assert not dead.exists()
    assert living.exists()


@pytest.mark.parametrize(
    ("one", "other"), [("en/QLoRA.html", "en/qlora.html"), ("en/ação.html", "en/ac\u0327a\u0303o.html"), ("a", "a")]
)
def test_two_outputs_that_would_be_one_file_are_named(one: str, other: str) -> None:
    with pytest.raises(Faults, match="two pages have this address"):
        collect([(one, b""), (other, b"")])


def test_a_bundle_has_the_same_bytes_each_time_and_its_folder_inside() -> None:
    made = zipped(ONE, "cabe")
    assert made == zipped(dict(reversed(ONE.items())), "cabe")
    with zipfile.ZipFile(BytesIO(made)) as archive:
        assert archive.namelist() == ["cabe/en/a.html", "cabe/index.html"]
        assert archive.read("cabe/index.html") == b"one"


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    path = tmp_path / "dist" / "a.zip"
    assert write_whole(path, b"one")
    assert not write_whole(path, b"one")
    assert write_whole(path, b"two")
    assert [one.name for one in path.parent.iterdir()] == ["a.zip"]


def test_the_bundle_command_writes_one_zip_for_each_language_and_one_for_all(tmp_path: Path) -> None:
    result = CliRunner().invoke(commands, ["bundle", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cabe-en.zip", "cabe-it.zip", "cabe-pt.zip", "cabe.zip"]
    with zipfile.ZipFile(tmp_path / "cabe-pt.zip") as archive:
        names = archive.namelist()
    assert "cabe-pt/pt/o-modelo-vai-caber.html" in names
    assert not [name for name in names if "/en/" in name]
