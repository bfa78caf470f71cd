"""The one writer: a site appears whole or not at all.

    site/            what readers see          files whose bytes do not change are hard links to the old ones
    .site.new-…      staged beside it    ──▶   the two folders change places in one step (renameat2 where there is one)
    .site.old-…      what was there            without it: renames, and the next build repairs a kill between them

`MADE` lists the files that a build wrote. Nothing else is ever removed, and a folder that holds any other file is
refused, so that nobody's work is lost.
"""

from __future__ import annotations

import ctypes
import os
import re
import stat
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
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


def publish(files: Mapping[str, bytes], target: Path, sources: Iterable[Path] = (), *, ignored: bool = False) -> int:
    """Make `target` hold exactly `files` (and MADE); returns how many of them changed or went, 0 if nothing did.

    `ignored` adds a .gitignore that keeps the site out of version control. Raises Faults when the target overlaps one
    of `sources`, is a mount point or no folder, or holds files that no build made; raises OSError when the disk is
    full. The old site is whole in every case.
    """
    target = apart(target, sources)
    if os.path.ismount(target):
        raise Faults([Fault(str(target), 0, "the output folder is a mount point", "choose a folder inside it")])
    _repair(target)
    _refuse_strangers(target, target)
    # MADE comes first: a stage that a kill left behind is known by it
    wanted = {MADE: "".join(f"{name}\n" for name in sorted(files)).encode(), **files}
    if ignored or _has_our_ignore(target):
        wanted[IGNORE] = IGNORE_TEXT
    changed = [name for name, content in wanted.items() if not _same(target / name, content)]
    gone = [name for name in _present(target) if name not in wanted]
    if not changed and not gone:
        return 0
    with _staged(target) as stage:
        _fill(stage, target, wanted, set(changed))
        _exchange(stage, target)
        _bring_back_strangers(stage, target)
    return len([name for name in changed + gone if name not in (MADE, IGNORE)])


def apart(folder: Path, sources: Iterable[Path]) -> Path:
    """The folder without links in its path. Raises Faults where it overlaps a source or is no folder."""
    folder = _resolved(folder)
    for source in map(_resolved, sources):
        if folder == source or source in folder.parents or folder in source.parents:
            mend = "choose a folder apart from the sources"
            raise Faults([Fault(str(folder), 0, f"the output folder overlaps the source {source}", mend)])
    if folder.exists() and not folder.is_dir():
        raise Faults([Fault(str(folder), 0, "the output is not a folder", "choose another folder")])
    return folder


def _resolved(path: Path) -> Path:
    try:
        found = path.resolve()
        looped = found.is_symlink()
    except RuntimeError:  # what Python before 3.13 raises for a loop; later versions return the link
        looped = True
    if looped:
        raise Faults([Fault(str(path), 0, "the link leads back to itself", "choose another folder")])
    return found


def _refuse_strangers(folder: Path, target: Path) -> None:
    if strangers := _strangers(folder):
        listed = ", ".join(strangers[:5]) + (" …" if len(strangers) > 5 else "")
        mend = "move them away, or choose another output folder"
        raise Faults([Fault(str(target), 0, f"the output folder holds files that no build made: {listed}", mend)])


def _strangers(folder: Path) -> list[str]:
    """The files that no build made. The list is read before and after, as another build may replace both meanwhile."""
    made = _made(folder)
    present = [name for name in _present(folder) if name not in made]
    return sorted(set(present) - _made(folder)) if present else []


def _made(folder: Path) -> set[str]:
    """The files that builds made; names that are not UTF-8 read as `os.walk` shows them."""
    try:
        listed = (folder / MADE).read_bytes().decode("utf-8", "surrogateescape").split("\n")
    except FileNotFoundError:
        listed = []
    return {*listed, MADE, *((IGNORE,) if _has_our_ignore(folder) else ())}


def _has_our_ignore(folder: Path) -> bool:
    """Whether the .gitignore is the one that a build wrote; a checkout may have changed its line ends."""
    path = folder / IGNORE
    try:
        return not path.is_symlink() and path.read_bytes().replace(b"\r\n", b"\n") == IGNORE_TEXT
    except OSError:
        return False


