"""How long a million set-ups take, from a frame of set-ups to a frame of estimates: python -m bench.setups

Printed as seconds and as a ratio to the yardstick of bench.build in the same run; reading a CSV and writing JSON are
timed apart, on fewer rows.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from bench.build import ROOT, best, yardstick
from cabe.facts import OPTIONS, Facts, estimated_models, read_facts
from cabe.memory import answers, estimate_table, read_formulas, read_setups

ROWS = 1_000_000
CSV_ROWS = 2_000


def setups(facts: Facts, rows: int) -> pd.DataFrame:
    """Set-ups of every model over methods, losses, optimizers, batches and lengths, in a fixed random order."""
    random = np.random.default_rng(0)

    def column(values: list[str]) -> pd.Series[Any]:
        return pd.Series(random.choice(values, rows)).astype("category")

    return pd.DataFrame(
        {
            "model": column([model.id for model in estimated_models(facts)]),
            "method": column(["lora", "qlora", "full"]),
            "loss": column(list(facts.losses)),
            "optimizer": column(list(facts.optimizers)),
            "checkpointing": column(["full", "none"]),
            "batch": random.integers(1, 17, rows),
            "seq": random.integers(1, 65, rows) * 128,
            "rank": random.choice([8, 16, 64], rows),
        }
    )


def main() -> None:
    facts, formulas = read_facts(ROOT), read_formulas(ROOT)
    unit = best(yardstick)
    table = setups(facts, ROWS)
    seconds = best(lambda: estimate_table(facts, formulas, table))
    print(f"{'yardstick':44} {unit:8.3f} s  1.00")
    print(f"{f'{ROWS:,} set-ups, frame to frame':44} {seconds:8.3f} s  {seconds / unit:.2f}")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "setups.csv"
        rows = table.head(CSV_ROWS)
        rows.assign(rank=rows["rank"].where(rows["method"] != "full")).to_csv(path, index=False)  # full has no adapter
        start = time.perf_counter()
        text = read_setups(path, (*OPTIONS, "device"))
        read = time.perf_counter()
        made = answers(facts, formulas, text)
        answered = time.perf_counter()
        json.dumps(made)
        written = time.perf_counter()
    print(f"{f'{CSV_ROWS:,} rows of CSV read':44} {read - start:8.3f} s  {(read - start) / unit:.2f}")
    print(f"{'… answered one by one':44} {answered - read:8.3f} s  {(answered - read) / unit:.2f}")
    print(f"{'… written as JSON':44} {written - answered:8.3f} s  {(written - answered) / unit:.2f}")


if __name__ == "__main__":
    main()
