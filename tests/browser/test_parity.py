"""Python and the browser compute the same doubles, write the same numbers and choose the same plurals."""

from __future__ import annotations

import base64
import json
import math
import random
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page

from cabe.memory import Formula, Formulas, Input, evaluate, names
from cabe.memory.formulas import parse
from cabe.pages import Site, address
from cabe.words import Language
from cabe.words.numbers import number
from tests.browser.conftest import Open

pytestmark = pytest.mark.browser

SEED = 20261130
ROWS = 3000
TOOL = "training-vram"

# Doubles travel as base64 of their eight bytes: nothing on the way rounds, and NaN and the infinities pass.
EVALUATE = """([trees, names, packed]) => {
  const formulas = JSON.parse(trees);
  const given = new Float64Array(Uint8Array.from(atob(packed), (byte) => byte.charCodeAt(0)).buffer);
  const made = [];
  for (let row = 0; row < given.length; row += names.length) {
    const inputs = Object.fromEntries(names.map((name, column) => [name, given[row + column]]));
    const results = cabe.evaluate(formulas, inputs);
    for (const name of Object.keys(formulas)) made.push(results[name]);
  }
  const bytes = new Uint8Array(new Float64Array(made).buffer);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}"""
FACTS = "() => JSON.parse(document.querySelector('[data-calculator-facts]').textContent)"
WRITE = "([values, signs]) => values.map((value) => cabe.writeNumber(value, signs))"
SELECT = "([tag, amounts]) => amounts.map((amount) => new Intl.PluralRules(tag).select(amount))"

SPECIAL = (0.0, 1.0, 2.0, 0.1, 0.72, 1e-300, 1e300, math.inf, math.nan)
GROUPS = ("rule", "reverse", "step", "inference", "driver", "planned", "served", "devices")

TREES = (
    "max(a, b)",
    "min(a, b, c)",
    "max(a, -b, c - d)",
    "ceil(a)",
    "ceil(-a / 3)",
    "-a",
    "--a * -0.1",
    "a - b - c",
    "a - (b - c)",
    "a / b / c",
    "a * 0.1 + b * 0.2",
    "ceil(a / 128) * 128",
    "min(max(a, 0.1), 1000000000)",
    "max(ceil(a), min(b, c), -d) / 1048576",
)


def frame(inputs: Sequence[str], draw: Callable[[random.Random, str], float], seed: int) -> pd.DataFrame:
    chance = random.Random(seed)
    return pd.DataFrame([[draw(chance, name) for name in inputs] for _ in range(ROWS)], columns=list(inputs))


def any_amount(chance: random.Random) -> float:
    """An amount of any magnitude from a thousandth to a thousand billion; one in three is whole."""
    amount = 10 ** chance.uniform(-3, 12)
    return float(round(amount)) if chance.random() < 1 / 3 else amount


def in_browser(page: Page, formulas: Sequence[Formula], inputs: pd.DataFrame) -> pd.DataFrame:
    """The same as `evaluate`, by the page's own script."""
    trees = json.dumps({formula.name: formula.tree for formula in formulas})
    packed = base64.b64encode(inputs.to_numpy(dtype="<f8").tobytes()).decode()
    answer = page.evaluate(EVALUATE, [trees, list(inputs.columns), packed])
    made = np.frombuffer(base64.b64decode(answer), dtype="<f8").reshape(len(inputs), len(formulas))
    return pd.DataFrame(made, columns=[formula.name for formula in formulas])


def differences(page: Page, formulas: tuple[Formula, ...], inputs: pd.DataFrame) -> list[str]:
    """Every value that is another double in the browser; NaN has one meaning, whatever its bits."""
    with np.errstate(over="ignore"):  # the special amounts overflow on purpose
        python, browser = evaluate(formulas, inputs), in_browser(page, formulas, inputs)
    assert list(python.columns) == list(browser.columns)
    ours, theirs = python.to_numpy(), browser.to_numpy()
    apart = ~((ours == theirs) | (np.isnan(ours) & np.isnan(theirs)))
    return [
        f"{formulas[column].name} of row {row}: {ours[row, column].hex()} in Python, {theirs[row, column].hex()} here"
        for row, column in zip(*np.nonzero(apart), strict=True)
    ]


@pytest.fixture
def tool(open_page: Open) -> Page:
    return open_page("en/training-vram.html")


def test_the_table_of_groups_names_every_group(formulas: Formulas) -> None:
    assert set(formulas.groups) == set(GROUPS)


