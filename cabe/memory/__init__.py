"""What is computed: formulas, estimates and verdicts. All arithmetic about memory stands in `data/formulas.yaml`."""

from cabe.memory.answers import answer
from cabe.memory.estimates import PARTS, Estimates, estimate
from cabe.memory.formulas import Formula, Formulas, Input, Tree, evaluate, evaluate_one, names, read_formulas
from cabe.memory.verdicts import Room, Verdict, largest_by_rule, room, verdict_by_rule, verdict_by_states

__all__ = [
    "PARTS",
    "Estimates",
    "Formula",
    "Formulas",
    "Input",
    "Room",
    "Tree",
    "Verdict",
    "answer",
    "estimate",
    "evaluate",
    "evaluate_one",
    "largest_by_rule",
    "names",
    "read_formulas",
    "room",
    "verdict_by_rule",
    "verdict_by_states",
]
