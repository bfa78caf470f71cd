"""Tables of runs that differ in one option, the bars of a peak by context, and the figures that prose asks of them."""

from __future__ import annotations

import math
from typing import Any

import pytest

from cabe.facts import Facts
from cabe.memory import Formulas, solve
from cabe.pages import Site
from cabe.pages.figures import Figures
from cabe.pages.frame import templates_of
from cabe.pages.prose import Ask, Prose
from cabe.pages.run_tables import by_model, figures
from cabe.words import Language

MODEL = "llama-3.1-8b"


@pytest.fixture(scope="module")
def ask(site: Site) -> Ask:
    return Ask(site)


@pytest.fixture(scope="module")
def english(site: Site) -> Language:
    return site.languages[0]


@pytest.fixture(scope="module")
def prose(site: Site, english: Language, ask: Ask) -> Prose:
    return Prose(site, english, site.pages["en"]["lora-parameters"], ask)


def table(site: Site, language: Language, ask: Ask, **options: Any) -> dict[str, Any]:
    return figures(site, language, ask, options)


def test_an_adapter_grows_with_its_rank(site: Site, english: Language, ask: Ask) -> None:
    made = table(site, english, ask, setup="lora-ranks", by="rank", names=["trainable_params", "trained_state"])
    assert (made["head"], made["is_code"]) == ("Rank", False)
    assert made["rows"][:3] == [
        ("4", ["10,485,760", "0.17\u00a0GB"]),
        ("8", ["20,971,520", "0.34\u00a0GB"]),
        ("16", ["41,943,040", "0.67\u00a0GB"]),
    ]


def test_an_option_without_a_number_is_shown_as_it_is_typed(site: Site, english: Language, ask: Ask) -> None:
    made = table(site, english, ask, setup="kv-precisions", by="kv-dtype", names=["cached_bytes"])
    assert made["is_code"]
    assert made["rows"] == [("bf16", ["2"]), ("int8", ["1.06"]), ("fp8", ["1"]), ("int4", ["0.56"])]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"setup": "lora-rank", "by": "rank", "names": ["peak"]}, "no list of runs 'lora-rank'.*lora-ranks"),
        ({"setup": "lora-ranks", "by": "ranks", "names": ["peak"]}, "no option 'ranks'.*rank"),
        ({"setup": "lora-ranks", "by": "rank", "names": ["peaks"]}, "no formula is called 'peaks'"),
    ],
)
def test_a_wrong_name_is_told_with_the_nearest(
    options: dict[str, Any], says: str, site: Site, english: Language, ask: Ask
) -> None:
    with pytest.raises(ValueError, match=says):
        table(site, english, ask, **options)


def test_a_context_that_a_model_does_not_read_has_a_dash(site: Site, english: Language, ask: Ask) -> None:
    made = by_model(site, english, ask, "en/inference-vram.html", {"setup": "kv-caches", "by": "seq", "name": "cache"})
    assert made["columns"] == ["8,192", "32,768", "131,072"]
    cells = {model: [cell.replace("\u00a0", " ") for cell in row] for model, _, row in made["rows"]}
    assert cells["Llama 3.1 8B"] == ["1.07 GB", "4.29 GB", "17.2 GB"]
    assert cells["Qwen1.5 7B"] == ["4.29 GB", "17.2 GB", "–"]


def test_a_bar_holds_the_whole_peak_and_names_its_context(site: Site, english: Language, ask: Ask) -> None:
    drawn = Figures(site, english, ask, templates_of(site), lambda target: target, "").contexts(
        {"setup": "inference-contexts"}
    )
    bar = drawn["bars"][0]
    assert (bar.name, bar.note, bar.total) == ("8,192 tokens", "KV cache: 6%", "17.9\u00a0GB")
    assert math.isclose(math.fsum(amount for _, amount in bar.parts), 17.884356608)
    assert drawn["parts"] == ["frozen_weights", "activations", "kv_cache", "temporaries"]


def test_small_things_are_told_in_megabytes(prose: Prose) -> None:
    assert prose.mb("trainable_weights", MODEL, "lora") == "168\u00a0MB"
    assert prose.mb("cache", MODEL, "inference", seq=1) == "0.13\u00a0MB"


def test_the_most_that_fits_is_what_the_command_solves(prose: Prose, facts: Facts, formulas: Formulas) -> None:
    asked = {"model": MODEL, "method": "inference", "prompt": "2048"}
    found = solve(facts, formulas, asked, "seq", "rtx-4090-24gb")["value"]
    assert prose.most("seq", MODEL, "inference", "rtx-4090-24gb", prompt=2048) == f"{found:,}"
    assert prose.most("seq", MODEL, "inference", "rtx-3060-12gb") == "none"


def test_the_most_is_of_a_length_or_of_sequences(prose: Prose) -> None:
    with pytest.raises(ValueError, match="expected seq or batch"):
        prose.most("rank", MODEL, "lora", "rtx-4090-24gb")


def test_the_adapter_of_the_worked_example_adds_up(site: Site, prose: Prose) -> None:
    model = site.facts.models[MODEL]
    hidden, wide = model.hidden_size, model.intermediate_size
    narrow = model.num_kv_heads * model.head_dim
    layer = 2 * (hidden + hidden) + 2 * (hidden + narrow) + 3 * (hidden + wide)
    assert layer == 81_920
    assert 16 * layer * model.num_layers == 41_943_040
    assert prose.value("trainable_params", MODEL, "lora") == "41,943,040"


def test_a_default_that_is_a_number_is_written_as_one(prose: Prose) -> None:
    assert (prose.fact("defaults.seq"), prose.fact("defaults.rank")) == ("2,048", "16")
    assert prose.fact("defaults.targets") == "all-linear"
