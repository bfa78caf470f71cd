"""Every page at every width, in light and dark, from disk and server, without JavaScript and on paper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import CATALOGUE, Open

pytestmark = pytest.mark.browser

WIDTHS = (1400, 768, 320)
SCHEMES = ("light", "dark")

# Everything that a reader can unfold is unfolded, so that it has to fit too.
UNFOLD = "() => { for (const details of document.querySelectorAll('details')) details.open = true; }"
OVERHANG = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"

# Words whose line runs out of the frame that they stand in, or of what hides its overflow. Allowed: 1 pixel.
CLIPPED = """() => {
  const FRAMES = "figure, .formula-block, .calculator, .card, .side, main, header, footer, body";
  const scrolls = (element) => /auto|scroll/.test(getComputedStyle(element).overflowX);
  const hides = (element) => /hidden|clip/.test(getComputedStyle(element).overflowX);
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || !parent.checkVisibility() || parent.closest(".unseen, .skip, svg, select")) continue;
    let frame = parent;
    while (!frame.matches(FRAMES) && !scrolls(frame) && !hides(frame)) frame = frame.parentElement;
    if (scrolls(frame) && !frame.matches(FRAMES)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = frame.getBoundingClientRect();
    for (const line of range.getClientRects()) {
      const out = line.left < box.left - 1 || line.right > box.right + 1;
      if (out) found.push(`${node.data.trim()}: out of ${frame.tagName} ${frame.className}`);
    }
  }
  for (const field of document.querySelectorAll("input[type=text], select")) {
    const room = field.clientWidth;
    const copy = field.parentNode.appendChild(field.cloneNode(true));
    copy.style.width = "max-content";
    const needed = field.matches("select") ? copy.clientWidth : field.scrollWidth;
    if (needed > room) found.push(`${field.id}: ${room} pixels wide, its longest text needs ${needed}`);
    copy.remove();
  }
  return found;
}"""

# What is wrong with the words of the charts: outside page or figure, on one another, on a bar, or under a line.
CHARTS = """() => {
  const boxOf = (element) => {
    const { x, y, width, height } = element.getBBox();
    const matrix = element.getScreenCTM();
    const [left, top] = [matrix.e + x * matrix.a, matrix.f + y * matrix.d];
    return { left, top, right: left + width * matrix.a, bottom: top + height * matrix.d };
  };
  const strokeOf = (line) => {
    const { left, top, right, bottom } = boxOf(line);
    const half = parseFloat(getComputedStyle(line).strokeWidth) / 2;
    const [across, along] = right - left < bottom - top ? [half, 0] : [0, half];
    return { left: left - across, top: top - along, right: right + across, bottom: bottom + along };
  };
  const cut = (a, b) => ({
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  });
  const meet = (a, b) => {
    const both = cut(a, b);
    return both.right - both.left > 0.5 && both.bottom - both.top > 0.5;
  };
  const holds = (a, b) =>
    b.left >= a.left - 1 && b.right <= a.right + 1 && b.top >= a.top - 1 && b.bottom <= a.bottom + 1;
  const shown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest("defs");
  const edges = ({ left, top, right, bottom }) => [
    { left, right: left + 1, top, bottom },
    { left: right - 1, right, top, bottom },
    { left, right, top, bottom: top + 1 },
    { left, right, top: bottom - 1, bottom },
  ];
  const found = [];
  for (const chart of document.querySelectorAll("svg.chart")) {
    const pick = (selector) => [...chart.querySelectorAll(selector)].filter(shown);
    const figure = chart.closest("figure").getBoundingClientRect();
    const page = { left: 0, right: document.documentElement.clientWidth, top: -Infinity, bottom: Infinity };
    const words = pick("text").filter((text) => text.getBBox().width > 0);
    const bars = pick("rect.part, rect.run");
    const solid = bars.filter((bar) => !bar.matches(".pale"));
    const lines = pick("line");
    const frames = pick("rect.frame").flatMap((frame) => edges(boxOf(frame)));
    for (const [index, word] of words.entries()) {
      const box = boxOf(word);
      const report = (what) => found.push(`${word.textContent.trim()}: ${what}`);
      const later = (line, bar) => line.compareDocumentPosition(bar) & Node.DOCUMENT_POSITION_FOLLOWING;
      const covered = (line) =>
        solid.some((bar) => later(line, bar) && holds(boxOf(bar), cut(box, strokeOf(line))));
      if (!holds(page, box)) report("out of the page");
      if (!holds(figure, box)) report("out of its figure");
      for (const other of words.slice(index + 1)) if (meet(box, boxOf(other))) report(`on ${other.textContent.trim()}`);
      if (word.matches(".inside")) {
        if (!solid.some((bar) => holds(boxOf(bar), box))) report("out of its part");
      } else if (bars.some((bar) => meet(box, boxOf(bar)))) report("on a bar");
      for (const line of lines) {
        if (meet(box, strokeOf(line)) && !covered(line)) report(`crossed by ${line.classList}`);
      }
      if (frames.some((edge) => meet(box, edge))) report("crossed by the frame");
    }
  }
  return found;
}"""

# What scrolls sideways and is out of reach for the keyboard.
STUCK = """() => [...document.querySelectorAll("body *")]
  .filter((one) => /auto|scroll/.test(getComputedStyle(one).overflowX))
  .filter((one) => one.scrollWidth > one.clientWidth && one.tabIndex < 0)
  .map((one) => one.outerHTML.slice(0, 80))"""

LINKS = """() => ({
  ids: [...document.querySelectorAll("[id]")].map((one) => one.id),
  links: [...document.querySelectorAll("[href], [src]")].map((one) => one.getAttribute(one.src ? "src" : "href")),
})"""
ALL = "(selector) => document.querySelectorAll(selector).length"
SEEN = """(selector) => [...document.querySelectorAll(selector)]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.getBoundingClientRect().height).length"""
CHOOSE = "(theme) => { if (theme !== 'system') document.documentElement.dataset.theme = theme; }"
BACKGROUND = "() => getComputedStyle(document.body).backgroundColor"
INK = "() => getComputedStyle(document.querySelector('h1')).color"


def looks(page: Page) -> Iterator[str]:
    """The page in every width and scheme, everything unfolded."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            page.evaluate(UNFOLD)
            yield f"{width} {scheme}"


