"""A Chromium for the tests: Playwright's own, else the system's, else one that is installed now.

python -m tests.browser.chromium     finds or installs one and prints where it is
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DOWNLOAD_SECONDS = 300


def installed() -> str | None:
    """The path of a Chromium on this machine, Playwright's own first; None where there is none."""
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    if Path(own).exists():
        return own
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def install() -> None:
    """Fetch Playwright's Chromium; where that cannot be done, Debian's package."""
    commands: list[list[str]] = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if shutil.which("apt-get"):
        prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
        commands.append([*prefix, "apt-get", "update", "-qq"])
        commands.append([*prefix, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"])
    for command in commands:
        print("trying:", " ".join(command), flush=True)
        try:
            subprocess.run(command, check=False, timeout=DOWNLOAD_SECONDS, stdin=subprocess.DEVNULL)
        except (subprocess.TimeoutExpired, OSError) as error:
            print(error, flush=True)
        if installed():
            return


def main() -> None:
    if installed() is None:
        install()
    found = installed()
    if found is None:
        sys.exit("no Chromium: install one (Debian: apt-get install chromium) and run again")
    print(found)


if __name__ == "__main__":
    main()
