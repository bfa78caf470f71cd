"""A JSON file as a Document: values as they stand, with the line of every key of every object.

Numbers are Decimal, so that a width stays a whole number however it is spelt, and NaN is refused where it is read as a
width, not where a scheduler's setting holds it.
"""

from __future__ import annotations

import json
import re
import stat
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from json.decoder import scanstring  # type: ignore[attr-defined]
from pathlib import Path

from cabe.reading import INVISIBLE, Document, Fault, Faults, Place, key_of, shown, to_text

MOST_BYTES = 4_000_000  # real configurations have a few kilobytes, those with label tables a few hundred
MOST_LEVELS = 50
SPACE = re.compile(r"[ \t\n]*")


def read_object(path: Path) -> Document:
    """The object that a JSON file holds; `file` of the Document is the path as given. Raises Faults."""
    file = shown(path, Path())
    if found := INVISIBLE.search(file):
        what = f"the name holds the invisible character U+{ord(found[0]):04X}"
        raise Faults([Fault(ascii(file), 0, what, "give the file another name")])
    try:
        raw = _content(path, file)
    except (OSError, ValueError) as error:
        what = getattr(error, "strerror", None) or str(error)
        raise Faults([Fault(file, 0, f"cannot be read: {what}")]) from error
    return parse_object(to_text(raw, file), file)


def _content(path: Path, file: str) -> bytes:
    """The bytes of a regular file: a device or a pipe might have no end, a file may grow. Raises Faults, OSError."""
    stated = path.stat()
    if not stat.S_ISREG(stated.st_mode):
        raise Faults([Fault(file, 0, "is no regular file", "expected a config.json, or a folder that holds one")])
    with path.open("rb") as stream:
        raw = stream.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        size = max(stated.st_size, len(raw)) / 1e6
        what = f"has {size:.1f} MB, which no configuration has; expected at most {MOST_BYTES / 1e6:.0f} MB"
        raise Faults([Fault(file, 0, what, "name the config.json, not a file of weights or a tokenizer")])
    return raw


def parse_object(text: str, file: str) -> Document:
    """JSON text, an object, as a Document. Raises Faults."""
    if not text.strip():
        raise Faults([Fault(file, 1, "is empty, expected a JSON object", "download the config.json again")])
    try:
        value = json.loads(text, parse_int=_number, parse_float=_number, parse_constant=Decimal)
    except json.JSONDecodeError as error:
        mend = "name a config.json as the Hugging Face Hub has it"
        raise Faults([Fault(file, error.lineno, f"is not JSON: {error.msg}", mend)]) from error
    except RecursionError as error:
        raise Faults([Fault(file, 1, "is nested too deeply", "name a config.json")]) from error
    if not isinstance(value, dict):
        raise Faults([Fault(file, 1, "is not a JSON object, expected { … } around its keys", "name a config.json")])
    walk = _Walk(text, file)
    walk.object(SPACE.match(text).end(), ())  # type: ignore[union-attr]  # it matches nothing as well
    if walk.faults:
        raise Faults(walk.faults)
    return Document(file, value, walk.lines)


def _number(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:  # an exponent that even Decimal has no room for
        return Decimal("Infinity")


@dataclass
class _Walk:
    """The keys of nested objects in a text that is known to be JSON, with their lines; a key that stands twice is told.

    Values that are no objects are skipped whole by the decoder; `line` counts on from where it last stood.
    """

    text: str
    file: str
    lines: dict[Place, int] = field(default_factory=lambda: {(): 1})
    faults: list[Fault] = field(default_factory=list)
    line: int = 1
    counted: int = 0

    def object(self, start: int, place: Place) -> int:
        """Walk the object that starts at an index; the index behind it."""
        if len(place) > MOST_LEVELS:
            raise Faults([Fault(self.file, self._line(start), "is nested too deeply", "name a config.json")])
        at = self._after(start + 1)
        while self.text[at] != "}":
            key, end = scanstring(self.text, at + 1)
            self._note(key, at, place)
            at = self._value(self._after(self._after(end) + 1), (*place, key))
            at = self._after(at)
            at = self._after(at + 1) if self.text[at] == "," else at
        return at + 1

    def _value(self, at: int, place: Place) -> int:
        return self.object(at, place) if self.text[at] == "{" else int(DECODER.raw_decode(self.text, at)[1])

    def _note(self, key: str, at: int, place: Place) -> None:
        where = (*place, key)
        if where in self.lines:
            what = f"{key_of(where)}: the key stands twice (first on line {self.lines[where]})"
            self.faults.append(Fault(self.file, self._line(at), what, "remove one of the two"))
        self.lines.setdefault(where, self._line(at))

    def _line(self, at: int) -> int:
        self.line += self.text.count("\n", self.counted, at)
        self.counted = at
        return self.line

    def _after(self, at: int) -> int:
        """The index of the next sign that is no space."""
        return SPACE.match(self.text, at).end()  # type: ignore[union-attr]  # it matches nothing as well


DECODER = json.JSONDecoder(parse_int=str, parse_float=str)
