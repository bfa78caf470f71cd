"""Languages: a folder of `content/` each, with every interface string in `words.yaml`.

The file is a mapping: `name` and `locale`, then strings in nested groups (`nav: {home: …}` is the word `nav.home`).
`{placeholders}` are filled by name. A mapping whose keys are CLDR plural categories (`one`, `other` …) is one word in
several forms, chosen by the placeholder `{n}`; `many` may be left out and then equals `other`.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from babel import Locale, UnknownLocaleError

from cabe.reading import Document, Fault, Faults, Place, read_yaml

EMPTY, EMPTY_MEND = "the word is empty", "write the text that readers see"
Word = str | Mapping[str, str]
NOTHING = ("", "~", "null", "Null", "NULL")  # what YAML writers use for "no value"
CODE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]+)*")
TAG = re.compile(r"[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?", re.IGNORECASE)
PLACEHOLDER = re.compile(r"[a-z_]+")
FOLDERS = "catalogue.folders."
FOLDER = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
CATEGORIES = {"zero", "one", "two", "few", "many", "other"}
TYPED_FIGURE = re.compile(r"\d[\d.,]*[\s\u00a0]*(?:GB|GiB|%)(?!\w)")


@dataclass(frozen=True)
class Language:
    """One published language: its folder, its own name, its locale and its words by dotted key."""

    code: str
    name: str
    locale: Locale
    words: Mapping[str, Word]

    @property
    def tag(self) -> str:
        """The BCP 47 tag for `lang` attributes: `pt-BR`."""
        return str(self.locale).replace("_", "-")

    def word(self, key: str, /, **values: object) -> str:
        """The word with its placeholders filled; a plural takes the form for the number `n`. Raises KeyError."""
        file = f"content/{self.code}/words.yaml"
        found = self.words.get(key)
        if found is None:
            raise Faults([Fault(file, 0, f"{key}: the word is missing", "a page needs it")])
        if not isinstance(found, str):
            found = found.get(self.plural(values), found["other"])
        try:
            return found.format_map(values) if values else found
        except KeyError as error:
            names = _braced(frozenset(values) - {"count"})
            raise Faults([Fault(file, 0, f"{key}: nothing fills {{{error.args[0]}}}", f"expected {names}")]) from error

    def plural(self, values: Mapping[str, object]) -> str:
        """The CLDR category of `count`, or of `n` where that is a number already."""
        amount = values.get("count", values.get("n"))
        return str(self.locale.plural_form(amount)) if isinstance(amount, int | float) else "other"


def is_code(code: str) -> bool:
    """Whether a folder's name can be the code of a language: it is an address as well."""
    return bool(CODE.fullmatch(code))


def folders(root: Path) -> dict[str, Path]:
    """The folders of `root`/content by their code, in NFC; those that begin with a point are not ours."""
    found = (path for path in (root / "content").iterdir() if path.is_dir() and not path.name.startswith("."))
    return {unicodedata.normalize("NFC", path.name): path for path in sorted(found)}


def read_languages(root: Path, source: str) -> tuple[Language, ...]:
    """Every language below `root`/content, the source language first. Raises Faults with every missing word."""
    faults: list[Fault] = []
    found = folders(root)
    read = {code: language for code in found if (language := _read(code, found[code], root, source, faults))}
    documents = {code: read_yaml(found[code] / "words.yaml", root) for code in read}
    if source in read:
        for code, language in read.items():
            groups = {key.rpartition(".")[0] for key in read[source].words}
            empty = {documents[code].fault(tuple(one.split(".")), EMPTY, EMPTY_MEND) for one in groups}
            faults = [fault for fault in faults if fault not in empty]
            faults += _differences(documents[code], language, read[source])
            faults += _folder_faults(documents[code], language)
    if faults:
        raise Faults(faults)
    return tuple(sorted(read.values(), key=lambda language: (language.code != source, language.code)))


def _folder_faults(document: Document, language: Language) -> Iterator[Fault]:
    """Words that are folders of the site: each has to be an address, and no two the same."""
    first: dict[str, Place] = {}
    for key, word in language.words.items():
        if not key.startswith(FOLDERS) or not isinstance(word, str):
            continue
        place = tuple(key.split("."))
        if not FOLDER.fullmatch(word):
            yield document.fault(place, f"{word!r} cannot be a folder", "use lower-case ASCII letters, digits, hyphens")
        if word in first:
            what = f"{word!r} is {'.'.join(map(str, first[word]))} already (line {document.line(first[word])})"
            yield document.fault(place, what, "give one of the two another name")
        first.setdefault(word, place)


