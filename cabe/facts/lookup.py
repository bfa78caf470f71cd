"""Names as people type them: a unique prefix or another spelling finds the id, anything else lists the nearest."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

MEMORY = re.compile(r"\d*gb")


def find(name: str, ids: Iterable[str], what: str, expected: str = "") -> str:
    """The id that `name` means: itself, or the only one that starts with it once case and signs are set aside.

    Raises ValueError with the candidates when none or several do; `what` says what is looked for ("model"),
    `expected` what to give where no candidate is near.
    """
    known = list(ids)
    if name in known:
        return name
    plain = _plain(name)
    exact = [known_id for known_id in known if _plain(known_id) == plain]
    found = exact or [known_id for known_id in known if plain and _plain(known_id).startswith(plain)]
    if not exact and (len(found) > 1 or what == "device"):  # rtx-4090 means the card, not rtx-4090-laptop-16gb
        by_memory = [known_id for known_id in found if MEMORY.fullmatch(_plain(known_id)[len(plain) :])]
        found = by_memory or (found if len(found) > 1 else [])  # nor does rtx-4060 mean the only rtx-4060-ti-16gb
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(f"the {what} {name!r} is ambiguous: {', '.join(found[:8])}")
    otherwise = f"; expected {expected}" if expected else ""
    raise ValueError(f"there is no {what} {name!r}{nearest(name, known) or otherwise}")


def nearest(name: str, known: Iterable[str]) -> str:
    """` (did you mean …?)` with the closest of the known names, or nothing."""
    close = get_close_matches(name.lower(), list(known), n=3, cutoff=0.5)
    return f" (did you mean {', '.join(close)}?)" if close else ""


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
