"""The calculators as data: every choice can be answered, and what is shown before anything is typed is an estimate."""

from __future__ import annotations

import gzip
import re
from typing import Any

import pytest

from cabe.charts import share
from cabe.facts import OPTIONS, Facts, answerable, estimated_models, problems, setup_from
from cabe.memory import PARTS, Formulas, answer, estimate
from cabe.pages import Site
from cabe.pages.calculators import (
    CALCULATORS,
    CHOICE_NEEDS,
    NEEDS,
    RANGES,
    TRAITS,
    Calculator,
    choices_of,
    described,
    kind_of,
    when_of,
)
from cabe.pages.fields import Asked
from cabe.pages.prose import Ask
from cabe.pages.results import values
from cabe.words import Language
from cabe.words.numbers import GB, gigabytes, number

NAMES = sorted(CALCULATORS)
DEFAULTS = {"training": "training-default", "inference": "inference-default", "lora": "lora-default"}


def drawn(site: Site, language: Language, name: str) -> dict[str, Any]:
    run_list = site.facts.run_lists[DEFAULTS[name]]
    return values(Asked(site, language, Ask(site), CALCULATORS[name], run_list.runs[0], run_list.device or ""))


@pytest.mark.parametrize("name", NAMES)
def test_every_option_is_one_of_a_set_up_and_stands_once(name: str) -> None:
    options = CALCULATORS[name].options
    assert set(options) <= {*OPTIONS, "device"}
    assert len(options) == len(set(options))


@pytest.mark.parametrize("name", NAMES)
def test_every_choice_can_be_answered_with_some_method(name: str, facts: Facts) -> None:
    calculator = CALCULATORS[name]
    for option in calculator.options:
        for value in choices_of(facts, calculator, option):
            if kind_of(option) != "choice" or option == "method" or not value:
                continue
            needs = when_of(option, value) or when_of(option)
            tried = [
                list(problems(facts, setup_from({"model": model, "method": method, option: value, **more})))
                for model in ("llama-3.1-8b", "mixtral-8x7b", "gemma-3-4b")  # experts, towers
                for method in calculator.methods
                for more in ({}, {"gpus": "2"})
            ]
            assert [] in tried, (option, value, needs)


def test_packings_that_training_never_takes_are_offered_for_inference_alone(facts: Facts) -> None:
    training, inference = (choices_of(facts, CALCULATORS[name], "quantization") for name in ("training", "inference"))
    assert {value for value in inference if value not in training} == {
        value for value in facts.quantizations if value.startswith("mlx")
    }


def test_whatever_needs_something_is_an_option() -> None:
    assert {*NEEDS, *RANGES, *(option for option, _ in CHOICE_NEEDS)} <= set(OPTIONS)
    asked = {option for when in (*NEEDS.values(), *CHOICE_NEEDS.values()) for option in when}
    assert asked <= {*OPTIONS, *TRAITS}


@pytest.mark.parametrize("name", NAMES)
def test_the_script_is_told_of_every_option(name: str) -> None:
    told = dict(described(CALCULATORS[name]))
    assert tuple(told) == CALCULATORS[name].options
    assert {one["kind"] for one in told.values()} <= {"name", "number", "modules", "choice"}


def test_names_of_models_and_devices_are_told_apart_when_typed(facts: Facts) -> None:
    devices = [one for one in facts.devices.values() if one.kind != "nominal"]
    for named in (estimated_models(facts), devices):
        typed = [re.sub("[^a-z0-9]", "", (one.name or "").lower()) for one in named]
        assert len(typed) == len(set(typed))


@pytest.mark.parametrize("name", ["training", "inference"])
def test_the_baked_result_is_the_estimate_of_the_default(
    name: str, site: Site, facts: Facts, formulas: Formulas
) -> None:
    run_list = facts.run_lists[DEFAULTS[name]]
    run = run_list.runs[0]
    given = {"model": run.model, "method": run.method or "", **({"seq": str(run.seq)} if run.seq else {})}
    made = answer(facts, formulas, given, [run_list.device or ""])
    for language in site.languages:
        shown = drawn(site, language, name)
        assert shown["peak"] == number(made["peak"] / GB, language.locale)
        assert shown["verdict"] == made["fits"][0]["verdict"]
        amounts = {
            part: gigabytes(made["components"][part], language.locale) for part in PARTS if made["components"][part]
        }
        assert {part: amount for part, amount, _ in shown["parts"] if amount} == amounts


