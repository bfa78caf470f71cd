"""Names as people type them: a unique prefix or another spelling finds the id, anything else lists the nearest."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

MEMORY = (re.compile(r"-\d+gb$"), re.compile(r"gb$"))  # what may be left out of an id: a100-80gb, a100-80, a100


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
    if not exact:  # rtx-4090 means the card, not rtx-4090-laptop-16gb, and a10 is no a100
        by_memory = [known_id for known_id in found if plain in [_plain(end.sub("", known_id)) for end in MEMORY]]
        another = len(found) == 1 and MEMORY[0].search(found[0])  # nor does rtx-2080 mean the only rtx-2080-ti-11gb
        found = by_memory or ([] if another else found)
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(f"the {what} {name!r} is ambiguous: {', '.join(found[:8])}")
    otherwise = f"; expected {expected}" if expected else ""
    holding = [known_id for known_id in known if len(plain) > 1 and plain in _plain(known_id)]  # 4090, m3-max
    raise ValueError(f"there is no {what} {name!r}{_meant(holding[:3]) or nearest(name, known) or otherwise}")


def nearest(name: str, known: Iterable[str]) -> str:
    """` (did you mean …?)` with the closest of the known names, or nothing."""
    return _meant(get_close_matches(name.lower(), list(known), n=3, cutoff=0.5))


def _meant(close: list[str]) -> str:
    return f" (did you mean {', '.join(close)}?)" if close else ""


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
