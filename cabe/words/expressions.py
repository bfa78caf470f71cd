"""Expressions in prose: `{{ gb("7B", "lora") }}`, each evaluated on its own, so that one run finds every mistake.

An expression is the call of one function with texts, numbers or lists of them. Nothing else is: no operators, filters
or attributes, so that every figure comes from a function that knows how figures are written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, TemplateSyntaxError, nodes

from cabe.words.markdown import drawn, linked, outline

EXPRESSION = re.compile(r"\{\{(.*?)\}\}")
NOT_PROSE = (
    (re.compile(r"\{%"), "statements ({%) do not work in prose", "use {{ … }}"),
    (re.compile(r"\{#(?= )"), "comments ({#) do not work in prose", "remove it"),
    (re.compile(r"<!--"), "HTML (<!--) does not work in prose", "remove it"),
)
SPECIAL = re.compile(r"([\\`*_\[\]<>&|~#])")
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
ONLY_CALLS = 'write a function with texts or numbers between brackets, such as {{ gb("7B", "lora") }}'

JINJA = Environment(comment_start_string="{##", comment_end_string="##}")  # its own sign, {#, starts a heading's id

Functions = Mapping[str, Callable[..., str]]
Trouble = tuple[int, str, str]  # line counted from 0, what is wrong, what to do


class Markdown(str):
    """Text that is Markdown already, such as a link; anything else that an expression gives is escaped."""

    __slots__ = ()


class Linked(str):
    """A name with a page of its own: text that is linked to `target`, except in code."""

    __slots__ = ("target",)
    target: str

    def __new__(cls, text: str, target: str) -> Linked:
        made = super().__new__(cls, text)
        made.target = target
        return made


@dataclass(frozen=True)
class Call:
    """One expression: a function's name and its arguments."""

    name: str
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]


def check_names(text: str, functions: Collection[str]) -> Iterator[Trouble]:
    """Names that no function has and expressions that are not expressions, without evaluating any."""
    known = frozenset(functions)
    for line, match in _expressions(text):
        parsed = _call(match, known)
        if not isinstance(parsed, Call):
            yield from ((line, what, mend) for what, mend in parsed)
    for line, rest in enumerate(EXPRESSION.sub("", text).split("\n")):
        if "{{" in rest:
            yield line, "an expression does not end on its line", "close it with }}"
        yield from ((line, what, mend) for sign, what, mend in NOT_PROSE if sign.search(rest))


def calls(text: str, functions: Collection[str]) -> Iterator[Call]:
    """The expressions of a text that are sound."""
    known = frozenset(functions)
    for _, match in _expressions(text):
        parsed = _call(match, known)
        if isinstance(parsed, Call):
            yield parsed


def blanked(body: str) -> str:
    """The body with each expression replaced by a letter: what is there before numbers are."""
    return EXPRESSION.sub("X", body)


def fill(text: str, functions: Functions) -> tuple[str, list[Trouble]]:
    """The text with every expression replaced by its value, and what went wrong, by line."""
    troubles: list[Trouble] = []
    code, known = _code(text), frozenset(functions)

    def value(match: re.Match[str]) -> str:
        line = text[: match.start()].count("\n")
        parsed = _call(match[0], known)
        if not isinstance(parsed, Call):
            troubles.extend((line, what, mend) for what, mend in parsed)
            return ""
        try:
            found = functions[parsed.name](*parsed.arguments, **parsed.options)
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            troubles.append((line, f"{match[0]}: {_reason(error)}", ""))
            return ""
        if isinstance(found, Markdown) or any(start <= match.start() < end for start, end in code):
            return str(found)
        escaped = SPECIAL.sub(r"\\\1", found)
        return linked(escaped, found.target) if isinstance(found, Linked) else escaped

    return EXPRESSION.sub(value, text), troubles


def _expressions(text: str) -> Iterator[tuple[int, str]]:
    return ((text[: match.start()].count("\n"), match[0]) for match in EXPRESSION.finditer(text))


@cache  # every language has the same ones, and each is read for six checks: a tenth of a build
def _call(expression: str, functions: frozenset[str]) -> Call | tuple[tuple[str, str], ...]:
    """The call that an expression is, or what is wrong with it and what to do."""
    try:
        parsed = JINJA.parse(expression)
    except TemplateSyntaxError as error:
        return ((f"{expression!r} is not an expression ({error.message})", ""),)
    except (RecursionError, ValueError):  # hundreds of brackets, a number of thousands of digits
        return ((f"{_cut(expression)!r} is too long or too deep", ONLY_CALLS),)
    unknown = [one.name for one in parsed.find_all(nodes.Name) if one.name not in functions]
    if unknown:
        mend = f"known names: {', '.join(sorted(functions))}"
        return tuple((f"the name {name!r} is undefined", mend) for name in unknown)
    try:
        return _call_of(parsed)
    except ValueError:
        return ((f"{_cut(expression)!r} is not the call of a function", ONLY_CALLS),)


def _call_of(parsed: nodes.Template) -> Call:
    made = parsed.body[0].nodes[0] if len(parsed.body) == 1 and isinstance(parsed.body[0], nodes.Output) else None
    if not (isinstance(made, nodes.Call) and isinstance(made.node, nodes.Name)) or made.dyn_args or made.dyn_kwargs:
        raise ValueError
    options = {one.key: _constant(one.value) for one in made.kwargs}
    if len(options) < len(made.kwargs):
        raise ValueError
    return Call(made.node.name, tuple(map(_constant, made.args)), options)


def _constant(node: nodes.Node) -> Any:
    if isinstance(node, nodes.List):
        return [_constant(item) for item in node.items]
    if isinstance(node, nodes.Const) and isinstance(node.value, str | int | float) and not isinstance(node.value, bool):
        return node.value
    raise ValueError


def _cut(expression: str) -> str:
    return expression if len(expression) <= 80 else f"{expression[:60]} …"


def _code(text: str) -> list[tuple[int, int]]:
    """Where code stands, in which a backslash would be shown: code spans, and fences that nothing draws."""
    spans = [match.span() for match in CODE_SPAN.finditer(text)]
    starts = [0, *(match.end() for match in re.finditer("\n", text)), len(text)]
    for fence in outline(blanked(text)).fences:
        if not drawn(fence.kind):
            last = min(fence.line + 1 + fence.options.count("\n"), len(starts) - 1)
            spans.append((starts[fence.line], starts[last]))
    return spans


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"there is no {error.args[0]!r}"
    text = str(error).replace("\n", "; ")
    if isinstance(error, ValueError) or text.startswith("Prose."):  # Python's words for arguments that miss or abound
        return text.removeprefix("Prose.")
    return "an argument is of another kind than the function takes (text, number or list)"
