"""Text that authors wrote, with its line numbers, and `Fault`, the one error for their mistakes.

Every scalar is read as text: `no`, `010`, `3.10` and `8.03e9` stay as written, and the record that takes the value
decides what it means. The line of every key is kept, so that each mistake can be named where it stands.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

Place = tuple[str | int, ...]

INVISIBLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]"
)  # \u2028 breaks YAML's lines
MAX_DEPTH = 50  # real files nest 6 deep; the walk below uses two frames of Python's stack for each level
MAX_NODES = 100_000  # aliases count each time they are used, so ten lines of them cannot fill the memory
Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # libyaml where the wheel has it: same result, ten times faster


@dataclass(frozen=True, order=True)
class Fault:
    """One mistake in a source: where it stands, what is wrong, and what to do about it."""

    file: str
    line: int
    what: str
    mend: str = ""

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.what}" + (f"; {self.mend}" if self.mend else "")


class Faults(Exception):
    """All mistakes found in one run, sorted by place; raised once, at the end of a stage."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(set(faults)))
        super().__init__("\n".join(map(str, self.faults)))

    def __reduce__(self) -> tuple[type[Faults], tuple[tuple[Fault, ...]]]:
        """The way from one process to another keeps the mistakes, not their text."""
        return Faults, (self.faults,)


@dataclass(frozen=True)
class Document:
    """A YAML text: `value` holds nested dicts and lists of text, `lines` the line of every place in it."""

    file: str
    value: Any
    lines: Mapping[Place, int] = field(repr=False)

    def line(self, place: Place) -> int:
        """The line of `place`, or of the nearest thing around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)

    def fault(self, place: Place, what: str, mend: str = "") -> Fault:
        key = key_of(place)
        return Fault(self.file, self.line(place), f"{key}: {what}" if key else what, mend)


def key_of(place: Place) -> str:
    """A place as messages show it; a key with a line end or another invisible sign, in Python's spelling."""
    return ".".join(part if part.isprintable() else repr(part) for part in map(str, place))


def is_address(text: str) -> bool:
    """Whether a text is an http address with a host; signs that cannot be printed, bytes that are not UTF-8 among them,
    would break the pages."""
    try:
        parts = urlsplit(text)
        host = parts.hostname
        _ = parts.port  # raises ValueError where it is no port
    except ValueError:
        return False
    return bool(host) and parts.scheme in ("http", "https") and text.isprintable()


def shown(path: Path, root: Path) -> str:
    """The path as messages show it: below `root`, with forward slashes, in NFC."""
    name = path.relative_to(root) if path.is_relative_to(root) else path
    return unicodedata.normalize("NFC", name.as_posix())


def read_text(path: Path, root: Path) -> str:
    """A UTF-8 file as text in NFC with `\\n` line ends; a byte-order mark is dropped. Raises Faults."""
    file = shown(path, root)
    try:
        return to_text(path.read_bytes(), file)
    except OSError as error:
        raise Faults([Fault(file, 0, f"cannot be read: {error.strerror}")]) from error


def to_text(raw: bytes, file: str) -> str:
    """The bytes of a file as read_text gives them. Raises Faults."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in raw:
        raise Faults([Fault(file, 1, "the encoding is UTF-16 or binary", "save the file as UTF-8")])
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        what = f"the encoding is not UTF-8 (byte 0x{raw[error.start]:02x}; Windows-1252 perhaps)"
        raise Faults([Fault(file, line, what, "save the file as UTF-8")]) from error
    text = unicodedata.normalize("NFC", re.sub(r"\r\n?", "\n", text))
    if found := INVISIBLE.search(text):
        what = f"holds the invisible character U+{ord(found[0]):04X}"
        raise Faults([Fault(file, text[: found.start()].count("\n") + 1, what, "remove it")])
    return text


def read_yaml(path: Path, root: Path) -> Document:
    """A YAML file as a Document. Raises Faults."""
    return parse_yaml(read_text(path, root), shown(path, root))


def parse_yaml(text: str, file: str, first_line: int = 1) -> Document:
    """YAML text as a Document; `first_line` is the line of `file` on which the text starts. Raises Faults."""
    try:
        node = yaml.compose(text, Loader=Loader)
    except yaml.MarkedYAMLError as error:
        raise Faults([_syntax_fault(error, text, file, first_line)]) from error
    except yaml.YAMLError as error:
        raise Faults([Fault(file, first_line, f"is not YAML: {' '.join(str(error).split())}")]) from error
    lines: dict[Place, int] = {} if node else {(): first_line}
    walk = _Walk(file, first_line, lines, [])
    value = {} if node is None else walk.value(node, (), ())
    if walk.faults:
        raise Faults(walk.faults)
    return Document(file, value, lines)


def _syntax_fault(error: yaml.MarkedYAMLError, text: str, file: str, first_line: int) -> Fault:
    mark = error.problem_mark or error.context_mark
    number = mark.line if mark else 0
    line = (text.split("\n") + [""] * (number + 1))[number]
    if "\t" in line[: len(line) - len(line.lstrip())] or "\\t" in str(error.problem):
        return Fault(file, number + first_line, "a tab stands where YAML wants spaces", "replace the tab with spaces")
    mend = "put text that holds a colon, a # or a quotation mark at its start between quotation marks"
    if "another document" in str(error.problem):
        mend = "remove the line ---"
    return Fault(file, number + first_line, f"is not YAML: {error.problem or error.context}", mend)


@dataclass
class _Walk:
    """Nodes of PyYAML to values and lines. Counts what it visits, so that aliases stay bounded."""

    file: str
    first_line: int
    lines: dict[Place, int]
    faults: list[Fault]
    visited: int = 0

    def value(self, node: yaml.Node, place: Place, above: tuple[int, ...]) -> Any:
        self.visited += 1
        line = node.start_mark.line + self.first_line
        self.lines.setdefault(place, line)
        if self.visited > MAX_NODES or id(node) in above:
            raise Faults([Fault(self.file, line, "aliases repeat without end", "write the values out")])
        if len(above) > MAX_DEPTH:
            raise Faults([Fault(self.file, line, "lists are nested too deeply", "write fewer brackets")])
        if isinstance(node, yaml.ScalarNode) and (found := INVISIBLE.search(node.value)):
            what = f"{key_of(place)}: holds the invisible character U+{ord(found[0]):04X}"
            self.faults.append(Fault(self.file, line, what, "remove it"))
        above = (*above, id(node))
        if isinstance(node, yaml.MappingNode):
            return dict(self._items(node, place, above))
        if isinstance(node, yaml.SequenceNode):
            return [self.value(child, (*place, index), above) for index, child in enumerate(node.value)]
        return node.value

    def _items(self, node: yaml.MappingNode, place: Place, above: tuple[int, ...]) -> Iterator[tuple[str, Any]]:
        seen: dict[str, int] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + self.first_line
            key = key_node.value
            if not isinstance(key, str):
                self.faults.append(Fault(self.file, line, "a key is a list or a mapping", "use plain text as key"))
                continue
            if INVISIBLE.search(key):
                what = f"the key {key_of((*place, key))} holds an invisible character"
                self.faults.append(Fault(self.file, line, what, "remove it"))
            if key in seen:
                what = f"{key_of((*place, key))}: the key stands twice (first on line {seen[key]})"
                self.faults.append(Fault(self.file, line, what, "remove one of the two"))
                continue
            seen[key] = line
            self.lines[(*place, key)] = line
            yield key, self.value(value_node, (*place, key), above)
