"""`data/formulas.yaml`: one-line arithmetic, parsed to trees and evaluated over columns.

A tree is what the calculators get as JSON: a name, a number, or a list of an operator and its arguments
(`["*", "trainable_params", "gradient_bytes"]`). The operators are exact or correctly rounded in IEEE 754, so two
evaluators that walk the same tree in the same order agree to the last bit.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from cabe.facts.lookup import nearest
from cabe.reading import Document, Fault, Faults, Place, read_yaml

Tree = str | float | tuple[Any, ...]
Column = Any  # a float64 array, or one float

OPERATORS: Mapping[str, Callable[..., Column]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "max": lambda *columns: reduce(np.maximum, columns),
    "min": lambda *columns: reduce(np.minimum, columns),
    "ceil": np.ceil,
    "neg": np.negative,
}
BINARY: Mapping[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
FUNCTIONS = ("max", "min", "ceil")
NEEDED = (("rule", "rule"), ("reverse", "largest_billions"), ("states", "states"), ("devices", "usable"))
SUPPLIED = {
    "activations_gb",
    "billions",
    "bytes_per_parameter",
    "constant_bytes",
    "display_reserve_mib",
    "driver_reserve_mib",
    "gradient_bytes",
    "head_dim",
    "hidden_size",
    "intermediate_size",
    "is_size",
    "kept_bytes",
    "master_bytes",
    "memory_gb",
    "memory_mib",
    "moment_bytes",
    "moments",
    "num_attention_heads",
    "num_kv_heads",
    "num_layers",
    "params",
    "quantized",
    "quantized_bytes",
    "rank",
    "rule_constant",
    "rule_slope",
    "system_reserve_mib",
    "target_down",
    "target_gate",
    "target_k",
    "target_o",
    "target_q",
    "target_up",
    "target_v",
    "trains_all",
    "usable_gb",
    "usable_share",
    "weight_bytes",
}
KEYS = {"unit", "is", "source", "part", "symbol"}


@dataclass(frozen=True)
class Formula:
    """One line: its tree, the unit of the result, the breakdown part and the letter it stands for, and its source."""

    name: str
    unit: str
    tree: Tree
    source: str
    part: str | None = None
    symbol: str | None = None


@dataclass(frozen=True)
class Input:
    name: str
    unit: str
    symbol: str | None = None


@dataclass(frozen=True)
class Formulas:
    """The inputs and the groups of formulas, in the order in which they are evaluated."""

    read: str
    inputs: Mapping[str, Input]
    groups: Mapping[str, tuple[Formula, ...]]

    def formula(self, name: str) -> Formula | Input:
        """The formula or input of that name. Raises KeyError."""
        named = {formula.name: formula for group in self.groups.values() for formula in group}
        return named[name] if name in named else self.inputs[name]


def evaluate(formulas: tuple[Formula, ...], inputs: pd.DataFrame) -> pd.DataFrame:
    """One float64 column per formula, in order, for the rows of `inputs` (a float64 column per input name)."""
    columns: dict[str, Column] = {str(name): inputs[name].to_numpy(dtype="float64") for name in inputs.columns}
    made: dict[str, Column] = {}
    with np.errstate(divide="ignore", invalid="ignore"):
        for formula in formulas:
            made[formula.name] = columns[formula.name] = np.broadcast_to(_value(formula.tree, columns), len(inputs))
    return pd.DataFrame(made, index=inputs.index)


def evaluate_one(formulas: tuple[Formula, ...], inputs: Mapping[str, float]) -> dict[str, float]:
    """The results by name for one set of inputs."""
    row = evaluate(formulas, pd.DataFrame([inputs])).iloc[0]
    return {str(name): float(value) for name, value in row.items()}


def names(tree: Tree) -> Iterator[str]:
    """Every name in a tree, from left to right."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, tuple):
        for child in tree[1:]:
            yield from names(child)


def _value(tree: Tree, columns: Mapping[str, Column]) -> Column:
    if isinstance(tree, str):
        return columns[tree]
    if isinstance(tree, tuple):
        return OPERATORS[tree[0]](*(_value(child, columns) for child in tree[1:]))
    return tree


