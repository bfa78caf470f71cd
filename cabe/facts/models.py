"""Models: the shape and the exact parameter count of an architecture, and the sizes of the rule of thumb."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from cabe.facts.record import Count, Date, Flag, Id, Record, Text, to_text


class Model(Record):
    """One architecture, its weights counted once (tied matrices too). Counts are parameters, widths are elements."""

    id: Id
    family: Id
    name: Text
    vendor: Text
    release: Date
    licence: Text
    hf_repo: Text
    architecture: Text
    total_params: Count
    hidden_size: Count
    num_layers: Count
    num_attention_heads: Count
    num_kv_heads: Count
    head_dim: Count
    intermediate_size: Count
    vocab_size: Count
    tied_embeddings: Flag
    max_context: Count
    qkv_bias: Flag
    attention_output_bias: Flag
    mlp_bias: Flag
    qk_norm: Flag
    sliding_window: Count | None = None
    sliding_window_pattern: Text | None = None
    checkpoint_dtype: Text
    base_model: Text | None = None
    source: list[Text]
    published_params: Text
    published_source: Text
    counted_params: Count
    verified: Flag
    verification: Literal["exact", "rounded", "label", "base", "near"]
    confidence: Literal["high", "medium", "low"]
    doubt: Text | None = None
    tier: Literal["core", "extended"]


def to_size(value: Any) -> str:
    text = to_text(value)
    if not SIZE.fullmatch(text):
        raise ValueError(f"{text!r} is not a size, expected billions of parameters such as 7B or 1.5B")
    return text


SIZE = re.compile(r"(?P<billions>\d{1,6}(?:\.\d{1,6})?)[bB]")
SIZE_RANGE = re.compile(r"(?P<low>\d{1,6}(?:\.\d{1,6})?)[bB]?\s*[-–]\s*(?P<high>\d{1,6}(?:\.\d{1,6})?)[bB]")


class Size(Record):
    """A size means N·10⁹ parameters exactly; `shape` is the model that lends it layers and widths for a LoRA count."""

    size: Annotated[str, BeforeValidator(to_size)]
    shape: Id
