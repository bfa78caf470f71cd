"""What pages show of published measurements: the scatter, errors by group, every point, and those left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from math import isnan
from typing import Any
from urllib.parse import quote

from cabe import charts
from cabe.facts import Measured, defaults_of, filled
from cabe.memory import GROUPS, SCOPES, UNDER, Compared, coverage_of, errors_of, grouped, scope_of
from cabe.pages.site import Site
from cabe.words import Language
from cabe.words import numbers as written

BAND = 0.1  # of the measured amount, beside the diagonal of the scatter
QUANTITIES = ("allocated", "reserved", "nvidia-smi", "unknown")
HEADS = {"method": "accuracy.method", "source": "accuracy.source", "quantity": "accuracy.quantity"}
GROUP_WORDS = {"method": "methods", "quantity": "quantities"}
SHOWN_FIRST = ("model", "method", "batch", "seq", "gpus", "sharding")  # of the rest, what differs from the defaults


@dataclass(frozen=True)
class PointRow:
    """One point as a row of the table, and as a mark of the scatter with `about` for its words."""

    point: Measured
    source: str
    setup: str
    measured: str
    predicted: str
    error: str
    about: str


def scatter(site: Site, language: Language) -> dict[str, Any]:
    """Every compared point on logarithmic axes in GB; marks are told apart by the quantity that was measured."""
    rows = _by_quantity(site)
    dots = [charts.Dot(_middle(one.point) / written.GB, one.predicted / written.GB) for one in rows]
    geometry = charts.scatter(dots, BAND)
    used = [name for name in QUANTITIES if any(one.point.quantity == name for one in rows)]
    return {
        "chart": geometry,
        "rows": [_row(one, site, language) for one in rows],
        "quantities": used,
        "labels": [written.number(mark.value, language.locale) for mark in geometry.marks],
        "band": written.percent(BAND, language.locale),
        "count": written.number(len(rows), language.locale),
        "median": written.percent(errors_of(rows).median, language.locale),
    }


def errors(site: Site, language: Language, options: Mapping[str, Any]) -> dict[str, Any]:
    """Count, median, 90th percentile and the share that is under by much, for each group of a scope's points."""
    by, scope = options["by"], options["scope"]
    for value, known in ((by, GROUPS), (scope, SCOPES)):
        if value not in known:
            raise ValueError(f"there is no {value!r}; expected one of {', '.join(known)}")
    rows = []
    for name, own in grouped(scope_of(site.compared, scope), by).items():
        made = errors_of(own)
        shares = [written.percent(share, language.locale) for share in (made.median, made.p90, made.under)]
        label = name if by == "source" else language.word(f"{GROUP_WORDS[by]}.{name}")
        rows.append((label, [written.number(made.count, language.locale), *shares]))
    under = written.percent(UNDER, language.locale)
    return {"rows": rows, "head": language.word(HEADS[by]), "is_source": by == "source", "under": under}


def points(site: Site, language: Language) -> dict[str, Any]:
    """Every compared point with its source."""
    return {"rows": [_row(one, site, language) for one in _by_quantity(site)]}


def left_out(site: Site, language: Language) -> dict[str, Any]:
    """The recommended points that are compared with nothing, by reason."""
    reasons: dict[str, list[Measured]] = {}
    for point in recommended(site):
        if point.left_out:
            reasons.setdefault(point.left_out, []).append(point)
    return {
        "rows": [
            (language.word(f"left_out.{reason}"), [(point.id, address_of(point)) for point in own])
            for reason, own in reasons.items()
        ]
    }


def accuracy_of(site: Site, language: Language, scope: str, name: str) -> str:
    """One figure about the points of a scope. Raises ValueError for an unknown name, or where there is no point."""
    if scope not in SCOPES:
        raise ValueError(f"there is no scope {scope!r}; expected one of {', '.join(SCOPES)}")
    rows = scope_of(site.compared, scope)
    figures = {**asdict(errors_of(rows)), **{f"interval_{key}": one for key, one in asdict(coverage_of(rows)).items()}}
    if name not in figures:
        raise ValueError(f"there is no {name!r}; expected one of {', '.join(figures)}")
    if name.endswith("count"):
        return written.number(figures[name], language.locale)
    if isnan(figures[name]):
        raise ValueError(f"there is no {name} of {scope}: no point has one")
    return written.percent(figures[name], language.locale)


def point_counts(site: Site) -> dict[str, int]:
    """How many points are published, good for testing, compared and left out."""
    good = recommended(site)
    return {
        "published": len(site.facts.measured),
        "recommended": len(good),
        "compared": len(site.compared),
        "left-out": sum(1 for point in good if point.left_out),
    }


def recommended(site: Site) -> list[Measured]:
    """The points that are good for testing an estimator."""
    return [point for point in site.facts.measured.values() if point.recommended]


def address_of(point: Measured) -> str:
    """Where a point was read: the file at its commit on GitHub, or the repository where that is not known."""
    source = point.source
    if source.commit and source.path and re.fullmatch(r"[0-9a-f]{7,40}", source.commit):
        return f"https://github.com/{source.repo}/blob/{source.commit}/{quote(source.path)}"
    return f"https://github.com/{source.repo}"


def setup_in_short(point: Measured, site: Site) -> str:
    """Method, batch × length, devices, and the options that differ from the defaults: the same in every language."""
    if point.setup is None:
        return ""
    options, defaults = filled(site.facts, point.setup), defaults_of(site.facts)
    parts = [options["method"], f"{options['batch']} × {options['seq']}"]
    if options["gpus"] > 1:
        parts.append(f"{options['gpus']} × {options['sharding']}")
    parts += _unusual(options, defaults)
    return ", ".join(parts)


def _unusual(options: Mapping[str, Any], defaults: Mapping[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        if name not in SHOWN_FIRST and name in defaults and value != defaults[name]:
            shown = f"{value:g}" if isinstance(value, float) else value
            yield f"{name.replace('_', '-')} {shown}"


def _by_quantity(site: Site) -> list[Compared]:
    return sorted(site.compared, key=lambda one: QUANTITIES.index(one.point.quantity))


def _middle(point: Measured) -> float:
    return (point.memory_bytes_min + point.memory_bytes_max) / 2


def _row(one: Compared, site: Site, language: Language) -> PointRow:
    locale, point = language.locale, one.point
    measured = written.gigabyte_range(point.memory_bytes_min, point.memory_bytes_max, locale)
    predicted = written.gigabytes(one.predicted, locale)
    error = written.signed_percent(one.error, locale)
    about = language.word("accuracy.point", id=point.id, measured=measured, predicted=predicted, error=error)
    return PointRow(point, address_of(point), setup_in_short(point, site), measured, predicted, error, about)
