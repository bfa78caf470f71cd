"""What is known: models, devices, methods, set-ups and cited figures, each with its source."""

from cabe.facts.lookup import find, nearest
from cabe.facts.read import Facts, read_facts
from cabe.facts.setups import OPTIONS, Run, Setup

__all__ = ["OPTIONS", "Facts", "Run", "Setup", "find", "nearest", "read_facts"]
