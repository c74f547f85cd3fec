"""The facts of language that the heuristics go by: YAML, a file a language."""

from functools import cache
from importlib import resources
from typing import Any

import yaml


@cache
def facts(folder: str, language: str) -> dict[str, Any]:
    """The facts in `folder` (`signals`, `component_patterns`) for a language; English where there are none."""
    place = resources.files(__package__).joinpath(folder)
    file = place.joinpath(f"{language}.yaml")
    found: dict[str, Any] = yaml.safe_load((file if file.is_file() else place.joinpath("en.yaml")).read_text("utf-8"))
    return found


@cache
def word_set(kind: str, language: str) -> frozenset[str]:
    """The words of one kind (`function_words`, `negations`, ...) of the signals of a language."""
    return frozenset(facts("signals", language)[kind])
