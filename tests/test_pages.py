"""Pages as bytes: escaping, addresses, typography of code, languages added and left out."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

import cabe
from cabe.pages import Site, check_html, read_site, render
from cabe.pages.site import address
from cabe.publishing import collect
from tests.conftest import Edit

TITLE = "LoRA & QLoRA: \"4 bits\" < 16 bits > 8 bits 'it' {{x}} $1 </script>"


class Titles(HTMLParser):
    """Where a page says its title."""

    def __init__(self) -> None:
        super().__init__()
        self.tag = ""
        self.found: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tag = tag
        named = dict(attrs)
        if tag == "meta" and named.get("property") == "og:title":
            self.found["og:title"] = named.get("content") or ""

    def handle_data(self, data: str) -> None:
        if self.tag in ("title", "h1") and self.tag not in self.found:
            self.found[self.tag] = data

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        self.tag = ""


def built(root: Path, base_url: str | None = None) -> dict[str, bytes]:
    return collect(render(read_site(root, cabe.__version__, base_url)))


def test_a_title_with_every_dangerous_sign_reads_the_same_everywhere(sources: Path, edit: Edit) -> None:
    quoted = json.dumps(TITLE)
    edit("content/en/will-it-fit.md", "title: Will it fit? Memory for training", f"title: {quoted}")
    edit(
        "content/en/will-it-fit.md",
        "title: Memory to fine-tune a 7B model, before activations",
        f"title: {quoted.replace('{{x}}', 'x')}",
    )
    files = built(sources)
    page = files["en/will-it-fit.html"].decode()
    reader = Titles()
    reader.feed(page)
    assert reader.found == {"title": f"{TITLE} · Cabe?", "h1": TITLE, "og:title": TITLE}
    assert "amp;amp;" not in page
    assert page.count("</script>") == page.count("<script")
    assert check_html(files) == []
    chart = page[page.index('<svg class="chart breakdown"') :]
    tree = ElementTree.fromstring(chart[: chart.index("</svg>") + 6])
    assert tree.findtext("title") == TITLE.replace("{{x}}", "x")


def test_links_to_the_page_carry_the_same_title(sources: Path, edit: Edit) -> None:
    edit("content/en/will-it-fit.md", "title: Will it fit? Memory for training", f"title: {json.dumps(TITLE)}")
    home = built(sources)["en/index.html"].decode()
    assert "LoRA &amp; QLoRA: &#34;4 bits&#34; &lt; 16 bits &gt; 8 bits &#39;it&#39; {{x}} $1 &lt;/script&gt;" in home


def test_code_is_left_as_it_is_typed(sources: Path) -> None:
    code = 'run --rank 16 --batch-size 2 with "nf4" and it\'s 4-bit -- see iogpu.wired_limit_mb=114688'
    for source in (sources / "content").glob("*/training-vram.md"):
        text = source.read_text(encoding="utf-8") + f"\n`{code}`\n\n```bash\n{code}\n```\n"
        source.write_text(text, encoding="utf-8")
    read = read_site(sources, cabe.__version__)
    files = collect(render(read))
    for language in read.languages:
        escaped = code.replace('"', "&quot;")
        page = read.pages[language.code]["training-vram"]
        assert files[address(page)].decode().count(escaped) == 2


def test_an_apostrophe_stays_an_apostrophe(files: dict[str, bytes]) -> None:
    page = files["it/fine-tuning-completo.html"].decode()
    assert "stato dell'ottimizzatore" in page or "stato dell&#39;ottimizzatore" in page
    assert "dell‘" not in page


def test_one_more_language_is_a_copied_folder(sources: Path) -> None:
    target = sources / "content" / "xx"
    target.mkdir()
    for path in (sources / "content" / "en").iterdir():
        (target / path.name).write_bytes(path.read_bytes())
    words = (target / "words.yaml").read_text(encoding="utf-8")
    words = (
        words.replace("name: English", "name: Español")
        .replace("locale: en", "locale: es")
        .replace("home: Home", "home: Inicio")
    )
    (target / "words.yaml").write_text(words, encoding="utf-8")
    files = built(sources)
    assert "0,57\xa0%" in files["xx/full-fine-tuning.html"].decode()
    assert '<html lang="es">' in files["xx/index.html"].decode()
    assert ">Inicio</a>" in files["xx/will-it-fit.html"].decode()
    assert "Español" in files["index.html"].decode()
    assert 'hreflang="es"' in files["pt/index.html"].decode()
    assert check_html(files) == []


def test_a_site_in_one_language_has_no_link_to_the_others(site: Site) -> None:
    files = collect(render(site.only(("pt",))))
    assert not [path for path in files if path.startswith(("en/", "it/"))]
    assert check_html(files) == []


def test_a_base_url_adds_absolute_addresses_and_nothing_else_is_absolute(sources: Path) -> None:
    base = "https://docs.example.org/cabe/"
    page = built(sources, base)["pt/o-modelo-vai-caber.html"].decode()
    assert f'<link rel="canonical" href="{base}pt/o-modelo-vai-caber.html">' in page
    assert f'hreflang="it" href="{base}it/il-modello-ci-sta.html"' in page
    assert f'hreflang="x-default" href="{base}en/will-it-fit.html"' in page
    assert f'href="{base}en/index.html"' in built(sources, base)["404.html"].decode()


def test_without_a_base_url_no_page_names_an_address_of_its_own(files: dict[str, bytes]) -> None:
    assert "canonical" not in files["en/will-it-fit.html"].decode()
    assert 'href="/en/index.html"' in files["404.html"].decode()


@pytest.mark.parametrize("path", ["index.html", "404.html"])
def test_the_pages_at_the_root_need_no_script_and_offer_every_language(path: str, files: dict[str, bytes]) -> None:
    page = files[path].decode()
    assert "<script" not in page
    assert [code for code in ("pt-BR", "it", "en") if f'lang="{code}"' not in page] == []


def test_nothing_on_a_page_asks_the_network(files: dict[str, bytes]) -> None:
    for path, content in files.items():
        text = content.decode()
        assert not re.search(r"""(?:src|srcset|action|poster)=["']?(?:https?:)?//""", text), path
        assert not re.search(r"""<link[^>]+rel="?(?:stylesheet|icon|preload)[^>]+https?://""", text), path
        if path.endswith((".css", ".js")):
            assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|import\(", text), path


def test_scripts_are_classic_and_deferred(files: dict[str, bytes]) -> None:
    for path, content in files.items():
        for tag in re.findall(r"<script[^>]*>", content.decode()) if path.endswith(".html") else []:
            assert "defer" in tag or 'type="application/json"' in tag or 'type="application/ld+json"' in tag, (
                f"{path}: {tag}"
            )
            assert "module" not in tag


def test_the_same_input_gives_the_same_bytes(site: Site, files: dict[str, bytes]) -> None:
    assert collect(render(site)) == files


def test_external_links_open_a_new_tab_without_handing_over_the_window(files: dict[str, bytes]) -> None:
    for tag in re.findall(r'<a [^>]*href="https?://[^>]*>', files["en/will-it-fit.html"].decode()):
        assert 'target="_blank"' in tag
        assert 'rel="noopener"' in tag


def test_a_version_stays_as_written_on_the_page(sources: Path) -> None:
    page = collect(render(read_site(sources, "3.10")))["en/will-it-fit.html"].decode()
    assert "Cabe 3.10" in page
