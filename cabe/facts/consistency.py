"""Mistakes between records that are sound by themselves: what is missing, and options that no set-up could have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cabe.facts.lookup import nearest
from cabe.facts.methods import Option
from cabe.facts.resolution import problems, value_problem, values_of
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
            yield from (fault_at(document, (*place, "default"), what) for what in _default_problems(facts, option))
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
    """Conflicts and changes that name an option, or a value of one, that does not exist."""
    tables: dict[str, Sequence[Conflict | Change]] = {
        "conflicts": list(facts.conflicts.values()),
        "changes": list(facts.changes.values()),
    }
    for key, rules in tables.items():
        for index, rule in enumerate(rules):
            named = [("when", name, value_of(one)) for name, one in conditions_of(rule.when)]
            if isinstance(rule, Conflict):
                named.append(("option", rule.option, ""))
            else:
                named += [("to", name, value) for name, value in rule.to.items()]
            for field, name, value in named:
                place: Place = (key, index, field) if field == "option" else (key, index, field, name)
                known = values_of(facts, name.replace("-", "_"))
                if name not in OPTIONS:
                    yield fault_at(document, place, f"there is no option {name!r}{nearest(name, OPTIONS)}")
                elif value and known and value not in known:
                    what = f"{name} has no value {value!r}{nearest(value, known)}"
                    yield fault_at(document, place, what, f"expected one of {', '.join(known)}")


def _default_problems(facts: Facts, option: Option) -> Iterator[str]:
    try:
        setup = setup_from({"model": "-", option.id: option.default or ""})
    except ValueError as error:
        yield str(error).removeprefix(f"{option.id}: ")
        return
    name = option.id.replace("-", "_")
    if what := value_problem(facts, name, getattr(setup, name)):
        yield what


def setup_faults(document: Document, key: str, facts: Facts) -> Iterator[Fault]:
    """Published runs whose set-up no estimate can answer."""
    for index, point in enumerate(getattr(facts, key).values()):
        for option, what in problems(facts, point.setup) if point.setup else ():
            yield fault_at(document, (key, index, "setup", option), what)


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
