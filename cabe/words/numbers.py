"""Numbers as readers see them: rounded half up from the double's exact value, with the signs of the language.

The calculators round the same way (JavaScript's toFixed works on the exact value too) and get the signs from the page,
so a table and a calculator never differ.
"""

from __future__ import annotations

from datetime import date
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from functools import lru_cache

from babel import Locale
from babel.dates import format_date, format_skeleton
from babel.numbers import format_decimal, format_percent, get_decimal_symbol, get_group_symbol

GB, MB, KB = 1e9, 1e6, 1e3
NO_BREAK_SPACE = "\u00a0"
EN_DASH = "–"
MINUS = "−"
SMALLEST = Decimal("0.01")


def rounded(value: float, decimals: int) -> Decimal:
    """`value` with at most `decimals` decimals, half up; trailing zeros dropped."""
    step = Decimal(1).scaleb(-decimals)
    plain = Decimal(value).quantize(step, ROUND_HALF_UP).normalize()
    return plain.quantize(Decimal(1)) if plain == plain.to_integral_value() else plain


def significant(value: float) -> Decimal:
    """`value` with 3 significant digits, at most 2 decimals; whole numbers from 100 on keep every digit."""
    return rounded(value, 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0)


@lru_cache(maxsize=4096)  # of 200,000 numbers on the pages few have not been written before; half the time of them all
def write(value: Decimal, locale: Locale) -> str:
    """A rounded number with the decimal and group signs of the language."""
    return str(format_decimal(value, locale=locale, decimal_quantization=False))


def number(value: float, locale: Locale, *, whole: bool = False) -> str:
    """A number: whole, or with 3 significant digits. What is above 0 but would show as 0 is written `<0.01`."""
    made = rounded(value, 0) if whole else significant(value)
    return f"<{write(SMALLEST, locale)}" if value > 0 and made == 0 and not whole else write(made, locale)


def gigabytes(value: float, locale: Locale, *, whole: bool = False) -> str:
    """Bytes as `17 GB` (10⁹ bytes), number and unit joined by a no-break space."""
    return f"{number(value / GB, locale, whole=whole)}{NO_BREAK_SPACE}GB"


def megabytes(value: float, locale: Locale) -> str:
    """Bytes as `168 MB` (10⁶ bytes), for what is small beside a model."""
    return f"{number(value / MB, locale)}{NO_BREAK_SPACE}MB"


def file_size(value: float, locale: Locale) -> str:
    """Bytes of a file as `351 KB` (10³ bytes), or as `2.08 MB` from there on."""
    if value >= MB:
        return megabytes(value, locale)
    return f"{number(value / KB, locale)}{NO_BREAK_SPACE}KB"


def gigabyte_range(low: float, high: float, locale: Locale, *, whole: bool = False) -> str:
    """Bytes as `22–26 GB`, or as one figure where both ends read the same."""
    ends = [number(end / GB, locale, whole=whole) for end in (low, high)]
    return f"{span(*ends)}{NO_BREAK_SPACE}GB"


def span(low: str, high: str) -> str:
    """Two written ends as one range."""
    return low if low == high else f"{low}{EN_DASH}{high}"


def percent(value: float, locale: Locale) -> str:
    """A fraction as per cent, 3 significant digits, with the sign and spacing of the language."""
    return _write_percent(significant(value * 100) / 100, locale)


@lru_cache(maxsize=4096)  # as for `write`
def _write_percent(share: Decimal, locale: Locale) -> str:
    return str(format_percent(share, locale=locale, decimal_quantization=False))


def signed_percent(value: float, locale: Locale) -> str:
    """A fraction as per cent with its sign, `+2.5%` or `−0.3%`; what shows as 0 has none."""
    made = percent(abs(value), locale)
    nothing = significant(value * 100) == 0
    return made if nothing else f"{'+' if value > 0 else MINUS}{made}"


def percent_range(low: float, high: float, locale: Locale) -> str:
    """Two fractions as `20–30%`."""
    return span(write(significant(low * 100), locale), percent(high, locale))


def size_label(billions: float) -> str:
    """Billions of parameters as a size's name, rounded down to one decimal: `12B`, `1.9B`, in every language."""
    made = Decimal(billions).quantize(Decimal("0.1"), ROUND_DOWN).normalize()
    return f"{made:f}B"


def group_sign(locale: Locale) -> str:
    """The sign between groups of three digits."""
    return str(get_group_symbol(locale))


def decimal_sign(locale: Locale) -> str:
    """The sign before the decimals."""
    return str(get_decimal_symbol(locale))


def day(iso: str, locale: Locale) -> str:
    """A date such as 2026-11-30 written out in the language."""
    return str(format_date(date.fromisoformat(iso), "long", locale=locale))


def month(iso: str, locale: Locale) -> str:
    """A date as month and year, or as the year where it says no more: `July 2023`."""
    if len(iso) == len("2023"):
        return iso
    year, number = map(int, iso.split("-")[:2])
    return str(format_skeleton("yMMMM", date(year, number, 1), locale=locale))
