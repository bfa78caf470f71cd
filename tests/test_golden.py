"""Golden files: both charts, two whole pages and a slice of the estimates. `make golden` alone rewrites them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cabe.facts import Facts, answerable, setup_from
from cabe.memory import Formulas, estimate

GOLDEN = Path(__file__).parent / "golden"
MODELS = ("llama-3.2-1b", "llama-2-7b", "qwen2.5-14b", "llama-3.1-70b")
METHODS = ({"method": "lora"}, {"method": "qlora"}, {"method": "full", "precision": "master"})


def compare(name: str, text: str, config: pytest.Config) -> None:
    path = GOLDEN / name
    if config.getoption("--golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{name} changed; if that was meant, run `make golden`"


def chart(page: bytes, kind: str) -> str:
    text = page.decode()
    start = text.index(f'<svg class="chart {kind}"')
    return text[start : text.index("</svg>", start) + 6] + "\n"


@pytest.mark.parametrize("kind", ["breakdown", "device-fit"])
def test_the_chart_is_drawn_as_before(kind: str, files: dict[str, bytes], pytestconfig: pytest.Config) -> None:
    compare(f"{kind}.svg", chart(files["pt/o-modelo-vai-caber.html"], kind), pytestconfig)


@pytest.mark.parametrize("path", ["index.html", "it/index.html"])
def test_the_page_is_as_before(path: str, files: dict[str, bytes], pytestconfig: pytest.Config) -> None:
    compare(path.replace("/", "-"), files[path].decode(), pytestconfig)


def test_the_estimates_are_as_before(facts: Facts, formulas: Formulas, pytestconfig: pytest.Config) -> None:
    setups = [answerable(facts, setup_from({"model": model, **method})) for model in MODELS for method in METHODS]
    rows = estimate(facts, formulas, setups).rows
    shown = rows[["trainable_params", "frozen_weights", "resident", "states", "rule_mid"]].round(0).astype("int64")
    shown.insert(0, "setup", [f"{one.subject.name} {one.options['method']}" for one in setups])
    compare("estimates.csv", shown.to_csv(index=False, lineterminator="\n"), pytestconfig)


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*")), ids=lambda path: path.name)
def test_a_golden_file_can_be_read_by_a_person(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 200
    if path.suffix == ".svg":
        assert not re.search(r"\d\.\d{4,}", text), "numbers in SVG have at most 3 decimals"
