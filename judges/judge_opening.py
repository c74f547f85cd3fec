"""Whoever judges, made ready to be asked: the one place that knows what can be given as a judge."""

from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

from ..arguments import wrong_type
from .litellm_judge import Judge, LiteLLMJudge, ModelLike
from .python_model import JUDGE_PARTS, open_python_model
from .settings import PYTHON, JudgeSettings, load_settings

JudgeLike: TypeAlias = Judge | ModelLike
"""Who judges: a name as for `--judge` (`openai/gpt-4o-mini`, `gguf:PATH`, a settings file), `JudgeSettings`, a function
from text to text (sync or async), a client of the package `openai`, a `LiteLLMJudge`, or an object with all that
`Judge` names."""


def is_judge(value: Any) -> TypeGuard[Judge]:
    """Whether an object is a judge that can be asked: it has all that `Judge` names.

    Example:
        >>> is_judge(LiteLLMJudge("qwen1.5b")), is_judge("qwen1.5b")
        (True, False)
    """
    return not isinstance(value, type) and all(hasattr(value, part) for part in JUDGE_PARTS)


def open_judge(judge: JudgeLike) -> Judge:
    """Makes a judge of whatever can judge: one for metrics, assertions and evaluations.

    Args:
        judge: Who judges. A judge is returned as it is.

    Returns:
        The judge. One that is opened here has no cassette and no bounds; a run that uses it gives it those of the run.

    Raises:
        UsageError: It cannot judge; the message says what can.
        InputError: Its settings file cannot be read.

    Example:
        >>> open_judge("openai/gpt-4o-mini").name
        'openai/gpt-4o-mini'
    """
    if is_judge(judge):
        return judge
    model: Any = judge
    opened = LiteLLMJudge(model)
    opened.is_of_metric = True
    return opened


def open_model(judge: JudgeLike) -> LiteLLMJudge:
    """Makes a judge as `open_judge`, where its settings and what it took are needed: to compare, align or repeat."""
    opened = open_judge(judge)
    if not isinstance(opened, LiteLLMJudge):
        raise wrong_type("judge", judge, "a model's name, settings, a function, a client or a LiteLLMJudge")
    return opened


def settings_of_judge(judge: JudgeLike, model: str | None = None) -> JudgeSettings:
    """Returns the settings that a judge has, or will have when it is opened."""
    if isinstance(judge, JudgeSettings):
        return judge
    if isinstance(judge, str | Path):
        return load_settings(str(judge))
    if isinstance(judge, LiteLLMJudge):
        return judge.settings_to_store
    if is_judge(judge):
        return JudgeSettings(model=f"{PYTHON}{judge.name}", served_as=judge.name, parameters={})
    return open_python_model(judge, model, is_recorded=True).settings
