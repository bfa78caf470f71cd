"""Predicted beside traced: every row of traced.csv whose options exist, the peak without its workspace, and the phase.

A trace runs real transformers models, PEFT adapters, autograd and optimizers on tensors without storage and counts
every byte that lives; it holds no cuBLAS workspace. Rows carry the versions that were traced.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pandas as pd
import pytest

from cabe.facts import Answerable, Facts, answerable, setup_from
from cabe.memory import Formulas, estimate
from tests.conftest import Show

ROWS = list(csv.DictReader((Path(__file__).parent / "traced.csv").read_text(encoding="utf-8").splitlines()))
METHODS = {
    "full_bf16": {"method": "full", "precision": "pure"},
    "full_mixed": {"method": "full", "precision": "amp"},
    "full_fp32": {"method": "full", "precision": "pure", "dtype": "fp32"},
    "lora": {"method": "lora"},
    "qlora": {"method": "qlora", "kbit-prep": "yes"},
    "qlora_noprep": {"method": "qlora", "kbit-prep": "no"},
}
OPTIMIZERS = {
    "adamw_fused": "adamw",
    "adamw_bnb32": "adamw",
    "sgd_momentum": "sgd-momentum",
}
LOSSES = {
    "v5": "full",
    "v4.48": "full-shifted",
    "torchtune8": "chunked",
    "linear8": "chunked-linear",
    "litgpt128": "chunked-128",
    "ckpt8": "checkpointed",
    "liger": "fused",
    "liger_old": "fused-old",
}
WINDOWED = {"gemma3", "gemma3_text", "mistral", "olmo3"}  # traced with their sliding window under sdpa
OTHER_KERNELS = {"falcon", "minicpm3", "deepseek_v2", "deepseek_v3"}  # take kernels of their own under sdpa
EXPERTS = {"": "grouped", "grouped_mm": "grouped", "loop_balanced": "loop", "modules": "loop"}
TARGETS = {"all-linear": "all-linear", "qkvo": "attention", "qv": "q,v", "": "all-linear"}


def options(row: dict[str, str]) -> dict[str, str]:
    """The options of a set-up that a traced row stands for."""
    optimizer = OPTIMIZERS.get(row["optimizer"], row["optimizer"].replace("_", "-"))
    made = {
        "model": row["model"],
        **METHODS[row["method"]],
        "batch": row["micro_batch"],
        "seq": row["seq_len"],
        "accumulation": str(int(row["accum"]) + 1),
        "targets": TARGETS[row["lora_targets"]],
        "optimizer": {"adamw-fused": "adamw"}.get(optimizer, optimizer),
        "checkpointing": {"0": "none", "1": "full-reentrant" if row["reentrant"] == "1" else "full"}[row["grad_ckpt"]],
        "attention": "sdpa" if has_mask(row) else "eager" if row["attention"] == "eager" else "flash",
        "loss": LOSSES[row["loss"]],
        "experts": EXPERTS[row["experts"]],
        "outputs": "held" if row["hold_outputs"] == "1" else "freed",
    }
    if row["optimizer"] == "adamw_bnb32" and row["method"] == "full_bf16":
        made["precision"] = "no-master"
    if row["lora_rank"] != "0":
        made |= {"rank": row["lora_rank"], "adapter-dtype": row["adapter_dtype"], "lora-dropout": row["lora_dropout"]}
        made["precision"] = "amp" if row["autocast"] == "1" else "pure"
    return made


def has_mask(row: dict[str, str]) -> bool:
    """OTHER_KERNELS compute differently under sdpa; of windows, those of WINDOWED were traced, the others left out."""
    return row["architecture"] in WINDOWED | OTHER_KERNELS and row["attention"] == "sdpa"


@pytest.fixture(scope="module")
def compared(facts: Facts, formulas: Formulas) -> pd.DataFrame:
    """One row per traced row: predicted and true peak, and the phases."""
    return table(ROWS, [answerable(facts, setup_from(options(row))) for row in ROWS], facts, formulas)


def table(rows: list[dict[str, str]], setups: list[Answerable], facts: Facts, formulas: Formulas) -> pd.DataFrame:
    made = estimate(facts, formulas, setups).rows
    true = pd.Series([float(row["peak_bytes"]) for row in rows])
    predicted = made["peak"] - made["workspace"]
    return pd.DataFrame(
        {
            "setup": [" ".join(f"{value}" for value in options(row).values()) for row in rows],
            "predicted": predicted,
            "true": true,
            "error": (predicted - true) / true,
            "phase": made["phase"],
            "true_phase": [row["phase_of_peak"] for row in rows],
        }
    )


def test_predicted_beside_traced_is_printed(compared: pd.DataFrame, show: Show) -> None:
    worst = compared.reindex(compared["error"].abs().sort_values(ascending=False).index)
    show(f"\n{'predicted':>16} {'traced':>16} {'error':>9}  phase (traced)  set-up")
    for row in worst.to_dict("records"):
        phase = row["phase"] + ("" if row["phase"] == row["true_phase"] else f" ({row['true_phase']})")
        figures = f"{row['predicted']:16.0f} {row['true']:16.0f} {row['error']:9.4%}"
        show(f"{figures}  {phase}  {row['setup']}")


def test_95_per_cent_are_within_a_thousandth(compared: pd.DataFrame) -> None:
    assert (compared["error"].abs() <= 0.001).mean() >= 0.95


def test_all_are_within_one_per_cent(compared: pd.DataFrame) -> None:
    assert compared[compared["error"].abs() > 0.01].to_dict("records") == []


def test_the_phase_is_named_right(compared: pd.DataFrame) -> None:
    wrong = compared[(compared["phase"] != compared["true_phase"])]
    assert len(wrong) <= 0.01 * len(compared)
    assert (wrong["error"].abs() <= 0.002).all()  # two phases of nearly the same height


def test_the_page_says_what_the_rows_say(compared: pd.DataFrame, facts: Facts) -> None:
    said = {name: figure.value for name, figure in facts.figures.items() if name.startswith("traced-")}
    errors = compared["error"].abs()
    within = said["traced-within"]
    assert said == {
        "traced-rows": len(compared),
        "traced-within": within,
        "traced-share": math.floor((errors <= within).mean() * 1000) / 1000,
        "traced-worst": math.ceil(errors.max() * 1000) / 1000,
    }
