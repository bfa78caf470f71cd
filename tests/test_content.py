"""Every page of every language: parity with the source, terms of the glossary, code left alone, words in use."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml
from babel.numbers import get_decimal_symbol, get_group_symbol, parse_decimal

from cabe.memory import PARTS
from cabe.pages import Site, check_html
from cabe.pages.prose import Ask, Prose
from cabe.pages.site import address, link, place_of
from cabe.words import Language, Page, fill, outline, unlinked
from cabe.words.expressions import EXPRESSION

ROOT = Path(__file__).resolve().parent.parent
GLOSSARY = yaml.safe_load((ROOT / "content" / "glossary.yaml").read_text(encoding="utf-8"))
CODES = sorted(path.name for path in (ROOT / "content").iterdir() if path.is_dir())
PAGES = sorted(path.stem for path in (ROOT / "content" / "en").glob("*.md"))
CATALOGUE_TABLES = (  # groups of words that code takes by a name of the facts
    *("above_lora", "folders", "names", "kinds", "methods", "targets", "overview", "sections", "facts", "verification"),
    *("answers", "model", "device", "sorts", "growth", "room", "hints"),
)
ONE_OF_EACH = (
    "/index.html",
    "/llama-3.1-8b.html",
    "/mixtral-8x7b.html",
    "/rtx-4090-24gb.html",
    "/apple-m3-pro-36gb.html",
)
EVERY = [(code, page) for code in CODES for page in PAGES]


class Prosaic(HTMLParser):
    """The text of a page that is in its own language, and apart from it the text of code."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.prose: list[str] = []
        self.code: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "link", "br", "input", "hr"):
            foreign = (tag not in ("html", "a") and "lang" in dict(attrs)) or dict(attrs).get("class") == "references"
            self.open.append((tag, foreign or (tag == "a" and "lang" in dict(attrs))))

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1][0] == tag:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        tags = [tag for tag, _ in self.open]
        if "code" in tags or "pre" in tags or "kbd" in tags:
            self.code.append(data)
        elif not {"script", "style"} & set(tags) and not any(foreign for _, foreign in self.open):
            self.prose.append(data)


def read(html: bytes) -> Prosaic:
    reader = Prosaic()
    reader.feed(html.decode("utf-8"))
    return reader


def language(site: Site, code: str) -> Language:
    return next(one for one in site.languages if one.code == code)


def values(site: Site, code: str, page: Page) -> list[float]:
    """Every figure that the expressions of a page come to, without the signs of the language."""
    functions = Prose(site, language(site, code), page, Ask(site)).functions()
    named = re.compile("|".join(re.escape(model.name) for model in site.facts.models.values()))
    texts = [named.sub("", unlinked(fill(match[0], functions)[0])) for match in EXPRESSION.finditer(page.body)]
    locale = language(site, code).locale
    point, group = re.escape(get_decimal_symbol(locale)), re.escape(get_group_symbol(locale))
    written = re.compile(rf"(?<![\w{point}])\d(?:[\d{point}{group}]*\d)?")
    return [
        float(parse_decimal(number, locale=locale))
        for text in texts
        for number in written.findall(re.sub(r"\b[\d.]+B\b|1e-5|#ref[^)]*", "", text))
    ]


@pytest.mark.parametrize(("code", "page"), EVERY)
def test_a_page_has_the_headings_figures_and_values_of_the_source(code: str, page: str, site: Site) -> None:
    own, source = site.pages[code][page], site.pages["en"][page]
    assert [one.id for one in outline(own.body).headings] == [one.id for one in outline(source.body).headings]
    assert [one.kind for one in outline(own.body).fences] == [one.kind for one in outline(source.body).fences]
    assert values(site, code, own) == values(site, "en", source)


@pytest.mark.parametrize(("code", "page"), EVERY)
def test_a_page_uses_the_terms_of_the_glossary(code: str, page: str, site: Site, files: dict[str, bytes]) -> None:
    own = site.pages[code][page]
    slug = "index" if page == "index" else own.slug
    text = " ".join(read(files[f"{code}/{slug}.html"]).prose).lower()
    found = [
        f"{bad!r} for {entry[code]['use']!r}"
        for entry in GLOSSARY.values()
        for bad in entry.get(code, {}).get("avoid", [])
        if re.search(rf"(?<!\w){re.escape(bad.lower())}(?!\w)", text)
    ]
    assert found == []


def test_the_glossary_refuses_a_wrong_term() -> None:
    assert "finetuning" in GLOSSARY["fine-tuning"]["en"]["avoid"]
    assert re.search(r"(?<!\w)finetuning(?!\w)", "about finetuning models")


@pytest.mark.parametrize("code", CODES)
def test_every_part_and_kind_has_a_word(code: str, site: Site) -> None:
    words = language(site, code).words
    assert [part for part in PARTS if f"parts.{part}" not in words] == []


def test_every_word_is_used_somewhere(site: Site) -> None:
    sources = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in ("templates", "cabe")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".html", ".svg", ".py", ".js")
    )
    tables = (
        *("chapters.", "kinds.", "runs.", "parts.", "devices.", "verdicts.", "theme.", "calculator.", "served."),
        *("formulas.", "why.", "units.", "instants."),
        *("methods.", "quantities.", "left_out.", "columns."),
        *(
            "options.",
            "hints.",
            "choices.",
            "groups.",
            "conflicts.",
            "changes.",
            "phases.",
            "estimator.",
            "shape.",
            "training.",
        ),
        *(f"catalogue.{table}." for table in CATALOGUE_TABLES),
        *(f"overview.{table}." for table in ("filters", "methods", "within", "sizes")),
        *(
            "overview.models",
            "overview.devices",
            "matrix.legend.",
            "matrix.about",
            "compare.peak",
            "compare.monitor",
            "compare.trainable_params",
        ),
        *("data.files.", "data.units.", "data.estimates.", "data.models.", "data.devices."),
    )
    unused = [key for key in site.languages[0].words if not key.startswith(tables) and f'"{key}"' not in sources]
    assert unused == []


def test_nothing_is_wrong_with_the_finished_pages(files: dict[str, bytes]) -> None:
    assert check_html(files) == []


def test_no_page_shows_a_placeholder_or_a_key(files: dict[str, bytes], site: Site) -> None:
    keys = {key for key in site.languages[0].words if key.count(".") > 0}
    for path, content in files.items():
        if path.endswith(".html") and (path.count("/") < 2 or path.endswith(ONE_OF_EACH)):
            text = " ".join(read(content).prose)
            assert not re.search(r"\{\w+\}", text), path
            assert [one for one in re.findall(r"(?<![\w.])[a-z]\w*(?:\.[\w-]+)+", text) if one in keys] == [], path


@pytest.mark.parametrize("code", CODES)
def test_a_name_leads_to_its_page_where_it_has_one(
    code: str, site: Site, files: dict[str, bytes], articles: dict[str, bytes]
) -> None:
    model = place_of(site, language(site, code), "models", "llama-3.1-8b")
    assert model in files
    assert place_of(site, language(site, code), "devices", "card-16gb") is None
    path = address(site.pages[code]["will-it-fit"])
    there = f'href="{link(path, model or "")}">Llama 3.1 8B</a>'.encode()
    assert (there in files[path], there in articles[path]) == (True, False)
