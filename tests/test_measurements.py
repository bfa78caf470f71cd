"""Measurements on pages and as files: the same rows in every form, each with its source and its unit."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from typing import get_args

import pytest

from cabe.facts import Facts, Measured, problems
from cabe.facts.measured import LeftOut
from cabe.memory import Formulas, compare, errors_of, scope_of
from cabe.pages import Site
from cabe.pages.downloads.points import COLUMNS, CSV, JSON, command_of
from cabe.pages.downloads.points import points as files_of_points
from cabe.pages.measurements import (
    METHODS,
    QUANTITIES,
    accuracy_of,
    address_of,
    errors,
    left_out,
    outcome_counts,
    point_counts,
    points,
    setup_in_short,
    thresholds,
)
from cabe.reading import parse_yaml
from cabe.words import Language


@pytest.fixture(scope="module")
def english(site: Site) -> Language:
    return site.languages[0]


def test_both_files_hold_the_same_points(files: dict[str, bytes], site: Site) -> None:
    records = json.loads(files[JSON])["points"]
    rows = list(csv.DictReader(io.StringIO(files[CSV].decode())))
    assert [row["id"] for row in rows] == [record["id"] for record in records]
    assert [record["id"] for record in records if not record["left_out"]] == [one.point.id for one in site.compared]
    for row, record in zip(rows, records, strict=True):
        shown = {name: json.dumps(value) if isinstance(value, bool) else value for name, value in record.items()}
        assert row == {name: "" if value is None else str(value) for name, value in shown.items()}


def test_the_files_say_under_which_licence_and_of_which_day_they_are(files: dict[str, bytes], site: Site) -> None:
    whole = json.loads(files[JSON])
    assert (whole["licence"], whole["facts"]) == ("MIT", site.facts.read)
    assert b"\r" not in files[CSV]


@pytest.mark.parametrize(
    ("group", "names"),
    [("columns", COLUMNS), ("left_out", get_args(LeftOut)), ("quantities", QUANTITIES), ("methods", METHODS)],
)
def test_every_column_reason_quantity_and_method_has_a_word_and_no_word_is_left_over(
    group: str, names: tuple[str, ...], site: Site
) -> None:
    for language in site.languages:
        words = {key.partition(".")[2] for key in language.words if key.startswith(f"{group}.")}
        assert words == set(names), language.name


def test_a_point_leads_to_its_file_at_its_commit(facts: Facts) -> None:
    point = facts.measured["fms-029"]
    file = "scripts/benchmarks/refs/a100_80gb.csv"
    assert address_of(point) == f"https://github.com/foundation-model-stack/fms-acceleration/blob/876e2ed/{file}"
    unknown = point.model_copy(update={"source": point.source.model_copy(update={"commit": "PR 996"})})
    assert address_of(unknown) == "https://github.com/foundation-model-stack/fms-acceleration"


def test_a_set_up_in_short_names_what_differs_from_the_defaults(site: Site, facts: Facts) -> None:
    short = setup_in_short(facts.measured["fms-029"], site)
    assert short.startswith("qlora, 4 × 4096, ")
    assert "targets attention" in short
    assert "kbit-prep norms" in short, "the method has another default"
    assert "checkpointing" not in short, "the default is not repeated"


def test_a_set_up_can_be_asked_again_on_the_command_line(facts: Facts) -> None:
    command = command_of(facts.measured["fms-029"])
    assert command is not None
    assert re.match(r"mistral-7b-v0\.1 --method qlora ", command)
    assert "--batch 4 --seq 4096" in command
    assert "--lora-dropout 0.1" in command


def test_the_page_shows_what_the_tests_hold(site: Site, english: Language) -> None:
    made = errors_of(scope_of(site.compared, "training"))
    assert accuracy_of(site, english, "training", "count") == str(made.count)
    assert sum(len(rows) for _, rows in points(site, english)["groups"]) == len(site.compared)
    rows = errors(site, english, {"by": "method", "scope": "training"})["rows"]
    assert sum(int(cells[0]) for _, _, cells in rows) == made.count


@pytest.mark.parametrize(
    ("scope", "name", "said"),
    [
        ("trainig", "median", "there is no scope 'trainig'"),
        ("training", "mean", "there is no 'mean'; expected one of count, median, p90"),
    ],
)
def test_an_unknown_scope_or_figure_is_refused_by_name(
    scope: str, name: str, said: str, site: Site, english: Language
) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        accuracy_of(site, english, scope, name)


def test_a_figure_over_no_point_is_refused_rather_than_shown(site: Site, english: Language) -> None:
    empty = replace(site, facts=replace(site.facts, measured={}))
    with pytest.raises(ValueError, match="no point has one"):
        accuracy_of(empty, english, "training", "median")


def test_the_counts_of_the_verdicts_add_up_to_all_runs(site: Site, english: Language) -> None:
    rows = thresholds(site, english)["rows"]
    assert [(verdict, share) for verdict, share, _ in rows] == [
        ("fits", "up to 80%"),
        ("tight", "80% to 94%"),
        ("too-big", "above 94%"),
    ]
    counts = outcome_counts(site)
    assert [sum(int(cells[column]) for *_, cells in rows) for column in (0, 1)] == [
        counts["finished"],
        counts["failed"],
    ]
    assert counts["runs"] == len(site.facts.outcomes)


def test_points_that_are_left_out_are_listed_by_their_reason(site: Site, english: Language) -> None:
    point = site.facts.measured["fms-029"]
    moved = point.model_copy(update={"setup": None, "left_out": "offload"})
    one = replace(site, facts=replace(site.facts, measured={"fms-029": moved}))
    assert left_out(one, english)["rows"] == [(english.word("left_out.offload"), [("fms-029", address_of(point))])]
    assert point_counts(one) == {"published": 1, "recommended": 1, "compared": 0, "left-out": 1}
    assert json.loads(next(files_of_points(one)).content)["points"][0]["predicted_bytes"] is None


@pytest.mark.parametrize("code", ["en", "pt", "it"])
def test_the_record_that_readers_copy_can_be_compared(code: str, site: Site, formulas: Formulas) -> None:
    text = site.pages[code]["accuracy"].body
    record = text[text.index("```yaml") + len("```yaml\n") :]
    point = Measured.model_validate(parse_yaml(record[: record.index("```")], "page", 1).value[0])
    assert point.setup is not None
    assert list(problems(site.facts, point.setup)) == []
    assert len(compare(replace(site.facts, measured={point.id: point}), formulas)) == 1


def test_every_page_leads_to_the_accuracy_page_in_one_step(files: dict[str, bytes], site: Site) -> None:
    for language in site.languages:
        slug = site.pages[language.code]["accuracy"].slug
        for page in site.pages[language.code].values():
            address = f"{language.code}/{'index' if page.id == 'index' else page.slug}.html"
            assert f'<a href="{slug}.html">{language.word("accuracy.link")}</a>'.encode() in files[address], address
