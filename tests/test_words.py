"""Words: plural forms, numbers, and the names in braces."""

from __future__ import annotations

import pytest
from babel import Locale

from cabe.pages import Site
from cabe.words import Language, numbers

NBSP = numbers.NO_BREAK_SPACE
PLURALS = {  # CLDR: how many, and the form that follows
    "pt": {0: "one", 1: "one", 1.5: "one", 2: "other", 21: "other", 1000000: "many"},
    "it": {0: "other", 1: "one", 1.5: "other", 2: "other", 21: "other", 1000000: "many"},
    "en": {0: "other", 1: "one", 1.5: "other", 2: "other", 21: "other", 1000000: "other"},
}


def language(site: Site, code: str) -> Language:
    return next(one for one in site.languages if one.code == code)


@pytest.mark.parametrize(
    ("code", "count", "form"), [(c, n, f) for c, table in PLURALS.items() for n, f in table.items()]
)
def test_the_plural_form_follows_the_language(code: str, count: float, form: str, site: Site) -> None:
    assert language(site, code).plural({"n": count}) == form


@pytest.mark.parametrize(
    ("code", "count", "text"),
    [
        ("pt", 0, "0 minuto de leitura"),
        ("pt", 1, "1 minuto de leitura"),
        ("pt", 2, "2 minutos de leitura"),
        ("pt", 1000000, "1000000 minutos de leitura"),
        ("it", 0, "0 minuti di lettura"),
        ("it", 1, "1 minuto di lettura"),
        ("en", 1, "1 minute to read"),
        ("en", 5, "5 minutes to read"),
    ],
)
def test_a_word_takes_its_form_and_its_number(code: str, count: int, text: str, site: Site) -> None:
    assert language(site, code).word("article.minutes", n=count) == text


def test_a_written_number_and_its_count_go_together(site: Site) -> None:
    assert language(site, "pt").word("billions", n="1,5", count=1.5) == "1,5 bilhão"
    assert language(site, "it").word("billions", n="1,5", count=1.5) == "1,5 miliardi"


@pytest.mark.parametrize(
    ("value", "pt", "en"),
    [
        (112e9, "112 GB", "112 GB"),
        (0.64e9, "0,64 GB", "0.64 GB"),
        (3.865591808e9, "3,87 GB", "3.87 GB"),
        (14e9, "14 GB", "14 GB"),
        (14.64e9, "14,6 GB", "14.6 GB"),
        (99.96e9, "100 GB", "100 GB"),
        (9.996e9, "10 GB", "10 GB"),
        (1234567e9, "1.234.567 GB", "1,234,567 GB"),
        (0, "0 GB", "0 GB"),
        (1e6, "<0,01 GB", "<0.01 GB"),
        (2.675e9, "2,67 GB", "2.67 GB"),  # the double next to 2.675 lies below it
        (0.125e9, "0,13 GB", "0.13 GB"),  # an exact half goes up
    ],
)
def test_bytes_are_written_with_three_digits_and_the_signs_of_the_language(value: float, pt: str, en: str) -> None:
    assert numbers.gigabytes(value, Locale("pt", "BR")) == pt.replace(" ", NBSP)
    assert numbers.gigabytes(value, Locale("en")) == en.replace(" ", NBSP)


@pytest.mark.parametrize(
    ("low", "high", "text"), [(22.44, 26.04, "22–26 GB"), (4.14, 4.505, "4–5 GB"), (7.6, 8.4, "8 GB")]
)
def test_a_range_is_one_figure_where_both_ends_read_the_same(low: float, high: float, text: str) -> None:
    made = numbers.gigabyte_range(low * 1e9, high * 1e9, Locale("en"), whole=True)
    assert made == text.replace(" ", NBSP)


@pytest.mark.parametrize(
    ("value", "locale", "text"),
    [(0.00571, "pt_BR", "0,57%"), (0.25, "it", "25%"), (0.00571, "en", "0.57%"), (0.2, "es", f"20{NBSP}%")],
)
def test_a_share_is_written_as_the_language_writes_per_cent(value: float, locale: str, text: str) -> None:
    assert numbers.percent(value, Locale.parse(locale)) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.025, "+2.5%"), (-0.003, "−0.3%"), (0.0, "0%"), (-0.00001, "0%"), (0.00001, "0%")]
)
def test_an_error_has_its_sign_unless_it_reads_as_nothing(value: float, text: str) -> None:
    assert numbers.signed_percent(value, Locale("en")) == text


@pytest.mark.parametrize(
    ("billions", "text"), [(12.0, "12B"), (23 / 12, "1.9B"), (0.5, "0.5B"), (70, "70B"), (0, "0B")]
)
def test_a_size_keeps_its_point_and_is_rounded_down(billions: float, text: str) -> None:
    assert numbers.size_label(billions) == text


@pytest.mark.parametrize(
    ("locale", "text"), [("pt_BR", "30 de novembro de 2026"), ("it", "30 novembre 2026"), ("en", "November 30, 2026")]
)
def test_a_day_is_written_out(locale: str, text: str) -> None:
    assert numbers.day("2026-11-30", Locale.parse(locale)) == text
