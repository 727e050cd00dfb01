# Needs Python 3.11-3.13, make and a package registry; everything is installed into .venv.
#
#   make run      train a small agent on the real game, then play it against random players (about 3 minutes)
#   make test     lint, then all tests
#   make lint     ruff (rules and format) and mypy
#   make coverage lines and branches of the rules that the tests reach, with the compiler off (2 minutes)
#   make docs     the documentation as a site: site/index.html
#   make notebooks execute the notebooks and save them with what comes out (1 minute)
#   make mutation does a test catch every one of some 80 small mistakes in the rules? (10 minutes)
#   make clean    remove caches and build outputs (make distclean: .venv as well)
#
# Another Python:          make test PYTHON=python3.12
# More test processes:     make test WORKERS=8

PYTHON ?= python3
WORKERS ?= 2

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SUPPORTED := (3, 11) <= sys.version_info < (3, 14)

# What is the same for everybody stays in a notebook; counts, times and the name of one's kernel do not.
STRIP := $(BIN)/nbstripout --keep-output --extra-keys 'metadata.kernelspec metadata.language_info.version'

.PHONY: help run test lint coverage docs notebooks mutation clean distclean

help:
	@sed -n 's/^#   //p' Makefile

run: $(STAMP)
	@$(BIN)/python -m ursuppe_training.quick

test: lint
	$(BIN)/python -m pytest -n $(WORKERS)

lint: $(STAMP)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	@$(STRIP) --verify notebooks/*.ipynb || { echo "Run: make notebooks" >&2; exit 1; }
	$(BIN)/python -m mypy

coverage: $(STAMP)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run -m pytest -q -p no:cacheprovider \
	    tests/rules tests/test_golden.py tests/test_ruleset.py tests/test_actions.py
	$(BIN)/python -m coverage report

# Material for MkDocs announces its successor before each build, unless it is told not to.
docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "The documentation is in site/index.html"

notebooks: $(STAMP)
	$(BIN)/python tests/notebooks.py
	$(STRIP) notebooks/*.ipynb

mutation: $(STAMP)
	$(BIN)/python tests/mutation/run.py

# The stamp is written last: an install that was interrupted goes on where it stopped.
$(STAMP): pyproject.toml constraints.txt
	@if ! $(BIN)/python -c 'import sys, pip; sys.exit(not $(SUPPORTED))' 2>/dev/null; then \
	    found=`$(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null` || found=; \
	    case "$$found" in \
	        3.11|3.12|3.13) ;; \
	        "") echo "No Python runs as '$(PYTHON)'. Install Python 3.11, 3.12 or 3.13, or name one: make PYTHON=python3.12" >&2; exit 1;; \
	        *) echo "'$(PYTHON)' is Python $$found, but 3.11, 3.12 or 3.13 is needed. Name one: make PYTHON=python3.12" >&2; exit 1;; \
	    esac; \
	    echo "Making $(VENV) with Python $$found"; \
	    $(PYTHON) -m venv --clear $(VENV) || exit 1; \
	fi
	@echo "Installing ursuppe-env and what it needs into $(VENV) (at first over 1 GB and a few minutes)"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -e '.[arena,balance,ray,train,dev]' -c constraints.txt
	@# mypy finds agents/ and training/ under their import names here (mypy_path in pyproject.toml).
	@mkdir -p $(VENV)/typing
	@ln -sfn ../../agents $(VENV)/typing/ursuppe_agents
	@ln -sfn ../../training $(VENV)/typing/ursuppe_training
	@touch $@

# The results of training, in runs/, stay.
clean:
	rm -rf build dist site *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage htmlcov
	find . -name .venv -prune -o -name .git -prune -o -type d -name __pycache__ -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV)