@pytest.mark.parametrize("group", GROUPS)
def test_every_formula_gives_the_same_double_in_the_browser(tool: Page, formulas: Formulas, group: str) -> None:
    lines = formulas.groups[group]
    made = {line.name for line in lines}
    inputs = list(dict.fromkeys(name for line in lines for name in names(line.tree) if name not in made))
    rows = frame(inputs, lambda chance, name: plausible(chance, formulas.formula(name)), SEED)
    assert differences(tool, lines, rows) == []


def plausible(chance: random.Random, given: Formula | Input) -> float:
    """A switch is 0 or 1, everything else an amount; one in twenty is special."""
    if given.unit == "switch":
        return float(chance.random() < 0.5)
    return chance.choice(SPECIAL) if chance.random() < 0.05 else any_amount(chance)


def test_every_operator_gives_the_same_double_in_the_browser(tool: Page) -> None:
    lines = tuple(Formula(f"line_{index}", "", parse(text), "") for index, text in enumerate(TREES))
    assert differences(tool, lines, frame("abcd", signed, SEED + 1)) == []


def test_random_expressions_give_the_same_double_in_the_browser(tool: Page) -> None:
    chance = random.Random(SEED + 2)
    lines = tuple(Formula(f"line_{index}", "", parse(expression(chance, 4)), "") for index in range(40))
    assert differences(tool, lines, frame("abcd", signed, SEED + 3)) == []


def signed(chance: random.Random, _: str) -> float:
    return chance.choice((-1.0, 1.0)) * any_amount(chance)


def expression(chance: random.Random, depth: int) -> str:
    """Random arithmetic over a, b, c, d and literals, nested `depth` deep at most."""
    if depth == 0 or chance.random() < 0.1:
        return chance.choice(("a", "b", "c", "d", "0.1", "3", "1048576", "1000000000"))
    kind = chance.choice(("+", "-", "*", "/", "max", "min", "ceil", "neg"))
    one, two, three = (expression(chance, depth - 1) for _ in range(3))
    if kind in ("max", "min"):
        return f"{kind}({one}, {two}, {three})"
    return {"ceil": f"ceil({one})", "neg": f"-({one})"}.get(kind, f"({one}) {kind} ({two})")


def test_the_page_holds_the_trees_of_the_formulas(tool: Page, formulas: Formulas) -> None:
    trees = {line.name: line.tree for line in formulas.groups["planned"]}
    assert tool.evaluate(FACTS)["formulas"] == json.loads(json.dumps(trees))


HALVES = (0.005, 0.015, 1.005, 2.675, 9.995, 99.95, 999.5, 0.125, 10.05, 100.5, 1234.5)
CORNERS = (0.0, 1e-9, 0.004999, 0.01, 1.0, 9.994999, 10.0, 99.949999, 100.0, 999.0, 1000.0, 999999.5, 1e6, 1e12, 1e15)


def amounts() -> list[float]:
    """Doubles of all magnitudes: the named ones, their neighbours, halves at every rounding step, random ones."""
    chance = random.Random(SEED + 4)
    named = [*HALVES, *CORNERS]
    beside = [math.nextafter(value, end) for value in named for end in (0.0, math.inf)]
    halves = [chance.randrange(1, 2000) * step + step / 2 for step in (0.01, 0.1, 1.0) for _ in range(400)]
    anywhere = [10 ** chance.uniform(-6, 15) for _ in range(ROWS)]
    return [*named, *beside, *halves, *anywhere]


def test_every_number_is_written_as_in_the_tables(open_page: Open, site: Site, language: Language) -> None:
    page = open_page(address(site.pages[language.code][TOOL]))
    values = amounts()
    written = page.evaluate(WRITE, [values, page.evaluate(FACTS)["signs"]])
    expected = [number(value, language.locale) for value in values]
    pairs = zip(values, written, expected, strict=True)
    assert [(value, here, there) for value, here, there in pairs if here != there] == []


# CLDR: how each language counts. The browser's own rules must choose the same form.
PLURALS: Mapping[str, Mapping[float, str]] = {
    "en": {0: "other", 1: "one", 1.5: "other", 2: "other", 21: "other", 1000000: "other"},
    "it": {0: "other", 1: "one", 1.5: "other", 2: "other", 21: "other", 1000000: "many"},
    "pt": {0: "one", 1: "one", 1.5: "one", 2: "other", 21: "other", 1000000: "many"},
}


def test_every_plural_is_the_one_that_the_browser_chooses(tool: Page, language: Language) -> None:
    counted = PLURALS[language.code]
    here = tool.evaluate(SELECT, [language.tag, list(counted)])
    assert {amount: language.plural({"n": amount}) for amount in counted} == counted
    assert dict(zip(counted, here, strict=True)) == counted
