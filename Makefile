PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python

.PHONY: site test check golden bundle browser lint bench lock clean

site: $(VENV)/.ready            # the environment, the locked dependencies, and the site in site/
	$(RUN) build.py

test: $(VENV)/.ready lint browser  # every check and test, in a browser too
	$(RUN) -m pytest -n auto --dist worksteal

check: $(VENV)/.ready           # every mistake in facts, words, links and pages; writes nothing
	$(RUN) build.py check

bundle: $(VENV)/.ready          # zip files that open from a disk, in dist/
	$(RUN) build.py bundle

golden: $(VENV)/.ready          # rewrite the golden files after a change that was meant
	$(RUN) -m pytest -q tests/test_golden.py --golden

browser: $(VENV)/.ready         # find a Chromium, or install one
	$(RUN) -m tests.browser.chromium

lint: $(VENV)/.ready            # ruff and mypy
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

bench: $(VENV)/.ready           # timings, as ratios within one run
	$(RUN) -m bench.build
	$(RUN) -m bench.setups

lock:                           # renew requirements.lock from pyproject.toml (needs uv)
	uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --quiet --upgrade --output-file requirements.lock

clean:                          # remove what the targets made, the site aside
	rm -rf $(VENV) dist .pytest_cache .mypy_cache .ruff_cache

$(VENV)/.ready: requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	touch $@