def read_formulas(root: Path) -> Formulas:
    """The formulas below `root`/data. Raises Faults with every unknown, unused or misplaced name."""
    document = read_yaml(root / "data" / "formulas.yaml", root)
    value = document.value if isinstance(document.value, dict) else {}
    faults: list[Fault] = []
    inputs = dict(_inputs(document, value.get("inputs"), faults))
    taken = set(inputs)
    groups = {
        name: tuple(_group(document, name, rows, inputs, taken, faults))
        for name, rows in value.items()
        if name not in ("read", "inputs")
    }
    used = {name for group in groups.values() for formula in group for name in names(formula.tree)}
    if not faults:
        faults += [
            document.fault(("inputs", name), "no formula uses this input", "remove it, or use it")
            for name in inputs
            if name not in used
        ]
        faults += [
            document.fault((group, name), "the formula is missing", "the estimates use it")
            for group, name in NEEDED
            if name not in {formula.name for formula in groups.get(group, ())}
        ]
        provided = ", ".join(sorted(SUPPLIED))
        faults += [
            document.fault(
                ("inputs", name),
                "neither facts nor set-ups provide this input",
                f"inputs that they provide: {provided}",
            )
            for name in inputs
            if name in used and name not in SUPPLIED
        ]
    if faults:
        raise Faults(faults)
    return Formulas(str(value.get("read", "")), MappingProxyType(inputs), MappingProxyType(groups))


def _inputs(document: Document, rows: Any, faults: list[Fault]) -> Iterator[tuple[str, Input]]:
    if not isinstance(rows, dict):
        faults.append(document.fault(("inputs",), "is missing or not a mapping", "list the inputs with their units"))
        return
    for name, row in rows.items():
        faults += _key_faults(document, ("inputs", name), row, {"unit"}, {"unit", "symbol"})
        if isinstance(row, dict):
            yield name, Input(name, row.get("unit", ""), row.get("symbol"))


def _group(
    document: Document, group: str, rows: Any, inputs: Mapping[str, Input], taken: set[str], faults: list[Fault]
) -> Iterator[Formula]:
    if not isinstance(rows, dict):
        faults.append(document.fault((group,), "is not a group of formulas", "expected `name: {unit, is, source}`"))
        return
    known = set(inputs)
    for name, row in rows.items():
        place = (group, name)
        broken = _key_faults(document, place, row, {"unit", "is", "source"}, KEYS)
        if name in taken:
            broken.append(document.fault(place, "the name is taken by an input or a formula above", "rename one"))
        tree: Tree = math.nan
        if not broken:
            try:
                tree = parse(row["is"])
            except ValueError as error:
                broken.append(document.fault((*place, "is"), str(error), "allowed: + - * / max min ceil"))
        unknown = [word for word in names(tree) if word not in known]
        broken += [_name_fault(document, (*place, "is"), word, known, rows) for word in unknown]
        faults += broken
        known.add(name)
        taken.add(name)
        if not broken:
            yield Formula(name, row["unit"], tree, row["source"], row.get("part"), row.get("symbol"))


def _key_faults(document: Document, place: Place, row: Any, needed: set[str], known: set[str]) -> list[Fault]:
    if not isinstance(row, dict):
        return [document.fault(place, "is not a mapping", f"expected the keys {', '.join(sorted(known))}")]
    missing = [document.fault(place, f"the key {key!r} is missing") for key in sorted(needed - set(row))]
    extra = [document.fault((*place, key), "unknown key" + nearest(key, known)) for key in row if key not in known]
    return missing + extra


def _name_fault(document: Document, place: Place, word: str, known: set[str], later: Mapping[str, Any]) -> Fault:
    if word in later:
        return document.fault(place, f"{word!r} is a formula further down", f"move {word!r} above this line")
    mend = f"the words that exist here: {', '.join(sorted(known))}"
    return document.fault(place, f"unknown name {word!r}{nearest(word, known)}", mend)


def parse(text: Any) -> Tree:
    """The tree of one line of arithmetic. Raises ValueError naming what is not allowed in it."""
    if not isinstance(text, str):
        raise ValueError("is a list or a mapping, expected text")
    try:
        return _tree(ast.parse(text, mode="eval").body)
    except SyntaxError as error:
        raise ValueError(f"{text!r} is not arithmetic ({error.msg})") from error
    except RecursionError as error:
        raise ValueError("the line is nested too deeply") from error


def _tree(node: ast.expr) -> Tree:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool) and math.isfinite(value):
            return float(value)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
            return (BINARY[type(op)], _tree(left), _tree(right))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return ("neg", _tree(operand))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS and args:
            if name == "ceil" and len(args) != 1:
                raise ValueError("ceil takes one argument")
            return (name, *map(_tree, args))
    raise ValueError(f"{ast.unparse(node)!r} is not allowed in a formula")
