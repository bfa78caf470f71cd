"""Tables of set-ups: a CSV as text, and columns of options made complete."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cabe.facts import Facts, Setup, Subject, defaults_of, find_subject, holds, value_problem
from cabe.memory.inputs import Codes
from cabe.reading import Fault, Faults


def read_setups(path: Path, columns: Collection[str]) -> pd.DataFrame:
    """The table, every cell as typed, empty where nothing is. Raises Faults for columns that are no option."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # a row with a cell too many
            table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig", index_col=False)
    except (UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError, pd.errors.ParserWarning) as error:
        raise Faults([Fault(path.name, 1, f"is not a CSV in UTF-8: {error}")]) from error
    unknown = [str(name) for name in table.columns if name not in columns]
    if unknown or "model" not in table.columns:
        what = f"unknown columns: {', '.join(unknown)}" if unknown else "the column model is missing"
        raise Faults([Fault(path.name, 1, what, f"columns: {', '.join(columns)}")])
    return table


def complete(facts: Facts, table: pd.DataFrame) -> tuple[pd.DataFrame, list[Subject], Codes]:
    """A table with a column for every option, the subjects it is about, and the number of the subject of each row.

    Raises ValueError with one line per value that is unknown, not modelled, or at odds with another.
    """
    models = pd.Categorical(table["model"])
    found, subjects = [], []
    for name in models.categories:
        try:
            subjects.append(find_subject(facts, name))
        except ValueError as error:
            found.append(f"model: {error}")
    columns = {name: table[name] for name in table.columns if name != "model"}
    for name, value in defaults_of(facts).items():
        columns.setdefault(name, pd.Series(_repeated(value, len(table)), index=table.index))
    method = pd.Categorical(columns["method"])
    known = facts.methods
    default = [known[one].quantization if one in known else "none" for one in method.categories]
    columns.setdefault("quantization", pd.Series(_chosen(method.codes, default), index=table.index))
    packed = np.asarray((columns["quantization"] != "none") & (columns["method"] != "inference")).astype("int8")
    columns.setdefault("kbit_prep", pd.Series(_chosen(packed, ["no", "yes"]), index=table.index))
    columns.setdefault("gradient_dtype", pd.Series(_repeated("", len(table)), index=table.index))
    for name, column in columns.items():
        wrong = [value_problem(facts, name, value) for value in column.unique() if value != ""]
        found += [f"{name.replace('_', '-')}: {what}" for what in wrong if what]
    found += [f"{one.option}: {one.says}" for one in facts.conflicts.values() if np.any(holds(one.when, columns))]
    if found:
        raise ValueError("\n".join(found))
    columns.setdefault("prompt", pd.Series(_repeated(0, len(table)), index=table.index))  # 0: none is named
    ordered = {name: columns[name] for name in Setup.model_fields if name in columns}
    return pd.DataFrame(ordered, index=table.index, copy=False), subjects, models.codes


def _repeated(value: Any, length: int) -> Any:
    """One value for every row: a category for text, so that it is stored and looked up once."""
    return _chosen(np.zeros(length, dtype="int8"), [value]) if isinstance(value, str) else np.full(length, value)


def _chosen(codes: Codes, values: list[str]) -> Any:
    """The value of each code, as a category; values may repeat."""
    unique = sorted(set(values))
    places = np.array([unique.index(value) for value in values], dtype="int8")
    dtype = pd.CategoricalDtype(unique)
    return pd.Categorical.from_codes(places[codes], dtype=dtype)
