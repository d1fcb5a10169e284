# Everything is installed into .venv, pinned by version and hash in the lock files.

# Debian's Python is built with profile-guided optimization. One built by pyenv takes half as long again.
PYTHON ?= $(firstword $(wildcard /usr/bin/python3.11) $(shell command -v python3.11 || command -v python3))
VENV := .venv
BIN := $(VENV)/bin
# Packages without wheels are built with the tools in requirements-build.lock. By default, pip would fetch build
# tools without checking hashes.
PIP := $(BIN)/python -m pip --disable-pip-version-check install --require-hashes --no-deps --prefer-binary --use-pep517 --no-build-isolation --quiet
LOCKED := --universal --python-version 3.11 --generate-hashes --quiet --no-header --custom-compile-command 'make lock'

.PHONY: help install run migrate test soak chaos fire bench arena year fuzz explore mutants lighthouse lint format lock clean
.DEFAULT_GOAL := help

# Even if the environment says otherwise, modules are compiled once, not by each process that imports them.
unexport PYTHONDONTWRITEBYTECODE

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(VENV)/service ## Install what the service needs, for a server (the other targets do this automatically)
	@$(BIN)/python -m compileall -q service worker

run: $(VENV)/service ## Start everything; Ctrl-C stops it
	@exec $(BIN)/python -m service.cli run

migrate: $(VENV)/service ## Bring the database's tables up to date ("make run" does this too)
	@$(BIN)/python -m service.cli migrate

# In a fresh clone, modules are compiled once, while the types are checked, instead of by all three processes.
test: $(VENV)/test ## Check style and types, and run all tests (SKIP_PROGRAMS=1: install no Debian packages)
	@sh .ci/programs
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@mkdir -p .mypy_cache
	@$(BIN)/mypy > .mypy_cache/found 2>&1 & types=$$!; trap "kill $$types" INT TERM; \
	test -d tests/__pycache__ || $(BIN)/pytest --collect-only > /dev/null; \
	$(BIN)/pytest --numprocesses 3 $(ARGS); tests=$$?; \
	wait $$types; types=$$?; cat .mypy_cache/found; exit $$(( tests || types ))

soak: $(VENV)/test ## Run all tests with every case; "make test" tries some of them
	@sh .ci/programs
	@STONEPOST_CASES=full $(BIN)/pytest --numprocesses 3 $(ARGS)

bench: $(VENV)/bench $(VENV)/test ## Compare our speed with other programs, one line per figure
	@$(BIN)/python -m tests.bench $(ARGS)

arena: $(VENV)/test ## Let the bots play each other (ARGS="go --matches 20"); at least ten times faster with numba in .venv
	@$(BIN)/python -m tests.arena $(ARGS)

year: $(VENV)/test ## Let 200 people play in events for a year, and check the results (ARGS="--people 40 --weeks 10")
	@$(BIN)/python -m tests.events_year $(ARGS)

fuzz: $(VENV)/test $(VENV)/fuzz ## Feed random input to every entrance (ARGS="1000000 --seed 2"; see tests/fuzz)
	@$(BIN)/python -m tests.fuzz $(ARGS)

chaos: $(VENV)/test ## Play while everything goes wrong (ARGS="--orders 20000 --seed 7 --database postgresql")
	@$(BIN)/python -m tests.chaos $(ARGS)

fire: $(VENV)/test ## Call hooks and devices while every process is killed (ARGS=5000: 5,000 calls)
	@$(BIN)/python -m tests.processes.hooks_under_fire $(ARGS)

explore: $(VENV)/explore ## Call the API with everything its document allows, and everything it doesn't (ARGS=300: longer)
	@$(BIN)/python -m tests.api.explore $(ARGS)

mutants: $(VENV)/mutants ## Change the code at random places and count what no test notices (ARGS="--sample 30 --seed 2")
	@sh .ci/programs
	@$(BIN)/python -m tests.mutants $(ARGS)

