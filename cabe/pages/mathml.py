"""A formula's tree as the parts that MathML needs: symbols, names in the reader's language, numbers, and parentheses.

The template draws what this says; the formula that readers see is the tree that ran.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from cabe.memory import Formula, Input, Tree

RANK = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 2}
SIGNS = {"+": "+", "-": "−", "*": "×", "neg": "−"}
PIECE = 32  # characters that fit a line of a narrow phone


@dataclass(frozen=True)
class Node:
    """`kind` is number, symbol, name, operator, sign, open or close, with `text`; or row, fraction, call or group."""

    kind: str
    text: str = ""
    children: tuple[Node, ...] = ()

    @cached_property
    def length(self) -> int:
        """Characters, about as wide as the node is drawn; kept, since every node around it asks."""
        around = 2 * (self.kind in ("group", "call", "sign"))  # two parentheses, or two blanks
        return len(self.text) + around + sum(child.length for child in self.children)


@dataclass(frozen=True)
class Reader:
    """How to show names and numbers: a name's formula or input, its word, and numbers that stand in for names."""

    formula: Callable[[str], Formula | Input]
    word: Callable[[str], str]
    number: Callable[[float], str]
    filled: Mapping[str, str]

    def leaf(self, tree: str | float) -> Node:
        if not isinstance(tree, str):
            return Node("number", self.number(tree))
        if tree in self.filled:
            return Node("number", self.filled[tree])
        symbol = self.formula(tree).symbol
        return Node("symbol", symbol) if symbol else Node("name", self.word(tree))


def nodes(tree: Tree, reader: Reader) -> Node:
    """The nodes of a tree."""
    if not isinstance(tree, tuple):
        return reader.leaf(tree)
    operator, *arguments = tree
    if operator == "/":
        return Node("fraction", children=tuple(nodes(argument, reader) for argument in arguments))
    if operator == "neg":
        return Node("row", children=(Node("sign", SIGNS["neg"]), _grouped(arguments[0], operator, reader, right=True)))
    if operator in SIGNS:
        left = _grouped(arguments[0], operator, reader, right=False)
        right = _grouped(arguments[1], operator, reader, right=True)
        return Node("row", children=(left, Node("sign", SIGNS[operator]), right))
    return Node("call", operator, tuple(nodes(argument, reader) for argument in arguments))


def _grouped(tree: Tree, operator: str, reader: Reader, *, right: bool) -> Node:
    """A child, in parentheses where its operator binds less tightly than the one around it."""
    made = nodes(tree, reader)
    if not isinstance(tree, tuple) or tree[0] not in RANK or tree[0] == "/":
        return made
    looser = RANK[tree[0]] < RANK[operator]
    after_minus = right and operator == "-" and RANK[tree[0]] == RANK[operator]
    return Node("group", children=(made,)) if looser or after_minus or tree[0] == "neg" else made


def pieces_of(node: Node) -> tuple[Node, ...]:
    """A long formula as pieces that a line may break between; a sign or a parenthesis stays with what it belongs to."""
    if node.length <= PIECE or not node.children:
        return (node,)
    if node.kind == "fraction":  # too wide for a line above another
        over, under = (Node("group", children=(one,)) if one.kind == "row" else one for one in node.children)
        return pieces_of(Node("row", children=(over, Node("sign", "/"), under)))
    if node.kind == "row":
        *before, last = node.children
        first, *rest = pieces_of(last)
        led = Node("row", children=(*before[-1:], first))
        return (*(pieces_of(before[0]) if len(before) == 2 else ()), led, *rest)
    pieces: list[Node] = []
    for number, child in enumerate(node.children):
        pieces += pieces_of(child)
        if number + 1 < len(node.children):
            pieces[-1] = Node("row", children=(pieces[-1], Node("sign", ",")))
    opening = (Node("operator", node.text),) if node.kind == "call" else ()
    pieces[0] = Node("row", children=(*opening, Node("open", "("), pieces[0]))
    pieces[-1] = Node("row", children=(pieces[-1], Node("close", ")")))
    return tuple(pieces)
