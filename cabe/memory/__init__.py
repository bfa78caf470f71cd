"""What is computed: formulas, estimates and verdicts. All arithmetic about memory stands in `data/formulas.yaml`."""

from cabe.memory.answers import answer, answers
from cabe.memory.estimates import Estimates, Instants, estimate, estimate_table, instants
from cabe.memory.formulas import (
    AT_THE_PEAK,
    PARTS,
    PHASES,
    STATES,
    Formula,
    Formulas,
    Input,
    Tree,
    evaluate,
    evaluate_one,
    names,
    read_formulas,
)
from cabe.memory.imported import counts, with_configs
from cabe.memory.inputs import PROVIDED
from cabe.memory.questions import SOLVERS, solve, suggestions
from cabe.memory.table import read_setups
from cabe.memory.verdicts import Room, Verdict, largest_by_rule, room, verdict_by_peak, verdict_by_rule

__all__ = [
    "AT_THE_PEAK",
    "PARTS",
    "PHASES",
    "PROVIDED",
    "SOLVERS",
    "STATES",
    "Estimates",
    "Formula",
    "Formulas",
    "Input",
    "Instants",
    "Room",
    "Tree",
    "Verdict",
    "answer",
    "answers",
    "counts",
    "estimate",
    "estimate_table",
    "evaluate",
    "evaluate_one",
    "instants",
    "largest_by_rule",
    "names",
    "read_formulas",
    "read_setups",
    "room",
    "solve",
    "suggestions",
    "verdict_by_peak",
    "verdict_by_rule",
    "with_configs",
]
