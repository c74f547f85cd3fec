"""The examples in docstrings: each module that has some is run as the installed `assay.*` module."""

import doctest
import importlib
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules_with_examples():
    """The dotted names of all modules whose text holds an example; pytest's own collector does not know our mapping."""
    folders = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-dir"]
    return sorted(
        ".".join([package, *path.relative_to(ROOT / folder).with_suffix("").parts]).removesuffix(".__init__")
        for package, folder in folders.items()
        for path in (ROOT / folder).rglob("*.py")
        if ">>> " in path.read_text(encoding="utf-8")
    )


class Runner(doctest.DocTestRunner):
    """Ends the test at the first example that goes wrong, or skips it where a library is not installed."""

    def report_failure(self, out, test, example, got):
        difference = doctest.OutputChecker().output_difference(example, got, FLAGS)
        pytest.fail(f"{test.name}\n{example.source}{difference}", pytrace=False)

    def report_unexpected_exception(self, out, test, example, exc_info):
        error = exc_info[1]
        while error:
            if isinstance(error, ImportError):
                pytest.skip(f"{test.name}: {error}")
            error = error.__cause__
        raise exc_info[1]


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_print_what_they_say(name, tmp_path, monkeypatch):
    """In an empty folder, so that an example leaves no file behind."""
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    for example in doctest.DocTestFinder(exclude_empty=True).find(module, module.__name__):
        Runner(optionflags=FLAGS).run(example)
