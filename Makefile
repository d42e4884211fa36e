# Needs Python 3.11+, git and make; everything else goes into .venv.
SHELL := /bin/bash
.DEFAULT_GOAL := help

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LIVE := .venv-live
SPEED := .venv-bench

.PHONY: help setup demo live test static check bench bench-quick bench-wrappers bench-ablation bench-hindcast bench-precision bench-drift bench-vllm docs lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(READY) ## create .venv with the locked dependencies and shimgen itself

$(READY): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer was found; name one with: make PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "Setting up $(VENV) with $$($(PYTHON) -V)" >&2
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -q src/shimgen
	@touch $@

demo: $(READY) ## the whole story on the real SGLang 0.5.9, in a temporary checkout
	@PATH="$(CURDIR)/$(BIN):$$PATH" examples/demo.sh

live: $(READY) $(LIVE)/.ready ## the real classes of SGLang 0.5.9 (STACK=vllm: vLLM 0.16.0), with torch for the CPU (some hundred megabytes, once)
	@PATH="$(CURDIR)/$(BIN):$$PATH" LIVE_PYTHON="$(CURDIR)/$(LIVE)/bin/python" examples/live.sh

$(LIVE)/.ready: benchmarks/live.txt
	@rm -rf $(LIVE)
	@$(PYTHON) -m venv $(LIVE)
	@$(LIVE)/bin/python -m pip install -qq --disable-pip-version-check -r benchmarks/live.txt
	@touch $@

test: $(READY) ## the tests
	@$(BIN)/python -m pytest -n auto

static: $(READY)
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports

check: static test ## format, lint, types, architecture, tests

bench: $(READY) $(SPEED)/.ready ## how fast: two releases, other tools, memory, growth (ten minutes; PAGE=docs/benchmarks.md writes them there)
	@$(BIN)/python -m benchmarks.speed $(if $(PAGE),--write $(PAGE))

bench-quick: $(READY) ## how fast, in a minute, on one release
	@$(BIN)/python -m benchmarks.speed --quick

$(SPEED)/.ready: benchmarks/speed.txt
	@rm -rf $(SPEED)
	@$(PYTHON) -m venv $(SPEED)
	@$(SPEED)/bin/python -m pip install -qq --disable-pip-version-check --only-binary=:all: --require-hashes -r $< && touch $@ || \
		echo "bench: the tools of $< could not be installed; those on PATH are measured" >&2

bench-wrappers: $(READY) ## every wrapper of two releases, against an independent list
	@$(BIN)/python -m benchmarks.wrappers

bench-ablation: $(READY) ## hand-written forwards taken out of RELEASE: do they come back?
	@$(BIN)/python -m benchmarks.ablation $(or $(RELEASE),0.5.9 0.5.12.post1)

bench-hindcast: $(READY) ## forwards added from FROM to TO: were those that were due emitted?
	@$(BIN)/python -m benchmarks.hindcast $(or $(FROM),0.5.9) $(or $(TO),0.5.23)

bench-precision: $(READY) ## the judged sample of gaps at 0.5.9: does each still stand?
	@$(BIN)/python -m benchmarks.precision

bench-drift: $(READY) ## members of three releases that are there and wrong, each judged
	@$(BIN)/python -m benchmarks.drift

bench-vllm: $(READY) ## what is said of two releases of vLLM (a download of 700 MB, once), against docs/vllm.md
	@$(BIN)/python -m benchmarks.vllm

docs: $(READY) ## the page of decisions, from the case files
	@$(BIN)/python -m tests.decisions > docs/decisions.md

lock: requirements.in pyproject.toml benchmarks/speed.in ## resolve requirements.lock and benchmarks/speed.txt again (needs uv)
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --extra dev \
		--no-header --no-annotate --no-emit-index-url --no-emit-find-links pyproject.toml requirements.in -o requirements.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-header --no-annotate --no-emit-index-url --no-emit-find-links benchmarks/speed.in -o benchmarks/speed.txt

clean: ## remove .venv, caches and build products
	rm -rf $(VENV) $(LIVE) $(SPEED) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis src/*.egg-info
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