def _present(target: Path) -> Iterator[str]:
    """Every file below the target as a relative path; a link counts as a file and is not followed."""
    for folder, folders, names in os.walk(target, onerror=_unless_gone):
        links = [name for name in folders if (Path(folder) / name).is_symlink()]
        for name in names + links:
            yield (Path(folder) / name).relative_to(target).as_posix()


def _unless_gone(error: OSError) -> None:
    """What may not be listed may hold somebody's files; what is not there holds none."""
    if not isinstance(error, FileNotFoundError):
        raise error


def _same(path: Path, content: bytes) -> bool:
    try:
        return path.stat().st_size == len(content) and not path.is_symlink() and path.read_bytes() == content
    except OSError:
        return False


@contextmanager
def _staged(target: Path) -> Iterator[Path]:
    """A fresh folder beside the target; what it holds on the way out is removed, but for strangers."""
    stage = target.with_name(f".{target.name}.new-{os.getpid()}")
    try:
        stage.mkdir(parents=True)
        yield stage
    finally:
        _remove(stage)


def _repair(target: Path) -> None:
    """After a kill: put the old site back if it was being replaced, and remove what dead builds left behind."""
    left = re.compile(rf"\.{re.escape(target.name)}\.(new|old)-([0-9]+)")
    try:
        beside = sorted(target.parent.iterdir())
    except OSError:  # no such folder yet, or it may not be listed: nothing is known to be left
        return
    for folder in beside:
        match = left.fullmatch(folder.name)
        if not match or folder.is_symlink() or not folder.is_dir() or _alive(match[2]):
            continue
        if match[1] == "old" and (folder / MADE).is_file() and not target.exists():
            folder.rename(target)
        else:
            _remove(folder)


def _alive(number: str) -> bool:
    """Whether the build with this process number still runs."""
    if int(number) == os.getpid():
        return False
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def _remove(folder: Path) -> None:
    """Remove a folder that a build made, unless it holds a stranger; MADE last, so that a kill leaves it known.

    What cannot be removed stays for the next build: the site is published, or unharmed, either way.
    """
    with suppress(OSError):
        if not (folder / MADE).is_file() or _strangers(folder):
            folder.rmdir()  # only an empty folder goes
            return
        made = _made(folder) - {MADE}
        for below, folders, names in os.walk(folder, topdown=False):
            _make_writable(Path(below))
            for path in (Path(below) / name for name in names):
                if path.relative_to(folder).as_posix() in made:
                    path.unlink()
            for name in folders:
                (Path(below) / name).rmdir()
        (folder / MADE).unlink()
        folder.rmdir()


def _make_writable(folder: Path) -> None:
    """Let its owner remove what is in a folder: `chmod -R a-w site` protects the site from slips, not from a build."""
    mode = folder.stat().st_mode
    if not mode & stat.S_IWUSR:
        folder.chmod(stat.S_IMODE(mode) | stat.S_IWUSR)


def _fill(stage: Path, target: Path, wanted: Mapping[str, bytes], changed: set[str]) -> None:
    for name, content in wanted.items():
        path = stage / PurePosixPath(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if name in changed or not _linked(target / name, path, content):
            path.write_bytes(content)


def _linked(old: Path, new: Path, content: bytes) -> bool:
    """Whether `new` could be made a link to the old file and has this content: another build may have come between."""
    try:
        new.hardlink_to(old)
    except OSError:  # a file system without hard links, or no such file any more
        return False
    if _same(new, content):
        return True
    new.unlink()
    return False


def _exchange(stage: Path, target: Path) -> None:
    """Put the stage in the target's place, and what was there in the stage's."""
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
        old.rename(stage)


def _bring_back_strangers(stage: Path, target: Path) -> None:
    """Undo the exchange if a file came into the old site after it had been looked at. Raises Faults."""
    try:
        _refuse_strangers(stage, target)
    except Faults:
        _exchange(stage, target)
        raise


def _renameat2(one: Path, other: Path) -> bool:
    """Exchange two folders in one step, where the system can."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    return int(rename(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE)) == 0
