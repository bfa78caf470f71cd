"""The measured points as files: `data/accuracy.json` and `data/accuracy.csv`, one record or row a point."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from cabe.facts import OPTIONS, Measured
from cabe.memory import Compared
from cabe.pages.downloads.whole import whole
from cabe.pages.site import Download, Site

JSON, CSV = "data/accuracy.json", "data/accuracy.csv"
COLUMNS = (  # each is a word of `columns`, which says its unit
    *("id", "model", "method", "quantity", "scope", "gpus", "device", "setup"),
    *("measured_low_bytes", "measured_high_bytes", "predicted_bytes", "interval_low_bytes", "interval_high_bytes"),
    *("error", "inside", "recommended", "left_out", "repo", "commit", "path", "locator"),
)


def points(site: Site) -> Iterator[Download]:
    """The files: every point that is compared, then those that are left out with their reason."""
    records = [_record(one.point, one) for one in site.compared]
    records += [_record(point, None) for point in site.facts.measured.values() if point.left_out]
    yield Download("points", JSON, whole(site, "points", records), len(records))
    table = io.StringIO()
    writer = csv.DictWriter(table, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in record.items()} for record in records)
    yield Download("points", CSV, table.getvalue().encode("utf-8"), len(records))


def command_of(point: Measured) -> str | None:
    """The set-up as `build.py estimate` takes it."""
    if point.setup is None:
        return None
    given = {name: getattr(point.setup, name.replace("-", "_")) for name in OPTIONS if name != "model"}
    options = [f"--{name} {_number(value)}" for name, value in given.items() if value is not None]
    return " ".join([point.setup.model, *options])


def _record(point: Measured, one: Compared | None) -> Mapping[str, Any]:
    source = point.source
    values = (
        *(point.id, point.model, point.method, point.quantity, point.memory_scope, point.num_gpus, point.device),
        *(command_of(point), point.memory_bytes_min, point.memory_bytes_max),
        *((round(one.predicted), _whole(one.low), _whole(one.high)) if one else (None, None, None)),
        *((round(one.error, 6), one.inside) if one else (None, None)),
        *(point.recommended, point.left_out, source.repo, source.commit, source.path, source.locator),
    )
    return dict(zip(COLUMNS, values, strict=True))


def _whole(figure: float | None) -> int | None:
    return None if figure is None else round(figure)


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _cell(value: Any) -> Any:
    """A cell of the table: nothing where there is nothing, `true` and `false` as in the other file."""
    return str(value).lower() if isinstance(value, bool) else value
