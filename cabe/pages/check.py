"""Finished pages, read once more: links and anchors lead somewhere, ids are unique, nothing is left unfilled."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

from cabe.reading import Fault

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
UNFILLED = re.compile(r"(?<!\{)\{[a-z_]+\}(?!\})")  # a title may hold {{braces}} of its own


@dataclass
class _Reader(HTMLParser):
    """Collects what a page links to, the ids it has, and tags that do not pair."""

    links: list[tuple[int, str]] = field(default_factory=list)
    parts: list[tuple[int, str]] = field(default_factory=list)  # what a browser fetches to show the page
    ids: list[str] = field(default_factory=list)
    open: list[tuple[str, int]] = field(default_factory=list)
    unpaired: list[tuple[int, str]] = field(default_factory=list)
    texts: list[tuple[int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._attributes(tag, attrs)
        if tag not in VOID:
            self.open.append((tag, self.getpos()[0]))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._attributes(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1][0] == tag:
            self.open.pop()
        else:
            self.unpaired.append((self.getpos()[0], tag))

    def handle_data(self, data: str) -> None:
        if not (self.open and self.open[-1][0] in ("script", "style", "code")):
            self.texts.append((self.getpos()[0], data))

    def _attributes(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names_an_address = tag == "link" and dict(attrs).get("rel") in ("canonical", "alternate")
        for name, value in attrs:
            if name in ("href", "src", "xlink:href", "poster", "data"):
                self.links.append((self.getpos()[0], value or ""))
                if tag not in ("a", "area") and not names_an_address:
                    self.parts.append((self.getpos()[0], value or ""))
            elif name == "id":
                self.ids.append(value or "")


def check_html(files: Mapping[str, bytes]) -> list[Fault]:
    """What is wrong in the finished pages among `files`."""
    pages = {path: _read(content) for path, content in files.items() if path.endswith(".html")}
    return [fault for path, page in pages.items() for fault in _faults(path, page, pages, files)]


def _read(content: bytes) -> _Reader:
    reader = _Reader()
    reader.feed(content.decode("utf-8"))
    reader.close()
    return reader


def _faults(path: str, page: _Reader, pages: Mapping[str, _Reader], files: Mapping[str, bytes]) -> Iterator[Fault]:
    for one, count in Counter(page.ids).items():
        if count > 1:
            yield Fault(path, 0, f"the id {one!r} stands {count} times")
    yield from (Fault(path, line, f"</{tag}> does not pair") for line, tag in page.unpaired)
    yield from (Fault(path, line, f"<{tag}> is not closed") for tag, line in page.open)
    for line, text in page.texts:
        if match := UNFILLED.search(text):
            yield Fault(path, line, f"{match[0]!r} was left unfilled")
    for line, target in page.links:
        if problem := _link_problem(path, target, pages, files):
            yield Fault(path, line, f"the link {target!r} {problem}")
    for line, target in page.parts:
        if _is_elsewhere(target):
            yield Fault(path, line, f"{target!r} would be asked from the network", "keep it in templates/assets")


def _link_problem(path: str, target: str, pages: Mapping[str, _Reader], files: Mapping[str, bytes]) -> str | None:
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
    if parts.fragment and (goal not in pages or parts.fragment not in pages[goal].ids):
        return "leads to no heading"
    return None


def _is_elsewhere(target: str) -> bool:
    """Whether a browser would ask another machine for this; `data:` is in the page already."""
    try:
        parts = urlsplit(target)
    except ValueError:
        return True
    return bool(parts.netloc) or parts.scheme not in ("", "data")
