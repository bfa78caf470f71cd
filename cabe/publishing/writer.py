"""The one writer: a site appears whole or not at all.

    site/            what readers see          files whose bytes do not change are hard links to the old ones
    .site.new-…      staged beside it    ──▶   the two folders change places in one step (renameat2 where there is one)
    .site.old-…      what was there            without it: two renames, and the next build repairs a kill between them

`MADE` lists the files that a build wrote. A folder that holds any other file is refused, so that nobody's work is lost.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from cabe.reading import Fault, Faults

MADE = ".cabe-files"
IGNORE = ".gitignore"
IGNORE_TEXT = b"# The built site: only this file is committed.\n*\n!.gitignore\n"
AT_FDCWD = -100
RENAME_EXCHANGE = 2


def collect(outputs: Iterable[tuple[str, bytes]]) -> dict[str, bytes]:
    """Outputs by path. Raises Faults for two that would be one file where case or Unicode form do not count."""
    files: dict[str, bytes] = {}
    first: dict[str, str] = {}
    faults = []
    for path, content in outputs:
        plain = unicodedata.normalize("NFC", path).casefold()
        if plain in first:
            mend = "give one of the two another address"
            faults.append(Fault(path, 0, f"two pages have this address (the other is {first[plain]})", mend))
        first[plain] = path
        files[path] = content
    if faults:
        raise Faults(faults)
    return files


def publish(files: Mapping[str, bytes], target: Path, sources: Iterable[Path] = ()) -> int:
    """Make `target` hold exactly `files` (and MADE and .gitignore); returns how many files changed, 0 if nothing did.

    Raises Faults when the target overlaps one of `sources`, is a mount point or no folder, or holds files that no
    build made; raises OSError when the disk is full. The old site is whole in every case.
    """
    target = target.resolve()
    _refuse_place(target, [source.resolve() for source in sources])
    _repair(target)
    wanted = {IGNORE: IGNORE_TEXT, **files, MADE: "".join(f"{name}\n" for name in sorted(files)).encode()}
    _refuse_strangers(target)
    changed = [name for name, content in wanted.items() if not _same(target / name, content)]
    gone = [name for name in _present(target) if name not in wanted]
    if not changed and not gone:
        return 0
    with _staged(target) as stage:
        _fill(stage, target, wanted, set(changed))
        _exchange(stage, target)
    return len(changed) + len(gone)


def _refuse_place(target: Path, sources: list[Path]) -> None:
    for source in sources:
        if target == source or source in target.parents or target in source.parents:
            mend = "choose a folder apart from the sources"
            raise Faults([Fault(str(target), 0, f"the output folder overlaps the source {source}", mend)])
    if target.exists() and not target.is_dir():
        raise Faults([Fault(str(target), 0, "the output is not a folder", "choose another folder")])
    if os.path.ismount(target):
        raise Faults([Fault(str(target), 0, "the output folder is a mount point", "choose a folder inside it")])


def _refuse_strangers(target: Path) -> None:
    made = _made(target)
    strangers = sorted(name for name in _present(target) if name not in made)
    if strangers:
        listed = ", ".join(strangers[:5]) + (" …" if len(strangers) > 5 else "")
        mend = "move them away, or choose another output folder"
        raise Faults([Fault(str(target), 0, f"the output folder holds files that no build made: {listed}", mend)])


def _made(target: Path) -> set[str]:
    try:
        listed = (target / MADE).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        listed = []
    return {*listed, MADE, IGNORE}


def _present(target: Path) -> Iterator[str]:
    """Every file below the target as a relative path; a link counts as a file and is not followed."""
    for folder, folders, names in os.walk(target):
        links = [name for name in folders if (Path(folder) / name).is_symlink()]
        for name in names + links:
            yield (Path(folder) / name).relative_to(target).as_posix()


def _same(path: Path, content: bytes) -> bool:
    try:
        return path.stat().st_size == len(content) and not path.is_symlink() and path.read_bytes() == content
    except OSError:
        return False


@contextmanager
def _staged(target: Path) -> Iterator[Path]:
    """A fresh folder beside the target, removed again on the way out; what other builds left is removed too."""
    stage = target.with_name(f".{target.name}.new-{os.getpid()}")
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir(parents=True)
    try:
        yield stage
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _repair(target: Path) -> None:
    """After a kill: put the old site back if it was being replaced, and remove what dead builds left behind."""
    for old in sorted(target.parent.glob(f".{target.name}.old-*")):
        if target.exists() or _alive(old):
            continue
        old.rename(target)
    for kind in ("new", "old"):
        for left in target.parent.glob(f".{target.name}.{kind}-*"):
            if not _alive(left):
                shutil.rmtree(left, ignore_errors=True)


def _alive(folder: Path) -> bool:
    """Whether the build that made a folder still runs; its process number ends the folder's name."""
    number = folder.name.rpartition("-")[2]
    if not number.isdigit():
        return False
    if int(number) == os.getpid():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _fill(stage: Path, target: Path, wanted: Mapping[str, bytes], changed: set[str]) -> None:
    for name, content in wanted.items():
        path = stage / PurePosixPath(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if name in changed:
            path.write_bytes(content)
        else:
            _link(target / name, path, content)


def _link(old: Path, new: Path, content: bytes) -> None:
    try:
        new.hardlink_to(old)
    except OSError:  # a file system without hard links
        new.write_bytes(content)


def _exchange(stage: Path, target: Path) -> None:
    if not target.exists():
        stage.rename(target)
    elif not _renameat2(stage, target):
        old = target.with_name(f".{target.name}.old-{os.getpid()}")
        target.rename(old)
        try:
            stage.rename(target)
        except BaseException:  # Ctrl-C too
            old.rename(target)
            raise
        shutil.rmtree(old, ignore_errors=True)


def _renameat2(one: Path, other: Path) -> bool:
    """Exchange two folders in one step, where the system can."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    return int(rename(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE)) == 0