def test_at_every_width_nothing_is_clipped_crossed_or_out_of_reach(open_page: Open, path: str) -> None:
    page = open_page(path)
    questions = {"pixels too wide": OVERHANG, "clipped": CLIPPED, "in a chart": CHARTS, "out of reach": STUCK}
    wrong = {
        (look, name): answer
        for look in looks(page)
        for name, ask in questions.items()
        if (answer := page.evaluate(ask))
    }
    assert wrong == {}


def test_every_link_leads_to_a_file_and_every_anchor_to_an_id(
    open_page: Open, built: Path, files: dict[str, bytes]
) -> None:
    paths = [path for path in files if path.endswith(".html") and (path.count("/") < 2 or path in CATALOGUE)]
    page = open_page(paths[0], script=False)
    found: dict[str, Any] = {}
    for path in paths:
        page.goto(f"{built.as_uri()}/{path}")
        found[path] = page.evaluate(LINKS)
    ids = {path: set(one["ids"]) for path, one in found.items()}
    broken = [
        (path, link)
        for path, one in found.items()
        for link in one["links"]
        if not link.startswith(("https://", "data:")) and not leads(built, path, link, ids)
    ]
    assert broken == []
    assert sum(len(one["links"]) for one in found.values()) > 100


def leads(built: Path, path: str, link: str, ids: dict[str, set[str]]) -> bool:
    """Whether a link leads to a file of the site and, with an anchor, to an id; links of 404.html start at the root."""
    name, _, anchor = link.partition("#")
    start = built if name.startswith("/") else (built / path).parent
    goal = (start / name.lstrip("/")).resolve() if name else built / path
    if not goal.is_file() or not goal.is_relative_to(built):
        return False
    own = ids.get(goal.relative_to(built).as_posix(), set())
    return not anchor or anchor in own or "=" in anchor  # a calculator takes its set-up from there


def test_every_page_works_from_a_server_in_a_sub_folder(open_page: Open, path: str, served: str) -> None:
    page = open_page(path, start=served)
    expect(page.locator("h1")).to_be_visible()
    assert page.evaluate(BACKGROUND) == "rgb(253, 252, 250)"  # the style sheet is there
    expect(page.locator("fieldset.theme")).to_be_visible(visible="/" in path)  # and so is the script


# Of a calculator, what does nothing without a script and is hidden then.
WITHOUT_CONTROLS = """() => document
  .querySelectorAll("[data-own], [data-training], .units, .copies, [data-filters]").forEach((one) => one.remove())"""


def test_without_javascript_everything_readable_is_there(open_page: Open, path: str) -> None:
    plain, scripted = open_page(path, script=False), open_page(path)
    scripted.evaluate(WITHOUT_CONTROLS)
    words = [line for line in scripted.locator("main").inner_text().splitlines() if line.strip()]
    shown = plain.locator("main").inner_text().splitlines()
    assert words
    assert [line for line in words if line not in shown] == []
    for kind in ("svg.chart", "h1", "h2", "math", ".table:not(details .table)"):
        assert plain.evaluate(SEEN, kind) == scripted.evaluate(ALL, kind), kind
    for details in plain.locator("figure details").all():
        expect(details.locator("table")).to_be_hidden()
        details.locator("summary").focus()
        plain.keyboard.press("Enter")
        expect(details.locator("table")).to_be_visible()


def test_paper_is_white_and_shows_the_charts_without_the_navigation(open_page: Open, path: str) -> None:
    page = open_page(path, scheme="dark")
    for theme in ("system", "dark"):
        page.evaluate(CHOOSE, theme)
        page.emulate_media(media="screen", color_scheme="dark")
        assert lightness(page.evaluate(BACKGROUND)) < 0.2
        page.emulate_media(media="print", color_scheme="dark")
        assert lightness(page.evaluate(BACKGROUND)) > 0.95, theme
        assert lightness(page.evaluate(INK)) < 0.2
        assert page.evaluate(SEEN, "nav.main, nav.languages, .side, .theme, .skip") == 0
        assert page.evaluate(SEEN, "svg.chart") == page.evaluate(ALL, "svg.chart")
        assert page.evaluate(SEEN, "h1") == 1


def lightness(colour: str) -> float:
    """The mean of the channels of `rgb(…)`, from 0 to 1."""
    channels = [float(channel) for channel in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    return sum(channels) / len(channels) / 255
