"""Overviews and matrices: every verdict is that of its devices, every device is there once, and pages stay small."""

from __future__ import annotations

import gzip
import re

import pytest

from cabe.facts import Facts, answerable, setup_from
from cabe.memory import Formulas, estimate, verdict_by_peak
from cabe.pages import Site
from cabe.pages.catalogue import Catalogue, catalogue_of, filters, tables
from cabe.pages.catalogue.common import judge_of, usable_of
from cabe.pages.catalogue.entry import Entry
from cabe.pages.catalogue.estimates import OVERVIEWED, params_of
from cabe.pages.catalogue.render import page
from cabe.pages.catalogue.sizes import Run, columns, runs
from cabe.pages.frame import templates_of
from cabe.pages.training_grid import COMMON_LENGTH, METHODS, common_length
from cabe.words import Language

MOST_BYTES, MOST_NODES = 60_000, 6_000  # of a matrix: compressed, and elements and texts together


@pytest.fixture(scope="module")
def catalogue(site: Site) -> Catalogue:
    return catalogue_of(site)


def made(catalogue: Catalogue, language: Language, kind: str, record_id: str = "index") -> str:
    entry = Entry(catalogue, language, kind, record_id)
    return page(entry, templates_of(catalogue.site))[1].decode("utf-8")


def nodes(text: str) -> int:
    """How many elements a browser makes of a page, and texts between them."""
    return len(re.findall(r"<[a-z]", text)) + len(re.findall(r">[^<]+", text))


@pytest.mark.parametrize("method", OVERVIEWED)
def test_every_device_is_in_one_column_and_has_the_verdict_of_its_cell(catalogue: Catalogue, method: str) -> None:
    facts, usable = catalogue.site.facts, usable_of(catalogue)
    found = columns(usable, catalogue.peaks[method].values(), judge_of(catalogue))
    assert sorted(device for column in found for device in column.devices) == sorted(catalogue.devices)
    for peak in catalogue.peaks[method].values():
        cells = [run.verdict for run in runs(peak, found, judge_of(catalogue)) for _ in range(run.span)]
        assert len(cells) == len(found)
        for verdict, column in zip(cells, found, strict=True):
            assert {verdict_by_peak(facts, peak, usable[device]) for device in column.devices} == {verdict}


def test_sizes_are_joined_until_a_model_tells_them_apart(catalogue: Catalogue) -> None:
    usable = {"a": 10.0, "b": 10.1, "c": 20.0, "d": 30.0}
    judge = judge_of(catalogue)
    found = columns(usable, [9.0, 15.0], judge)  # 9 is tight in 10 and fits in 20; 15 is too big in 10, fits in 20
    assert [column.devices for column in found] == [("a", "b"), ("c", "d")]
    assert runs(9.0, found, judge) == (Run("tight", 1), Run("fits", 1))
    assert runs(15.0, found, judge) == (Run("too-big", 1), Run("fits", 1))
    assert runs(99.0, found, judge) == (Run("too-big", 2),)


def test_peaks_are_those_of_the_command_line(catalogue: Catalogue, facts: Facts, formulas: Formulas) -> None:
    for model in list(catalogue.models.values())[::25]:
        for method in OVERVIEWED:
            setup = setup_from({"model": model.id, "method": method, "seq": str(common_length(model))})
            rows = estimate(facts, formulas, [answerable(facts, setup)])
            assert rows.value(0, "peak") == catalogue.peaks[method][model.id], (model.id, method)


def test_the_largest_model_of_a_device_fits_and_no_larger_one_does(catalogue: Catalogue) -> None:
    facts, usable = catalogue.site.facts, usable_of(catalogue)
    named = {model.name: model for model in catalogue.models.values()}
    found = tables.devices(Entry(catalogue, catalogue.site.languages[0], "devices", "index"))
    rows = zip(catalogue.devices.values(), found["rows"], strict=True)
    for device, row in [pair for pair in rows if pair[0].gpus == 1][::9]:
        for method, largest in zip(METHODS, row.largest, strict=True):
            peaks, models = catalogue.peaks[method], catalogue.models.values()
            reading = [one for one in models if one.max_context >= COMMON_LENGTH]
            fitting = [one for one in reading if verdict_by_peak(facts, peaks[one.id], usable[device.id]) == "fits"]
            most = max(map(params_of, fitting), default=None)
            assert (params_of(named[largest[0]]) if largest else None) == most, (device.id, method)


@pytest.mark.parametrize("method", OVERVIEWED)
def test_a_matrix_is_small_and_complete(catalogue: Catalogue, method: str) -> None:
    for language in catalogue.site.languages:
        text = made(catalogue, language, "methods", method)
        assert len(gzip.compress(text.encode("utf-8"))) <= MOST_BYTES
        assert nodes(text) <= MOST_NODES
        for kind, table in catalogue.names.items():
            folder = language.word(f"catalogue.folders.{kind}")
            links = [f'<a href="../{folder}/{one}.html">' for one in table]
            assert [link for link in links if text.count(link) != 1] == []


def test_every_model_and_device_is_in_its_overview(catalogue: Catalogue) -> None:
    for language in catalogue.site.languages:
        for kind, table in catalogue.names.items():
            text = made(catalogue, language, kind)
            assert [one for one in table if f'<th scope="row"><a href="{one}.html">' not in text] == []


def test_every_model_has_a_class_of_sizes_that_can_be_chosen(catalogue: Catalogue) -> None:
    entry = Entry(catalogue, catalogue.site.languages[0], "models", "index")
    offered = {choice.value for _, choices in filters.sizes(entry).groups for choice in choices}
    assert {filters.size_of(params_of(model)) for model in catalogue.models.values()} <= offered
    assert [filters.size_of(params) for params in (10**9, 10**9 + 1, 10**12)] == ["-1", "1-4", "100-"]
