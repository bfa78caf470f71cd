"""Set-ups made answerable: names looked up, defaults filled in, what is unknown or not modelled refused by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from cabe.facts.lookup import find, nearest
from cabe.facts.methods import Module
from cabe.facts.models import SIZE, SIZE_RANGE, Model, Shape, size_name
from cabe.facts.rules import holds
from cabe.facts.setups import Setup
from cabe.facts.tables import Facts
from cabe.reading import Faults

MODULES: tuple[str, ...] = get_args(Module)
BILLION = 1e9
TABLES = {  # options whose values are the ids of a table
    "method": "methods",
    "precision": "precisions",
    "dtype": "dtypes",
    "adapter_dtype": "dtypes",
    "gradient_dtype": "dtypes",
    "quantization": "quantizations",
    "optimizer": "optimizers",
    "loss": "losses",
    "sharding": "shardings",
    "kv_dtype": "cache_dtypes",
}
COUNTS = ("rank", "batch", "seq", "accumulation", "gpus", "prompt")  # whole numbers from 1 on
MOST = 10**9  # of a count: far beyond any run, and no product of them overflows

ADAPTER = ("rank", "alpha", "targets", "adapter_dtype", "lora_dropout")  # options that only an adapter has
TRAINING = (  # and those that only training has
    *ADAPTER,
    *("accumulation", "precision", "gradient_dtype", "kbit_prep", "optimizer", "step", "checkpointing", "loss"),
    *("kernels", "outputs"),
)
INFERENCE = ("prompt", "prefill_logits", "kv_dtype", "kv_cache")  # options that only a KV cache has

LONG_PROMPT = "is more than seq, the tokens of prompt and answer; expected at most as many, or a larger seq"

Problem = tuple[str, str]  # the option, and what is wrong with its value


@dataclass(frozen=True)
class Subject:
    """What a set-up is about: a model, a size, or a range of sizes; billions of parameters from `low` to `high`.

    `shape` lends a size its layers and widths; None for a size that no model is named for.
    """

    name: str
    low: float
    high: float
    shape: Shape | None
    is_size: bool

    @property
    def label(self) -> str:
        """The name as pages write it: a range with an en dash."""
        return self.name if self.low == self.high else self.name.replace("-", "–")


@dataclass(frozen=True)
class Answerable:
    """A set-up whose every name exists and whose every default is filled in."""

    subject: Subject
    options: Mapping[str, Any]


def answerable(facts: Facts, setup: Setup) -> Answerable:
    """The set-up with names resolved and defaults filled in.

    Raises ValueError with one line for each option that is unknown, not modelled, or at odds with another.
    """
    found = list(problems(facts, setup))
    if found:
        raise ValueError("\n".join(f"{option}: {what}" for option, what in found))
    subject = find_subject(facts, setup.model)
    return Answerable(subject, {**filled(facts, setup), "model": subject.name})


def problems(facts: Facts, setup: Setup) -> Iterator[Problem]:
    """What keeps a set-up from being answered, option by option."""
    subject = None
    try:
        subject = find_subject(facts, setup.model)
    except ValueError as error:
        yield from (("model", line) for line in str(error).splitlines())
    options = filled(facts, setup)
    for name, value in options.items():
        if name != "model" and (what := value_problem(facts, name, value)):
            yield name.replace("_", "-"), what
    yield from ((one.option, one.says) for one in facts.conflicts.values() if holds(one.when, options))
    yield from _idle(facts, options)
    if beyond_the_context(options):
        yield "prompt", LONG_PROMPT
    if subject:
        yield from _without(subject, options)
    if subject and subject.shape:
        yield from _untrained(facts, subject.shape, setup.model, options)


def beyond_the_context(options: Mapping[str, Any]) -> Any:
    """Whether more tokens are computed at once than there are: of one set-up a flag, of columns one flag a row."""
    return options["prompt"] > options["seq"] if "prompt" in options else False


def _without(subject: Subject, options: Mapping[str, Any]) -> Iterator[Problem]:
    """Towers or experts of a model that has none, or of a size, which is no model."""
    shape = None if subject.is_size else subject.shape
    if options["towers"] == "all" and not (shape and shape.tower_params):
        yield "towers", f"no vision or audio towers of {subject.name} are known; leave the option out"
    if options["experts"] == "loop" and not (shape and shape.expert_layers):
        yield "experts", f"no experts of {subject.name} are known; leave the option out"


def _untrained(facts: Facts, shape: Shape, name: str, options: Mapping[str, Any]) -> Iterator[Problem]:
    """Adapters on modules that the model does not have would train nothing."""
    method = facts.methods.get(options["method"])
    lacking = {}
    if not facts.architectures[shape.architecture].gated:
        lacking["gate"] = f"the MLP of {name} has no gate"
    stacks = _stacks(facts, shape, options)
    if not _has_other_linear_layers(facts, shape, stacks):
        lacking["other"] = f"{name} has no other linear layers than q, k, v, o and those of its MLP"
    if stacks == "out of reach" and shape.expert_layers == shape.num_layers and not shape.shared_expert_intermediate:
        lacking |= dict.fromkeys(("gate", "up", "down"), f"PEFT does not reach the experts of {name}")
    targets = modules_of(facts, options["targets"])
    trains = method and not method.trains_all and options["method"] != "inference"
    if trains and set(targets) <= set(lacking):
        why = dict.fromkeys(lacking[module] for module in targets)
        yield "targets", f"{' and '.join(why)}, so nothing would be trained"
    if trains and stacks == "adapted" and ("gate" in targets) != ("up" in targets):
        yield "targets", f"gate and up of the experts of {name} are one stack; name both, or neither"


def _has_other_linear_layers(facts: Facts, shape: Shape, stacks: str) -> bool:
    """In place of attention, of per-layer embeddings, or beside experts: a router that PEFT reaches, a gate."""
    architecture = facts.architectures[shape.architecture]
    beside_experts = stacks != "out of reach" or architecture.shared_gate or architecture.beside_mlp
    return bool(shape.linear_layers or shape.conv_layers or shape.per_layer_width or (shape.experts and beside_experts))


def _stacks(facts: Facts, shape: Shape, options: Mapping[str, Any]) -> str:
    """What PEFT does with experts that are stacks of matrices; nothing where there are none."""
    architecture = facts.architectures[shape.architecture]
    if not shape.expert_layers or (architecture.expert_modules and options["experts"] == "loop"):
        return ""
    return "adapted" if architecture.stacks_rewritten else "out of reach"


def _idle(facts: Facts, options: Mapping[str, Any]) -> Iterator[Problem]:
    """Options that change nothing here: silence would let the reader think that they were counted.

    A default may be given again, as `suggestions` does.
    """
    method, defaults = facts.methods.get(options["method"]), {**facts.defaults, "kbit_prep": "no"}
    if options["method"] == "inference":
        yield from _given(options, defaults, TRAINING, "inference trains nothing; leave the option out")
        shared = "inference on several devices is not modelled; leave the option out"
        yield from _given(options, defaults, ("gpus", "sharding"), shared)
        return
    if method and method.trains_all:
        yield from _given(options, defaults, ADAPTER, "full fine-tuning has no adapter; leave the option out")
    elif not set(modules_of(facts, options["targets"])) - {"embed", "head"}:
        whole = "embed and head are trained whole, without an adapter; leave the option out"
        yield from _given(options, defaults, ("rank", "alpha", "lora_dropout"), whole)
    yield from _given(options, defaults, INFERENCE, "training keeps no KV cache; leave the option out")
    unpacked = options["quantization"] == "none" and options["method"] != "qlora"  # qlora is told to quantize
    if unpacked and options["kbit_prep"] in ("yes", "norms"):
        yield "kbit-prep", "there are no quantized weights to prepare; leave the option out"


def _given(
    options: Mapping[str, Any], defaults: Mapping[str, Any], names: Sequence[str], what: str
) -> Iterator[Problem]:
    """Those of the options that differ from their default."""
    for name in names:
        if options.get(name) != defaults.get(name):
            yield name.replace("_", "-"), what


def find_subject(facts: Facts, name: str) -> Subject:
    """The model, size, range of sizes or config.json that `name` means.

    Raises ValueError with the nearest names, or with one line per fault of the config.json.
    """
    if match := SIZE_RANGE.fullmatch(name.strip()):
        low, high = sorted((match["low"], match["high"]), key=float)
        if float(low) == 0:
            raise ValueError("a size must be above 0")
        if float(low) == float(high):
            return find_subject(facts, size_name(low))
        both = f"{size_name(low).removesuffix('B')}-{size_name(high)}"
        return Subject(both, float(low), float(high), None, is_size=True)
    if match := SIZE.fullmatch(name.strip()):
        billions = float(match["billions"])
        if billions == 0:
            raise ValueError("a size must be above 0")
        size = size_name(match["billions"])
        shape = facts.models[facts.sizes[size].shape] if size in facts.sizes else None
        return Subject(size, billions, billions, shape, is_size=True)
    expected = "an id of data/models.yaml, a size (7B) or a range of sizes (27-32B)"
    model = facts.configs.get(name.strip()) or facts.models[find(name.strip(), facts.models, "model", expected)]
    if isinstance(model, Faults):
        raise ValueError(str(model))
    if why := facts.architectures[model.architecture].unmodelled:
        raise ValueError(f"{model.id} is not modelled: {why}")
    billions = (model.text_params or model.total_params) / BILLION
    return Subject(model.id, billions, billions, model, is_size=False)


def estimated_models(facts: Facts) -> list[Model]:
    """The models whose architecture is modelled."""
    return [one for one in facts.models.values() if not facts.architectures[one.architecture].unmodelled]


def filled(facts: Facts, setup: Setup) -> dict[str, Any]:
    """Every option but the model, in the order of the set-up: what is given, else the default of the method."""
    defaults = dict(facts.defaults)
    method = facts.methods.get(setup.method or defaults["method"])
    quantization = setup.quantization or (method.quantization if method else "none")
    prepared = quantization != "none" and (setup.method or defaults["method"]) != "inference"
    defaults |= {"quantization": quantization, "kbit_prep": "yes" if prepared else "no"}
    given = {name: getattr(setup, name) for name in Setup.model_fields if getattr(setup, name) is not None}
    merged = {**defaults, **given}
    return {name: merged[name] for name in Setup.model_fields if name in merged}


def values_of(facts: Facts, name: str) -> tuple[str, ...]:
    """The values of an option that are modelled; none for an option that takes a number or a list."""
    if name in TABLES:
        return tuple(getattr(facts, TABLES[name]))
    option = facts.options.get(name.replace("_", "-"))
    return option.values if option else ()


def value_problem(facts: Facts, name: str, value: Any) -> str | None:
    """What is wrong with one value of one option, on its own; None where nothing is."""
    if name == "targets":
        return _target_problem(facts, value)
    if name in COUNTS and value < 1:
        return f"{value} is too few; expected a whole number of at least 1"
    if name in COUNTS and value > MOST:
        return f"{value} is too many; expected a whole number of at most {MOST}"
    if name == "lora_dropout" and not 0 <= value < 1:
        return f"{value:g} is no share; expected a number from 0 to below 1"
    option, known = facts.options.get(name.replace("_", "-")), values_of(facts, name)
    if option and value in option.refused:
        return f"{value} is not modelled; modelled: {', '.join(known)}"
    if known and value not in known and name != "attention":  # an unknown attention is taken as flash
        return f"there is no {value!r}{nearest(str(value), known)}; expected one of {', '.join(known)}"
    return None


def _target_problem(facts: Facts, targets: str) -> str | None:
    for module in modules_of(facts, targets):
        if module not in MODULES:
            return f"there is no {module!r}; expected one of {', '.join([*facts.target_sets, *MODULES])}"
    return None


def modules_of(facts: Facts, targets: str) -> list[str]:
    """The target modules that `targets` names: a list (`q,v`) of modules and sets of them (`all-linear,embed`)."""
    named = [name.strip() for name in targets.split(",")]
    sets = facts.target_sets
    return list(dict.fromkeys(module for name in named for module in (sets[name].modules if name in sets else [name])))
