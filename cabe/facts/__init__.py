"""What is known: models, devices, methods, set-ups and cited figures, each with its source."""

from cabe.facts.config import Stated, is_path, read_config
from cabe.facts.devices import Device, Hint
from cabe.facts.entry import entry, given_faults, to_be_filled
from cabe.facts.lookup import find, nearest
from cabe.facts.measured import Measured, card_of
from cabe.facts.models import Shape, is_size
from cabe.facts.read import read_facts
from cabe.facts.resolution import (
    BILLION,
    LONG_PROMPT,
    MODULES,
    MOST,
    Answerable,
    Subject,
    answerable,
    beyond_the_context,
    estimated_models,
    filled,
    find_subject,
    modules_of,
    problems,
    value_problem,
    values_of,
)
from cabe.facts.rules import When, holds
from cabe.facts.setups import OPTIONS, Run, RunList, Setup, setup_from
from cabe.facts.shape_text import field_defaults, field_kinds, is_shape_text, read_shape_text
from cabe.facts.tables import Facts

__all__ = [
    "BILLION",
    "LONG_PROMPT",
    "MODULES",
    "MOST",
    "OPTIONS",
    "Answerable",
    "Device",
    "Facts",
    "Hint",
    "Measured",
    "Run",
    "RunList",
    "Setup",
    "Shape",
    "Stated",
    "Subject",
    "When",
    "answerable",
    "beyond_the_context",
    "card_of",
    "entry",
    "estimated_models",
    "field_defaults",
    "field_kinds",
    "filled",
    "find",
    "find_subject",
    "given_faults",
    "holds",
    "is_path",
    "is_shape_text",
    "is_size",
    "modules_of",
    "nearest",
    "problems",
    "read_config",
    "read_facts",
    "read_shape_text",
    "setup_from",
    "to_be_filled",
    "value_problem",
    "values_of",
]
