"""`data/formulas.yaml`: one-line arithmetic, parsed to trees and evaluated over columns.

A tree is what the calculators get as JSON: a name, a number, or a list of an operator and its arguments
(`["*", "trainable_params", "gradient_bytes"]`). The operators are exact or correctly rounded in IEEE 754, so two
evaluators that walk the same tree in the same order agree to the last bit.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from cabe.facts.lookup import nearest
from cabe.facts.record import MOST_NUMBER, to_day, to_text
from cabe.memory.inputs import DEVICE_INPUTS, DRIVER_INPUTS, PROVIDED
from cabe.reading import Document, Fault, Faults, Place, read_yaml

Tree = str | float | tuple[Any, ...]
Column = Any  # a float64 array, or one float
Compute = Callable[[Mapping[str, Column]], Column]

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
KEYS = {"unit", "is", "source", "part", "symbol", "instant"}
MAX_LENGTH, MAX_DEPTH = 2000, 100  # of a line; evaluation takes a frame of Python's stack for each level
PARTS = (
    "frozen_weights",
    "trainable_weights",
    "gradients",
    "master_weights",
    "optimizer_states",
    "activations",
    "logits",
    "kv_cache",
    "temporaries",
)
STATES = ("frozen_weights", "trainable_weights", "gradients", "master_weights", "optimizer_states")
AT_THE_PEAK = ("gradients", "activations", "logits", "kv_cache", "temporaries")  # they differ from instant to instant
LASTING = tuple(part for part in STATES if part not in AT_THE_PEAK)  # parts that stay through a step
PHASES = ("forward/layers", "forward/logits", "backward/logits", "backward/layers", "backward/embed", "optimizer")
GOES_ON = {"inference": "step"}  # a group that may use the formulas of another, which is evaluated before it
PHASES_OF: Mapping[str, tuple[str, ...]] = {"step": PHASES, "inference": ("inference",)}


@dataclass(frozen=True)
class Formula:
    """One line: its tree, the unit of the result and its source.

    `part` and `instant` say which component of which phase it is, `symbol` the letter that pages write for it,
    `section` where it stands in its group.
    """

    name: str
    unit: str
    tree: Tree
    source: str
    part: str | None = None
    symbol: str | None = None
    instant: str | None = None
    section: str = ""

    @cached_property
    def compute(self) -> Compute:
        """From columns by name to the result, which is the tree walked once: a build computes it a thousand times."""
        return _computed(self.tree)

    def __getstate__(self) -> dict[str, object]:
        """What another process gets: it makes the function anew, since no pickle takes one."""
        return {name: value for name, value in vars(self).items() if name != "compute"}


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
        return self._named[name] if name in self._named else self.inputs[name]

    @cached_property
    def _named(self) -> Mapping[str, Formula]:
        return {formula.name: formula for group in self.groups.values() for formula in group}


def evaluate(formulas: Sequence[Formula], inputs: pd.DataFrame) -> pd.DataFrame:
    """One float64 column per formula, in order, for the rows of `inputs` (a float64 column per input name)."""
    given = {str(name): inputs[name].to_numpy(dtype="float64") for name in inputs.columns}
    made = results(formulas, given)
    columns = {formula.name: np.broadcast_to(made[formula.name], len(inputs)) for formula in formulas}
    return pd.DataFrame(columns, index=inputs.index)


def evaluate_one(formulas: Sequence[Formula], inputs: Mapping[str, float]) -> dict[str, float]:
    """The results by name for one set of inputs."""
    made = results(formulas, inputs)
    return {formula.name: float(made[formula.name]) for formula in formulas}


def results(formulas: Sequence[Formula], inputs: Mapping[str, Column]) -> dict[str, Column]:
    """Inputs and results by name: float64 columns of one length, or single numbers."""
    columns = dict(inputs)
    with np.errstate(divide="ignore", invalid="ignore"):
        for formula in formulas:
            columns[formula.name] = formula.compute(columns)
    return columns


def names(tree: Tree) -> Iterator[str]:
    """Every name in a tree, from left to right."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, tuple):
        for child in tree[1:]:
            yield from names(child)


