"""The one writer: a site appears whole or not at all, and only over what a build made."""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cabe.cli import commands
from cabe.publishing import collect, publish, write_bundles, writer, zipped
from cabe.reading import Faults
from tests.conftest import ROOT

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
    assert publish({"index.html": b"one"}, target) == 1
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
    publish(TWO, dead)
    living.mkdir()
    publish(ONE, target)
    assert not dead.exists()
    assert living.exists()


@pytest.mark.parametrize("there", [True, False], ids=["beside a site", "without a site"])
@pytest.mark.parametrize(
    "name",
    [
        ".site.old-backup",
        ".site.new-notes",
        ".site.new-²",
        ".site.old-1x",
        ".site.old-999999999",
        ".site.new-999999999",
        ".site.old-" + "9" * 40,
        ".xsite.old-999999999",
    ],
)
def test_a_folder_beside_the_site_that_no_build_made_is_kept(tmp_path: Path, name: str, there: bool) -> None:
    target = tmp_path / "site"
    if there:
        publish(ONE, target)
    (tmp_path / name).mkdir()
    (tmp_path / name / "x").write_text("mine")
    publish(TWO, target)
    assert held(target) == TWO
    assert held(tmp_path / name) == {"x": b"mine"}
    assert left_behind(target) == [name]


def test_a_left_over_folder_into_which_somebody_put_a_file_is_kept(tmp_path: Path) -> None:
    left = tmp_path / ".site.old-999999999"
    publish(ONE, left)
    (left / "notes").write_text("mine")
    (tmp_path / "site").mkdir()
    publish(TWO, tmp_path / "site")
    assert held(left) == {**ONE, "notes": b"mine"}


@pytest.mark.parametrize("name", ["*", "s[i]te", "a.c", "(", "ação"])
def test_the_name_of_the_output_is_no_pattern(tmp_path: Path, name: str) -> None:
    other = tmp_path / ".abc.old-999999999"
    publish(ONE, other)
    for files in (ONE, TWO):
        publish(files, tmp_path / name)
    assert held(tmp_path / name) == TWO
    assert held(other) == ONE


def test_only_where_it_is_wanted_a_gitignore_is_written(tmp_path: Path) -> None:
    publish(ONE, tmp_path / "docs")
    publish(ONE, tmp_path / "site", ignored=True)
    assert not (tmp_path / "docs" / ".gitignore").exists()
    assert (tmp_path / "site" / ".gitignore").read_bytes() == writer.IGNORE_TEXT
    assert publish(TWO, tmp_path / "site") == 3  # an earlier one of ours is no stranger, and stays
    assert (tmp_path / "site" / ".gitignore").read_bytes() == writer.IGNORE_TEXT


@pytest.mark.parametrize("ignored", [True, False])
def test_a_gitignore_that_somebody_wrote_is_a_stranger(tmp_path: Path, ignored: bool) -> None:
    target = tmp_path / "docs"
    target.mkdir()
    (target / ".gitignore").write_text("drafts/")
    with pytest.raises(Faults, match=r"no build made: \.gitignore"):
        publish(ONE, target, ignored=ignored)
    assert (target / ".gitignore").read_text() == "drafts/"


def test_a_gitignore_with_other_line_ends_is_still_ours(tmp_path: Path) -> None:
    target = tmp_path / "site"
    publish(ONE, target, ignored=True)
    (target / ".gitignore").write_bytes(writer.IGNORE_TEXT.replace(b"\n", b"\r\n"))
    publish(TWO, target, ignored=True)
    assert held(target) == TWO


@pytest.mark.parametrize("exchanges", [True, False], ids=["in one step", "by renames"])
def test_a_file_that_comes_between_look_and_exchange_is_kept_with_its_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchanges: bool
) -> None:
    target = tmp_path / "site"
    publish(ONE, target)
    fill = writer._fill

    def late(*given: Any) -> None:
        fill(*given)
        (target / "late").write_text("mine")

    monkeypatch.setattr(writer, "_fill", late)
    if not exchanges:
        monkeypatch.setattr(writer, "_renameat2", lambda *_: False)
    with pytest.raises(Faults, match="no build made: late"):
        publish(TWO, target)
    assert held(target) == {**ONE, "late": b"mine"}
    assert left_behind(target) == []