def _read(code: str, folder: Path, root: Path, source: str, faults: list[Fault]) -> Language | None:
    if not is_code(code):
        mend = "name the folder by a code such as pt or pt-br, or move it out of content"
        faults.append(Fault(f"content/{code}", 0, f"{code!r} cannot be the code of a language", mend))
        return None
    try:
        document = read_yaml(folder / "words.yaml", root)
    except Faults as error:
        mend = f"copy content/{source}/words.yaml and translate it"
        missing = not (folder / "words.yaml").exists()
        faults += [replace(fault, mend=mend) if missing else fault for fault in error.faults]
        return None
    value = document.value if isinstance(document.value, dict) else {}
    name, tag = value.get("name"), value.get("locale")
    if not isinstance(name, str) or not name or not isinstance(tag, str) or not tag:
        faults.append(document.fault((), "name or locale is missing", "state `name: Português` and `locale: pt-BR`"))
        return None
    try:
        if not TAG.fullmatch(tag):
            raise ValueError(tag)
        locale = Locale.parse(tag, sep="-")
    except (UnknownLocaleError, ValueError):
        faults.append(document.fault(("locale",), f"there is no locale {tag!r}", "expected a tag such as pt-BR or it"))
        return None
    words = dict(_flatten(document, value, (), faults))
    return Language(code, name, locale, MappingProxyType(words))


def _flatten(
    document: Document, group: Mapping[str, Any], place: Place, faults: list[Fault]
) -> Iterator[tuple[str, Word]]:
    for key, value in group.items():
        where = (*place, key)
        if where in (("name",), ("locale",)):
            continue
        if "." in key:
            what = f"the key {key!r} holds a point"
            faults.append(document.fault(where, what, "write nested keys, `nav: {home: …}` for nav.home"))
            continue
        forms = value if isinstance(value, dict) and set(value) <= CATEGORIES and value else {"other": value}
        if isinstance(value, dict) and forms is not value:
            yield from _flatten(document, value, where, faults)
            continue
        for form, text in forms.items():
            at = (*where, form) if forms is value else where
            faults += _word_faults(document, at, text)
        yield ".".join(map(str, where)), (MappingProxyType(value) if forms is value else value)


def _word_faults(document: Document, place: Place, text: Any) -> list[Fault]:
    if not isinstance(text, str):
        return [document.fault(place, "is a list or a mapping, expected text")]
    if text.strip() in NOTHING:
        return [document.fault(place, EMPTY, EMPTY_MEND)]
    found = []
    if TYPED_FIGURE.search(text):
        found.append(document.fault(place, f"a figure is typed into {text!r}", "use a {placeholder}"))
    try:
        odd = [one for one in _in_braces(text) if not PLACEHOLDER.fullmatch(one)]
        mend = "write {name} for a placeholder, in lower-case letters"
        found += [document.fault(place, f"{{{one}}} is not a plain placeholder", mend) for one in odd]
    except ValueError as error:
        found.append(document.fault(place, f"braces do not pair ({error})", "write {name} for a placeholder"))
    return found


def placeholders(word: Word) -> frozenset[str]:
    """The names in braces of a word, over all its forms. Raises ValueError for braces that are at fault themselves."""
    texts = [word] if isinstance(word, str) else list(word.values())
    names = frozenset(name for text in texts for name in _in_braces(text))
    if not all(map(PLACEHOLDER.fullmatch, names)):
        raise ValueError(f"{_braced(names)} are no plain placeholders")
    return names


def _in_braces(text: str) -> list[str]:
    """What stands in braces, as written. Raises ValueError for braces that do not pair."""
    return [
        f"{name}{'!' + sign if sign else ''}{':' + form if form else ''}"
        for _, name, form, sign in string.Formatter().parse(text)
        if name is not None
    ]


def _differences(document: Document, language: Language, source: Language) -> list[Fault]:
    """What this language has less, more or other than the source language."""
    file = f"content/{source.code}/words.yaml"
    found = [
        document.fault(tuple(key.split(".")), "the word is missing", f"translate it: {_sample(source.words[key])!r}")
        for key in source.words
        if key not in language.words
    ]
    groups = {tuple(key.split(".")[:depth]) for key in source.words for depth in range(1, key.count(".") + 1)}
    for key, word in language.words.items():
        place = tuple(key.split("."))
        if place in groups:
            continue
        if key not in source.words:
            found.append(document.fault(place, f"no such word in {file}, so nothing uses it", "remove it"))
            continue
        found += _form_faults(document, place, word, source.words[key], language.locale)
    return found


def _form_faults(document: Document, place: Place, word: Word, original: Word, locale: Locale) -> list[Fault]:
    if isinstance(word, list):
        return []
    if isinstance(word, str) != isinstance(original, str):
        want = "one text" if isinstance(original, str) else "plural forms"
        return [document.fault(place, f"expected {want}, as in the source language")]
    found = []
    if not isinstance(word, str):
        needed = (set(locale.plural_form.tags) | {"other"}) - {"many"}
        if missing := needed - set(word):
            found.append(document.fault(place, f"the plural form {', '.join(sorted(missing))} is missing", "add it"))
    try:
        names, wanted = placeholders(word), placeholders(original)
        rest = names if isinstance(word, str) else placeholders(word.get("other", ""))
    except ValueError:
        return found  # reported where the braces stand
    if names != wanted:
        found.append(document.fault(place, f"has the placeholders {_braced(names)}, expected {_braced(wanted)}"))
    elif rest != wanted and "other" in word:
        what = f"has the placeholders {_braced(rest)}, expected {_braced(wanted)}"
        found.append(document.fault((*place, "other"), what))
    return found


def _braced(names: frozenset[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names)) or "none"


def _sample(word: Word) -> str:
    return word if isinstance(word, str) else word.get("other", "")