def _computed(tree: Tree) -> Compute:
    """A tree as nested functions, half as long to call as the tree is to walk."""
    if isinstance(tree, str):
        return itemgetter(tree)
    if not isinstance(tree, tuple):
        return lambda _: tree
    operator, arguments = OPERATORS[tree[0]], tuple(map(_computed, tree[1:]))
    if len(arguments) == 2:
        left, right = arguments
        return lambda columns: operator(left(columns), right(columns))
    return lambda columns: operator(*[argument(columns) for argument in arguments])


NEEDED: Mapping[str, tuple[str, ...]] = {  # formulas that other code takes by name
    "rule": ("rule_gb", "rule"),
    "reverse": ("largest_billions",),
    "step": ("trainable_params", "trainable_share", "adapter_scale", *STATES, "resident", "states"),
    "inference": (),
    "driver": ("driver_mid", "driver_high"),
    "planned": ("planned_states_gb", "planned_total_gb"),
    "served": ("served_weights_gb", "served_total_gb"),
    "devices": ("device_memory", "usable"),
}
SUPPLIED: Mapping[str, frozenset[str]] = {  # the inputs that a group is evaluated with; the step gets all the others
    "rule": frozenset({"billions", "rule_slope", "rule_constant"}),
    "reverse": frozenset({"usable_gb", "rule_slope", "rule_constant"}),
    "driver": frozenset(DRIVER_INPUTS),
    "planned": frozenset({"billions", "bytes_per_parameter", "activations_gb"}),
    "served": frozenset({"billions", "bytes_per_parameter", "cache_gb", "overhead_percent"}),
    "devices": frozenset(DEVICE_INPUTS),
}