def test_another_build_that_comes_between_does_not_mix_two_sites(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "site"
    publish(ONE, target)
    fill = writer._fill

    def slow(*given: Any) -> None:
        monkeypatch.undo()
        with monkeypatch.context() as patch:
            patch.setattr(os, "getpid", os.getppid)
            publish({"index.html": b"two", "en/a.html": b"other"}, target)
        fill(*given)

    monkeypatch.setattr(writer, "_fill", slow)
    mine = {"index.html": b"three", "en/a.html": b"a"}  # en/a.html is as it was, so it is to be linked
    publish(mine, target)
    assert held(target) == mine
    assert left_behind(target) == []


@pytest.mark.parametrize("damage", [b"\xff\n", b"", b"\0\n../../x\n", "a\u0085b\n".encode()])
def test_a_damaged_list_of_files_claims_nothing(tmp_path: Path, damage: bytes) -> None:
    target = tmp_path / "site"
    publish(ONE, target)
    (target / writer.MADE).write_bytes(damage)
    with pytest.raises(Faults, match="files that no build made"):
        publish(TWO, target)
    assert held(target) == ONE


def test_a_link_that_leads_to_itself_is_named(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for place in ("loop", "loop/site"):
        with pytest.raises(Faults, match="the link leads back to itself"):
            publish(ONE, tmp_path / place)


def test_a_site_that_its_owner_made_read_only_is_replaced_and_leaves_nothing(tmp_path: Path) -> None:
    target = tmp_path / "below" / "site"
    publish(ONE, target)
    for path in [*target.rglob("*"), target]:
        path.chmod(path.stat().st_mode & ~0o222)
    with as_an_ordinary_user(target.parent):
        publish(TWO, target)
    assert held(target) == TWO
    assert left_behind(target) == []


@contextmanager
def as_an_ordinary_user(folder: Path) -> Iterator[None]:
    """With the rights of somebody who owns `folder` alone: root may write everywhere."""
    if os.geteuid() != 0:
        yield
        return
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, 65534, 65534)
    closed = {path: mode for path in folder.parents if (mode := stat.S_IMODE(path.stat().st_mode)) & 0o011 != 0o011}
    for path, mode in closed.items():  # pytest keeps its folders to their owner
        path.chmod(mode | 0o011)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
        for path, mode in closed.items():
            path.chmod(mode)


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


def test_a_bundle_has_no_page_that_only_a_server_can_show() -> None:
    with zipfile.ZipFile(BytesIO(zipped({**ONE, "404.html": b"lost"}, "cabe"))) as archive:
        assert "cabe/404.html" not in archive.namelist()


def test_bundles_are_replaced_in_one_step(tmp_path: Path) -> None:
    folder = tmp_path / "dist"
    assert write_bundles({"a.zip": b"one", "b.zip": b"b"}, folder) == ["a.zip", "b.zip"]
    assert write_bundles({"a.zip": b"one", "b.zip": b"b"}, folder) == []
    assert write_bundles({"a.zip": b"two", "b.zip": b"b"}, folder) == ["a.zip"]
    assert held(folder) == {"a.zip": b"two", "b.zip": b"b"}


def test_where_one_bundle_cannot_be_written_none_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = {"a.zip": b"old", "b.zip": b"old"}
    write_bundles(old, tmp_path)
    (tmp_path / "c.zip").mkdir()
    with pytest.raises(Faults, match=r"c\.zip: is a folder"):
        write_bundles({"a.zip": b"new", "b.zip": b"new", "c.zip": b"new"}, tmp_path)
    write = Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        if "b.zip" in path.name:
            raise OSError(28, "No space left on device")
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space"):
        write_bundles({"a.zip": b"new", "b.zip": b"new"}, tmp_path)
    assert held(tmp_path) == old


def test_bundles_do_not_go_into_sources_or_a_built_site(tmp_path: Path) -> None:
    with pytest.raises(Faults, match="overlaps the source"):
        write_bundles({"a.zip": b"a"}, tmp_path / "content" / "x", [tmp_path / "content"])
    publish(ONE, tmp_path / "site")
    for place in ("site", "site/en"):
        with pytest.raises(Faults, match="is a built site"):
            write_bundles({"a.zip": b"a"}, tmp_path / place)
    assert held(tmp_path) == {f"site/{name}": content for name, content in ONE.items()}


def test_the_bundle_command_writes_one_zip_for_each_language_and_one_for_all(tmp_path: Path) -> None:
    result = CliRunner().invoke(commands, ["bundle", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    codes = [path.name for path in (ROOT / "content").iterdir() if path.is_dir()]
    assert {path.name for path in tmp_path.iterdir()} == {"cabe.zip", *(f"cabe-{code}.zip" for code in codes)}
    with zipfile.ZipFile(tmp_path / "cabe-pt.zip") as archive:
        names = archive.namelist()
    assert "cabe-pt/pt/o-modelo-vai-caber.html" in names
    assert not [name for name in names if "/en/" in name or name.endswith("/404.html")]
