"""The judge: any model that litellm reaches, and whatever else can be given as one, made ready to be asked."""

from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeGuard, TypeVar

from pydantic import BaseModel

from ..value_messages import wrong_type
from .connection import ModelLike
from .python_model import JUDGE_PARTS, open_python_model
from .question import Question, Reply
from .run import LiteLLMJudge
from .settings import PYTHON, JudgeSettings, load_settings
from .typed_questions import Answers, Request

T = TypeVar("T", bound=BaseModel)


class Judge(Protocol):
    """Answers questions. A judge of your own has all four: `name`, `logprobs`, `decide` and `ask`.

    A function that takes a text and returns the reply is less work, and has retries, budgets and recordings.

    Attributes:
        name: The name in reports.
        logprobs: Whether it gives the probabilities of its words.
    """

    name: str
    logprobs: bool

    async def decide(self, request: Request) -> Answers:
        """Answers typed questions about a state; every question has an answer, which may say why there is none.

        Raises:
            JudgeError: There is no usable reply.
            BudgetReached: A call does not fit into the budget.
        """
        ...

    async def ask(self, question: Question[T]) -> Reply[T]:
        """Asks a question and parses the reply.

        Raises:
            JudgeError: There is no usable reply.
            BudgetReached: The call does not fit into the budget.
        """
        ...


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
        own = judge.connection
        if own.python_model is not None:  # one whose name does not say which model it asks is refused
            open_python_model(own.source, own.overrides.get("model"), is_recorded=True)
        return judge.settings
    if is_judge(judge):
        return JudgeSettings(model=f"{PYTHON}{judge.name}", served_as=judge.name, parameters={})
    return open_python_model(judge, model, is_recorded=True).settings