def read_formulas(root: Path, provided: Collection[str] = PROVIDED) -> Formulas:
    """The formulas below `root`/data. Raises Faults with every unknown, unused or misplaced name.

    `provided` names the inputs that facts and set-ups have; where there are any, other inputs, and groups, formulas
    and parts that the estimates cannot do without, are looked at as well.
    """
    document = read_yaml(root / "data" / "formulas.yaml", root)
    value = document.value if isinstance(document.value, dict) else {}
    faults: list[Fault] = []
    try:
        to_day(value.get("read", ""))
    except ValueError as error:
        faults.append(document.fault(("read",), str(error), "state the day on which the formulas were read"))
    inputs = dict(_inputs(document, value.get("inputs"), faults))
    taken = set(inputs)
    groups = {
        name: tuple(_group(document, name, rows, inputs, _names_above(value, name), taken, faults))
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
    if not faults and provided:
        faults += _misfits(document, inputs, groups, provided)
    if faults:
        raise Faults(faults)
    return Formulas(str(value.get("read", "")), MappingProxyType(inputs), MappingProxyType(groups))


def _misfits(
    document: Document,
    inputs: Mapping[str, Input],
    groups: Mapping[str, tuple[Formula, ...]],
    provided: Collection[str],
) -> list[Fault]:
    """Inputs that nothing provides, and formulas that the estimates need and that are gone."""
    gone = [
        document.fault((group, name), "the formula is missing", "the estimates use it")
        for group, names_needed in NEEDED.items()
        for name in names_needed
        if name not in {formula.name for formula in groups.get(group, ())}
    ]
    gone += [
        document.fault((group,), "unknown group", f"expected one of {', '.join(NEEDED)}")
        for group in groups
        if group not in NEEDED
    ]
    gone += _unsupplied(document, groups, provided)
    gone += [fault for group in PHASES_OF for fault in _part_faults(document, group, groups.get(group, ()))]
    gone += _partless(document, groups)
    mend = f"inputs that they provide: {', '.join(sorted(provided))}"
    return gone + [
        document.fault(("inputs", name), "neither facts nor set-ups provide this input", mend)
        for name in inputs
        if name not in provided
    ]


def _unsupplied(
    document: Document, groups: Mapping[str, tuple[Formula, ...]], provided: Collection[str]
) -> list[Fault]:
    """Inputs that exist, but not where this group is evaluated."""
    step = frozenset(provided) - frozenset().union(*SUPPLIED.values())
    return [
        document.fault(
            (*_place(group, formula), "is"),
            f"the group {group} does not get the input {name!r}",
            f"inputs that it gets: {', '.join(sorted(SUPPLIED.get(group, step)))}",
        )
        for group, formulas in groups.items()
        for formula in formulas
        for name in dict.fromkeys(names(formula.tree))
        if name in provided and name not in SUPPLIED.get(group, step) and group in NEEDED
    ]


def _part_faults(document: Document, group: str, lines: Sequence[Formula]) -> list[Fault]:
    """Components are found by `part`, and under the name of it: one that is mislabelled would vanish from a chart."""
    faults = []
    phases = PHASES_OF[group]
    for formula in lines:
        place = _place(group, formula)
        known = AT_THE_PEAK if formula.instant else LASTING
        if formula.instant and formula.instant not in phases:
            what = f"unknown instant {formula.instant!r}{nearest(formula.instant, phases)}"
            faults.append(document.fault((*place, "instant"), what, f"expected one of {', '.join(phases)}"))
        if formula.instant and not formula.part:
            faults.append(document.fault(place, "the key 'part' is missing", f"expected one of {', '.join(known)}"))
        elif formula.part and formula.part not in known:
            what = f"unknown part {formula.part!r}{nearest(formula.part, known)}"
            faults.append(document.fault((*place, "part"), what, f"expected one of {', '.join(known)}"))
        elif formula.part and formula.instant and not formula.name.endswith(f"_{formula.part}"):
            mend = f"rename it to <instant>_{formula.part}"
            faults.append(document.fault(place, "the name does not end with its part", mend))
        elif formula.part and not formula.instant and formula.name != formula.part:
            mend = f"only the formula {formula.part} is that part"
            faults.append(document.fault((*place, "part"), f"this formula is not {formula.part!r}", mend))
        elif formula.name in LASTING and not formula.part:
            faults.append(document.fault(place, "the key 'part' is missing", f"expected `part: {formula.name}`"))
    return faults


def _partless(document: Document, groups: Mapping[str, tuple[Formula, ...]]) -> list[Fault]:
    """Parts that no instant has."""
    seen = {formula.part for group in PHASES_OF for formula in groups.get(group, ()) if formula.instant}
    return [
        document.fault(("step",), f"no instant has the part {part!r}", "the estimates use it")
        for part in AT_THE_PEAK
        if part not in seen
    ]


def _place(group: str, formula: Formula) -> Place:
    return (group, formula.section, formula.name) if formula.section else (group, formula.name)


def _inputs(document: Document, rows: Any, faults: list[Fault]) -> Iterator[tuple[str, Input]]:
    if not isinstance(rows, dict):
        faults.append(document.fault(("inputs",), "is missing or not a mapping", "list the inputs with their units"))
        return
    for name, row in rows.items():
        faults += _key_faults(document, ("inputs", name), row, {"unit"}, {"unit", "symbol"})
        if isinstance(row, dict):
            yield name, Input(name, row.get("unit", ""), row.get("symbol"))


def _group(
    document: Document,
    group: str,
    rows: Any,
    inputs: Mapping[str, Input],
    above: set[str],
    taken: set[str],
    faults: list[Fault],
) -> Iterator[Formula]:
    if not isinstance(rows, dict):
        faults.append(document.fault((group,), "is not a group of formulas", "expected `name: {unit, is, source}`"))
        return
    known = set(inputs) | above
    for place, row in _lines(group, rows):
        name = str(place[-1])
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
        later = {str(other[-1]) for other, _ in _lines(group, rows)}
        broken += [_name_fault(document, (*place, "is"), word, known, later) for word in unknown]
        faults += broken
        known.add(name)
        taken.add(name)
        if not broken:
            section = str(place[1]) if len(place) > 2 else ""
            rest = (row.get("part"), row.get("symbol"), row.get("instant"), section)
            yield Formula(name, row["unit"], tree, row["source"], *rest)


def _names_above(value: Mapping[str, Any], group: str) -> set[str]:
    """The formulas of the group that this one goes on from."""
    rows = value.get(GOES_ON.get(group, ""))
    return {str(place[-1]) for place, _ in _lines(group, rows)} if isinstance(rows, dict) else set()


def _lines(group: str, rows: Mapping[str, Any]) -> Iterator[tuple[Place, Any]]:
    """The formulas of a group with their places; a group may hold sections, which are mappings of formulas."""
    for name, row in rows.items():
        if isinstance(row, dict) and row and all(isinstance(line, dict) for line in row.values()):
            yield from (((group, name, line_name), line) for line_name, line in row.items())
        else:
            yield (group, name), row


def _key_faults(document: Document, place: Place, row: Any, needed: set[str], known: set[str]) -> list[Fault]:
    if not isinstance(row, dict):
        return [document.fault(place, "is not a mapping", f"expected the keys {', '.join(sorted(known))}")]
    missing = [document.fault(place, f"the key {key!r} is missing") for key in sorted(needed - set(row))]
    extra = [document.fault((*place, key), "unknown key" + nearest(key, known)) for key in row if key not in known]
    return missing + extra + _text_faults(document, place, row, known - {"is"})  # `is` is parsed


def _text_faults(document: Document, place: Place, row: Mapping[str, Any], keys: set[str]) -> list[Fault]:
    faults = []
    for key in sorted(keys & set(row)):
        try:
            to_text(row[key])
        except ValueError as error:
            faults.append(document.fault((*place, key), str(error)))
    return faults


def _name_fault(document: Document, place: Place, word: str, known: set[str], later: set[str]) -> Fault:
    if word in later:
        return document.fault(place, f"{word!r} is a formula further down", f"move {word!r} above this line")
    mend = f"the words that exist here: {', '.join(sorted(known))}"
    return document.fault(place, f"unknown name {word!r}{nearest(word, known)}", mend)


TOO_DEEP = "the line is nested too deeply, expected fewer steps: name one of them on a line of its own"


def parse(text: Any) -> Tree:
    """The tree of one line of arithmetic. Raises ValueError naming what is not allowed in it."""
    if not isinstance(text, str):
        raise ValueError("is a list or a mapping, expected text")
    if len(text) > MAX_LENGTH:
        raise ValueError(f"the line has {len(text)} characters, expected at most {MAX_LENGTH}: name a step of its own")
    try:
        tree = _tree(ast.parse(text, mode="eval").body)
    except SyntaxError as error:
        raise ValueError(f"{text!r} is not arithmetic ({error.msg})") from error
    except (RecursionError, MemoryError) as error:  # MemoryError: the parser's own stack
        raise ValueError(TOO_DEEP) from error
    if _depth(tree) > MAX_DEPTH:
        raise ValueError(TOO_DEEP)
    return tree


def _depth(tree: Tree) -> int:
    return 1 + max(map(_depth, tree[1:])) if isinstance(tree, tuple) else 0


def _tree(node: ast.expr) -> Tree:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool) and abs(value) <= MOST_NUMBER:
            return float(value)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
            return (BINARY[type(op)], _tree(left), _tree(right))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return ("neg", _tree(operand))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS and args:
            if name == "ceil" and len(args) != 1:
                raise ValueError("ceil takes one argument")
            return (name, *map(_tree, args))
    text = ast.unparse(node)
    raise ValueError(f"{text if len(text) < 80 else text[:60] + '…'!r} is not allowed in a formula")
