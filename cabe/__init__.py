"""Cabe: does it fit? Facts and formulas in, localized pages out."""

__version__ = "0.1.0"
