"""What is computed: formulas, estimates and verdicts. All arithmetic about memory stands in `data/formulas.yaml`."""

from cabe.memory.accuracy import (
    GROUPS,
    SCOPES,
    UNDER,
    Compared,
    Coverage,
    Errors,
    compare,
    coverage_of,
    errors_of,
    grouped,
    scope_of,
)
from cabe.memory.answers import answer, answers, unpacked_experts
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
from cabe.memory.slack import HeldOut, Line, SlackFit, cross_fit, fit_slack
from cabe.memory.table import read_setups
from cabe.memory.thresholds import Band, bands, predicted_outcomes, separating_shares
from cabe.memory.verdicts import Room, Verdict, largest_by_rule, room, verdict_by_peak, verdict_by_rule

__all__ = [
    "AT_THE_PEAK",
    "GROUPS",
    "PARTS",
    "PHASES",
    "PROVIDED",
    "SCOPES",
    "SOLVERS",
    "STATES",
    "UNDER",
    "Band",
    "Compared",
    "Coverage",
    "Errors",
    "Estimates",
    "Formula",
    "Formulas",
    "HeldOut",
    "Input",
    "Instants",
    "Line",
    "Room",
    "SlackFit",
    "Tree",
    "Verdict",
    "answer",
    "answers",
    "bands",
    "compare",
    "counts",
    "coverage_of",
    "cross_fit",
    "errors_of",
    "estimate",
    "estimate_table",
    "evaluate",
    "evaluate_one",
    "fit_slack",
    "grouped",
    "instants",
    "largest_by_rule",
    "names",
    "predicted_outcomes",
    "read_formulas",
    "read_setups",
    "room",
    "scope_of",
    "separating_shares",
    "solve",
    "suggestions",
    "unpacked_experts",
    "verdict_by_peak",
    "verdict_by_rule",
    "with_configs",
]
