"""Expressions in prose: `{{ gb("7B", "lora") }}`, each evaluated on its own, so that one run finds every mistake."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from jinja2 import Environment, StrictUndefined, TemplateSyntaxError, UndefinedError, nodes

EXPRESSION = re.compile(r"\{\{(.*?)\}\}")
NOT_PROSE = (
    (re.compile(r"\{%"), "statements ({%) do not work in prose", "use {{ … }}"),
    (re.compile(r"\{#(?= )"), "comments ({#) do not work in prose", "remove it"),
    (re.compile(r"<!--"), "HTML (<!--) does not work in prose", "remove it"),
)
SPECIAL = re.compile(r"([\\`*_\[\]<>&|~#])")

Functions = Mapping[str, Callable[..., str]]
Trouble = tuple[int, str, str]  # line counted from 0, what is wrong, what to do


class Markdown(str):
    """Text that is Markdown already, such as a link; anything else that an expression gives is escaped."""

    __slots__ = ()


def check_names(text: str, functions: frozenset[str]) -> Iterator[Trouble]:
    """Names that no function has and expressions that are not expressions, without evaluating any."""
    environment = _environment()
    for match in EXPRESSION.finditer(text):
        line = text[: match.start()].count("\n")
        try:
            parsed = environment.parse(match[0])
        except TemplateSyntaxError as error:
            yield line, f"{match[0]!r} is not an expression ({error.message})", ""
            continue
        for name in parsed.find_all(nodes.Name):
            if name.name not in functions:
                yield line, f"the name {name.name!r} is undefined", f"known names: {', '.join(sorted(functions))}"
    for line, rest in enumerate(EXPRESSION.sub("", text).split("\n")):
        if "{{" in rest:
            yield line, "an expression does not end on its line", "close it with }}"
        yield from ((line, what, mend) for sign, what, mend in NOT_PROSE if sign.search(rest))


def fill(text: str, functions: Functions) -> tuple[str, list[Trouble]]:
    """The text with every expression replaced by its value, and what went wrong, by line."""
    environment = _environment()
    troubles: list[Trouble] = []

    def value(match: re.Match[str]) -> str:
        line = text[: match.start()].count("\n")
        try:
            made = environment.compile_expression(match[1].strip(), undefined_to_none=False)(**functions)
            found = made if isinstance(made, str) else str(made)
        except (ValueError, KeyError, TypeError, UndefinedError, TemplateSyntaxError) as error:
            troubles.append((line, f"{match[0]}: {_reason(error)}", ""))
            return ""
        return found if isinstance(found, Markdown) else SPECIAL.sub(r"\\\1", found)

    return EXPRESSION.sub(value, text), troubles


def _reason(error: Exception) -> str:
    return (
        f"there is no {error.args[0]!r}"
        if isinstance(error, KeyError)
        else str(error).removeprefix("Prose.").replace("\n", "; ")
    )


def _environment() -> Environment:
    """Jinja with another sign for comments: its own, `{#`, starts the id of a heading."""
    return Environment(undefined=StrictUndefined, comment_start_string="{##", comment_end_string="##}")
