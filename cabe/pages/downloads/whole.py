"""What every JSON file says of itself, around its records."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from cabe.pages.site import Site

LICENCE, LICENCE_ADDRESS = "MIT", "https://spdx.org/licenses/MIT.html"


def whole(site: Site, name: str, records: Sequence[Mapping[str, Any]]) -> bytes:
    """The records under `name`, beside licence, date of the facts and version; readable, and the same every time."""
    made = {"licence": LICENCE, "facts": site.facts.read, "version": site.version, name: records}
    return (json.dumps(made, ensure_ascii=False, indent=1) + "\n").encode("utf-8")
