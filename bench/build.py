"""How long the stages of a build take, as ratios to one yardstick in the same run: python -m bench.build

The yardstick is a fixed amount of plain Python arithmetic, so that a noisy or slow machine moves both sides alike.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory

import cabe
from cabe.facts import answerable, estimated_models, read_facts, setup_from
from cabe.memory import estimate, read_formulas
from cabe.pages import read_site, render
from cabe.pages.catalogue import catalogue_of
from cabe.pages.downloads import downloads
from cabe.publishing import collect, publish

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 3


def best(work: Callable[[], object]) -> float:
    """Seconds of the fastest of a few rounds."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def yardstick() -> float:
    """A million multiplications and additions."""
    total = 0.0
    for number in range(1_000_000):
        total = total * 0.5 + number
    return total


def whole_build(target: Path, unit: float) -> None:
    """`build.py` as people run it, in processes of its own, and the memory of the largest of them."""
    start = time.perf_counter()
    run([sys.executable, str(ROOT / "build.py"), "--out", str(target)], check=True, capture_output=True)
    seconds = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{'build.py, whole':40} {seconds * 1000:8.1f} ms  {seconds / unit:.2f}", end="")
    print(
        f"   {used.ru_utime + used.ru_stime:.1f} s of processor, {used.ru_maxrss / 1024:.0f} MB in the largest process"
    )


def main() -> None:
    site = read_site(ROOT, cabe.__version__)
    facts, formulas = read_facts(ROOT), read_formulas(ROOT)
    setups = [
        answerable(facts, setup_from({"model": one.id, "method": "qlora"})) for one in estimated_models(facts)
    ] * 20
    files = collect(render(site))
    articles = replace(site, navigation=replace(site.navigation, catalogue=()))
    with TemporaryDirectory() as folder:
        target = Path(folder) / "site"
        stages = {
            "read facts, formulas, words and pages": lambda: read_site(ROOT, cabe.__version__),
            "estimates of the catalogue": lambda: catalogue_of(site),
            "files to take away": lambda: downloads(site),
            "render the articles": lambda: collect(render(articles)),
            f"render {len(files)} files in one process": lambda: collect(render(site)),
            "publish with nothing changed": lambda: publish(files, target),
            f"estimate {len(setups)} set-ups": lambda: estimate(facts, formulas, setups),
        }
        publish(files, target)
        unit = best(yardstick)
        print(f"{'yardstick':40} {unit * 1000:8.1f} ms  1.00")
        for name, work in stages.items():
            seconds = best(work)
            print(f"{name:40} {seconds * 1000:8.1f} ms  {seconds / unit:.2f}")
        whole_build(Path(folder) / "whole", unit)


if __name__ == "__main__":
    main()
