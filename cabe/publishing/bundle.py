"""Sites as zip files that open from a disk: same input, same bytes."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path

DAWN = (1980, 1, 1, 0, 0, 0)  # the first date that zip knows: a build has no clock


def zipped(files: Mapping[str, bytes], folder: str) -> bytes:
    """Files as a zip with everything below `folder`, in order of path."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{folder}/{name}", DAWN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, files[name], compresslevel=9)
    return buffer.getvalue()


def write_whole(path: Path, content: bytes) -> bool:
    """Write a file in one step; returns whether it changed. Raises OSError; the old file is whole in every case."""
    if path.is_file() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(f".{path.name}.new-{os.getpid()}")
    try:
        staged.write_bytes(content)
        staged.replace(path)
    finally:
        staged.unlink(missing_ok=True)
    return True
