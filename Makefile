# Stonepost: what one does here. Everything is installed into .venv, at the versions and hashes of the lock files.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
# What has no wheel is built by what requirements-build.lock names: pip alone would fetch build tools without hashes.
PIP := $(BIN)/python -m pip --disable-pip-version-check install --require-hashes --no-deps --prefer-binary --use-pep517 --no-build-isolation --quiet
LOCKED := --universal --python-version 3.11 --generate-hashes --quiet --no-header --custom-compile-command 'make lock'

.PHONY: help run migrate test bench arena fuzz lighthouse lint format lock clean
.DEFAULT_GOAL := help

help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(VENV)/service ## Start everything and say where to look; Ctrl-C stops it
	@exec $(BIN)/python -m service.cli run

migrate: $(VENV)/service ## Bring the database's tables up to date (run does so too)
	@$(BIN)/python -m service.cli migrate

test: $(VENV)/test ## Check style and types and run every test
	@sh .ci/programs
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@$(BIN)/pytest --numprocesses 2 $(ARGS)

bench: $(VENV)/bench ## Measure us against others, a line for each figure
	@$(BIN)/python -m tests.bench $(ARGS)

arena: $(VENV)/test ## Let the bots play each other for a table of strength (ARGS="go --matches 20"); numba makes it ten times faster
	@$(BIN)/python -m tests.arena $(ARGS)

fuzz: $(VENV)/fuzz ## Look for mails that trip the reader, for a minute (ARGS=600: for ten)
	@$(BIN)/python -m tests.fuzz $(ARGS)

lighthouse: $(VENV)/test ## Have Lighthouse look at the pages people come to first; wants Node.js
	@sh .ci/programs
	@$(BIN)/python -m tests.lighthouse

lint: $(VENV)/test ## Check style and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

format: $(VENV)/test ## Put the source into its usual shape
	@$(BIN)/ruff check --quiet --fix .
	@$(BIN)/ruff format .

lock: $(VENV)/pip ## Write the lock files anew after a change of pyproject.toml (keeps versions; UPGRADE=1 takes the newest)
	@$(BIN)/python -m pip install --quiet 'uv>=0.5'
	@$(BIN)/uv pip compile --group build $(LOCKED) $(if $(UPGRADE),--upgrade) -o requirements-build.lock
	@$(BIN)/uv pip compile pyproject.toml $(LOCKED) $(if $(UPGRADE),--upgrade) -o requirements.lock
	@$(BIN)/uv pip compile pyproject.toml $(LOCKED) $(if $(UPGRADE),--upgrade) --group test -c requirements.lock -o requirements-test.lock
	@$(BIN)/uv pip compile pyproject.toml $(LOCKED) $(if $(UPGRADE),--upgrade) --group bench -c requirements.lock -o requirements-bench.lock
	@$(BIN)/uv pip compile pyproject.toml $(LOCKED) $(if $(UPGRADE),--upgrade) --group fuzz -c requirements.lock -o requirements-fuzz.lock

clean: ## Remove what was installed and cached; the matches in var/ stay
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Files that say what is installed already, so that the next run starts at once.

$(VENV)/pip: .ci/venv.py
	@$(PYTHON) .ci/venv.py $(VENV)
	@touch $@

$(VENV)/service: requirements-build.lock requirements.lock $(VENV)/pip
	@echo "Installing what the service needs (this once) ..."
	@$(PIP) -r requirements-build.lock
	@$(PIP) -r requirements.lock
	@printf '#!/bin/sh\nPYTHONPATH="%s" exec "%s/$(BIN)/python" -m service.cli "$$@"\n' "$(CURDIR)" "$(CURDIR)" > $(BIN)/stonepost
	@chmod +x $(BIN)/stonepost
	@touch $@

$(VENV)/test: requirements-test.lock $(VENV)/service
	@echo "Installing what the tests need (this once) ..."
	@$(PIP) -r requirements-test.lock
	@touch $@

$(VENV)/fuzz: requirements-fuzz.lock $(VENV)/service
	@echo "Installing what looks for mails that trip the reader (this once) ..."
	@$(PIP) -r requirements-fuzz.lock
	@touch $@

$(VENV)/bench: requirements-bench.lock $(VENV)/service
	@echo "Installing what the bench compares us with (this once) ..."
	@$(PIP) -r requirements-bench.lock
	@touch $@
