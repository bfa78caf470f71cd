"""Mistakes between records that are sound by themselves: what is missing, and options that no set-up could have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cabe.facts.devices import Device
from cabe.facts.lookup import nearest
from cabe.facts.measured import Measured
from cabe.facts.models import is_size
from cabe.facts.outcomes import Outcome
from cabe.facts.record import to_number
from cabe.facts.resolution import COUNTS, Problem, filled, problems, value_problem, values_of
from cabe.facts.rows import fault_at
from cabe.facts.rules import Change, Conflict, conditions_of, value_of
from cabe.facts.setups import OPTIONS, setup_from
from cabe.facts.tables import Facts
from cabe.reading import Document, Fault, Place

NEEDED: Mapping[str, tuple[str, ...]] = {  # records that code takes by name
    "methods": ("lora", "qlora", "full", "inference"),
    "quantizations": ("none",),
    "slacks": ("training", "inference"),
    "verdicts": ("fits", "tight"),
}
WITHOUT_DEFAULT = ("model", "gradient-dtype", "quantization", "kbit-prep", "prompt")  # it follows from other options
CONDITIONS = tuple(
    name for name in OPTIONS if name not in ("model", "gradient-dtype", "prompt")
)  # every set-up has them
NUMBERS = (*COUNTS, "lora_dropout", "alpha")


def missing_records(document: Document, facts: Facts) -> Iterator[Fault]:
    """Records that estimates take by name."""
    for table, needed in NEEDED.items():
        for name in needed:
            if name not in getattr(facts, table):
                yield fault_at(document, (table,), f"{name!r} is missing", "the estimates use it")
    if not {"fits", "tight"} - set(facts.verdicts) and facts.verdicts["fits"].share > facts.verdicts["tight"].share:
        yield fault_at(document, ("verdicts",), "'fits' ends above 'tight'", "give 'fits' the smaller share")


def option_faults(document: Document, facts: Facts) -> Iterator[Fault]:
    """Options that no set-up has, and defaults that none could have."""
    for index, option in enumerate(facts.options.values()):
        place: Place = ("options", index)
        if option.id not in OPTIONS:
            what = f"there is no option {option.id!r}{nearest(option.id, OPTIONS)}"
            yield fault_at(document, (*place, "id"), what, f"expected one of {', '.join(OPTIONS[1:])}")
        elif option.default is not None:
            if what := _value_problem(facts, option.id, option.default):
                yield fault_at(document, (*place, "default"), what)
        elif option.id not in WITHOUT_DEFAULT:
            yield fault_at(
                document, place, f"the default of {option.id!r} is missing", "add it; a set-up may leave it out"
            )
    for name in OPTIONS:
        if name not in facts.options and name not in WITHOUT_DEFAULT:
            yield fault_at(
                document, ("options",), f"the option {name!r} is missing", f"add `{{id: {name}, default: …}}`"
            )


def rule_faults(document: Document, facts: Facts) -> Iterator[Fault]:
    """Conflicts and changes of an option that does not exist, or that ask for or set what it cannot be."""
    tables: dict[str, Sequence[Conflict | Change]] = {
        "conflicts": list(facts.conflicts.values()),
        "changes": list(facts.changes.values()),
    }
    for key, rules in tables.items():
        for index, rule in enumerate(rules):
            found: list[tuple[Place, str]] = [
                (("when", name), what)
                for name, one in conditions_of(rule.when)
                if (what := _option_problem(name, CONDITIONS) or _condition_problem(facts, name, one))
            ]
            if isinstance(rule, Conflict):
                found.append((("option",), _option_problem(rule.option, OPTIONS[1:])))
            else:
                found += [
                    (("to", name), _option_problem(name, OPTIONS[1:]) or _listed_problem(facts, name, value))
                    for name, value in rule.to.items()
                ]
            yield from (fault_at(document, (key, index, *place), what) for place, what in found if what)


def key_faults(document: Document, facts: Facts) -> Iterator[Fault]:
    """Keys of training configurations that stand for an option that does not exist, or for a value it cannot have."""
    for index, key in enumerate(facts.config_keys.values()):
        place: Place = ("config_keys", index)
        if key.option and (what := _option_problem(key.option, OPTIONS) if key.option != "model" else ""):
            yield fault_at(document, (*place, "option"), what)
        for inside, option, value in key.sets():
            if what := _option_problem(option, OPTIONS[1:]) or _listed_problem(facts, option, value):
                yield fault_at(document, (*place, *inside), what)


def _option_problem(name: str, known: Sequence[str]) -> str:
    """What keeps a rule from naming an option: there is none, or it is the model, or one that has no default."""
    if name in known:
        return ""
    if name in OPTIONS:
        why = "names what a set-up is about" if name == "model" else "has no value where it is not given"
        return f"{name} {why}, so that no rule can use it; name another option"
    return f"there is no option {name!r}{nearest(name, known)}"


def _condition_problem(facts: Facts, name: str, condition: str) -> str:
    """What keeps a condition from ever being met, or from being asked at all."""
    value, is_number = value_of(condition), name.replace("-", "_") in NUMBERS
    if is_number != condition.startswith("above "):
        kind = "a number, expected `above n`" if is_number else "no number, expected a value, or `not` a value"
        return f"{name} is {kind}"
    return _number_problem(value) if is_number else _listed_problem(facts, name, value)


def _number_problem(text: str) -> str:
    try:
        to_number(text)
    except ValueError as error:
        return str(error)
    return ""


def _listed_problem(facts: Facts, name: str, value: str) -> str:
    """As `_value_problem`, for options whose values are listed: rules have no use for others."""
    known = values_of(facts, name.replace("-", "_"))
    if known and value not in known:
        return f"{name} has no value {value!r}{nearest(value, known)}; expected one of {', '.join(known)}"
    return _value_problem(facts, name, value)


def _value_problem(facts: Facts, name: str, value: str) -> str:
    """What is wrong with a value of an option, given as text; nothing where it is sound."""
    try:
        setup = setup_from({"model": "-", name: value})
    except ValueError as error:
        return str(error).removeprefix(f"{name}: ")
    field = name.replace("-", "_")
    return value_problem(facts, field, getattr(setup, field)) or ""


def setup_faults(document: Document, key: str, facts: Facts) -> Iterator[Fault]:
    """Published runs whose set-up no estimate can answer, or that is not that of the run."""
    for index, point in enumerate(getattr(facts, key).values()):
        if point.setup:
            found = [*problems(facts, point.setup), *_unlike(facts, point)]
            yield from (fault_at(document, (key, index, "setup", option), what) for option, what in found)


def _unlike(facts: Facts, point: Measured | Outcome) -> Iterator[Problem]:
    """What estimates answer, but not for this run: a size has no peak to compare with, and a method is another."""
    if not point.setup:
        return
    if is_size(point.setup.model):
        yield "model", f"{point.setup.model} is a size, which has no peak to compare with; name a model"
    method = filled(facts, point.setup)["method"]
    if isinstance(point, Measured) and method != point.method:
        yield "method", f"is {method}, but the run's own method is {point.method}; they must be the same"


def hint_faults(document: Document, facts: Facts) -> Iterator[Fault]:
    """Hints whose rule asks for what devices do not have."""
    fields = [name.replace("_", "-") for name in Device.model_fields]
    for index, hint in enumerate(facts.hints.values()):
        for name, condition in conditions_of(hint.when):
            place: Place = ("hints", index, "when", name)
            if name not in fields:
                what = f"devices have no {name!r}{nearest(name, fields)}"
                yield fault_at(document, place, what, f"expected one of {', '.join(fields)}")
            elif condition.startswith("above ") and (what := _number_problem(value_of(condition))):
                yield fault_at(document, place, what)


def pick_faults(document: Document, facts: Facts) -> Iterator[Fault]:
    """Models and devices that stand for all others, but have no page."""
    if "catalogue" not in facts.picks:
        yield fault_at(document, ("picks",), "'catalogue' is missing", "pages of models and devices use it")
    for index, pick in enumerate(facts.picks.values()):
        for key, named in (("models", pick.models), ("devices", pick.devices)):
            if not named:
                yield fault_at(document, ("picks", index, key), "is empty", "name at least one")
        unmodelled = [one for one in pick.models if facts.architectures[facts.models[one].architecture].unmodelled]
        nominal = [one for one in pick.devices if facts.devices[one].kind == "nominal"]
        for key, others in (("models", unmodelled), ("devices", nominal)):
            for one in others:
                yield fault_at(document, ("picks", index, key), f"{one} has no page", "name one that has")


def row_faults(document: Document, facts: Facts) -> Iterator[Fault]:
    """Outcomes beyond the rows of their benchmark, or of a row that stands there already."""
    seen: dict[tuple[str, int], str] = {}
    for index, one in enumerate(facts.outcomes.values()):
        place: Place = ("outcomes", index, "row")
        rows = facts.benchmarks[one.benchmark].rows
        if one.row > rows:
            yield fault_at(document, place, f"{one.row} is beyond the {rows} rows of {one.benchmark}")
        first = seen.setdefault((one.benchmark, one.row), one.id)
        if first != one.id:
            yield fault_at(document, place, f"row {one.row} of {one.benchmark} is {first} already")


def run_faults(document: Document, facts: Facts) -> Iterator[Fault]:
    """Runs that no estimate can answer, with the option that is to blame."""
    for index, run_list in enumerate(facts.run_lists.values()):
        for number, run in enumerate(run_list.runs):
            place: Place = ("run_lists", index, "runs", number)
            if not run.model and not run_list.models:
                yield fault_at(document, (*place, "model"), "is missing", "name a model, or give the list its models")
            for model in run_list.models or (run.model,):
                for option, what in problems(facts, run.model_copy(update={"model": model})) if model else ():
                    yield fault_at(document, (*place, option), what)
            for option, what in problems(facts, run.low) if run.low else ():
                yield fault_at(document, (*place, "low", option), what)
