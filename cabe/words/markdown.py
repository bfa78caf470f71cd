"""Markdown to HTML: headings with stated ids, fences that draw, links that are resolved.

A heading states its id: `## The rule {#rule}`. A fence whose first word is drawn by the site
(```` ```figure breakdown ````) holds YAML options; any other fence is code. Links to pages are by file name:
`[text](will-it-fit.md#rule)`. What an expression links (see `linked`) is plain in a heading and within another link.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

HEADING_ID = re.compile(r"\s*\{#(?P<id>[^}]*)\}\s*$")
EXTERNAL = re.compile(r"https?://")
LINKED = re.compile("\ue000(?P<target>[^\ue001]*)\ue001(?P<text>[^\ue002]*)\ue002")  # no source may hold these signs
LINK_TEXT = re.compile(r"\[[^\[\]]*\](?=\()")

Draw = Callable[[str, str, int], str]  # (kind, options as YAML text, line of the options) → HTML
Resolve = Callable[[str], str]


@dataclass(frozen=True)
class Heading:
    level: int
    id: str | None
    text: str
    line: int


@dataclass(frozen=True)
class Fence:
    kind: str
    options: str
    line: int
    closed: bool


@dataclass(frozen=True)
class Link:
    target: str
    line: int
    picture: bool = False


@dataclass(frozen=True)
class Outline:
    """What a page is made of, with lines counted from the start of its body."""

    headings: tuple[Heading, ...]
    fences: tuple[Fence, ...]
    links: tuple[Link, ...]


def linked(text: str, target: str) -> str:
    """A link that an expression makes, with signs of its own: YAML takes a caption that starts with `[` for a list."""
    return f"\ue000{target}\ue001{text}\ue002"


def unlinked(text: str) -> str:
    """Markdown with the plain text of what expressions link."""
    return LINKED.sub(r"\g<text>", text)


@lru_cache(maxsize=256)  # several checks and the page itself ask for the same one
def outline(text: str) -> Outline:
    """The headings, fences and links of Markdown text, without drawing anything."""
    headings: list[Heading] = []
    fences: list[Fence] = []
    links: list[Link] = []
    tokens = _parser().parse(text if text.endswith("\n") else text + "\n")
    for index, token in enumerate(tokens):
        line = token.map[0] if token.map else 0
        if token.type == "heading_open":
            given = token.attrGet("id")
            headings.append(Heading(int(token.tag[1:]), str(given) if given else None, plain(tokens[index + 1]), line))
        elif token.type == "fence":
            fences.append(Fence(token.info.strip(), token.content, line, _is_closed(token)))
        elif token.type == "inline":
            links += _links(token, line)
    return Outline(tuple(headings), tuple(fences), tuple(links))


def inline_links(text: str) -> list[Link]:
    """The links and pictures of a caption."""
    return [link for token in _parser().parseInline(text) for link in _links(token, 0)]


def inline_plain(text: str) -> str:
    """A title in Markdown, whose expressions are escaped, as plain text."""
    return "".join(map(plain, _parser().parseInline(text)))


def _is_closed(fence: Token) -> bool:
    """Whether the fence has a last line of its own, and did not swallow the beginning of the next one."""
    first, after = fence.map or (0, 0)
    swallowed = re.search(rf"^{fence.markup}\s*\w", fence.content, re.MULTILINE)
    return after - first - fence.content.count("\n") == 2 and not swallowed


def _links(inline: Token, line: int) -> list[Link]:
    return [
        Link(str(child.attrGet("href") or child.attrGet("src") or ""), line + before.count("\n"), child.type == "image")
        for child, before in _with_text_before(inline)
        if child.type in ("link_open", "image")
    ]


def _with_text_before(token: Token) -> list[tuple[Token, str]]:
    found, before = [], ""
    for child in token.children or []:
        found.append((child, before))
        before += "\n" if child.type in ("softbreak", "hardbreak") else ""
    return found


def plain(inline: Token) -> str:
    """The text of an inline token without its marks."""
    return "".join(child.content for child in inline.children or [] if child.type in ("text", "code_inline"))


def to_html(text: str, draw: Draw, resolve: Resolve) -> str:
    """Markdown text as HTML; `draw` makes the fences that `draws` names, `resolve` the addresses of links."""
    env = {"draw": draw, "resolve": resolve}
    return str(_parser().render(text, env))


def inline_html(text: str, resolve: Resolve) -> str:
    """One line of Markdown, a caption for instance, as HTML without a paragraph around it."""
    return str(_parser().renderInline(text, {"resolve": resolve}))


def words_in(text: str) -> int:
    """How many words a reader reads: text and code of the page, fences aside."""
    return sum(len(re.findall(r"\w+", plain(token))) for token in _parser().parse(text) if token.type == "inline")


def drawn(kind: str) -> bool:
    """Whether a fence is drawn by the site rather than shown as code."""
    return kind.split(" ")[0] in ("rule", "figure", "table", "worked", "formulas", "formula-list", "calculator")


@cache  # it is the same for every text, and takes as long to make as a caption to read
def _parser() -> MarkdownIt:
    """CommonMark with tables; no raw HTML, no automatic links, no typographic changes (a copied --option stays one)."""
    parser = MarkdownIt("commonmark", {"html": False, "typographer": False}).enable("table")
    parser.core.ruler.before("inline", "linked", _links_of_expressions)
    parser.core.ruler.push("heading_ids", _heading_ids)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("link_open", _link_open)
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", _table_close)
    parser.add_render_rule("th_open", _th_open)
    return parser


def _links_of_expressions(state: StateCore) -> None:
    """Links as Markdown writes them; plain in headings, which are names of links elsewhere, and within a link."""
    for index, token in enumerate(state.tokens):
        if token.type == "inline" and "\ue000" in token.content:
            in_heading = index > 0 and state.tokens[index - 1].type == "heading_open"
            content = LINK_TEXT.sub(lambda match: unlinked(match[0]), token.content)
            token.content = unlinked(content) if in_heading else LINKED.sub(r"[\g<text>](\g<target>)", content)


def _heading_ids(state: StateCore) -> None:
    for index, token in enumerate(state.tokens):
        if token.type != "heading_open":
            continue
        children = state.tokens[index + 1].children or []
        if children and children[-1].type == "text" and (match := HEADING_ID.search(children[-1].content)):
            children[-1].content = children[-1].content[: match.start()]
            token.attrSet("id", match["id"])


def _fence(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    token = tokens[index]
    if drawn(token.info.strip()):
        line = (token.map[0] if token.map else 0) + 1
        return str(env["draw"](token.info.strip(), token.content, line))
    return f'<div class="code" tabindex="0" role="group">{renderer.fence(tokens, index, options, env)}</div>\n'


def _link_open(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    token = tokens[index]
    href = str(token.attrGet("href"))
    if EXTERNAL.match(href):
        token.attrSet("target", "_blank")
        token.attrSet("rel", "noopener")
    else:
        token.attrSet("href", env["resolve"](href))
        if href.startswith("#ref-"):
            token.attrSet("class", "ref")
    return renderer.renderToken(tokens, index, options, env)


def _table_open(*_: Any) -> str:
    return '<div class="table" tabindex="0" role="group"><table>\n'


def _table_close(*_: Any) -> str:
    return "</table></div>\n"


def _th_open(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: Mapping[str, Any]
) -> str:
    tokens[index].attrSet("scope", "col")
    return renderer.renderToken(tokens, index, options, dict(env))
