"""The scripts of interactive pages: several sources in one file, asked for once and smaller than many.

The order matters: what a script uses while it loads stands before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

SCRIPTS: Mapping[str, tuple[str, ...]] = {
    "calculators": (
        *("formula", "number", "names", "bar", "address", "estimate", "shape", "config", "calculator", "questions"),
        *("fields", "own-model", "training-config", "estimator"),
    ),
    "compare": ("formula", "number", "names", "bar", "estimate", "shape", "address", "compare"),
    "overview": ("number", "address", "overview"),
}


def scripts(templates: Path) -> Iterator[tuple[str, bytes]]:
    """Path and content of each file, from the sources in `templates`/scripts."""
    for name, sources in SCRIPTS.items():
        yield f"assets/{name}.js", b"\n".join((templates / "scripts" / f"{one}.js").read_bytes() for one in sources)
