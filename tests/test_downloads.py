"""Files to take away: figures in every spelling, every record with every field, and what search engines are told."""

from __future__ import annotations

import csv
import io
import json
import posixpath
import re
from dataclasses import replace

import pytest

from cabe.facts import Device, answerable, setup_from
from cabe.facts.models import Model
from cabe.memory import errors_of, estimate, scope_of
from cabe.pages import Site
from cabe.pages.downloads import downloads
from cabe.pages.downloads.dataset import dataset
from cabe.pages.downloads.described import files_of, meaning_of, units_of
from cabe.pages.downloads.estimates import FIGURES, plain
from cabe.pages.downloads.records import COMPUTED
from cabe.pages.site import Download
from cabe.pages.training_grid import BATCHES, METHODS, lengths_of
from cabe.words import Language

MOST = 3_000_000  # bytes of a table that a phone can take
EVERY_SO_MANY = 1021  # rows that are worked out once more, a prime
REQUIRED = (
    *("name", "description", "inLanguage", "license", "dateModified", "variableMeasured", "distribution"),
    "isAccessibleForFree",
)

Rows = list[dict[str, str]]


@pytest.fixture(scope="module")
def made(site: Site) -> dict[str, Download]:
    return {one.path: one for one in downloads(site)}


@pytest.fixture(scope="module")
def rows(made: dict[str, Download]) -> Rows:
    return rows_of(made["data/estimates.csv"], ",")


def rows_of(file: Download, separator: str) -> Rows:
    return list(csv.DictReader(io.StringIO(file.content.decode()), delimiter=separator))


def test_a_row_holds_the_doubles_that_an_estimate_gives(site: Site, rows: Rows) -> None:
    sampled = rows[::EVERY_SO_MANY]
    given = [{name: row[name] for name in ("model", "method", "seq", "batch")} for row in sampled]
    asked = estimate(site.facts, site.formulas, [answerable(site.facts, setup_from(one)) for one in given])
    for index, row in enumerate(sampled):
        assert {name: float(row[name]) for name in FIGURES} == {
            name: asked.value(index, result) for name, result in FIGURES.items()
        }
        assert row["phase"] == asked.rows["phase"].iloc[index]


def test_there_is_a_row_for_each_length_that_a_model_reads(site: Site, rows: Rows, made: dict[str, Download]) -> None:
    wanted = [
        (model.id, method, str(seq), str(batch))
        for model in site.facts.models.values()
        for method in METHODS
        for seq in lengths_of(model)
        for batch in BATCHES
    ]
    assert [(row["model"], row["method"], row["seq"], row["batch"]) for row in rows] == wanted
    assert made["data/estimates.csv"].records == len(rows)


def test_a_row_says_how_far_off_published_runs_were(site: Site, rows: Rows) -> None:
    runs = [one for one in scope_of(site.compared, "training") if one.point.method == "qlora"]
    own = [one for one in runs if one.point.setup and one.point.setup.model == "llama-2-7b"]
    row = next(row for row in rows if (row["model"], row["method"]) == ("llama-2-7b", "qlora"))
    assert (row["runs_of_model"], row["runs_of_method"]) == (str(len(own)), str(len(runs)))
    assert (float(row["median_error"]), float(row["p90_error"])) == (errors_of(runs).median, errors_of(runs).p90)


@pytest.mark.parametrize("code", ["it", "pt"])
def test_a_decimal_comma_changes_the_signs_and_no_figure(code: str, rows: Rows, made: dict[str, Download]) -> None:
    file = made[f"data/estimates-{code}.csv"]
    own = rows_of(file, ";")
    assert file.language == code
    assert own != rows
    figures = [name for name in rows[0] if is_a_figure(name)]
    assert [{**row, **{name: row[name].replace(",", ".") for name in figures}} for row in own] == rows


def is_a_figure(name: str) -> bool:
    return name not in ("model", "method", "phase")


@pytest.mark.parametrize(("figure", "text"), [(5.0, "5"), (0.1, "0.1"), (8380947450.88, "8380947450.88"), (0.0, "0")])
def test_a_figure_is_written_so_that_it_reads_back(figure: float, text: str) -> None:
    assert plain(figure) == text
    assert float(text) == figure
    assert plain(float("nan")) == ""


