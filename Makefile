# Two commands: `make demo` runs the main job offline, `make test` passes the tests. Both make .venv first.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint types clean

demo: .venv/installed
	$(BIN)/assay demo

test: .venv/tested
	$(BIN)/python -m pytest

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
