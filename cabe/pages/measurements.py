"""What pages show of published measurements: the scatter, errors by group, every point, and those left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf, isnan
from typing import Any
from urllib.parse import quote

from cabe import charts
from cabe.facts import Measured, Setup, filled
from cabe.memory import GROUPS, SCOPES, UNDER, Compared, coverage_of, errors_of, grouped, scope_of
from cabe.pages.site import Site
from cabe.words import Language
from cabe.words import numbers as written

BAND = 0.1  # of the measured amount, beside the diagonal of the scatter
METHODS = ("full", "lora", "qlora", "inference")
QUANTITIES = ("allocated", "reserved", "nvidia-smi", "unknown")
VERDICTS = ("fits", "tight", "too-big")
BAND_WORDS = {"fits": "accuracy.up_to", "tight": "accuracy.between", "too-big": "accuracy.above"}
HEADS = {"method": "accuracy.method", "source": "accuracy.source", "quantity": "accuracy.quantity"}
GROUP_WORDS = {"method": "methods", "quantity": "quantities"}
ORDERS: Mapping[str, Callable[[tuple[str, Sequence[Compared]]], Any]] = {
    "method": lambda group: METHODS.index(group[0]),
    "source": lambda group: -len(group[1]),
    "quantity": lambda group: QUANTITIES.index(group[0]),
}
SHOWN_FIRST = ("model", "method", "batch", "seq", "gpus", "sharding")  # of the rest, what differs from the defaults


@dataclass(frozen=True)
class PointRow:
    """One point as a row of the table, amounts in GB, and as a mark of the scatter with `about` for its words."""

    point: Measured
    source: str
    setup: str
    measured: str
    predicted: str
    error: str
    about: str


def scatter(site: Site, language: Language) -> dict[str, Any]:
    """Every compared point on logarithmic axes in GB; marks are told apart by the quantity that was measured."""
    rows = site.compared
    dots = [charts.Dot(one.point.middle / written.GB, one.predicted / written.GB) for one in rows]
    geometry = charts.scatter(dots, BAND)
    used = [name for name in QUANTITIES if any(one.point.quantity == name for one in rows)]
    return {
        "chart": geometry,
        "rows": [point_row(one, site, language) for one in rows],
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
    for name, own in sorted(grouped(scope_of(site.compared, scope), by).items(), key=ORDERS[by]):
        made = errors_of(own)
        shares = [written.percent(share, language.locale) for share in (made.median, made.p90, made.under)]
        label = name.rpartition("/")[2] if by == "source" else language.word(f"{GROUP_WORDS[by]}.{name}")
        rows.append((label, name, [written.number(made.count, language.locale), *shares]))
    under = written.percent(UNDER, language.locale)
    return {"rows": rows, "head": language.word(HEADS[by]), "are_sources": by == "source", "under": under}


def points(site: Site, language: Language) -> dict[str, Any]:
    """Every compared point with its source, by quantity."""
    groups = [
        (quantity, [point_row(one, site, language) for one in own])
        for quantity, own in sorted(grouped(site.compared, "quantity").items(), key=ORDERS["quantity"])
    ]
    return {"groups": groups, "count": len(site.compared)}


def thresholds(site: Site, language: Language) -> dict[str, Any]:
    """Published runs by the verdict on their prediction: how many finished, how many gave no result."""
    rows = []
    for verdict, band in zip(VERDICTS, site.bands, strict=True):
        ends = [written.percent(end, language.locale) for end in (band.low, band.high) if 0 < end < inf]
        share = language.word(BAND_WORDS[verdict], low=ends[0], high=ends[-1])
        counts = [written.number(count, language.locale) for count in (band.finished, band.failed)]
        rows.append((verdict, share, counts))
    return {"rows": rows}


def outcome_counts(site: Site) -> dict[str, int]:
    """Of the published runs that verdicts are held against: all, those that finished and those without a result."""
    finished, failed = (sum(getattr(band, name) for band in site.bands) for name in ("finished", "failed"))
    return {"runs": finished + failed, "finished": finished, "failed": failed}


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
    figures = asdict(errors_of(rows)) | {f"interval_{key}": one for key, one in asdict(coverage_of(rows)).items()}
    figures |= {"limit": UNDER, "largest_source": _largest_source(rows)}
    if name not in figures:
        raise ValueError(f"there is no {name!r}; expected one of {', '.join(figures)}")
    if name.endswith("count"):
        return written.number(figures[name], language.locale)
    if isnan(figures[name]):
        raise ValueError(f"there is no {name} of {scope}: no point has one")
    return written.percent(figures[name], language.locale)


def _largest_source(rows: Sequence[Compared]) -> float:
    """The share of the rows that come from one repository, the largest."""
    return max((len(own) / len(rows) for own in grouped(rows, "source").values()), default=float("nan"))


def point_counts(site: Site) -> dict[str, int]:
    """How many points are published, good for testing, compared and left out."""
    good = recommended(site)
    return {
        "published": len(site.facts.measured),
        "recommended": len(good),
        "compared": sum(1 for point in good if point.setup),
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
    options = filled(site.facts, point.setup)
    defaults = filled(site.facts, Setup(model=point.setup.model, method=options["method"]))
    parts = [options["method"], f"{options['batch']} × {options['seq']}"]
    if options["gpus"] > 1:
        parts.append(f"{options['gpus']} × {options['sharding']}")
    parts += _unusual(options, defaults)
    return ", ".join(parts)


def _unusual(options: Mapping[str, Any], defaults: Mapping[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        if name not in SHOWN_FIRST and value != defaults.get(name):
            shown = f"{value:g}" if isinstance(value, float) else value
            yield f"{name.replace('_', '-')} {shown}"


def point_row(one: Compared, site: Site, language: Language) -> PointRow:
    """One point with its texts."""
    locale, point = language.locale, one.point
    ends = [written.number(end / written.GB, locale) for end in (point.memory_bytes_min, point.memory_bytes_max)]
    measured, predicted = written.span(*ends), written.number(one.predicted / written.GB, locale)
    error = written.signed_percent(one.error, locale)
    about = language.word("accuracy.point", model=point.model, measured=measured, predicted=predicted, error=error)
    return PointRow(point, address_of(point), setup_in_short(point, site), measured, predicted, error, about)