lighthouse: $(VENV)/test ## Run Lighthouse on the main pages; needs Node.js
	@sh .ci/programs
	@$(BIN)/python -m tests.lighthouse

lint: $(VENV)/test ## Check style and types (with Node.js also JavaScript and the API's document)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python -m tests.javascript

format: $(VENV)/test ## Format the source
	@$(BIN)/ruff check --quiet --fix .
	@$(BIN)/ruff format .

lock: $(VENV)/pip ## Update the lock files after a change of pyproject.toml (UPGRADE=1: also upgrade to the newest versions)
	@$(BIN)/python -m pip install --quiet 'uv>=0.5'
	@$(BIN)/uv pip compile --group build $(LOCKED) $(if $(UPGRADE),--upgrade) -o requirements-build.lock
	@$(BIN)/uv pip compile pyproject.toml $(LOCKED) $(if $(UPGRADE),--upgrade) -o requirements.lock
	@$(BIN)/uv pip compile pyproject.toml $(LOCKED) $(if $(UPGRADE),--upgrade) --extra s3 -c requirements.lock -o requirements-s3.lock
	@$(BIN)/uv pip compile pyproject.toml $(LOCKED) $(if $(UPGRADE),--upgrade) --group test -c requirements.lock -o requirements-test.lock
	@$(BIN)/uv pip compile pyproject.toml $(LOCKED) $(if $(UPGRADE),--upgrade) --group bench -c requirements.lock -o requirements-bench.lock
	@$(BIN)/uv pip compile pyproject.toml $(LOCKED) $(if $(UPGRADE),--upgrade) --group fuzz -c requirements.lock -o requirements-fuzz.lock
	@$(BIN)/uv pip compile pyproject.toml $(LOCKED) $(if $(UPGRADE),--upgrade) --group mutants --group test -c requirements-test.lock -o requirements-mutants.lock
	@$(BIN)/uv pip compile pyproject.toml $(LOCKED) $(if $(UPGRADE),--upgrade) --group explore --group test -c requirements-test.lock -o requirements-explore.lock

clean: ## Remove what was installed and cached; keep the data in var/
	rm -rf $(VENV) .lighthouse .javascript .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# These files mark what is already installed.

$(VENV)/pip: .ci/venv.py
	@$(PYTHON) .ci/venv.py $(VENV)
	@touch $@

# With -P, Python doesn't look for modules in the current directory, which may be somebody else's.
$(VENV)/service: Makefile requirements-build.lock requirements.lock $(VENV)/pip
	@echo "Installing the service's packages (first time only) ..."
	@$(PIP) -r requirements-build.lock
	@$(PIP) -r requirements.lock
	@printf '#!/bin/sh\nPYTHONPATH="%s" exec "%s/$(BIN)/python" -P -m service.cli "$$@"\n' "$(CURDIR)" "$(CURDIR)" > $(BIN)/stonepost
	@chmod +x $(BIN)/stonepost
	@touch $@

$(VENV)/test: requirements-test.lock $(VENV)/service
	@echo "Installing the tests' packages (first time only) ..."
	@$(PIP) -r requirements-test.lock
	@touch $@

$(VENV)/fuzz: requirements-fuzz.lock $(VENV)/service
	@echo "Installing the fuzzer (first time only) ..."
	@$(PIP) -r requirements-fuzz.lock
	@touch $@

$(VENV)/explore: requirements-explore.lock $(VENV)/test
	@echo "Installing Schemathesis (first time only) ..."
	@$(PIP) -r requirements-explore.lock
	@touch $@

$(VENV)/mutants: requirements-mutants.lock $(VENV)/test
	@echo "Installing the mutation tester (first time only) ..."
	@$(PIP) -r requirements-mutants.lock
	@touch $@

$(VENV)/bench: requirements-bench.lock $(VENV)/service
	@echo "Installing the programs to compare with (first time only) ..."
	@$(PIP) -r requirements-bench.lock
	@touch $@
