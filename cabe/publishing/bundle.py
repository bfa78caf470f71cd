"""Sites as zip files that open from a disk: same input, same bytes."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from cabe.publishing.writer import MADE, apart
from cabe.reading import Fault, Faults

DAWN = (1980, 1, 1, 0, 0, 0)  # the first date that zip knows: a build has no clock
SERVED = "404.html"  # shown by servers alone, at any address: its links start at the root, so they break on a disk


def zipped(files: Mapping[str, bytes], folder: str) -> bytes:
    """Files as a zip with everything below `folder`, in order of path."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files.keys() - {SERVED}):
            entry = zipfile.ZipInfo(f"{folder}/{name}", DAWN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, files[name], compresslevel=9)
    return buffer.getvalue()


def write_bundles(bundles: Mapping[str, bytes], folder: Path, sources: Iterable[Path] = ()) -> list[str]:
    """Write files by name into a folder, all staged before any is replaced; returns the names that changed.

    Raises Faults when the folder overlaps one of `sources` or is a built site, or a folder has the name of a file;
    raises OSError when the disk is full. Every file is an old or a new one, whole, in every case.
    """
    folder = apart(folder, sources)
    _refuse_names(bundles, folder)
    changed = {name: content for name, content in bundles.items() if not _holds(folder / name, content)}
    staged = {name: folder / f".{name}.new-{os.getpid()}" for name in changed}
    try:
        for name, path in staged.items():
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(changed[name])
        for name, path in staged.items():
            path.replace(folder / name)
    finally:
        for path in staged.values():
            path.unlink(missing_ok=True)
    return list(changed)


def _refuse_names(bundles: Mapping[str, bytes], folder: Path) -> None:
    if any((one / MADE).exists() for one in (folder, *folder.parents)):
        mend = "choose a folder apart from it: the next build would refuse the bundles"
        raise Faults([Fault(str(folder), 0, "the output folder is a built site", mend)])
    taken = [folder / name for name in bundles if (folder / name).is_dir()]
    if taken:
        raise Faults([Fault(str(path), 0, "is a folder", "move it away") for path in taken])


def _holds(path: Path, content: bytes) -> bool:
    return path.is_file() and path.read_bytes() == content
