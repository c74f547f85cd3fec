"""The cases of a test file that are data: in the YAML file of the same name beside it, one row per case."""

from pathlib import Path
from typing import Any

import yaml


def cases_beside(test_file: str) -> Any:
    """What the YAML file beside a test file (its `__file__`) holds."""
    return yaml.safe_load(Path(test_file).with_suffix(".yaml").read_text(encoding="utf-8"))


def rows_by_language(texts: dict[str, list[Any]]) -> list[tuple[Any, ...]]:
    """The rows of a table that lists them by language, each with the language's code in front."""
    rows = ((code, row) for code, listed in texts.items() for row in listed)
    return [(code, *row) if isinstance(row, list) else (code, row) for code, row in rows]
