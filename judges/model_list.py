"""What litellm's list of models says of one, without importing litellm: a run in replay needs no more of it."""

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .settings import GGUF, JudgeSettings

_DECISION_MODES = frozenset({"decisions", "evaluation"})


def is_decision_model(settings: JudgeSettings) -> bool:
    """Whether litellm lists the judge's model as one that answers typed questions and writes no text."""
    return _entry(settings.model).get("mode") in _DECISION_MODES


def context_of(settings: JudgeSettings) -> int | None:
    """The longest request that the judge's model reads, in tokens; None where that is not known."""
    if settings.model.startswith(GGUF):
        return settings.context_tokens
    tokens = _entry(settings.model).get("max_input_tokens")
    return tokens if isinstance(tokens, int) and tokens > 0 else None


@cache
def _entry(model: str) -> dict[str, Any]:
    """The model's entry, by its name with or without the provider; empty where there is none."""
    text = _model_list()
    for name in (model, model.partition("/")[2]):
        start = text.find(f"{json.dumps(name)}: {{") if name else -1
        if start >= 0:
            entry, _ = json.JSONDecoder().raw_decode(text, text.index("{", start + len(json.dumps(name))))
            return dict(entry)
    return {}


@cache
def _model_list() -> str:
    package = find_spec("litellm")
    if package is None or package.origin is None:
        return ""
    file = Path(package.origin).with_name("model_prices_and_context_window_backup.json")
    return file.read_text(encoding="utf-8") if file.is_file() else ""
