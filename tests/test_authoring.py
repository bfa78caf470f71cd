"""What authors may write: one language at a time, code with figures in it, quotations, files beside the assets."""

from __future__ import annotations

from pathlib import Path

import pytest

import cabe
from cabe.pages import check_html, read_site, render
from cabe.publishing import collect
from cabe.reading import Faults, parse_yaml, read_text
from cabe.words import Functions, Linked, fill, inline_html, inline_plain, outline, to_html
from tests.conftest import Edit

FUNCTIONS: Functions = {"model": lambda model_id: model_id, "count": lambda: "1*2"}


def test_one_language_is_built_though_another_lacks_a_page(sources: Path) -> None:
    (sources / "content" / "it" / "methodology.md").unlink()
    site = read_site(sources, cabe.__version__, wanted=("en",)).only(("en",))
    assert "en/methodology.html" in collect(render(site))
    with pytest.raises(Faults, match=r"methodology\.md is missing in Italiano"):
        read_site(sources, cabe.__version__, wanted=("it",))


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ('{{ model("Llama_2") }}', "Llama\\_2"),
        ('`{{ model("Llama_2") }}` and {{ count() }}', "`Llama_2` and 1\\*2"),
        ('``{{ model("a_b") }}``', "``a_b``"),
        ('```bash\nrun {{ model("a_b") }}\n```\n{{ count() }}', "```bash\nrun a_b\n```\n1\\*2"),
        ('> ```python\n> {{ model("a_b") }}\n> ```', "> ```python\n> a_b\n> ```"),
    ],
)
def test_what_an_expression_gives_is_escaped_except_in_code(text: str, made: str) -> None:
    assert fill(text, FUNCTIONS) == (made, [])


def test_a_title_shows_no_backslash() -> None:
    assert inline_plain(fill('{{ model("Llama_2_7b") }} & "x" < y', FUNCTIONS)[0]) == 'Llama_2_7b & "x" < y'


NAME = '{{ name("a") }}'
A_LINK = '<a href="models/a.html">A_1</a>'


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (NAME, f"<p>{A_LINK}</p>"),
        (f"## {NAME} {{#a}}", '<h2 id="a">A_1</h2>'),
        (f"`{NAME}`", "<p><code>A_1</code></p>"),
        (f"[{NAME} fits](a.md) {NAME}", f'<p><a href="a.md">A_1 fits</a> {A_LINK}</p>'),
        (f"**{NAME}**, it fits", f"<p><strong>{A_LINK}</strong>, it fits</p>"),
    ],
)
def test_a_name_is_a_link_except_in_headings_code_and_links(text: str, made: str) -> None:
    filled, _ = fill(text, {"name": lambda _: Linked("A_1", "models/a.html")})
    assert to_html(filled, lambda *_: "", lambda target: target).strip() == made


def test_a_caption_may_begin_with_a_name_and_a_title_shows_it_plain() -> None:
    filled, _ = fill(f"caption: {NAME}, it fits", {"name": lambda _: Linked("A_1", "models/a.html")})
    text = parse_yaml(filled, "a.md").value["caption"]
    assert inline_html(text, lambda target: target) == f"{A_LINK}, it fits"
    assert inline_plain(text) == "A_1, it fits"


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("```python\nx\n```\n", True),
        ("```python\nx\n```", True),
        ("```python\n```", True),
        ("```python", False),
        ("```python\nx", False),
        ("```python\nx\n\n\n", False),
        ("```python\nx\n```y\n", False),
        ("```python\nx\n```python\ny\n```\n", False),
        ("````markdown\n```python\n```\n````\n", True),
        ("~~~python\n```\n~~~\n", True),
        ("> ```python\n> x\n> ```\n", True),
        ("> ```python\n> x\n\ny\n", False),
        ("- x\n  ```python\n  y\n  ```\n", True),
    ],
)
def test_a_fence_is_closed_by_a_line_of_its_own(text: str, closed: bool) -> None:
    assert [fence.closed for fence in outline(text).fences] == [closed]


def test_hidden_files_are_no_assets_and_folders_are(sources: Path) -> None:
    assets = sources / "templates" / "assets"
    (assets / ".DS_Store").write_bytes(b"\0")
    (assets / "fonts").mkdir()
    (assets / "fonts" / "a.woff2").write_bytes(b"font")
    files = collect(render(read_site(sources, cabe.__version__)))
    assert "assets/.DS_Store" not in files
    assert files["assets/fonts/a.woff2"] == b"font"


@pytest.mark.parametrize(
    "tag",
    [
        '<img src="https://e.x/a.png" alt="">',
        '<script src="//e.x/a.js"></script>',
        '<link rel="stylesheet" href="https://e.x/a.css">',
        '<svg><use href="https://e.x/a.svg#b"/></svg>',
        '<a href="http://[bad">x</a>',
        '<a href="#nowhere">x</a>',
    ],
)
def test_a_finished_page_asks_for_nothing_elsewhere_and_links_lead_somewhere(tag: str) -> None:
    assert len(check_html({"a.html": tag.encode()})) >= 1


@pytest.mark.parametrize(
    "tag",
    [
        '<link rel="canonical" href="https://e.x/a">',
        '<link rel="icon" href="data:,">',
        '<a href="https://e.x">x</a>',
        '<svg><use id="b" href="#b"/></svg>',
    ],
)
def test_a_finished_page_may_name_addresses(tag: str) -> None:
    assert check_html({"a.html": tag.encode()}) == []


@pytest.mark.parametrize("text", ['a: "\\0"', '"a\\0": b', 'a: "\\u2028"'])
def test_yaml_spells_no_invisible_character(text: str) -> None:
    with pytest.raises(Faults, match=r"^x\.yaml:1: .*invisible") as caught:
        parse_yaml(text, "x.yaml")
    assert str(caught.value).isprintable()


def test_an_invisible_character_is_found_on_its_line(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("a\nb\u2028c\nd", encoding="utf-8")
    with pytest.raises(Faults, match=r"^x\.md:2: holds the invisible character U\+2028"):
        read_text(tmp_path / "x.md", tmp_path)


def test_a_template_of_a_figure_that_does_not_parse_is_named_beside_other_mistakes(sources: Path, edit: Edit) -> None:
    edit("content/en/will-it-fit.md", "](methodology.md)", "](method.md)")
    edit("templates/fences/rule.html", "{%", "{% iff %}{%")
    with pytest.raises(Faults) as caught:
        read_site(sources, cabe.__version__)
    files = [fault.file for fault in caught.value.faults]
    assert files == ["content/en/will-it-fit.md", "templates/fences/rule.html"]
