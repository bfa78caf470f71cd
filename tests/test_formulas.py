"""Formulas: one line of arithmetic to a tree, a tree to columns, a tree to what readers see."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from cabe.memory import AT_THE_PEAK, PHASES, Formula, Formulas, evaluate, instants, names, read_formulas
from cabe.memory.formulas import parse
from cabe.pages.mathml import Node, Reader, nodes
from cabe.reading import Faults
from tests.conftest import Edit

HEAD = "read: 2026-01-01\ninputs:\n  a: {unit: bytes}\n  b: {unit: bytes, symbol: B}\nstates:\n"


def written(folder: Path, lines: str) -> Path:
    (folder / "data").mkdir()
    (folder / "data" / "formulas.yaml").write_text(HEAD + lines, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a", "a"),
        ("12", 12.0),
        ("a + b * 2", ("+", "a", ("*", "b", 2.0))),
        ("(a + b) * 2", ("*", ("+", "a", "b"), 2.0)),
        ("a - b - 1", ("-", ("-", "a", "b"), 1.0)),
        ("-a", ("neg", "a")),
        ("max(a, b, 3)", ("max", "a", "b", 3.0)),
        ("ceil(a / 64)", ("ceil", ("/", "a", 64.0))),
    ],
)
def test_a_line_becomes_a_tree(text: str, tree: Any) -> None:
    assert parse(text) == tree


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a ** 2", "not allowed"),
        ("a // b", "not allowed"),
        ("abs(a)", "not allowed"),
        ("a.b", "not allowed"),
        ("a if b else 1", "not allowed"),
        ("a < b", "not allowed"),
        ("'a'", "not allowed"),
        ("True", "not allowed"),
        ("max(a, key=b)", "not allowed"),
        ("ceil(a, b)", "one argument"),
        ("1e999", "not allowed"),
        ("a +", "not arithmetic"),
        ("__import__('os')", "not allowed"),
        ("(" * 300 + "a" + ")" * 300, "not arithmetic"),
        ("a + " + "9" * 400, "not allowed"),
        ("-" * 100_000 + "a", "100001 characters, expected at most 2000"),
        ("-" * 1500 + "a", "nested too deeply"),
        ("a" + " + 0" * 300, "nested too deeply"),
    ],
)
def test_anything_but_arithmetic_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text)


def test_a_tree_is_evaluated_over_columns() -> None:
    formulas = (
        Formula("sum", "bytes", parse("a + b"), ""),
        Formula("most", "bytes", parse("max(sum, 10) - ceil(b / 2)"), ""),
    )
    made = evaluate(formulas, pd.DataFrame({"a": [1.0, 20.0], "b": [3.0, 5.0]}))
    assert made.to_dict("list") == {"sum": [4.0, 25.0], "most": [8.0, 22.0]}


def test_the_names_of_a_tree_come_from_left_to_right() -> None:
    assert list(names(parse("a * (b + max(c, 2)) - a"))) == ["a", "b", "c", "a"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("  x: {unit: bytes, is: a + c + b, source: s}", "states.x.is: unknown name 'c'"),
        ("  x: {unit: bytes, is: a * 2, source: s}", "inputs.b: no formula uses this input"),
        (
            "  x: {unit: bytes, is: y + a + b, source: s}\n  y: {unit: bytes, is: a, source: s}",
            "'y' is a formula further",
        ),
        ("  a: {unit: bytes, is: a + b, source: s}", "the name is taken"),
        ("  x: {unit: bytes, is: a + b}", "the key 'source' is missing"),
        ("  x: {unit: bytes, is: a ** b, source: s}", r"states.x.is: 'a \*\* b' is not allowed"),
    ],
)
def test_a_wrong_name_is_named_with_its_place(lines: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(Faults, match=message) as raised:
        read_formulas(written(tmp_path, lines), provided=())
    told = next(fault for fault in raised.value.faults if re.search(message, str(fault)))
    assert told.file == "data/formulas.yaml"
    assert told.line > 1


RENAMED = (("master_weights:", "master_copy:"), ("+ master_weights +", "+ master_copy +"))
WRONG: list[tuple[list[tuple[str, str]], list[str]]] = [
    (
        [("planned:\n", "plannd:\n")],
        ["planned_states_gb: the formula", "planned_total_gb: the", "plannd: unknown group"],
    ),
    (
        [("  device_memory:", "  memory:"), ("is: device_memory *", "is: memory *")],
        ["devices.device_memory: the formula"],
    ),
    ([("  rule_gb:", "  gb:"), ("is: rule_gb *", "is: gb *")], ["rule.rule_gb: the formula is missing"]),
    (
        [("* usable_share -", "* usable_share * rank -")],
        ["devices.usable.is: the group devices does not get the input"],
    ),
    ([("symbol: N}", "symbol: [N]}")], ["inputs.billions.symbol: is a list"]),
    ([("symbol: M,", "symbol: [M],")], ["planned.planned_states_gb.symbol: is a list"]),
    ([("read: 2026-11-30", "read: banana")], ["read: 'banana' is not a date"]),
    ([("      part: master_weights\n", "")], ["master_weights: the key 'part' is missing"]),
    ([("part: master_weights", "part: gradients")], ["master_weights.part: unknown part 'gradients'"]),
    ([("part: master_weights", "part: frozen_weights")], ["master_weights.part: this formula is not 'frozen_weights'"]),
    (
        [(old, new) for old, new in (RENAMED[0], RENAMED[1], RENAMED[1])],
        ["step.master_weights: the formula is missing", "master_copy.part: this formula is not 'master_weights'"],
    ),
    (
        [("instant: optimizer", "instant: optimiser")],
        ["instant: unknown instant 'optimiser' (did you mean optimizer?)"],
    ),
    ([("    step_gradients:", "    step_grads:")], ["step_grads: the name does not end with its part"]),
]


@pytest.mark.parametrize(("edits", "says"), WRONG, ids=[one[1][0] for one in WRONG])
def test_formulas_that_the_estimates_could_not_use_are_told(
    edits: list[tuple[str, str]], says: list[str], sources: Path, edit: Edit
) -> None:
    for old, new in edits:
        edit("data/formulas.yaml", old, new)
    with pytest.raises(Faults) as raised:
        read_formulas(sources)
    assert len(raised.value.faults) == len(says)
    for fault, said in zip(raised.value.faults, says, strict=True):
        assert said in str(fault)


def test_the_parts_of_the_formulas_are_the_parts_of_a_breakdown(formulas: Formulas) -> None:
    step = formulas.groups["step"]
    assert [formula.part for formula in step if formula.part and not formula.instant] == [
        "frozen_weights",
        "trainable_weights",
        "master_weights",
        "optimizer_states",
    ]
    timed = [*step, *formulas.groups["inference"]]
    assert {formula.part for formula in timed if formula.instant} == set(AT_THE_PEAK)


def test_the_instants_of_a_step_follow_its_phases(formulas: Formulas) -> None:
    phases = [phase for phase, _ in instants(formulas.groups["step"]).values()]
    assert list(dict.fromkeys(phases)) == list(PHASES)


def text(node: Node) -> str:
    """A node as one line, with parentheses where the reader sees them."""
    inner = [text(child) for child in node.children]
    if node.kind == "group":
        return f"({inner[0]})"
    if node.kind == "fraction":
        return f"[{inner[0]}]/[{inner[1]}]"
    if node.kind == "call":
        return f"{node.text}({', '.join(inner)})"
    return node.text or " ".join(inner)


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("a + b * 2", "a-word + B × 2"),
        ("(a + b) * 2", "(a-word + B) × 2"),
        ("a - (b - 1)", "a-word − (B − 1)"),
        ("a - b - 1", "a-word − B − 1"),
        ("a * (b + 1) / 2", "[a-word × (B + 1)]/[2]"),
        ("-(a + b)", "− (a-word + B)"),
        ("a * -b", "a-word × (− B)"),
        ("max(a, b) + 1", "max(a-word, B) + 1"),
    ],
)
def test_readers_see_the_tree_with_its_parentheses(line: str, seen: str) -> None:
    one = {"a": Formula("a", "bytes", "a", ""), "b": Formula("b", "bytes", "b", "", symbol="B")}
    reader = Reader(one.__getitem__, lambda name: f"{name}-word", lambda value: f"{value:g}", {})
    assert text(nodes(parse(line), reader)) == seen
