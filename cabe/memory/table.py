"""Tables of set-ups: a CSV as text, and columns of options made complete."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cabe.facts import (
    LONG_PROMPT,
    Facts,
    Setup,
    Subject,
    beyond_the_context,
    find_subject,
    holds,
    value_problem,
)
from cabe.memory.inputs import Codes
from cabe.reading import Fault, Faults


def read_setups(path: Path, columns: Collection[str]) -> pd.DataFrame:
    """The table, every cell as typed, empty where nothing is, as in rows that end early.

    Raises Faults for text that is no CSV, for columns that are no option, and for rows with a cell too many.
    """
    lines, rows = _cells(path)
    faults = [
        Fault(path.name, 1, what, f"columns: {', '.join(columns)}") for what in _header_problems(rows[0], columns)
    ]
    width = len(rows[0])
    for number, (line, row) in enumerate(zip(lines, rows, strict=True)):
        if len(row) > width:
            what = f"row {number} has {len(row)} cells, but there are {width} columns"
            faults.append(Fault(path.name, line, what, "put text that holds a comma between quotation marks"))
    if faults:
        raise Faults(faults)
    filled = [row + [""] * (width - len(row)) for row in rows[1:]]
    return pd.DataFrame(filled, columns=rows[0], dtype=object)


def _cells(path: Path) -> tuple[list[int], list[list[str]]]:
    """The line on which each row starts, and its cells; the header is row 0, empty lines are none."""
    lines, rows, first = [], [], 1
    try:
        with path.open(encoding="utf-8-sig", newline="") as text:
            reader = csv.reader(text, strict=True)
            for row in reader:
                if row:
                    lines.append(first)
                    rows.append(row)
                first = reader.line_num + 1
    except UnicodeDecodeError as error:
        raise Faults([Fault(path.name, 1, f"is not a CSV in UTF-8: {error}", "save the file as UTF-8")]) from error
    except csv.Error as error:
        mend = "close every quotation mark, and double those inside a cell"
        raise Faults([Fault(path.name, first, f"row {len(rows)} is not CSV: {error}", mend)]) from error
    if not rows:
        raise Faults([Fault(path.name, 1, "is not a CSV: it is empty", "start with a row of column names")])
    return lines, rows


def _header_problems(header: Sequence[str], columns: Collection[str]) -> Iterator[str]:
    if "" in header:
        yield "a column has no name (a comma too many?)"
    for name in dict.fromkeys(one for one in header if header.count(one) > 1 and one):
        yield f"the column {name} stands twice"
    if unknown := [name for name in dict.fromkeys(header) if name and name not in columns]:
        yield f"unknown columns: {', '.join(unknown)}"
    if "model" not in header:
        yield "the column model is missing"


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
    for name, value in facts.defaults.items():
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
    if not found and np.any(beyond_the_context(columns)):
        found.append(f"prompt: {LONG_PROMPT}")
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
