"""What the calculators know: models, options, devices and formulas as one script, the same for every language.

Nothing is computed here that the calculators compute: they look up what a model and the values of options stand for,
evaluate the formulas, and take the largest instant, as the estimates do.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from cabe.facts import estimated_models, field_defaults, field_kinds
from cabe.facts.config_keys import MOST_WIDTH
from cabe.facts.config_types import described_types
from cabe.facts.contradictions import COUNTED, EXCLUSIVE, NEEDS, SERVED
from cabe.facts.training_configs import ConfigKey
from cabe.memory import AT_THE_PEAK, NUMBERS, PARTS, instants, model_numbers, option_numbers, room
from cabe.memory.formulas import PHASES_OF
from cabe.memory.imported import MOST_PARAMS
from cabe.memory.inputs import ARCHITECTURE, OF_SHAPE
from cabe.pages.calculators import TRAITS
from cabe.pages.site import Site

SCRIPT = "assets/facts.js"
EVALUATED = ("step", "inference", "driver")  # groups, in this order
TOWERS = ("tower_params", "tower_linear_params")  # of which a shape in one line has none
NOT_NEEDED = {"billions_low", "billions_mid", "billions_high", "is_range", "has_shape", "packed_bytes", "own_moments"}


def estimator(site: Site) -> bytes:
    """`cabe.facts` as a classic script in ASCII: the same facts, the same bytes."""
    text = json.dumps(_facts(site), separators=(",", ":"), allow_nan=False)
    return f'"use strict";\nglobalThis.cabe ??= {{}};\ncabe.facts = {text};\n'.encode("ascii")


def _facts(site: Site) -> dict[str, Any]:
    facts, formulas = site.facts, site.formulas
    return {
        "formulas": {group: {one.name: one.tree for one in formulas.groups[group]} for group in EVALUATED},
        "instants": {group: list(instants(formulas.groups[group]).values()) for group in PHASES_OF},
        "traits": TRAITS,
        "parts": PARTS,
        "at_the_peak": AT_THE_PEAK,
        "models": _models(site),
        "architectures": _architectures(site),
        "shape": _shape(),
        "configs": described_types(),
        "options": {
            option.replace("_", "-"): {value: _numbers(numbers) for value, numbers in values.items()}
            for option, values in option_numbers(facts).items()
        },
        "numbers": [name.replace("_", "-") for name in NUMBERS],
        "sets": {one.id: one.modules for one in facts.target_sets.values()},
        "defaults": {one.id: one.default for one in facts.options.values() if one.default is not None},
        "quantization": {one.id: one.quantization for one in facts.methods.values()},
        "conflicts": [one.model_dump() for one in facts.conflicts.values()],
        "config_keys": [_key(one) for one in facts.config_keys.values()],
        "repos": {one.hf_repo.lower(): one.id for one in estimated_models(facts)},
        "changes": [one.model_dump() for one in facts.changes.values()],
        "verdicts": {one.id: one.share for one in facts.verdicts.values()},
        "devices": {
            one.id: {"name": one.name, "usable": room(facts, formulas, one.id).usable, "bf16": one.bf16}
            for one in facts.devices.values()
            if one.kind != "nominal"
        },
    }


def _models(site: Site) -> dict[str, Any]:
    """One row for each model: name, context, architecture, and the numbers under `columns`; `zeros` are 0 elsewhere."""
    models = sorted(estimated_models(site.facts), key=lambda model: model.id)
    rows = [_numbers(model_numbers(site.facts, one.id)) | {"qk_nope_head_dim": one.qk_nope_head_dim} for one in models]
    columns = [name for name in rows[0] if any(row[name] for row in rows) and name not in ARCHITECTURE]
    return {
        "columns": columns,
        "zeros": {name: 0 for name in rows[0] if name not in columns},
        "rows": {
            one.id: [one.name, one.max_context, one.architecture, *(row[name] for name in columns)]
            for one, row in zip(models, rows, strict=True)
        },
    }


def _key(key: ConfigKey) -> list[Any]:
    """A key of training configurations, and what it sets; nothing more where it has no bearing on memory."""
    set_ = {"option": key.option, "names": key.names, "values": key.values, "always": key.always}
    return [key.key, *([told] if (told := {name: value for name, value in set_.items() if value}) else [])]


def _architectures(site: Site) -> dict[str, Any]:
    """The switches of each architecture that are not 0."""
    modelled = [one for one in site.facts.architectures.values() if not one.unmodelled]
    return {
        one.id: _numbers({name: float(getattr(one, name)) for name in ARCHITECTURE if getattr(one, name)})
        for one in modelled
    }


def _shape() -> dict[str, Any]:
    """What a shape in one line may state, what its fields stand for, and which cannot stand together."""
    inputs = {input_: field for input_, field in OF_SHAPE.items() if field not in TOWERS}
    return {
        "kinds": field_kinds(),
        "defaults": _numbers(field_defaults()),
        "inputs": {**inputs, "qk_nope_head_dim": "qk_nope_head_dim"},
        "most": MOST_WIDTH,
        "most_params": MOST_PARAMS,
        "needs": NEEDS,
        "served": SERVED,
        "counted": COUNTED,
        "exclusive": EXCLUSIVE,
    }


def _numbers(numbers: Mapping[str, float]) -> dict[str, float]:
    """Numbers as JSON writes them shortest: whole ones without a point; those that no formula takes are left out."""
    kept = {name: float(number) for name, number in numbers.items() if name not in NOT_NEEDED and "rule_" not in name}
    return {name: int(number) if number == math.floor(number) else number for name, number in kept.items()}
