"""What is known: models, devices, methods, set-ups and cited figures, each with its source."""

from cabe.facts.lookup import find, nearest
from cabe.facts.read import read_facts
from cabe.facts.resolution import BILLION, MODULES, Answerable, Subject, answerable, find_subject, modules_of
from cabe.facts.setups import OPTIONS, Run, RunList, Setup, setup_from
from cabe.facts.tables import Facts

__all__ = [
    "BILLION",
    "MODULES",
    "OPTIONS",
    "Answerable",
    "Facts",
    "Run",
    "RunList",
    "Setup",
    "Subject",
    "answerable",
    "find",
    "find_subject",
    "modules_of",
    "nearest",
    "read_facts",
    "setup_from",
]