def test_the_adapter_of_rank_16_has_41_943_040_weights(site: Site, facts: Facts) -> None:
    shown = drawn(site, site.languages[0], "lora")
    assert shown["figures"]["trainable_params"] == "41,943,040"
    assert shown["figures"]["trainable_weights"] == "0.17\u00a0GB"
    by_rank = {rank: own["trainable_params"] for rank, _, own in shown["ranks"]}
    assert (by_rank[8], by_rank[16], by_rank[32]) == ("20,971,520", "41,943,040", "83,886,080")
    assert answerable(facts, setup_from({"model": "llama-3.1-8b", "method": "lora"})).options["rank"] == 16


# Amounts, high end, limit → x and width of each block, the rest, the limit and how its label hangs.
BARS = [
    (([50.0, 25.0], 90.0, 100.0), (["50.0%", "25.0%"], 75.0, "15.0%", 100.0, "end")),
    (([50.0, 0.0, 0.1], 60.0, None), (["83.333%", "", "2px"], 83.5, "16.5%", None, "end")),
    (([300.0], 400.0, 100.0), (["75.0%"], 75.0, "25.0%", 25.0, "start")),
]


@pytest.mark.parametrize(("given", "expected"), BARS)
def test_the_bar_of_a_run_ends_where_the_largest_figure_does(given: tuple, expected: tuple) -> None:  # type: ignore[type-arg]
    made = share(*given)
    assert ([one.width for one in made.blocks], made.rest.x, made.rest.width, made.limit, made.anchor) == expected


def test_scripts_and_facts_of_a_calculator_are_small(articles: dict[str, bytes]) -> None:
    page = articles["en/training-vram.html"].decode()
    scripts = re.findall(r'src="\.\./(assets/[\w-]+\.js)"', page)
    sizes = {name: len(gzip.compress(articles[name], 9)) for name in scripts}
    facts = sizes.pop("assets/facts.js")
    assert facts <= 60_000
    assert sum(sizes.values()) <= 25_000, sizes


SHOWN = ("peak", "resident", "driver_mid", "trainable_params", "trainable_share", "trained_state", "adapter_scale")
ONE, SEVERAL = {"checkpointing": "none", "quantization": "int8", "seq": "4096"}, {"gpus": "4", "sharding": "zero2"}
BASES = [  # dense, with experts, with towers
    {"model": model, **more} for model in ("llama-3.1-8b", "mixtral-8x7b", "gemma-3-4b") for more in ({}, ONE, SEVERAL)
]


def varied(facts: Facts, calculator: Calculator, option: str) -> list[dict[str, str]]:
    """Set-ups that can be answered, in pairs: one without an option, and one with it."""
    values = ("1", "3", "64") if kind_of(option) == "number" else choices_of(facts, calculator, option)
    values = ("0.05",) if option == "lora-dropout" else ("q,v", "attention") if option == "targets" else values
    pairs = [
        [{**base, "method": method}, {**base, "method": method, option: value}]
        for base in BASES
        for method in calculator.methods
        for value in values
        if value
    ]
    sound = [pair for pair in pairs if not any([*problems(facts, setup_from(one))] for one in pair)]
    return [one for pair in sound for one in pair]


@pytest.mark.parametrize("name", NAMES)
def test_every_option_changes_some_figure_that_is_shown(name: str, facts: Facts, formulas: Formulas) -> None:
    calculator = CALCULATORS[name]
    for option in calculator.options:
        if option in ("model", "method", "device"):
            continue
        setups = varied(facts, calculator, option)
        rows = estimate(facts, formulas, [answerable(facts, setup_from(one)) for one in setups])
        figures = [[rows.value(at, figure) for figure in SHOWN] for at in range(len(setups))]
        assert any(figures[at] != figures[at + 1] for at in range(0, len(setups), 2)), option
