"""Metrics in a Python file of the user's: `--metrics my_metrics.py:is_short`."""

import difflib
import importlib.util
import inspect
import sys
import traceback
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import UsageError
from .metric import Metric


def load_from_file(path: str, name: str) -> Any:
    """Loads `name` from a Python file: a metric (a function with `@metric` above it), or a class of metrics."""
    value = getattr(_load_module(Path(path).expanduser().resolve()), name, None)
    if isinstance(value, Metric) or (inspect.isclass(value) and issubclass(value, Metric)):
        return value
    if callable(value):
        raise UsageError(f"{path}:{name} is a plain function; write @metric above it (from assay import metric)")
    known = _metrics_in(_load_module(Path(path).expanduser().resolve()))
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]}?" if near else f"; it has {', '.join(known) or 'none'}"
    raise UsageError(f"{path} has no metric called {name!r}{hint}")


def _metrics_in(module: ModuleType) -> list[str]:
    return [
        name
        for name, value in vars(module).items()
        if isinstance(value, Metric)
        or (inspect.isclass(value) and issubclass(value, Metric) and value.__module__ == module.__name__)
    ]


@cache
def _load_module(file: Path) -> ModuleType:
    if not file.is_file():
        raise UsageError(f"there is no file {file}; give the path of the Python file with the metric")
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))
    name = f"assay_metric_file_{file.stem}_{abs(hash(file)):x}"
    specification = importlib.util.spec_from_file_location(name, file)
    if specification is None or specification.loader is None:
        raise UsageError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module  # dataclasses and pydantic look their module up
    try:
        specification.loader.exec_module(module)
    except Exception as error:  # the user's code: whatever it raises, the message names its line
        del sys.modules[name]
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
        line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
        where = f"{file}, line {line}" if line else str(file)
        raise UsageError(f"{where}: {type(error).__name__}: {error}") from error
    return module
