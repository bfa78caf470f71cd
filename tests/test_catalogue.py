"""Pages of models and devices: one each in every language, with the figures of the estimates and words that agree."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from dataclasses import replace

import pytest

from cabe.facts import answerable, filled, setup_from
from cabe.facts.setups import Setup
from cabe.memory import PARTS, component, estimate, room, solve, verdict_by_peak
from cabe.pages import Site
from cabe.pages.catalogue import Catalogue, catalogue_of, shared_out
from cabe.pages.catalogue.adapters import experts_left_out
from cabe.pages.catalogue.entry import Entry
from cabe.pages.catalogue.hints import hints
from cabe.pages.catalogue.model_facts import facts_of
from cabe.pages.catalogue.next_size import next_sizes
from cabe.pages.catalogue.placement import placement
from cabe.pages.catalogue.room import MIB, room_rows
from cabe.pages.catalogue.training import TOLD, above_lora
from cabe.pages.site import link, place
from cabe.pages.training_grid import BATCHES, METHODS, common_length, lengths_of
from cabe.words import Language
from cabe.words import numbers as written

MOST_BYTES = 30_000  # of a page with its styles, compressed
MOST_LINKS = 130  # a page of a thousand links is no page
FOLDERS = {"en": ("models", "devices"), "pt": ("modelos", "dispositivos"), "it": ("modelli", "dispositivi")}


@pytest.fixture(scope="module")
def catalogue(site: Site) -> Catalogue:
    return catalogue_of(site)


def language(site: Site, code: str) -> Language:
    return next(one for one in site.languages if one.code == code)


def entry(catalogue: Catalogue, code: str, kind: str, record_id: str) -> Entry:
    return Entry(catalogue, language(catalogue.site, code), kind, record_id)


def of_catalogue(files: dict[str, bytes]) -> dict[str, bytes]:
    """The pages of models and devices."""
    folders = tuple(f"{code}/{folder}/" for code, own in FOLDERS.items() for folder in own)
    return {path: content for path, content in files.items() if path.startswith(folders) and path.endswith(".html")}


def test_every_model_and_every_device_has_a_page_in_every_language(site: Site, files: dict[str, bytes]) -> None:
    models = [model.id for model in site.facts.models.values()]
    devices = [device.id for device in site.facts.devices.values() if device.kind != "nominal"]
    wanted = {
        f"{code}/{folder}/{record}.html"
        for code, folders in FOLDERS.items()
        for folder, records in zip(folders, (models, devices), strict=True)
        for record in ("index", *records)
    }
    assert set(of_catalogue(files)) == wanted


def test_a_page_with_its_styles_is_small_and_has_few_links(files: dict[str, bytes]) -> None:
    styles = len(gzip.compress(files["assets/cabe.css"]))
    for path, content in of_catalogue(files).items():
        if not path.endswith("/index.html"):
            assert len(gzip.compress(content)) + styles <= MOST_BYTES, path
            assert content.count(b"<a ") < MOST_LINKS, path


@pytest.mark.parametrize("code", FOLDERS)
def test_every_page_is_reached_from_the_home_page(code: str, files: dict[str, bytes]) -> None:
    home = files[f"{code}/index.html"].decode()
    for folder in FOLDERS[code]:
        assert f'href="{folder}/index.html"' in home
        overview = files[f"{code}/{folder}/index.html"].decode()
        own = [path for path in of_catalogue(files) if path.startswith(f"{code}/{folder}/")]
        assert [path for path in own if f'href="{path.rpartition("/")[2]}"' not in overview] == []


def test_the_language_switch_keeps_the_page(files: dict[str, bytes]) -> None:
    page = files["pt/modelos/llama-3.1-8b.html"].decode()
    assert 'href="../../it/modelli/llama-3.1-8b.html" lang="it"' in page
    assert 'href="../../en/models/llama-3.1-8b.html" lang="en"' in page
    assert 'href="llama-3.1-8b.html" lang="pt-BR" hreflang="pt-BR" title="Português" aria-current="true"' in page


@pytest.mark.parametrize(
    ("start", "target", "expected"),
    [
        ("en/models/a.html", "en/models/b.html", "b.html"),
        ("en/models/a.html", "en/models/a.html", "a.html"),
        ("en/models/a.html", "en/index.html", "../index.html"),
        ("en/models/a.html", "pt/modelos/a.html", "../../pt/modelos/a.html"),
        ("en/index.html", "en/models/a.html", "models/a.html"),
        ("index.html", "assets/cabe.css", "assets/cabe.css"),
        ("en/models.html", "en/models/a.html", "models/a.html"),
    ],
)
def test_a_link_leads_from_one_path_to_another(start: str, target: str, expected: str) -> None:
    assert link(start, target) == expected


def test_several_processes_make_the_same_files_in_the_same_order(site: Site) -> None:
    few = replace(site.only(("it",)), navigation=replace(site.navigation, catalogue=("devices",)))
    with shared_out(few, 1) as alone, shared_out(few, 2) as together:
        assert list(together()) == list(alone())


@pytest.mark.parametrize("model", ["llama-3.1-8b", "gemma-3-4b", "qwen3-30b-a3b", "gpt2-124m"])
@pytest.mark.parametrize("code", FOLDERS)
def test_the_figures_of_a_model_are_those_of_the_estimate(
    site: Site, files: dict[str, bytes], model: str, code: str
) -> None:
    spoken = language(site, code)
    length = common_length(site.facts.models[model])
    page = files[place(spoken, "models", model)].decode()
    for method in METHODS:
        given = {"model": model, "method": method, "seq": str(length)}
        rows = estimate(site.facts, site.formulas, [answerable(site.facts, setup_from(given))])
        peak, mid, high = (rows.value(0, name) or 0.0 for name in ("peak", "driver_mid", "driver_high"))
        name = spoken.word(f"catalogue.methods.{method}.name")
        cells = f"<td>{written.gigabytes(peak, spoken.locale)}</td>"
        cells += f"<td>{written.gigabyte_range(mid, high, spoken.locale)}</td>"
        assert f'<tr><th scope="row">{name}</th>{cells}</tr>' in page
        for part in PARTS:
            amount = component(rows, 0, part)
            assert not amount or written.gigabytes(amount, spoken.locale) in page


@pytest.mark.parametrize("model", ["llama-3.1-8b", "gpt2-124m"])
def test_the_files_of_a_model_hold_the_estimates_in_bytes(site: Site, files: dict[str, bytes], model: str) -> None:
    rows = list(csv.DictReader(io.StringIO(files[f"data/models/{model}.csv"].decode())))
    lengths = lengths_of(site.facts.models[model])
    assert len(rows) == len(METHODS) * len(lengths) * len(BATCHES)
    row = next(one for one in rows if (one["method"], one["seq"], one["batch"]) == ("qlora", "1024", "4"))
    given = {"model": model, "method": "qlora", "seq": "1024", "batch": "4"}
    made = estimate(site.facts, site.formulas, [answerable(site.facts, setup_from(given))])
    assert int(row["peak_bytes"]) == round(made.value(0, "peak") or 0)
    assert [int(row[f"{part}_bytes"]) for part in PARTS] == [round(component(made, 0, part) or 0) for part in PARTS]
    whole = json.loads(files[f"data/models/{model}.json"])
    assert [[str(cell) for cell in one] for one in whole["rows"]] == [list(one.values()) for one in rows]
    assert whole["columns"] == list(rows[0])


def test_the_set_up_that_readers_are_told_is_the_default(site: Site) -> None:
    options = filled(site.facts, Setup(model="llama-3.1-8b", method="qlora"))
    full = filled(site.facts, Setup(model="llama-3.1-8b", method="full"))
    assert {name: options[name] for name in TOLD} == {name: full[name] for name in TOLD}
    assert (options["batch"], options["seq"]) == (1, 2048)


def test_calculators_open_with_the_model(files: dict[str, bytes]) -> None:
    page = files["it/modelli/llama-3.1-8b.html"].decode()
    for slug in ("vram-di-addestramento", "vram-di-inferenza", "parametri-lora"):
        assert f'href="../{slug}.html#model=llama-3.1-8b"' in page


@pytest.mark.parametrize("model", ["smollm2-135m", "llama-3.1-8b", "llama-3.1-405b"])
def test_the_smallest_device_holds_a_method_and_no_smaller_one_does(
    site: Site, catalogue: Catalogue, model: str
) -> None:
    made = placement(entry(catalogue, "en", "models", model), site.facts.models[model])
    for method, cells in made["smallest"]:
        for sort, cell in zip(("discrete", "unified", "instance"), cells, strict=True):
            holding = [
                room(site.facts, site.formulas, device.id).usable * device.gpus
                for device in catalogue.devices.values()
                if device.kind == sort
                and catalogue.card(device).bf16 is not False
                and "laptop" not in device.id
                and catalogue.verdict(catalogue.common_peak(model, method, device.gpus), device.id) == "fits"
            ]
            if cell is None:
                assert holding == []
            else:
                named = next(device for device in catalogue.devices.values() if device.name == cell[0])
                assert room(site.facts, site.formulas, named.id).usable * named.gpus == min(holding)
                assert catalogue.card(named).bf16 is not False


@pytest.mark.parametrize("device", ["rtx-4090-24gb", "apple-m3-pro-36gb", "h100-80gb"])
@pytest.mark.parametrize("method", METHODS)
def test_the_frontier_is_what_solve_finds(site: Site, catalogue: Catalogue, device: str, method: str) -> None:
    found = catalogue.largest(device, method, 4096)
    solved = solve(site.facts, site.formulas, {"model": "gpt2-124m", "method": method, "seq": "4096"}, "model", device)
    assert (found.id if found else None) == solved["value"]


def test_an_instance_shares_the_model_out_among_its_cards(site: Site, catalogue: Catalogue) -> None:
    given = {"model": "llama-3.1-70b", "method": "lora", "seq": "2048", "gpus": "8", "sharding": "fsdp"}
    peak = estimate(site.facts, site.formulas, [answerable(site.facts, setup_from(given))]).value(0, "peak")
    assert catalogue.common_peak("llama-3.1-70b", "lora", 8) == peak


def test_the_next_size_does_not_fit_and_a_change_that_is_said_to_fit_does(site: Site, catalogue: Catalogue) -> None:
    device = site.facts.devices["rtx-4090-24gb"]
    usable = room(site.facts, site.formulas, device.id).usable
    for one in next_sizes(entry(catalogue, "en", "devices", device.id), device):
        model = next(model.id for model in catalogue.models.values() if model.name == one["model"])
        peak = catalogue.common_peak(model, one["method"])
        assert verdict_by_peak(site.facts, peak, usable) != "fits"
        assert any("✓" in left for _, left in one["changes"])


def test_only_devices_that_may_get_company_are_told_to_share_a_model_out(catalogue: Catalogue) -> None:
    told = set()
    for device in catalogue.devices.values():
        own = entry(catalogue, "en", "devices", device.id)
        said = [change for one in next_sizes(own, device) for change, _ in one["changes"]]
        if any("FSDP" in change for change in said):
            told.add(device.id)
    assert "rtx-4090-24gb" in told
    assert [one for one in told if one.startswith(("apple", "colab", "kaggle")) or "laptop" in one] == []


def test_the_next_size_is_no_more_than_twice_as_large(catalogue: Catalogue) -> None:
    for device in catalogue.devices.values():
        usable = catalogue.rooms[device.id].usable
        for one in next_sizes(entry(catalogue, "en", "devices", device.id), device):
            model = next(model.id for model in catalogue.models.values() if model.name == one["model"])
            assert catalogue.common_peak(model, one["method"], device.gpus) <= 2 * usable
            signs = [left.rpartition(", ")[2][0] for _, left in one["changes"]]
            assert "✕" not in signs or set(signs) == {"✕"}, device.id


def numbers_of(text: str) -> int:
    return int(re.sub(r"\D", "", text)) * (-1 if text.startswith(written.MINUS) else 1)


def test_usable_memory_is_the_sum_of_its_lines(site: Site, catalogue: Catalogue) -> None:
    for device in catalogue.devices.values():
        *lines, (_, mib, gb) = room_rows(entry(catalogue, "en", "devices", device.id), device)
        usable = room(site.facts, site.formulas, device.id).usable
        assert numbers_of(mib) == round(usable / MIB)
        assert abs(sum(numbers_of(one) for _, one, _ in lines) - numbers_of(mib)) <= 1, device.id
        assert gb == written.gigabytes(usable, language(site, "en").locale)


HINTS = {
    "rtx-4090-24gb": ["close-desktop"],
    "apple-m3-pro-36gb": ["newer-system", "wired-limit"],
    "apple-m1-8gb": ["wired-limit"],
    "l4-24gb": ["ecc"],
    "strix-halo-128gb": ["mapped-memory"],
    "h100-80gb": [],
}


@pytest.mark.parametrize(("device", "expected"), HINTS.items())
def test_free_memory_is_hinted_at_where_a_device_has_some(
    site: Site, catalogue: Catalogue, device: str, expected: list[str]
) -> None:
    found = hints(entry(catalogue, "en", "devices", device), site.facts.devices[device])
    known = site.facts.hints
    assert [hint.command for hint in found] == [known[one].command for one in expected]
    assert [hint.reference is None for hint in found] == [known[one].reference is None for one in expected]


PLURALS = {
    "en": ("0 sequences", "1 sequence", "1.5 sequences", "8 sequences"),
    "pt": ("0 sequência", "1 sequência", "1,5 sequência", "8 sequências"),
    "it": ("0 sequenze", "1 sequenza", "1,5 sequenze", "8 sequenze"),
}


@pytest.mark.parametrize("code", FOLDERS)
def test_counted_words_agree_with_their_number(site: Site, code: str) -> None:
    spoken = language(site, code)
    said = [
        spoken.word("catalogue.batch", n=written.number(count, spoken.locale), count=count) for count in (0, 1, 1.5, 8)
    ]
    assert tuple(said) == PLURALS[code]


PARAMS = {
    "en": tuple(f"{n} parameters" for n in ("135 million", "1 billion", "1.5 billion", "1,026 billion")),
    "pt": tuple(f"{n} de parâmetros" for n in ("135 milhões", "1 bilhão", "1,5 bilhão", "1.026 bilhões")),
    "it": tuple(f"{n} di parametri" for n in ("135 milioni", "1 miliardo", "1,5 miliardi", "1.026 miliardi")),
}


@pytest.mark.parametrize("code", FOLDERS)
def test_parameters_are_said_in_millions_or_billions(catalogue: Catalogue, code: str) -> None:
    spoken = entry(catalogue, code, "models", "llama-3.1-8b")
    said = tuple(spoken.params(count) for count in (134_515_008, 1e9, 1.5e9, 1_026_408_232_448))
    assert said == PARAMS[code]


ABOVE_LORA = {
    "qwen3-30b-a3b": "experts",
    "falcon-7b": "own_linear",
    "gemma-3-270m": "vocabulary",
    "llama-3.1-8b": None,
}


@pytest.mark.parametrize(("model", "reason"), ABOVE_LORA.items())
def test_a_model_says_why_qlora_takes_more_than_lora(
    site: Site, catalogue: Catalogue, model: str, reason: str | None
) -> None:
    own = entry(catalogue, "pt", "models", model)
    expected = own.word(f"catalogue.above_lora.{reason}") if reason else ""
    assert above_lora(own, site.facts.models[model]) == expected


def test_the_vocabulary_is_the_reason_where_qlora_takes_less_without_raising_it(
    site: Site, catalogue: Catalogue
) -> None:
    for model in catalogue.models.values():
        own = entry(catalogue, "en", "models", model.id)
        if above_lora(own, model) == own.word("catalogue.above_lora.vocabulary"):
            given = {"model": model.id, "method": "qlora", "seq": str(common_length(model)), "kbit-prep": "norms"}
            rows = estimate(site.facts, site.formulas, [answerable(site.facts, setup_from(given))])
            assert (rows.value(0, "peak") or 0) < catalogue.common_peak(model.id, "lora"), model.id


SHOWN = {  # of the width of the MLP, that of the shared expert and the attention window
    "llama-3.1-8b": ["intermediate_size"],
    "phi-4-mini-3.8b": ["intermediate_size"],
    "qwen3-30b-a3b": [],
    "qwen3-next-80b-a3b": ["shared_expert_intermediate"],
    "deepseek-v2-lite": ["intermediate_size", "shared_expert_intermediate"],
    "gemma-4-26b-a4b": ["intermediate_size", "sliding_window"],
}


@pytest.mark.parametrize(("model", "expected"), SHOWN.items())
def test_facts_that_say_nothing_are_left_out(site: Site, catalogue: Catalogue, model: str, expected: list[str]) -> None:
    own = entry(catalogue, "en", "models", model)
    labels = [label for label, _ in facts_of(own, site.facts.models[model])["rows"]]
    names = ("intermediate_size", "shared_expert_intermediate", "sliding_window")
    assert [name for name in names if own.word(f"catalogue.facts.{name}") in labels] == expected


def test_a_model_that_says_its_experts_get_no_adapter_has_none_in_the_count(site: Site, catalogue: Catalogue) -> None:
    left_out = {
        model.id
        for model in catalogue.models.values()
        if experts_left_out(entry(catalogue, "en", "models", model.id), model)
    }
    assert {"llama-4-scout", "gpt-oss-20b"} <= left_out
    assert not {"llama-3.1-8b", "qwen3-30b-a3b", "mixtral-8x7b"} & left_out
    for model in left_out:
        given = {"model": model, "method": "lora"}
        rows = estimate(site.facts, site.formulas, [answerable(site.facts, setup_from(given))])
        assert rows.value(0, "lora_experts") == 0, model


CERTAIN = {"rtx-4090-24gb": True, "mi300x-192gb": False, "azure-nd96isr-mi300x-v5": False, "gcp-g2-standard-4": True}


@pytest.mark.parametrize(("device", "certain"), CERTAIN.items())
def test_a_device_that_no_run_was_measured_on_says_that_it_is_less_certain(
    site: Site, files: dict[str, bytes], device: str, certain: bool
) -> None:
    spoken = language(site, "pt")
    page = files[place(spoken, "devices", device)].decode()
    assert (spoken.word("catalogue.not_cuda") in page) is not certain


def test_measured_runs_stand_beside_the_estimates(site: Site, files: dict[str, bytes]) -> None:
    page = files["en/models/mistral-7b-v0.1.html"].decode()
    own = [one.point for one in site.compared if one.point.setup and one.point.setup.model == "mistral-7b-v0.1"]
    assert own
    assert [point.id for point in own if point.id not in page] == []
    assert 'id="measured"' not in files["en/models/kimi-k2.html"].decode()
