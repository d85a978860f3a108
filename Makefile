PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
DEV    := $(VENV)/.ready-dev
STUBS  := $(VENV)/.stubs
PAGE   := tests/page/node_modules/.package-lock.json
PROTOS := $(shell find protos -name '*.proto')
LOCK   := requirements.lock
# Wheels alone: what a source package needs to be built would come without a hash.
PIP    := $(BIN)/pip install --quiet --disable-pip-version-check
HELD   := --require-hashes --only-binary :all: --requirement
# uv takes 9 s of CPU where pip takes 100, and compiles nothing that is never imported. Where it can't
# do it, pip does: it alone knows the indexes that a pip.conf names.
LOCKED = $(BIN)/uv pip install --quiet --link-mode copy --python $(BIN)/python $(HELD) $(1) \
	|| $(PIP) $(HELD) $(1)
# The contracts as published, in a file of their own: neither history nor tags are needed to compare.
BASELINE := protos/baseline.txtpb
# What became of each test in the last whole run.
RESULTS  := .pytest_cache/results.xml

# Where it is set, as in many images, each process of ours and each worker of the tests compiles the
# sources anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run watch test check check-chart check-images check-docusaurus bench eval picture format types protos protos-baseline lock vulnerabilities sbom catalogue planted soak soak-growth clean

help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(STUBS) ## Run everything on this machine: PostgreSQL, Qdrant, four services, the page
	@exec $(BIN)/quoth up

watch: $(STUBS) ## Show what the stages of a running `OTEL_METRICS_EXPORTER=prometheus make run` take
	@$(BIN)/quoth watch

test: $(DEV) $(STUBS) ## Run the tests
	$(BIN)/pytest -n 5 --dist loadfile --no-loadscope-reorder --durations=30 --durations-min=8 --junitxml=$(RESULTS)

check: $(DEV) $(STUBS) ## Lint, types, import rules, contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/buf lint protos
	$(BIN)/buf breaking protos --against $(BASELINE)
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory check-page; \
	elif [ -n "$$CI" ]; then echo "npm is missing, by which the types of the page's scripts are checked."; exit 1; \
	else echo "Skipped: the types of the page's scripts (npm is not on this machine)."; fi

check-page: $(PAGE)
	npm --prefix tests/page run --silent check

bench: $(DEV) $(STUBS) ## Measure speed, beside the peers (BENCH=--quick for a part)
	@$(BIN)/python -m tests.benchmarks $(BENCH)

eval: $(DEV) $(STUBS) ## Measure quality on the labelled sets
	@$(BIN)/quoth eval all --keep $(if $(wildcard ../shared/data),--data ../shared)

soak-growth: $(DEV) $(STUBS) ## Use the whole product for SOAK_MINUTES (30) and show what grows
	@PYTHONPATH=. $(BIN)/python -m tests.soak --minutes $(or $(SOAK_MINUTES),30) $(SOAK_WITH)

picture: $(DEV) $(STUBS) ## Take the README's pictures of the page again
	@PYTHONPATH=. $(BIN)/python docs/picture.py

check-chart: $(DEV) $(STUBS) ## Render the Helm chart and hold it against Kubernetes' own schemas
	@$(call LOCKED,deploy/kubernetes/requirements.lock)
	$(BIN)/pytest -q tests/architecture/test_chart.py tests/architecture/test_scaling.py

check-images: $(DEV) $(STUBS) ## Build the images on BASE, run the product from them and ask it (IMAGES=--help)
	@$(BIN)/python -m tests.images $(IMAGES) $(BASE)

check-docusaurus: $(DEV) $(STUBS) ## Build a Docusaurus site with the plugin, and try it in a browser
	@npm --prefix tests/docusaurus install --silent --no-package-lock --no-audit --no-fund
	$(BIN)/pytest -q tests/docusaurus

format: $(DEV) ## Format the code and sort the imports
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

types: $(DEV) $(STUBS) ## Renew the types of the page's scripts from the REST interface
	$(BIN)/python -m tests.page.api_types

protos: $(READY) ## Rebuild the gRPC stubs from protos/
	$(BIN)/python protos/build.py
	@touch $(STUBS)

protos-baseline: $(DEV) ## Publish the contracts as they are; prints what that breaks
	@$(BIN)/buf build protos
	@$(BIN)/buf breaking protos --against $(BASELINE); case $$? in \
	  0) echo 'Nothing breaks.' ;; \
	  100) echo 'These breaks are accepted: say so in the commit.' ;; \
	  *) exit 1 ;; \
	esac
	@$(BIN)/buf build protos --exclude-source-info --output $(BASELINE)

lock: $(DEV) ## Lock what the requirements name newly (LOCK_WITH=--upgrade: all anew)
	@$(BIN)/python .ci/lock.py $(LOCK) $(LOCK_WITH)

vulnerabilities: $(DEV) ## Look the locked versions up among the known vulnerabilities
	@$(BIN)/python .ci/vulnerabilities.py $(LOCK) $(VULNERABILITIES_WITH)

sbom: $(DEV) ## Write the bill of materials of the lock to dist/
	@$(BIN)/python .ci/sbom.py $(LOCK) dist/quoth.cdx.json

catalogue: $(DEV) ## Show which tests show which fault, control and invariant, and their last results
	@$(BIN)/python -m tests.catalogue $(if $(wildcard $(RESULTS)),--results $(RESULTS)) $(CATALOGUE)

planted: $(DEV) $(STUBS) ## Plant twelve defects, one after the other, and show the tests that notice
	@$(BIN)/python -m tests.planted $(PLANTED)

soak: $(DEV) $(STUBS) ## Kill processes while readers read, a thousand times (SOAK="--kills N --seed N")
	@$(BIN)/python -m tests.soak.kills $(SOAK)

clean: ## Remove the virtual environment and the generated stubs
	rm -rf $(VENV)
	find protos -name '*_pb2*' -delete

$(READY): pyproject.toml $(LOCK)
	@test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	@echo 'Installing the packages (half a minute, once).'
	@awk '/^[^ ]/ {is_uv = /^uv==/} is_uv' $(LOCK) > $(VENV)/uv.lock
	@sed '/^# make test/,$$d' $(LOCK) > $(VENV)/run.lock
	-$(PIP) $(HELD) $(VENV)/uv.lock
	$(call LOCKED,$(VENV)/run.lock)
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(DEV): $(LOCK) | $(READY)
	$(call LOCKED,$(LOCK))
	@touch $@

$(STUBS): $(READY) $(PROTOS) protos/build.py
	$(BIN)/python protos/build.py
	@touch $@

$(PAGE): tests/page/package-lock.json
	npm --prefix tests/page ci --silent
	@touch $@
