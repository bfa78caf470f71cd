"""What the data page says of the files: how large they are, what each column holds, and what all estimates share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cabe.facts import Device, filled, holds, setup_from
from cabe.facts.models import Model
from cabe.memory import PARTS
from cabe.pages.calculators import CALCULATORS, TRAITS, kind_of, when_of
from cabe.pages.catalogue.downloads import COLUMNS as OF_MODEL
from cabe.pages.downloads.estimates import COLUMNS
from cabe.pages.downloads.records import COMPUTED
from cabe.pages.site import Download, Site, link
from cabe.pages.training_grid import BATCHES, LENGTHS, METHODS
from cabe.words import Language
from cabe.words import numbers as written

NAMES = ("model", "method", "phase")  # columns of the estimates that are text
OWN_UNITS = {"seq": "tokens", "max_context": "tokens", "sliding_window": "tokens", "release": "date"}
UNITS = {  # the end of a name → its unit, the first that fits
    "_gb_s": "gb_s",
    "_bytes": "bytes",
    "_mib": "mib",
    "_gb": "gb",
    "_error": "share",
    "_share": "share",
    "_params": "params",
}
KINDS: Mapping[type, str] = {bool: "flag", int: "count", float: "count", str: "text", list: "list", tuple: "list"}
TABLES = {"estimates": COLUMNS, "model": OF_MODEL}
AXES: Mapping[str, Sequence[int]] = {"seq": LENGTHS, "batch": BATCHES}


def files_of(files: Sequence[Download], language: Language) -> list[Download]:
    """The files that are meant for readers of a language."""
    return [one for one in files if one.language in ("", language.code)]


def listed(files: Sequence[Download], language: Language, here: str) -> list[dict[str, str]]:
    """Each file with its link from `here`, what it holds, how many records and how large it is."""
    return [
        {
            "name": one.path.rpartition("/")[2],
            "link": link(here, one.path),
            "holds": language.word(f"data.files.{one.name}"),
            "amount": language.word(
                "data.amount",
                size=written.file_size(len(one.content), language.locale),
                n=written.number(one.records, language.locale),
                count=one.records,
            ),
        }
        for one in files_of(files, language)
    ]


def units_of(site: Site, file: str) -> dict[str, str]:
    """Column or field by column, its unit, or the kind of its values. Raises ValueError for another file."""
    if file in TABLES:
        return {name: _unit(name, ("" if name in NAMES else 0,)) for name in TABLES[file]}
    tables: Mapping[str, Mapping[str, Model | Device]] = {"models": site.facts.models, "devices": site.facts.devices}
    if file not in tables:
        raise ValueError(f"there is no file {file!r}; expected one of {', '.join((*TABLES, *tables))}")
    records = list(tables[file].values())
    found = {name: _unit(name, (getattr(one, name) for one in records)) for name in type(records[0]).model_fields}
    return found | {name: _unit(name, (0,)) for name in COMPUTED[file]}


def _unit(name: str, values: Iterable[Any]) -> str:
    kind = KINDS[type(next((value for value in values if value is not None), ""))]
    known = OWN_UNITS.get(name) or next((unit for end, unit in UNITS.items() if name.endswith(end)), kind)
    return known if kind == "count" or known == "date" else kind


def fields(site: Site, language: Language, file: str) -> list[tuple[str, str, str]]:
    """The columns or fields of a file: name, unit and meaning."""
    return [
        (name, language.word(f"data.units.{unit}"), language.word(meaning_of(file, name)))
        for name, unit in units_of(site, file).items()
    ]


def meaning_of(file: str, name: str) -> str:
    """The word that says what a column or field holds; a part of the memory has one already."""
    part = name.removesuffix("_bytes")
    return f"parts.{part}" if part in PARTS else f"data.{'estimates' if file in TABLES else file}.{name}"


def shared(site: Site, language: Language) -> list[tuple[str, list[str]]]:
    """The options of all estimates: a word and what it is by method, or once where it is the same for all."""
    locale = language.locale
    rows = [
        (language.word(f"options.{axis}"), [" · ".join(written.number(value, locale) for value in values)])
        for axis, values in AXES.items()
    ]
    given = [filled(site.facts, setup_from({"model": "-", "method": method})) for method in METHODS]
    for option in (one for name, group in CALCULATORS["training"].groups.items() if name != "run" for one in group):
        cells = [_value(language, option, options) for options in given]
        if any(cells):
            rows.append((language.word(f"options.{option}"), cells if len(set(cells)) > 1 else cells[:1]))
    return rows


def _value(language: Language, option: str, options: Mapping[str, Any]) -> str:
    """The value of an option as words; nothing where it means nothing."""
    value = options.get(option.replace("-", "_"), "")
    when = {name: one for name, one in when_of(option).items() if name not in TRAITS}  # some of the models have it
    if when and not holds(when, options):
        return ""
    if kind_of(option) == "number":
        return written.number(value, language.locale)
    table = "catalogue.targets" if option == "targets" else f"choices.{option}"
    return language.word(f"{table}.{value}")
