# One command each. `make help` lists them.

VENV   := .venv
BIN    := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
READY  := $(VENV)/.course-ready
TESTED := $(VENV)/.course-tests-ready

# One thread a test: two workers on two cores, and two threads can be slower than one. A file's tests share a worker, long files first.
ONE_THREAD := OMP_NUM_THREADS=1 MKL_NUM_THREADS=1
PYTEST     := $(ONE_THREAD) $(BIN)/python -m pytest -n 2 --dist loadscope --no-loadscope-reorder
NOTEBOOKS  := --nbval --nbval-current-env --nbval-cell-timeout 1800

.DEFAULT_GOAL := help
.PHONY: help setup lab grade status test test-fast test-all lint bench execute lesson readme

help: ## Show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "%-12s%s\n", $$1, $$2}' Makefile

setup: $(READY) ## Make .venv and install everything

lab: $(READY) ## Open the lessons in JupyterLab. PORT=8899 and BROWSER=none work
	@$(BIN)/course lab $(if $(PORT),--port $(PORT)) $(if $(filter none,$(BROWSER)),--no-browser)

grade: $(READY) ## Grade your workbook. LESSON=02 grades one lesson
	@$(BIN)/course grade $(LESSON)

status: $(READY) ## Show your points and what is open
	@$(BIN)/course status

test: $(TESTED) lint ## Run every test, the notebooks and the browser among them
	$(PYTEST) $(NOTEBOOKS) tests notebooks

test-fast: $(TESTED) lint ## Run in two minutes what is quick, and the exercises of lessons that differ from main
	$(PYTEST) --changed -m "not slow and not notebook and not browser and not sweep" tests

test-all: $(TESTED) lint ## Run every test, and the sweeps at full size
	$(PYTEST) $(NOTEBOOKS) -m "" tests notebooks

lint: $(TESTED) ## Check the style of the code, without changing it
	@$(BIN)/ruff check --quiet . && $(BIN)/ruff format --check .

bench: $(TESTED) ## Measure speed and print a table of ratios
	JAXTYPING_DISABLE=1 $(BIN)/python -m pytest -p no:xdist --timeout 0 -s -q tests/benchmarks/bench_*.py

lesson: $(TESTED) ## For authors: begin a lesson. NAME=06_the_block TITLE="The block"
	@$(BIN)/python -m course_lib.app.new_lesson "$(NAME)" "$(TITLE)"
	@$(BIN)/ruff format --quiet course_lib/exercises tests/exercises
	@$(MAKE) --no-print-directory execute LESSON=$(NAME) readme

execute: $(TESTED) ## For authors: run notebooks/ again in place and keep the outputs. LESSON=02 runs one
	$(BIN)/python -m jupyter nbconvert --to notebook --execute --inplace \
	  --ExecutePreprocessor.timeout=3600 --ExecutePreprocessor.record_timing=False notebooks/$(LESSON)*.ipynb

readme: $(READY) ## For authors: bring the README's table of lessons up to date
	@$(BIN)/python -m course_lib.app.readme

# The stamps are newer than the lists of packages, so a second start installs nothing.
$(READY): requirements.txt pyproject.toml
	@for python in $(PYTHON) python3 python3.13 python3.12 python3.11 python; do \
	  if $$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; then \
	    found=$$python; break; fi; done; \
	if [ -z "$$found" ]; then \
	  echo "The course needs Python 3.11, 3.12 or 3.13, and here is $$(python3 --version 2>&1 || echo none). Install one, or name it: make $(MAKECMDGOALS) PYTHON=/path/to/python3.12"; exit 1; fi; \
	test -x $(BIN)/python || $$found -m venv $(VENV) || { \
	  echo "Python could not make $(VENV)/. On Debian and Ubuntu, install python3-venv first."; rm -rf $(VENV); exit 1; }
	@echo "Installing the course's packages into $(VENV)/: this happens once and takes some minutes."
	@$(PIP) install -r requirements.txt
	@$(PIP) install --no-deps --editable .
	@touch $@

$(TESTED): $(READY) requirements-test.txt
	@$(PIP) install -r requirements-test.txt
	@touch $@
