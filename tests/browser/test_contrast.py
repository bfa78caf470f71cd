"""The colours as the browser computes them: contrast of text and graphics, and parts that everybody can tell apart.

Contrast is that of WCAG 2.2. Distances are in OKLab (Ottosson 2020); colour blindness is simulated with the matrices of
Machado, Oliveira and Fernandes (2009) at severity 1, in linear RGB.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Page

from cabe.memory import PARTS
from tests.browser.conftest import Open

pytestmark = pytest.mark.browser

Colour = NDArray[np.float64]  # red, green, blue from 0 to 1

SCHEMES = ("light", "dark")
TEXT, GRAPHIC, APART = 7.0, 3.0, 0.05
TEXTS = ("ink", "quiet", "accent", "error", "fits", "too-big", "tight")
ON_USABLE = ("ink", "quiet", "fits", "too-big", "tight")

# Pairs and the contrast that they need.
NEEDED: Mapping[tuple[str, str], float] = {
    **{(text, ground): TEXT for text in TEXTS for ground in ("page", "panel")},
    **{(text, "usable"): TEXT for text in ON_USABLE},
    **{("on-part", part): TEXT for part in PARTS},
    **{(part, "panel"): GRAPHIC for part in PARTS},
    **{("edge", ground): GRAPHIC for ground in ("page", "panel")},
    ("page", "ink"): TEXT,  # what is chosen in a switch is written the other way round
}

SIGHT: Mapping[str, Colour] = {
    "normal vision": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)

# light-dark() is settled only where a property uses it, so a probe wears every colour in turn.
COLOURS = """(names) => {
  const probe = document.body.appendChild(document.createElement("i"));
  const found = {};
  for (const name of names) {
    probe.style.color = `var(--${name})`;
    found[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return found;
}"""
TOUCHING = """() => [...document.querySelectorAll(".breakdown .bar")].map((bar) =>
  [...bar.querySelectorAll("rect.part")].map((part) => part.getAttribute("class").replace("part ", "")))"""
PALE = "() => Number(getComputedStyle(document.querySelector('.run.pale')).opacity)"


def colours(page: Page) -> dict[str, Colour]:
    """Every colour of the table and every part, as computed; fails for a name that the style sheet lacks."""
    names = sorted({name for pair in NEEDED for name in pair} | set(PARTS))
    found = page.evaluate(COLOURS, names)
    unknown = page.evaluate(COLOURS, ["no-such-colour"])["no-such-colour"]
    assert [name for name, text in found.items() if text == unknown and name != "ink"] == []
    return {name: channels(text) for name, text in found.items()}


def channels(text: str) -> Colour:
    found = re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", text)
    assert found, text
    return np.array([int(channel) / 255 for channel in found.groups()])


def linear(colour: Colour) -> Colour:
    return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)


def contrast(one: Colour, other: Colour) -> float:
    """The contrast ratio of WCAG, from 1 to 21."""
    low, high = sorted(float(linear(colour) @ np.array([0.2126, 0.7152, 0.0722])) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def distance(one: Colour, other: Colour, sight: Colour) -> float:
    """How far apart two colours are in OKLab for a kind of sight; black and white are 1 apart."""
    seen = [np.clip(sight @ linear(colour), 0, 1) for colour in (one, other)]
    first, second = (TO_OKLAB @ np.cbrt(TO_CONES @ colour) for colour in seen)
    return float(np.linalg.norm(first - second))


def test_the_measures_agree_with_known_values() -> None:
    black, white, grey = np.zeros(3), np.ones(3), np.full(3, 0x77 / 255)
    assert contrast(black, white) == pytest.approx(21)
    assert contrast(grey, white) == pytest.approx(4.48, abs=0.005)
    assert distance(black, white, SIGHT["normal vision"]) == pytest.approx(1, abs=1e-6)
    red, green = np.array([0.8, 0.2, 0.1]), np.array([0.45, 0.45, 0.0])
    assert distance(red, green, SIGHT["deuteranopia"]) < 0.5 * distance(red, green, SIGHT["normal vision"])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_reaches_a_contrast_of_7_and_graphics_3(open_page: Open, scheme: str) -> None:
    made = colours(open_page("en/will-it-fit.html", scheme=scheme))
    measured = {pair: round(contrast(made[pair[0]], made[pair[1]]), 2) for pair in NEEDED}
    assert {pair: ratio for pair, ratio in measured.items() if ratio < NEEDED[pair]} == {}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_paler_end_of_a_range_stands_out_from_the_usable_memory(open_page: Open, scheme: str) -> None:
    page = open_page("en/will-it-fit.html", scheme=scheme)
    made, share = colours(page), page.evaluate(PALE)
    for verdict in ("fits", "too-big"):
        pale = share * made[verdict] + (1 - share) * made["usable"]
        assert contrast(pale, made["usable"]) >= GRAPHIC, verdict
        assert distance(pale, made[verdict], SIGHT["normal vision"]) >= APART, verdict


@pytest.mark.parametrize("scheme", SCHEMES)
def test_neighbouring_parts_are_told_apart_by_every_kind_of_sight(open_page: Open, scheme: str) -> None:
    page = open_page("en/will-it-fit.html", scheme=scheme)
    made = colours(page)
    drawn = page.evaluate(TOUCHING)
    assert all(bar == [part for part in PARTS if part in bar] for bar in drawn)
    pairs = {pair for bar in (list(PARTS), *drawn) for pair in pairwise(bar)}
    apart = {
        (sight, *pair): round(distance(made[pair[0]], made[pair[1]], matrix), 3)
        for sight, matrix in SIGHT.items()
        for pair in pairs
    }
    assert {case: how_far for case, how_far in apart.items() if how_far < APART} == {}
