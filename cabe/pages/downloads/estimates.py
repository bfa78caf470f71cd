"""The estimates as a table, `data/estimates.csv`: every model by method, length and batch, as far as it reads.

Figures have every digit of their double, so a program reads back the number that pages round. A language that writes
decimals with a comma has the same table as its spreadsheets take it: `data/estimates-it.csv`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import isnan

from cabe.memory import Compared, Grid, errors_of, scope_of
from cabe.pages.site import Download, Site
from cabe.pages.training_grid import lengths_of, training_grid
from cabe.words import numbers as written

FIGURES = {  # column → the result that it holds
    "states_bytes": "states",
    "peak_bytes": "peak",
    "driver_low_bytes": "peak",
    "driver_mid_bytes": "driver_mid",
    "driver_high_bytes": "driver_high",
    "trainable_params": "trainable_params",
}
COLUMNS = (  # each is a word of `data.estimates`; figures stand behind the columns that are the same in every spelling
    *("model", "method", "seq", "batch", "phase", *FIGURES),
    *("runs_of_model", "runs_of_method", "median_error", "p90_error"),
)
POINT, COMMA = (",", "."), (";", ",")  # separator and decimal sign
Row = tuple[str, tuple[str, ...]]  # (the columns without figures, joined by a comma; the figures)


def estimates(site: Site) -> Iterator[Download]:
    """The table, and its spelling for each language that writes a decimal comma."""
    rows = list(estimate_rows(site))
    yield Download("estimates", "data/estimates.csv", _spelled(rows, *POINT), len(rows))
    for language in site.languages:
        if written.decimal_sign(language.locale) == COMMA[1]:
            path = f"data/estimates-{language.code}.csv"
            yield Download("estimates_comma", path, _spelled(rows, *COMMA), len(rows), language.code)


def estimate_rows(site: Site) -> Iterator[Row]:
    """The rows of the table, models in the order of the facts."""
    grid = training_grid(site)
    readable = {model.id: lengths_of(model) for model in site.facts.models.values()}
    sure = _sureness(site, grid)
    figures = zip(*(grid.columns[name].tolist() for name in FIGURES.values()), strict=True)
    rows = zip(product(*grid.axes.values()), grid.columns["phase"].tolist(), figures, strict=True)
    for (model, method, seq, batch), phase, amounts in rows:
        if seq in readable[model]:
            numbers = (*map(plain, amounts), *sure[model, method])
            yield f"{model},{method},{seq},{batch},{phase}", numbers


def plain(figure: float) -> str:
    """The shortest text that is read back as the same double; nothing where there is no figure."""
    return "" if isnan(figure) else repr(figure).removesuffix(".0")


def _sureness(site: Site, grid: Grid) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """For each model and method: its own published runs, those of the method, and how far off these are."""
    runs = scope_of(site.compared, "training")
    by_method = {method: [one for one in runs if one.point.method == method] for method in grid.axes["method"]}
    about = {method: errors_of(own) for method, own in by_method.items()}
    return {
        (model, method): (
            *(str(_of_model(own, model)), str(about[method].count)),
            *(plain(about[method].median), plain(about[method].p90)),
        )
        for model in grid.axes["model"]
        for method, own in by_method.items()
    }


def _of_model(runs: Sequence[Compared], model: str) -> int:
    return sum(one.point.setup is not None and one.point.setup.model == model for one in runs)


def _spelled(rows: Sequence[Row], separator: str, decimal: str) -> bytes:
    """A point within a name stays one."""
    lines = [separator.join(COLUMNS)]
    for names, figures in rows:
        lines.append(f"{names.replace(',', separator)}{separator}{separator.join(figures).replace('.', decimal)}")
    return ("\n".join(lines) + "\n").encode("ascii")
