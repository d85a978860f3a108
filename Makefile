PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
DEV    := $(VENV)/.ready-dev
STUBS  := $(VENV)/.stubs
PROTOS := $(shell find protos -name '*.proto')
# What `make check` holds the contracts against: a tag or commit of this repository.
BASE   ?= HEAD

.DEFAULT_GOAL := help
.PHONY: help run test check bench eval format protos clean

help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(STUBS) ## Run everything on this machine: engines, four services, the page
	@exec $(BIN)/quoth up

test: $(DEV) $(STUBS) ## Run the tests
	$(BIN)/pytest -n 2 --dist loadfile

check: $(DEV) $(STUBS) ## Lint, types, import rules, contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	cd protos && ../$(BIN)/buf lint
	cd protos && ../$(BIN)/buf breaking --against '../.git#ref=$(BASE),subdir=protos'

bench: $(DEV) $(STUBS) ## Measure speed, beside the peers (BENCH=--quick for a part)
	@$(BIN)/python -m tests.benchmarks $(BENCH)

eval: $(DEV) $(STUBS) ## Measure quality on the labelled sets
	@$(BIN)/quoth eval all --keep $(if $(wildcard ../shared/data),--data ../shared)

format: $(DEV) ## Format the code and sort the imports
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

protos: $(READY) ## Rebuild the gRPC stubs from protos/
	$(BIN)/python protos/build.py
	@touch $(STUBS)

clean: ## Remove the virtual environment and the generated stubs
	rm -rf $(VENV)
	find protos -name '*_pb2*' -delete

$(READY): pyproject.toml
	@test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	@echo 'Installing the packages (about a minute, once).'
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[local]'
	@touch $@

$(DEV): pyproject.toml | $(READY)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

$(STUBS): $(READY) $(PROTOS) protos/build.py
	$(BIN)/python protos/build.py
	@touch $@
