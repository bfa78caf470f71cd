"""How long a calculator takes to answer a key press, as a ratio to one frame of a screen: python -m bench.calculator

Every press is one that asks for the most: a run that does not fit, with suggestions and the longest that does.
"""

from __future__ import annotations

from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

import cabe
from cabe.pages import read_site, render
from cabe.publishing import collect, publish
from tests.browser.chromium import QUIET, installed

ROOT = Path(__file__).resolve().parent.parent
FRAME = 16.0  # milliseconds
STATES = (
    "model=qwen2.5-14b&method=full&device=rtx-4090-24gb",
    "model=llama-3.1-8b&method=lora&device=rtx-4090-24gb&seq=4096",
    "model=gpt-oss-20b&method=qlora&device=rtx-3060-12gb",
)
PRESS = """() => {
  const field = document.querySelector(".estimator [name=seq]");
  const times = [];
  for (let press = 0; press < 60; press++) {
    field.value = String(1024 + press);
    const start = performance.now();
    field.dispatchEvent(new Event("input", { bubbles: true }));
    document.body.getBoundingClientRect(); // the layout that the answer asks for
    times.push(performance.now() - start);
  }
  return times.slice(10);
}"""


def main() -> None:
    path = installed()
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        target = Path(folder) / "site"
        publish(collect(render(read_site(ROOT, cabe.__version__))), target)
        browser = playwright.chromium.launch(executable_path=path, args=QUIET)
        page = browser.new_page()
        for state in STATES:
            page.goto("about:blank")
            page.goto(f"{target.as_uri()}/en/training-vram.html#{state}")
            times = sorted(page.evaluate(PRESS))
            middle, late = median(times), times[int(len(times) * 0.95)]
            print(f"{state:62} {middle:6.1f} ms  {middle / FRAME:.2f}   95th {late:6.1f} ms  {late / FRAME:.2f}")
        browser.close()


if __name__ == "__main__":
    main()
