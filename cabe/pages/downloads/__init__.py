"""Files to take away, below `data/`: estimates, models, devices, and the measured points.

    downloads   every file; columns and fields are never renamed, new ones come last or where a record has them
    described   what the data page says of them: files, columns, and the set-up that all estimates share
    dataset     the same for search engines, as a Dataset of schema.org

A new file is a maker in MAKERS, and its word of `data.files`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cabe.pages.downloads.estimates import estimates
from cabe.pages.downloads.points import points
from cabe.pages.downloads.records import devices, models
from cabe.pages.site import Download, Site

__all__ = ["downloads"]

MAKERS: tuple[Callable[[Site], Iterator[Download]], ...] = (estimates, models, devices, points)


def downloads(site: Site) -> tuple[Download, ...]:
    """Every file, in the order in which the data page lists them."""
    return tuple(one for make in MAKERS for one in make(site))
