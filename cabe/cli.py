"""The commands of `build.py`: what they take, what they print, how they end.

Exit codes: 0 good, 1 faults in what was given (messages on standard error, nothing written), 2 wrong usage.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click

import cabe
from cabe.reading import Fault, Faults, is_address

HERE = Path(__file__).resolve().parent.parent
MOST_JOBS = 4
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
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    metavar="N",
    help="Processes that make pages.  [default: the cores, 4 at most]",
)
@click.version_option(cabe.__version__, prog_name="cabe")
@click.pass_context
def commands(
    ctx: click.Context,
    root: Path,
    out: Path | None,
    base_url: str | None,
    languages: tuple[str, ...],
    jobs: int | None,
) -> None:
    """Cabe: does it fit? Builds the site, in every language, from facts and formulas.

    Without a command: builds site/. Every mistake in the sources is reported in one run, and the last good site stays.
    """
    ctx.obj = {"root": root}
    if ctx.invoked_subcommand is None:
        build_site(root, out, base_url, languages, jobs or _cores())
    elif out or base_url or languages or jobs:
        raise click.UsageError("--out, --base-url, --language and --jobs belong to the build, not to a command.")


def build_site(root: Path, out: Path | None, base_url: str | None, languages: tuple[str, ...], jobs: int) -> None:
    """Facts, formulas and content below `root` as a site in `out`, else in site/ below the root.

    Only site/ gets a .gitignore: another folder may be there to be committed.
    """
    from cabe.pages import read_site, render
    from cabe.publishing import apart, collect, publish

    target, sources = out or root / "site", [root / source for source in SOURCES]
    with faults_reported():
        apart(target, sources)  # said at once, and not after all pages
        site = read_site(root, cabe.__version__, _base_url(base_url), languages)
        if languages:
            site = site.only(_codes(languages, [one.code for one in site.languages]))
        files = collect(_watched(render(site, jobs), "pages"))
        changed = publish(files, target, sources, ignored=out is None)
    click.echo(f"{len(files)} files in {target}: {changed or 'nothing'} changed")


@commands.command()
@click.pass_obj
def check(obj: dict[str, Path]) -> None:
    """Find every mistake in facts, words, links and pages, and write nothing."""
    from cabe.pages import read_site, render
    from cabe.publishing import collect

    with faults_reported():
        files = collect(_watched(render(read_site(obj["root"], cabe.__version__), _cores()), "pages"))
    click.echo(f"{len(files)} files, no fault")


@commands.command()
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for the zip files.  [default: dist]"
)
@click.pass_obj
def bundle(obj: dict[str, Path], out: Path | None) -> None:
    """Write dist/cabe.zip and dist/cabe-<language>.zip, sites that open from a disk."""
    from cabe.pages import read_site, render
    from cabe.publishing import apart, collect, write_bundles, zipped

    root = obj["root"]
    folder, sources = out or root / "dist", [root / source for source in (*SOURCES, "site")]
    with faults_reported():
        apart(folder, sources)  # said at once, and not after all pages
        site = read_site(root, cabe.__version__)
        sites = {"cabe": site} | {f"cabe-{one.code}": site.only((one.code,)) for one in site.languages}
        made = {
            f"{name}.zip": zipped(collect(_watched(render(one, _cores()), name)), name) for name, one in sites.items()
        }
        changed = write_bundles(made, folder, sources)
    click.echo(f"{len(made)} bundles in {folder}: {', '.join(changed) or 'nothing'} changed")


HELP = {  # option of a set-up → what it is
    "method": "lora, qlora, full or inference",
    "batch": "Sequences in a micro-batch; for inference, at once",
    "seq": "Tokens in a sequence; for inference, prompt and answer",
    "accumulation": "Micro-batches in a step",
    "rank": "Rank of the adapter",
    "alpha": "Alpha of the adapter, which takes no memory",
    "targets": "all-linear, attention, or a list such as q,v; other: linear layers of other names; embed, head: whole",
    "adapter-dtype": "Width of adapters, their gradients and moments: fp32 or bf16",
    "lora-dropout": "Dropout before the adapter, a share",
    "dtype": "Width of frozen weights, or of all of them: bf16, fp16 or fp32",
    "precision": "amp, master, no-master or pure",
    "gradient-dtype": "Width of gradients, where it differs",
    "quantization": "none, nf4, nf4-double, int8, gptq4, gptq4-triton, gptq8; for inference mlx4 to mlx8 too",
    "kbit-prep": "32-bit copy of what is not quantized: yes, norms or no",
    "optimizer": "adamw, adamw-8bit, adafactor, lion, sgd …",
    "step": "after, or in-backward",
    "checkpointing": "full, full-reentrant or none",
    "attention": "flash, flash-repeated (k and v repeated to all heads), sdpa or eager",
    "loss": "full, full-shifted, triton, chunked, chunked-linear, chunked-128, checkpointed, fused …",
    "kernels": "stock or fused",
    "outputs": "freed or held: the logits during backward",
    "experts": "grouped or loop: one matrix multiplication for all experts, or one for each",
    "offload": "none",
    "compile": "no",
    "adapter": "lora",
    "towers": "text, or all: vision and audio towers are loaded as well",
    "gpus": "Number of devices",
    "sharding": "none, ddp, zero1, zero2, zero3 or fsdp: what the devices share",
    "prompt": "Inference: tokens of the context computed at once; all but 2048 where it is not given",
    "prefill-logits": "Inference: last, or all tokens of the prompt have logits",
    "kv-dtype": "Inference: bf16 (as dtype), fp8, int8 or int4 in the KV cache",
    "kv-cache": "Inference: static, or concatenating (transformers' DynamicCache)",
}


def setup_options(command: Callable[..., None]) -> Callable[..., None]:
    """An option of the command line for every option of a set-up."""
    for name, text in reversed(HELP.items()):
        command = click.option(f"--{name}", metavar="VALUE", help=text + ".")(command)
    return command


@commands.command()
@click.argument("model", required=False)
@setup_options
@click.option("--device", "devices", multiple=True, metavar="ID", help="Device to compare with; repeatable.")
@click.option(
    "--solve",
    "what",
    type=click.Choice(("batch", "seq", "model", "gpus")),
    help="Largest batch, length or model, or fewest devices, that fits the device.",
)
@click.option(
    "--setups", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="CSV of set-ups, one estimate a row."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, in bytes; what is not modelled is null.")
@click.argument("more", nargs=-1, metavar="")
@click.pass_obj
def estimate(
    obj: dict[str, Path],
    /,
    model: str | None,
    devices: tuple[str, ...],
    what: str | None,
    setups: Path | None,
    as_json: bool,
    more: tuple[str, ...],
    **options: str,
) -> None:
    """Estimate the memory of a run: MODEL is an id, a size (1.5B), a range of sizes (27-32B), or the path of a
    config.json as the Hugging Face Hub has it (or of its folder).

    A size has the rule of thumb and the states; a model has the peak of a training step too.
    """
    given = {name.replace("_", "-"): value for name, value in options.items() if value is not None}
    devices = (*devices, *more)
    if setups:
        if model or given or devices or what:
            raise click.UsageError("--setups takes everything from its file; give no MODEL and no other option.")
        _estimate_table(obj["root"], setups)
        return
    if model is None:
        raise click.UsageError("Missing argument 'MODEL'.")
    if more and len(devices) == len(more):
        raise click.UsageError(f"one MODEL, please; got {model} {' '.join(more)}")
    if what and len(devices) != 1:
        raise click.UsageError("--solve needs one --device.")
    _estimate_one(obj["root"], {"model": model, **given}, devices, what, as_json)


def _estimate_one(root: Path, given: dict[str, str], devices: tuple[str, ...], what: str | None, as_json: bool) -> None:
    from cabe.facts import answerable, read_facts, setup_from
    from cabe.memory import answer, read_formulas, solve, suggestions, unpacked_experts, with_configs

    remarks: list[str] = []
    with faults_reported(writes=False):
        facts, formulas = read_facts(root), read_formulas(root)
        facts = with_configs(facts, formulas, [given["model"]])
        try:
            if what:
                made = solve(facts, formulas, given, what, devices[0])
            else:
                made = answer(facts, formulas, given, devices)
                remarks = [] if devices else unpacked_experts(facts, answerable(facts, setup_from(given)))
                if made["peak"] and any(fit["verdict"] != "fits" for fit in made["fits"]):
                    made["suggestions"] = suggestions(facts, formulas, answerable(facts, setup_from(given)))
        except ValueError as error:
            raise Faults([Fault("estimate", 0, line) for line in str(error).splitlines()]) from error
        text = _json(made, indent=2) if as_json else ""
    if as_json:
        click.echo(text)
        return
    if what:
        click.echo(f"{what} that fits {made['device']}: {'none' if made['value'] is None else made['value']}\n")
    _print_estimate(made["estimate"] if what else made)
    for remark in remarks:  # a device's verdict says it beside the device
        click.echo(remark)


def _estimate_table(root: Path, path: Path) -> None:
    from cabe.facts import OPTIONS, read_facts
    from cabe.memory import answers, read_formulas, read_setups, with_configs

    with faults_reported(writes=False):
        facts, formulas = read_facts(root), read_formulas(root)
        table = read_setups(path, (*OPTIONS, "device"))
        made = answers(with_configs(facts, formulas, table["model"].unique()), formulas, table)
        text = _json(made, indent=1)
    click.echo(text)
    if any("error" in one for one in made):
        sys.exit(1)


FIELDS = {  # field of a model that no configuration states → what it is
    "id": "kebab case with the version's point (llama-3.1-8b), never renamed; made of hf_repo",
    "family": "id of the generation (llama-3.1)",
    "name": "as the vendor writes it (Llama 3.1 8B); made of hf_repo",
    "vendor": "who made it",
    "release": "YYYY-MM",
    "licence": "SPDX identifier, or LicenseRef-… for one of the vendor's own",
    "hf_repo": "owner/name on the Hugging Face Hub",
    "base_model": "of a fine-tune, the base: owner/name",
    "source": "where the file was read, with its revision",
    "published_params": "count or size that was published (8030261248, 8B)",
    "published_source": "where it was published",
    "verified": "true or false: was the count compared with it",
    "verification": "exact, rounded, label, base or near",
    "confidence": "high, medium or low",
    "doubt": "what is not sure",
    "tier": "core or extended",
}


def field_options(command: Callable[..., None]) -> Callable[..., None]:
    """An option of the command line for every field of a model that no configuration states."""
    for name, text in reversed(FIELDS.items()):
        option = f"--{name.replace('_', '-')}"
        many = name == "source"
        about = f"{text[0].upper()}{text[1:]}{'; repeatable' if many else ''}."
        command = click.option(option, metavar="TEXT", multiple=many, help=about)(command)
    return command


@commands.command("import-model")
@click.argument("config", metavar="CONFIG.json", type=click.Path(path_type=Path))
@field_options
@click.pass_obj
def import_model(obj: dict[str, Path], /, config: Path, source: tuple[str, ...], **fields: str | None) -> None:
    """Print an entry for data/models.yaml, made of a CONFIG.json as the Hugging Face Hub has it.

    What a configuration does not state is left empty, with what it is, unless an option gives it; check refuses the
    entry until it is filled in.
    """
    from cabe.facts import entry, given_faults, read_config, read_facts, to_be_filled
    from cabe.memory import counts, read_formulas

    given = {name: text for name, text in {**fields, "source": "\n".join(source)}.items() if text}
    with faults_reported(writes=False):
        if faults := given_faults(given):
            raise Faults(faults)
        facts, formulas = read_facts(obj["root"]), read_formulas(obj["root"])
        stated = read_config(config, facts.architectures)
        text = entry({**stated, **counts(facts, formulas, config.as_posix(), stated)}, given, FIELDS)
    click.echo(text, nl=False)
    if missing := to_be_filled(text):
        click.echo(f"to be filled in: {', '.join(missing)}", err=True)


def _json(made: Any, indent: int) -> str:
    """JSON in ASCII, which every terminal and pipe takes; Infinity and NaN, which JSON has not, are a fault."""
    try:
        return json.dumps(made, indent=indent, allow_nan=False)
    except ValueError as error:
        raise Faults([Fault("estimate", 0, "the result is too large for a number", "give smaller numbers")]) from error


def _print_estimate(made: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False)  # paths and options may hold what looks like markup
    console.print(Text.assemble((made["model"], "bold"), f" · {_options_text(made['setup'])}"), soft_wrap=True)
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim")
    table.add_column(justify="right")
    table.add_column(style="dim")
    whole = made["peak"] or made["states"]
    for part, amount in made["components"].items():
        if amount:
            table.add_row(part.replace("_", " "), _gb(amount), "▇" * round(24 * amount / whole) if whole else "")
    if made["peak"]:
        table.add_row(f"peak, {made['phase']}", Text(_gb(made["peak"]), "bold"), style="none")
    if made["driver"]:
        ends = f"{_gb(made['driver']['mid'])}, at most {_gb(made['driver']['high'])}"
        table.add_row("what a monitor shows", ends, "nine runs of ten", style="none")
    table.add_row("states, before activations", _gb(made["states"]), _why_no_states(made), style="none")
    rule = made["rule"]
    low, high = (_gb(rule[end], whole=True) for end in ("low", "high")) if rule else ("–", "–")
    table.add_row("rule of thumb", low if low == high else f"{low} to {high}")
    console.print(table)
    for fit in made["fits"]:
        verdict = fit["verdict"] or "no verdict: a bare size has no peak; name a model"
        console.print(f"{fit['device']}: {_gb(fit['usable'])} usable: {verdict}", soft_wrap=True)
        for warning in fit.get("warnings", ()):
            console.print(f"  {warning}", soft_wrap=True)
    for one in made.get("suggestions", ()):
        change = " ".join(f"--{name} {value}" for name, value in one["change"].items())
        console.print(f"  {change}: frees {_gb(one['frees'])}, peak {_gb(one['peak'])}", soft_wrap=True)


def _why_no_states(made: dict[str, Any]) -> str:
    if made["states"] is not None:
        return ""
    return "a range of sizes has no shape" if "-" in made["model"] else "no model lends this size its shape"


def _options_text(setup: dict[str, Any]) -> str:
    """The options that a reader needs, without those that have one value only or say nothing about this method."""
    adapter = ("rank", "alpha", "targets", "adapter-dtype", "lora-dropout", "quantization", "kbit-prep")
    single = ("offload", "compile", "adapter", "model")
    hidden = {*single}
    if setup["experts"] == "grouped":
        hidden.add("experts")
    if setup["towers"] == "text":
        hidden.add("towers")
    if setup["gpus"] == 1 and setup["sharding"] == "none":
        hidden.update(("gpus", "sharding"))
    shown = dict(setup)
    cached = ("prompt", "prefill-logits", "kv-dtype", "kv-cache")
    if setup["method"] == "inference":
        hidden.update(set(setup) - {"method", "dtype", "quantization", "batch", "seq", "attention", *cached})
        return ", ".join(f"{name} {value}" for name, value in shown.items() if name not in hidden)
    hidden.update(cached)
    if setup["method"] == "full":
        hidden.update(adapter)
        if setup["precision"] not in ("pure", "no-master"):
            hidden.add("dtype")  # the precision states the widths: 32-bit weights under amp and master
    elif setup["precision"] != "amp":
        shown["precision"] = f"{setup['precision']} (no autocast)"  # all that it says about an adapter
    return ", ".join(f"{name} {value}" for name, value in shown.items() if name not in hidden)


def _gb(amount: float | None, *, whole: bool = False) -> str:
    if amount is None:
        return "not modelled"
    return f"{amount / 1e9:.0f} GB" if whole else f"{amount / 1e9:.2f} GB"


def _cores() -> int:
    """How many processes make pages: more than four would take more memory than they save time."""
    return min(os.cpu_count() or 1, MOST_JOBS)


def _base_url(text: str | None) -> str | None:
    if text is None:
        return None
    if not is_address(text) or set(text) & set(" ?#"):
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
def faults_reported(*, writes: bool = True) -> Iterator[None]:
    """Authors' mistakes as lines on standard error and exit code 1; a full disk or a missing right likewise.

    A command that never `writes` need not say that it did not.
    """
    try:
        yield
    except Faults as error:
        for fault in error.faults:
            click.echo(str(fault), err=True)
        count = len(error.faults)
        click.echo(f"{count} fault{'s' if count > 1 else ''}{'; nothing was written' if writes else ''}", err=True)
        sys.exit(1)
    except OSError as error:
        ending = "; nothing was published" if writes else ""
        click.echo(f"{error.filename or 'output'}: {error.strerror or error}{ending}", err=True)
        sys.exit(1)


def main() -> None:
    """The entry of build.py; it ends without a traceback where the output cannot take what is printed."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal in ASCII shows ? for ▇
    try:
        commands(prog_name="build.py")
    except OSError as error:  # of the streams alone: commands report those of files
        with suppress(OSError):
            click.echo(f"standard output: {error.strerror or error}", err=True)
        _drop_output()
        sys.exit(1)


def _drop_output() -> None:
    """Send what the streams still hold nowhere, as Python would write it once more on its way out and fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError):  # a stream that is closed, or is no file
            os.dup2(nowhere, stream.fileno())