def test_tables_are_small_enough_to_be_opened(made: dict[str, Download]) -> None:
    assert {path for path, one in made.items() if len(one.content) > MOST} == set()


@pytest.mark.parametrize(("name", "record"), [("models", Model), ("devices", Device)])
def test_a_file_holds_every_record_with_every_field(
    name: str, record: type[Model | Device], site: Site, made: dict[str, Download]
) -> None:
    whole = json.loads(made[f"data/{name}.json"].content)
    table = getattr(site.facts, name)
    assert (whole["licence"], whole["facts"], whole["version"]) == ("MIT", site.facts.read, site.version)
    assert [one["id"] for one in whole[name]] == list(table)
    assert {tuple(one) for one in whole[name]} == {(*record.model_fields, *COMPUTED[name])}
    assert all(one["source"] == table[one["id"]].source for one in whole[name])


@pytest.mark.parametrize("file", ["estimates", "model", "models", "devices"])
def test_every_column_has_a_meaning_and_a_unit_in_every_language(file: str, site: Site) -> None:
    wanted = [(meaning_of(file, name), f"data.units.{unit}") for name, unit in units_of(site, file).items()]
    for language in site.languages:
        assert [key for keys in wanted for key in keys if key not in language.words] == []


@pytest.mark.parametrize(
    ("file", "name", "unit"),
    [
        ("estimates", "phase", "text"),
        ("estimates", "peak_bytes", "bytes"),
        ("estimates", "p90_error", "share"),
        ("models", "max_context", "tokens"),
        ("models", "release", "date"),
        ("models", "published_params", "text"),
        ("models", "tied_embeddings", "flag"),
        ("devices", "memory_mib", "mib"),
        ("devices", "memory_bandwidth_gb_s", "gb_s"),
        ("devices", "also", "list"),
    ],
)
def test_a_unit_follows_from_name_and_values(file: str, name: str, unit: str, site: Site) -> None:
    assert units_of(site, file)[name] == unit


def test_another_file_is_refused(site: Site) -> None:
    with pytest.raises(ValueError, match="there is no file 'card'; expected one of estimates, model, models, devices"):
        units_of(site, "card")


def page_of(language: Language, site: Site, articles: dict[str, bytes]) -> tuple[str, str]:
    path = f"{language.code}/{site.pages[language.code]['data'].slug}.html"
    return path, articles[path].decode()


def test_search_engines_find_a_dataset_in_every_language(
    site: Site, articles: dict[str, bytes], made: dict[str, Download]
) -> None:
    for language in site.languages:
        path, page = page_of(language, site, articles)
        (script,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, re.DOTALL)
        assert "<" not in script
        found = json.loads(script)
        assert (found["@context"], found["@type"]) == ("https://schema.org/", "Dataset")
        assert [key for key in REQUIRED if not found.get(key)] == []
        assert (found["inLanguage"], found["dateModified"]) == (language.tag, site.facts.read)
        assert 50 <= len(found["description"]) <= 5000
        offered = [
            posixpath.normpath(posixpath.join(language.code, one["contentUrl"])) for one in found["distribution"]
        ]
        assert offered == [one.path for one in files_of(tuple(made.values()), language)]
        assert {one["encodingFormat"] for one in found["distribution"]} == {"text/csv", "application/json"}
        assert [f'href="../{one}" download' for one in offered if f'href="../{one}" download' not in page] == []
        assert set(offered) <= set(articles), path


def test_a_base_url_makes_the_addresses_absolute(site: Site, made: dict[str, Download]) -> None:
    based = replace(site, base_url="https://docs.example.org/cabe/")
    found = dataset(based, site.languages[0], tuple(made.values()), "en/data.html")
    assert found["url"] == "https://docs.example.org/cabe/en/data.html"
    assert found["distribution"][0]["contentUrl"] == "https://docs.example.org/cabe/data/estimates.csv"


def test_a_page_tells_how_large_a_file_is(site: Site, articles: dict[str, bytes], made: dict[str, Download]) -> None:
    size = len(made["data/models.json"].content)
    _, page = page_of(site.languages[0], site, articles)
    assert f"{round(size / 1000)}\u00a0KB, {len(site.facts.models)} records" in page
