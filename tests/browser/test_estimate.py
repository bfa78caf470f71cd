"""The browser estimates what Python estimates: the same doubles, for set-ups of every method and model."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

import pytest

from cabe.facts import Facts, answerable, estimated_models, holds, setup_from
from cabe.facts.resolution import filled
from cabe.memory import PARTS, Formulas, estimate
from cabe.memory.answers import record
from tests.browser.conftest import Open

pytestmark = pytest.mark.browser

SEED = 20261130
ROWS = 6000
TOOL = "en/training-vram.html"
ESTIMATE = """(setups) => setups.map((setup) => {
  const { peak, phase, components, driver } = cabe.estimate(setup);
  return { peak, phase, components, driver };
})"""
CHANGES = """(setups) => setups.map((setup) =>
  cabe.facts.changes.filter((rule) => cabe.holds(rule.when, cabe.filled(setup))).map((rule) => rule.id))"""
ADAPTER = ("rank", "targets", "adapter-dtype", "lora-dropout")
FREE: Mapping[str, tuple[Any, ...]] = {
    "batch": (1, 2, 3, 8),
    "seq": (128, 777, 2048, 8192),
    "accumulation": (1, 4),
    "rank": (4, 16, 64),
    "targets": ("all-linear", "attention", "q,v", "q,k,v,up,down", "all-linear,embed,head"),
    "lora-dropout": (0, 0.05),
    "gpus": (1, 2, 4, 8),
    "prompt": (1, 512, 4096),
}


def drawn(facts: Facts, models: list[str], chance: random.Random) -> dict[str, str]:
    """A set-up of a model with some options given, at random."""
    tables = {
        "method": facts.methods, "optimizer": facts.optimizers, "loss": facts.losses, "sharding": facts.shardings,
        "quantization": facts.quantizations, "precision": facts.precisions, "dtype": facts.dtypes,
        "adapter-dtype": facts.dtypes, "gradient-dtype": facts.dtypes, "kv-dtype": facts.cache_dtypes,
    }  # fmt: skip
    listed = {one.id: one.values for one in facts.options.values() if one.values}
    given = {"model": chance.choice(models)}
    for option, values in ({name: tuple(table) for name, table in tables.items()} | listed | dict(FREE)).items():
        if option == "method" or chance.random() < 0.4:
            given[option] = str(chance.choice(values))
    return given


@pytest.fixture(scope="module")
def setups(facts: Facts) -> list[dict[str, str]]:
    """Set-ups that can be answered."""
    chance, models = random.Random(SEED), [model.id for model in estimated_models(facts)]
    made: list[dict[str, str]] = []
    while len(made) < ROWS:
        given = drawn(facts, models, chance)
        if given["method"] in ("full", "inference"):
            given = {name: value for name, value in given.items() if name not in ADAPTER}
        try:
            answerable(facts, setup_from(given))
        except ValueError:
            continue
        made.append(given)
    return made


def test_every_component_is_the_same_double(
    open_page: Open, facts: Facts, formulas: Formulas, setups: list[dict[str, str]]
) -> None:
    page = open_page(TOOL)
    browser = page.evaluate(ESTIMATE, setups)
    rows = estimate(facts, formulas, [answerable(facts, setup_from(given)) for given in setups])
    for number, (given, theirs) in enumerate(zip(setups, browser, strict=True)):
        ours = record(rows, number, [])
        assert {name: ours[name] for name in ("peak", "phase", "driver")} == {
            name: theirs[name] for name in ("peak", "phase", "driver")
        }, given
        assert [ours["components"][part] for part in PARTS] == [theirs["components"][part] for part in PARTS], given


def test_set_ups_of_every_method_and_of_most_models_are_compared(facts: Facts, setups: list[dict[str, str]]) -> None:
    assert {given["method"] for given in setups} == set(facts.methods)
    assert len({given["model"] for given in setups}) >= 150


def test_conflicts_and_changes_hold_for_the_same_set_ups(
    open_page: Open, facts: Facts, setups: list[dict[str, str]]
) -> None:

    page = open_page(TOOL)
    found = page.evaluate(CHANGES, setups[:1000])
    for given, theirs in zip(setups, found, strict=False):
        options = filled(facts, setup_from(given))
        assert [one.id for one in facts.changes.values() if holds(one.when, options)] == theirs, json.dumps(given)
