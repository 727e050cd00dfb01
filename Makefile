# Needs Python 3.11 or newer (wheels of all packages: to 3.14), make and a package registry; everything is installed into .venv.
#
#   make run          train a small agent on the real game, then play it against random players (a minute and a half)
#   make test         lint, then all tests (ten minutes)
#   make installed    sdist and wheel, and whether all works that the wheel installs into an empty environment (5 minutes)
#   make browser      the pages in Chromium, which it installs where it can (2 minutes)
#   make integrations the recipes for other libraries, each in an environment of its own (5 minutes)
#   make gpu-compile  games by the code that is made for GPUs, and its machine code, on any machine (3 minutes)
#   make gpu-test     100,000 games on a GPU and on the processor, byte for byte, and two trainings, on a machine that has one
#   make lint         ruff (rules and format) and mypy
#   make coverage     lines and branches of the rules that the tests reach, with the compiler off (1 minute)
#   make docs         the documentation as a site: site/index.html
#   make notebooks    execute the notebooks and save them with what comes out (15 minutes)
#   make mutation     does a test catch every small mistake of tests/rules/mutation/mutations.py in the rules? (7 minutes)
#   make fuzz         mutated states and positions: does one lead the engine astray? (15 minutes)
#   make benchmark    how fast HEAD is, measured by turns with its parent; or with another commit: BASE=HEAD~5 (15 minutes)
#   make clean        remove caches and build outputs (make distclean: .venv as well)
#
# Times are for two idle cores.
#
# Another Python:          make test PYTHON=python3.12
# More test processes:     make test WORKERS=8
# A shorter fuzz:          make fuzz MINUTES=1 CASES=5000
# One notebook:            make notebooks ONLY=07
# torch for CPUs alone:    make test PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu
# That is PyTorch's own index; on Linux it saves some 5 GB of CUDA. A CPU build that is in .venv already is kept.

PYTHON ?= python3
WORKERS ?= 2
MINUTES ?= 15
CASES ?= 100000
BASE ?= HEAD~1

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
GPU := build/gpu
GPU_STAMP := $(GPU)/.installed
SUPPORTED := sys.version_info >= (3, 11)

# What is the same for everybody stays in a notebook; counts, times and the name of one's kernel do not.
STRIP := $(BIN)/nbstripout --keep-output --extra-keys 'metadata.kernelspec metadata.language_info.version'

.PHONY: help run test installed browser integrations gpu-compile gpu-test lint coverage docs notebooks mutation fuzz benchmark clean distclean

help:
	@sed -n 's/^#   //p' Makefile

run: $(STAMP)
	@$(BIN)/python -m ursuppe_training.quick

# Steps that are silent for long are announced, so that nobody thinks they hang.
test: lint
	@echo "Compiling what has changed (a minute, or two after a change of the rules), then all tests (ten minutes)"
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

installed: $(STAMP)
	$(BIN)/python tests/installed/run.py

browser: $(STAMP)
	@$(BIN)/python tests/browser/run.py --install

lint: $(STAMP)
	@echo "Checking style and types (a minute at first, then some seconds)"
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	@$(STRIP) --verify notebooks/*.ipynb || { echo "Run: make notebooks" >&2; exit 1; }
	@echo "Types:"
	$(BIN)/python -m mypy

coverage: $(STAMP)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run -m pytest -q -p no:cacheprovider \
	    tests/rules
	$(BIN)/python -m coverage report

# Material for MkDocs announces its successor before each build, unless it is told not to.
docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "The documentation is in site/index.html"

notebooks: $(STAMP)
	$(BIN)/python tests/support/notebooks.py $(ONLY)
	$(STRIP) notebooks/*.ipynb

mutation: $(STAMP)
	$(BIN)/python tests/rules/mutation/run.py

integrations: $(STAMP)
	@$(BIN)/python tests/integrations/run.py

gpu-compile: $(GPU_STAMP)
	@echo "Compiling every kernel for two kinds of GPU, and playing with what comes out (3 minutes)"
	@$(GPU)/bin/python tests/gpu/compile.py

gpu-test: $(GPU_STAMP)
	@echo "Comparing games on the GPU with those of the processor (a few minutes)"
	@$(GPU)/bin/python tests/gpu/compare.py
	@echo "Training on the GPU (a few minutes)"
	@$(GPU)/bin/python tests/gpu/learn.py

$(GPU_STAMP): pyproject.toml constraints.txt tests/gpu/requirements.txt
	@echo "Making $(GPU) with numba-cuda and parts of the CUDA toolkit: some 300 MB to fetch, and torch"
	@$(PYTHON) -m venv --clear $(GPU)
	@$(GPU)/bin/python -m pip install -qq --disable-pip-version-check -e '.[train]' -r tests/gpu/requirements.txt -c constraints.txt
	@touch $@

# Compiled apart, with a check of all indices; the usual compiled code stays as it is.
fuzz: $(STAMP)
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/build/fuzz PYTHONPATH=tests \
	    $(BIN)/python -m fuzz --minutes $(MINUTES) --cases $(CASES)

# Exits with 1 if something takes 3 % longer than before, and not by chance.
benchmark: $(STAMP)
	cd benchmarks && ../$(BIN)/asv machine --yes >/dev/null && \
	    ../$(BIN)/asv continuous --interleave-rounds --no-only-changed --sort name --factor 1.03 $(BASE) HEAD

# The stamp is written last: an install that was interrupted goes on where it stopped.
$(STAMP): pyproject.toml constraints.txt
	@if ! $(BIN)/python -c 'import sys, pip; sys.exit(not $(SUPPORTED))' 2>/dev/null; then \
	    found=`$(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null` || found=; \
	    if [ -z "$$found" ]; then \
	        echo "No Python runs as '$(PYTHON)'. Install Python 3.11, 3.12, 3.13 or 3.14, or name one: make PYTHON=python3.12" >&2; exit 1; \
	    elif ! $(PYTHON) -c 'import sys; sys.exit(not $(SUPPORTED))'; then \
	        echo "'$(PYTHON)' is Python $$found, but 3.11 or newer is needed. Name one: make PYTHON=python3.12" >&2; exit 1; \
	    fi; \
	    echo "Making $(VENV) with Python $$found"; \
	    $(PYTHON) -m venv --clear $(VENV) || exit 1; \
	fi
	@echo "Installing ursuppe-env and what it needs into $(VENV): at first a few minutes and GB, most of them torch"
	@echo "(without its parts for GPUs: make ... PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu)"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -e '.[arena,balance,train,web,dev]' -c constraints.txt
	@touch $@

# The results of training, in runs/, stay.
clean:
	rm -rf build dist site *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage htmlcov
	find . -name .venv -prune -o -name .git -prune -o -type d -name __pycache__ -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV)
