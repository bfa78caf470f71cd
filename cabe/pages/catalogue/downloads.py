"""The estimates of a model as files: one row or record for each method, length and batch, in bytes."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from cabe.facts.models import Model
from cabe.memory import PARTS
from cabe.pages.catalogue.estimates import Catalogue
from cabe.pages.downloads.whole import LICENCE
from cabe.pages.training_grid import BATCHES, METHODS, lengths_of

FIGURES = {  # column → the result that it holds
    "peak_bytes": "peak",
    "driver_mid_bytes": "driver_mid",
    "driver_high_bytes": "driver_high",
    "resident_bytes": "resident",
    "trainable_params": "trainable_params",
}
COLUMNS = ("model", "method", "seq", "batch", *FIGURES, *(f"{part}_bytes" for part in PARTS))


def paths(model: Model) -> tuple[str, str]:
    """Where the two files of a model are, the same for every language."""
    return f"data/models/{model.id}.csv", f"data/models/{model.id}.json"


def files(catalogue: Catalogue, model: Model) -> Iterator[tuple[str, bytes]]:
    """Both files; amounts are whole bytes on one device, names those of `data/estimates.csv`."""
    rows = list(_rows(catalogue, model))
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerows([COLUMNS, *rows])
    as_csv, as_json = paths(model)
    yield as_csv, table.getvalue().encode("utf-8")
    site = catalogue.site
    whole = {"licence": LICENCE, "facts": site.facts.read, "version": site.version, "columns": COLUMNS, "rows": rows}
    yield as_json, (json.dumps(whole, separators=(",", ":")) + "\n").encode("utf-8")


def _rows(catalogue: Catalogue, model: Model) -> Iterator[list[Any]]:
    training = catalogue.training
    for method in METHODS:
        for seq in lengths_of(model):
            for batch in BATCHES:
                at = {"model": model.id, "method": method, "seq": seq, "batch": batch}
                figures = [*training.figures(tuple(FIGURES.values()), **at), *training.components(**at).values()]
                yield [model.id, method, seq, batch, *map(round, figures)]
