"""Finished pages, read once more: links and anchors lead somewhere, ids are unique, nothing is left unfilled.

One expression finds the tags of a page, ten times as fast as html.parser: there are a thousand pages.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from urllib.parse import unquote, urlsplit

from cabe.reading import Fault

VOID = frozenset(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])
TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)((?:[^>\"']|\"[^\"]*\"|'[^']*')*+)>")
ATTRIBUTE = re.compile(r"""([^\s"'>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
LINKING = frozenset(("href", "src", "xlink:href", "poster", "data"))
NAMING = re.compile(r"\b(?:href|src|poster|data|id)\s*=", re.IGNORECASE)  # no other attribute is looked at
RAW = re.compile(r"(<(script|style)\b[^>]*>)(.*?)(</\2\s*>)|<!--(.*?)-->", re.DOTALL | re.IGNORECASE)  # no markup
UNFILLED = re.compile(r"(?<!\{)\{[a-z_]+\}(?!\})")  # a title may hold {{braces}} of its own
UNSAID = re.compile(r"<code\b.*?</code\s*>|<[^>]*>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Reading:
    """A finished page as a browser reads it: faults of its own, its ids, and its links as they are written.

    `has_form`: the page keeps a state in its address, `#name=value`.
    """

    faults: tuple[Fault, ...]
    ids: frozenset[str]
    links: tuple[str, ...]
    has_form: bool


@dataclass(frozen=True)
class _Named:
    """A tag that has an id or names another file, and these attributes as they are written."""

    tag: str
    attributes: Mapping[str, str]

    def targets(self) -> list[str]:
        return [value for name, value in self.attributes.items() if name in LINKING]

    def fetches(self) -> bool:
        """Whether a browser fetches what the tag names, to show the page."""
        names_an_address = self.tag == "link" and self.attributes.get("rel") in ("canonical", "alternate")
        return self.tag not in ("a", "area") and not names_an_address


def check_html(files: Mapping[str, bytes]) -> list[Fault]:
    """What is wrong in the finished pages among `files`."""
    return check_links({path: read(path, content) for path, content in files.items() if path.endswith(".html")}, files)


def check_links(pages: Mapping[str, Reading], files: Mapping[str, bytes]) -> list[Fault]:
    """What is wrong in each page, and with its links to the other `files`."""
    return [fault for path, page in pages.items() for fault in (*page.faults, *_link_faults(path, page, pages, files))]


def read(path: str, content: bytes) -> Reading:
    """One finished page; it knows nothing of the others, so it may be read in any process."""
    text = RAW.sub(_blanked, content.decode("utf-8"))
    tags = TAG.findall(text)
    named = [_named(tag, attributes) for _, tag, attributes in tags if NAMING.search(attributes)]
    ids = Counter(one.attributes["id"] for one in named if "id" in one.attributes)
    faults = [Fault(path, 0, f"the id {one!r} stands {count} times") for one, count in ids.items() if count > 1]
    if not _are_paired(tags):
        faults += [Fault(path, line_at(text, at), what) for at, what in _unpaired(text)]
    faults += [Fault(path, line_at(text, at), f"{what!r} was left unfilled") for at, what in _unfilled(text)]
    fetched = [target for one in named if one.fetches() for target in one.targets() if _is_elsewhere(unescape(target))]
    mend = "keep it in templates/assets"
    faults += [
        Fault(path, line_at(text, text.find(one)), f"{unescape(one)!r} would be asked from the network", mend)
        for one in fetched
    ]
    links = dict.fromkeys(target for one in named for target in one.targets())
    return Reading(tuple(faults), frozenset(map(unescape, ids)), tuple(links), "<form" in text)


def line_at(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _blanked(match: re.Match[str]) -> str:
    """A script, a style or a comment without its text, on as many lines."""
    return (match[1] or "") + "\n" * match[0].count("\n") + (match[4] or "")


def _named(tag: str, attributes: str) -> _Named:
    return _Named(tag.lower(), {name.lower(): a or b or c for name, a, b, c in ATTRIBUTE.findall(attributes)})


def _are_paired(tags: Iterable[tuple[str, str, str]]) -> bool:
    open_: list[str] = []
    for closing, tag, attributes in tags:
        if closing:
            if not open_ or open_.pop() != tag:
                return False
        elif tag not in VOID and attributes[-1:] != "/":
            open_.append(tag)
    return not open_


def _unpaired(text: str) -> Iterator[tuple[int, str]]:
    """Tags that close nothing, and then those that nothing closes."""
    open_: list[tuple[str, int]] = []
    for match in TAG.finditer(text):
        tag = match[2].lower()
        if match[1]:
            if open_ and open_[-1][0] == tag:
                open_.pop()
            else:
                yield match.start(), f"</{tag}> does not pair"
        elif tag not in VOID and not match[3].endswith("/"):
            open_.append((tag, match.start()))
    yield from ((at, f"<{tag}> is not closed") for tag, at in open_)


def _unfilled(text: str) -> Iterator[tuple[int, str]]:
    """Placeholders among the words of a page; braces in attributes and code are no such thing."""
    if UNFILLED.search(text):
        said = UNSAID.sub(lambda match: " " * len(match[0]), text)
        yield from ((match.start(), match[0]) for match in UNFILLED.finditer(said))


def _link_faults(path: str, page: Reading, pages: Mapping[str, Reading], files: Mapping[str, bytes]) -> Iterator[Fault]:
    for written in page.links:
        target = unescape(written)
        if problem := _link_problem(path, target, pages, files):
            text = files[path].decode("utf-8")
            yield Fault(path, line_at(text, text.find(written)), f"the link {target!r} {problem}")


def _link_problem(path: str, target: str, pages: Mapping[str, Reading], files: Mapping[str, bytes]) -> str | None:
    try:
        parts = urlsplit(target)
    except ValueError as error:
        return f"is not an address ({error})"
    if parts.scheme or parts.netloc:
        return None
    if path == "404.html":  # shown at any address, so its links start at the root
        goal = unquote(parts.path).lstrip("/")
    else:
        goal = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(parts.path))) if parts.path else path
    if goal not in files:
        return "leads to no file"
    if not parts.fragment or (goal in pages and _has(pages[goal], parts.fragment)):
        return None
    return "leads to no heading"


def _has(page: Reading, fragment: str) -> bool:
    """Whether a page has the part that an address names, or takes the address as a state of its form."""
    return fragment in page.ids or (page.has_form and "=" in fragment)


def _is_elsewhere(target: str) -> bool:
    """Whether a browser would ask another machine for this; `data:` is in the page already."""
    try:
        parts = urlsplit(target)
    except ValueError:
        return True
    return bool(parts.netloc) or parts.scheme not in ("", "data")
