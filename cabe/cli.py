"""The commands of `python build.py`: what they take, what they print, how they end.

Exit codes: 0 good, 1 faults in what was given (messages on standard error, nothing written), 2 wrong usage.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

import cabe
from cabe.reading import Fault, Faults

HERE = Path(__file__).resolve().parent.parent
SOURCES = ("cabe", "content", "data", "templates", "tests", "bench", ".git", ".ci")


class Places(click.Group):
    """A group whose own options build the site when no command is given."""

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.command_path, "[OPTIONS] [COMMAND]")


root_option = click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=HERE,
    show_default="this project",
    help="Folder that holds data, content and templates.",
)


@click.group(
    cls=Places,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@root_option
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to build into.  [default: site below the root]",
)
@click.option("--base-url", metavar="URL", help="Address the site will have; adds canonical and language links.")
@click.option("--language", "languages", multiple=True, metavar="CODE", help="Build this language only; repeatable.")
@click.version_option(cabe.__version__, prog_name="cabe")
@click.pass_context
def commands(
    ctx: click.Context, root: Path, out: Path | None, base_url: str | None, languages: tuple[str, ...]
) -> None:
    """Cabe: does it fit? Builds the site, in every language, from facts and formulas.

    Without a command: builds site/. Every mistake in the sources is reported in one run, and the last good site stays.
    """
    ctx.obj = {"root": root}
    if ctx.invoked_subcommand is None:
        build_site(root, out or root / "site", base_url, languages)
    elif out or base_url or languages:
        raise click.UsageError("--out, --base-url and --language belong to the build, not to a command.")


def build_site(root: Path, out: Path, base_url: str | None, languages: tuple[str, ...]) -> None:
    """Facts, formulas and content below `root` as a site in `out`."""
    from cabe.pages import read_site, render
    from cabe.publishing import collect, publish

    with faults_reported():
        site = read_site(root, cabe.__version__, _base_url(base_url))
        if languages:
            site = site.only(_codes(languages, [one.code for one in site.languages]))
        files = collect(_watched(render(site), "pages"))
        changed = publish(files, out, [root / source for source in SOURCES])
    click.echo(f"{len(files)} files in {out}: {changed or 'nothing'} changed")


@commands.command()
@click.pass_obj
def check(obj: dict[str, Path]) -> None:
    """Find every mistake in facts, words, links and pages, and write nothing."""
    from cabe.pages import check_html, read_site, render
    from cabe.publishing import collect

    with faults_reported():
        files = collect(_watched(render(read_site(obj["root"], cabe.__version__)), "pages"))
        if faults := check_html(files):
            raise Faults(faults)
    click.echo(f"{len(files)} files, no fault")


@commands.command()
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for the zip files.  [default: dist]"
)
@click.pass_obj
def bundle(obj: dict[str, Path], out: Path | None) -> None:
    """Write dist/cabe.zip and dist/cabe-<language>.zip, sites that open from a disk."""
    from cabe.pages import read_site, render
    from cabe.publishing import collect, write_whole, zipped

    folder = out or obj["root"] / "dist"
    with faults_reported():
        site = read_site(obj["root"], cabe.__version__)
        sites = {"cabe": site} | {f"cabe-{one.code}": site.only((one.code,)) for one in site.languages}
        made = {f"{name}.zip": zipped(collect(_watched(render(one), name)), name) for name, one in sites.items()}
        changed = [name for name, content in made.items() if write_whole(folder / name, content)]
    click.echo(f"{len(made)} bundles in {folder}: {', '.join(changed) or 'nothing'} changed")


def setup_options(command: Callable[..., None]) -> Callable[..., None]:
    """An option of the command line for every option of a set-up."""
    helps = {
        "method": "lora, qlora or full",
        "rank": "Rank of the adapter",
        "targets": "all-linear, attention, or a list such as q,v",
        "adapter-dtype": "Width of adapters, their gradients and moments: fp32 or bf16",
        "dtype": "Width of frozen weights: bf16, fp16 or fp32",
        "precision": "Full fine-tuning: amp, master, no-master or pure",
        "gradient-dtype": "Width of gradients, where it differs",
        "quantization": "none, nf4 or nf4-double",
        "kbit-prep": "32-bit copy of what is not quantized: yes or no",
        "optimizer": "adamw, lion, sgd or sgd-momentum",
    }
    for name, text in reversed(helps.items()):
        command = click.option(f"--{name}", metavar="VALUE", help=text + ".")(command)
    return command


@commands.command()
@click.argument("model")
@setup_options
@click.option("--device", "devices", multiple=True, metavar="ID", help="Device to compare with; repeatable.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, in bytes; what is not modelled is null.")
@click.argument("more", nargs=-1, metavar="")
@click.pass_obj
def estimate(
    obj: dict[str, Path], /, model: str, devices: tuple[str, ...], as_json: bool, more: tuple[str, ...], **options: str
) -> None:
    """Estimate the memory of one run: MODEL is an id, a size (1.5B) or a range of sizes (27-32B).

    An estimate has two layers so far, the rule of thumb and the states before activations.
    """
    from cabe.facts import read_facts
    from cabe.memory import answer, read_formulas

    if more and not devices:
        raise click.UsageError(f"one MODEL, please; got {model} {' '.join(more)}")
    with faults_reported():
        facts, formulas = read_facts(obj["root"]), read_formulas(obj["root"])
        given = {name.replace("_", "-"): value for name, value in options.items() if value is not None}
        try:
            made = answer(facts, formulas, {"model": model, **given}, (*devices, *more))
        except ValueError as error:
            raise Faults([Fault("estimate", 0, line) for line in str(error).splitlines()]) from error
    if as_json:
        click.echo(json.dumps(made, indent=2, ensure_ascii=False))
    else:
        _print_estimate(made)


def _print_estimate(made: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    title = f"[bold]{made['model']}[/] · {made['method']} · {_options_text(made['setup'])}"
    console.print(title, soft_wrap=True)
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim")
    table.add_column(justify="right")
    for part, amount in made["components"].items():
        if amount:
            table.add_row(part.replace("_", " "), _gb(amount))
    table.add_row("states, before activations", f"[bold]{_gb(made['states'])}[/]", style="none")
    rule = made["rule"]
    low, high = (_gb(rule[end], whole=True) for end in ("low", "high")) if rule else ("–", "–")
    table.add_row("rule of thumb", low if low == high else f"{low} to {high}")
    console.print(table)
    for fit in made["fits"]:
        verdict = fit["verdict"] or "no verdict: activations are not modelled yet"
        console.print(f"{fit['device']}: {_gb(fit['usable'])} usable: {verdict}")


def _options_text(setup: dict[str, Any]) -> str:
    adapter = () if setup["method"] != "full" else ("rank", "targets", "adapter-dtype", "quantization", "kbit-prep")
    return ", ".join(f"{name} {value}" for name, value in setup.items() if name not in ("model", "method", *adapter))


def _gb(amount: float | None, *, whole: bool = False) -> str:
    if amount is None:
        return "not modelled"
    return f"{amount / 1e9:.0f} GB" if whole else f"{amount / 1e9:.2f} GB"


def _base_url(text: str | None) -> str | None:
    if text is None:
        return None
    if not re.fullmatch(r"https?://[^\s?#]+", text):
        what = f"{text!r} is not an address such as https://example.org/docs/"
        raise click.BadParameter(what, param_hint="--base-url")
    return text if text.endswith("/") else text + "/"


def _codes(wanted: tuple[str, ...], known: list[str]) -> tuple[str, ...]:
    for code in wanted:
        if code not in known:
            what = f"there is no language {code!r}; there are {', '.join(known)}"
            raise click.BadParameter(what, param_hint="--language")
    return wanted


def _watched(outputs: Iterator[tuple[str, bytes]], what: str) -> Iterator[tuple[str, bytes]]:
    """The outputs, with a counter on a terminal and silence in a pipe."""
    if not sys.stderr.isatty():
        yield from outputs
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(outputs, description=what, total=None, console=Console(stderr=True), transient=True)


@contextmanager
def faults_reported() -> Iterator[None]:
    """Authors' mistakes as lines on standard error and exit code 1; a full disk or a missing right likewise."""
    try:
        yield
    except Faults as error:
        for fault in error.faults:
            click.echo(str(fault), err=True)
        count = len(error.faults)
        click.echo(f"{count} fault{'s' if count > 1 else ''}; nothing was written", err=True)
        sys.exit(1)
    except OSError as error:
        click.echo(f"{error.filename or 'output'}: {error.strerror or error}; nothing was published", err=True)
        sys.exit(1)


def main() -> None:
    """The entry of build.py."""
    commands(prog_name="build.py")
