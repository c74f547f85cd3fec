"""The judge: any model that litellm reaches, and whatever else can be given as one, made ready to be asked."""

from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeGuard, TypeVar

from pydantic import BaseModel

from ..errors import UsageError
from ..value_messages import wrong_type
from .budget import Budget
from .cassette import Cassette, Mode
from .connection import Connection, ModelLike
from .python_model import JUDGE_PARTS, open_python_model
from .question import Question, Reply
from .run import Run
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


class LiteLLMJudge(Run):
    """A judge that litellm reaches.

    Identical questions are asked once. Use it as an async context manager, or call `close`.

    Args:
        judge: A bundled name (`qwen1.5b`), a settings file (YAML), `gguf:PATH`, a litellm model string, or
            `JudgeSettings`; or a Python object: a function, sync or async, that takes a text and returns the reply, or
            a client of the package `openai`, sync or async.
        cassette: A path or a `Cassette`: where replies are replayed from and recorded to.
        mode: What a cassette given as a path is for: `replay`, `record`, `auto` or `off`.
        budget: What the calls may take; unbounded if left out.
        **overrides: Single settings in place of the judge's own (`concurrency=4`, `parameters={...}`). With a client,
            `model` is the model that it asks; with a function, its name in the cassette and in reports, by default its
            module and name.

    Attributes:
        is_of_metric: Whether a metric opened it (`Faithfulness("openai/gpt-4o-mini")`): a run then gives it its own
            recordings and bounds.
        usage: What this judge, or this run of it (`for_run`), took so far.
        replies: How many replies could not be used.
        retries: How many failed calls were made again.
        lost: The calls whose reply was lost, with what they took at most; not in `usage`.

    Raises:
        UsageError: There is no such judge or setting, or the mode needs a cassette.
        InputError: The settings file or the cassette cannot be read.
    """

    def __init__(
        self,
        judge: ModelLike | Connection,
        *,
        cassette: Cassette | str | Path | None = None,
        mode: Mode = "auto",
        budget: Budget | None = None,
        **overrides: Any,
    ) -> None:
        self.is_of_metric = False
        if isinstance(judge, Connection):  # of a judge that is open: `for_run`
            connection = judge
        else:
            if cassette is None and mode in {"replay", "record"}:
                raise UsageError(f"the mode {mode} needs a cassette: name the file (--cassette PATH)")
            connection = Connection(judge, cassette, mode, budget, overrides)
        self.cassette = connection.cassette
        stores = [] if self.cassette is None else [self.cassette]
        super().__init__(connection, stores, stops_when_gone=connection is judge)

    def for_run(self) -> "LiteLLMJudge":
        """Makes a judge for one run, and leaves this judge as it is.

        Both share the connection (calls at once, budget, a local model) and the cassette. The run has a memory of its
        own: the replies that it remembers, the calls under way, the counts and the usage.
        """
        return LiteLLMJudge(self.connection)

    def has_model_of(self, other: "LiteLLMJudge") -> bool:
        """Whether another judge was opened from the same name, settings, function or client."""
        names = [judge.connection.overrides.get("model") for judge in (self, other)]
        return bool(self.connection.source == other.connection.source) and names[0] == names[1]

    @property
    def has_cassette(self) -> bool:
        """Whether its replies are recorded or replayed."""
        return self.cassette is not None

    @property
    def has_bounds(self) -> bool:
        """Whether a budget bounds its calls."""
        return self.connection.budget.is_bounded

    def reopen(self, *, cassette: Cassette | None, budget: Budget, **overrides: Any) -> "LiteLLMJudge":
        """Makes another judge of the same model, with other recordings and bounds.

        Args:
            cassette: Where its replies are replayed from and recorded to.
            budget: What its calls may take.
            **overrides: Single settings in place of this judge's own.

        Raises:
            UsageError: It is a function whose name does not say which model it asks, and replies are recorded.
        """
        own = self.connection
        return LiteLLMJudge(own.source, cassette=cassette, budget=budget, **own.overrides | overrides)

    @property
    def settings_to_store(self) -> JudgeSettings:
        """The settings, as a stored run keeps them.

        Raises:
            UsageError: It is a function whose name does not say which model it asks.
        """
        own = self.connection
        if own.python_model is not None:
            open_python_model(own.source, own.overrides.get("model"), is_recorded=True)
        return self.settings

    def close(self) -> None:
        """Merges the cassette's journal and lets a local model go."""
        if self.cassette is not None:
            self.cassette.close()
        self.connection.close()

    async def __aenter__(self) -> "LiteLLMJudge":
        return self

    async def __aexit__(self, *_: object) -> None:
        """Ends the calls that nobody waits for any more, then closes."""
        await self.cancel_calls()
        self.close()


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
