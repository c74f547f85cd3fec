"""What scores samples, and how: metrics, whom they ask, the recordings and bounds; opened they are ready to score."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from ...errors import UsageError
from ...eval_sets.levels import Turns
from ...judges import Budget, Cassette, Judge, JudgeLike, JudgeSettings, LiteLLMJudge, Mode
from ...judges.embedders import Embedder, LiteLLMEmbedder, check_embedder, load_embedder
from ...judges.judge import is_judge, settings_of_judge
from ...judges.retry import one_limit
from ...judges.settings import ENTAIL, judge_file_name
from ...judges.transports.entail import refuse
from ...metrics import Metric
from ...metrics.catalogue import load_metric
from ...metrics.metric import check_metric
from ...metrics.specification import BASELINES, DEFAULT_METRICS
from ...prompts import BUNDLED, Prompts
from ...value_messages import check_type
from ..store.plan import CONVERSATION_DEFAULTS, Plan

JUDGE_FIELD = "{judge}"
"""Stands for the judge's name in the name of a cassette."""
_SAMPLES_AT_ONCE = 16  # where no judge says how many calls it takes


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How a run is carried out. What is scored, and by whom, a `Plan` says, or a `ScoringRequest`.

    Attributes:
        cassette: File of recorded replies, for a judge and an embedder that are not open yet; `{judge}` in its name
            stands for the judge's name.
        mode: How the cassette is used.
        budget: Bounds on live calls. Several runs may share one budget.
        concurrency: Calls at once of a judge that is no object yet; with a judge or without one, samples at once. None:
            as many as the judge's settings say.

    Raises:
        UsageError: The mode needs a cassette.
    """

    cassette: Path | None = None
    mode: Mode = "auto"
    budget: Budget = field(default_factory=Budget)
    concurrency: int | None = None

    def __post_init__(self) -> None:
        if self.mode not in get_args(Mode):
            raise UsageError(f"unknown mode {self.mode!r}; the modes are {', '.join(get_args(Mode))}")
        if self.concurrency is not None and self.concurrency < 1:
            raise UsageError(f"concurrency={self.concurrency}: at least one call at once; give 1 or more")
        if self.cassette is None and self.mode in {"replay", "record"}:
            raise UsageError(f"the mode {self.mode} needs a cassette: name its file (--cassette FILE)")

    def cassette_file(self, find_judge: Callable[[], JudgeSettings | None]) -> Path | None:
        """The cassette's file, with the judge's name where it has a place for it; None without a cassette."""
        if self.cassette is None or JUDGE_FIELD not in str(self.cassette):
            return self.cassette
        judge = find_judge()
        name = "no judge" if judge is None else judge_file_name(judge)
        return Path(str(self.cassette).replace(JUDGE_FIELD, name))


@dataclass(frozen=True, slots=True)
class OpenedMetrics:
    """What a `ScoringRequest` comes to when it is opened: metrics that are ready to score.

    Attributes:
        metrics: The metrics, the baselines last.
        judge: Who answers their questions, if anybody: a view of the judge for this run, or a judge of its own. None
            also for a judge of another class, whose calls nobody counts but itself.
        concurrent_samples: How many samples keep the judge busy.
    """

    metrics: tuple[Metric, ...]
    judge: LiteLLMJudge | None
    embedder: Embedder
    concurrent_samples: int

    def one_limit(self) -> AbstractContextManager[None]:
        """Holds the calls of several models together to what the largest of their limits allows."""
        judges = (getattr(metric, "judge", None) for metric in with_parts(self.metrics))
        asked = {id(judge.connection): judge for judge in judges if isinstance(judge, LiteLLMJudge)}
        if len(asked) < 2:
            return nullcontext()
        return one_limit(max(judge.settings.concurrency for judge in asked.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringRequest:
    """The metrics that score, who answers their questions, and how that is carried out.

    A run that is planned makes it of its plan (`of_plan`); `evaluate` of the Python objects that it is given.

    Attributes:
        metrics: Names of the catalogue, or metrics as they are. The baselines are always added.
        judge: Who answers the questions of the metrics given by name: a judge (it stays open), its settings, a name as
            for `--judge`, a function that takes a text and returns the reply, or a client of the package `openai`.
        model: The model that a client asks; for a function its name in cassettes and reports.
        embedder: For the metrics given by name: an embedder, or `use`, `st:MODEL` or `litellm:MODEL`.
        prompts: Your own prompts over the bundled ones, for the metrics given by name.
        options: The cassette, the budget, the concurrency.
        turns: Which turns of a conversation metrics of an answer run on.

    Raises:
        UsageError: The judge, the model and the options do not fit together.
    """

    metrics: Sequence[Metric | str] = DEFAULT_METRICS
    judge: JudgeLike | None = None
    model: str | None = None
    embedder: Embedder | str = "use"
    prompts: Prompts = BUNDLED
    options: RunOptions = field(default_factory=RunOptions)
    turns: Turns = "last"

    def __post_init__(self) -> None:
        check_type("metrics", self.metrics, (list, tuple), "a list of names of metrics, or metrics as they are")
        for metric in self.metrics:
            if not isinstance(metric, str):
                check_metric("metrics", metric)
        check_embedder(self.embedder)
        self._check_bound("there is an open", "embedder", self.embedder)
        if self.judge is not None and is_judge(self.judge):
            for name, is_set in (("cassette", self.options.cassette), ("budget", self.options.budget.is_bounded)):
                if is_set:
                    raise UsageError(
                        f"a judge that is open has its own {name}: give the {name} to the judge, such as "
                        f'LiteLLMJudge("openai/gpt-4o-mini", {name}=...)'
                    )
        names_model = self.judge is None or isinstance(self.judge, str | Path | JudgeSettings) or is_judge(self.judge)
        if self.model is not None and names_model:  # else it is a client or a function
            raise UsageError(
                f"model={self.model!r} is for a judge that is a client or a function; here the judge alone says which "
                'model is asked, such as judge="openai/gpt-4o-mini"'
            )

    @classmethod
    def of_plan(cls, plan: Plan, options: RunOptions) -> "ScoringRequest":
        """Makes the request of a plan.

        Raises:
            InputError: One of the user's own prompts cannot be read.
        """
        return cls(
            metrics=plan.all_metrics,
            judge=plan.judge,
            embedder=plan.embedder,
            prompts=BUNDLED if plan.prompts is None else Prompts.from_folder(plan.prompts),
            options=options,
            turns=plan.turns,
        )

    @property
    def judge_settings(self) -> JudgeSettings | None:
        """The settings that the judge has, or will have when it is opened; None without a judge.

        Without one, those of the model that metrics were given as their judge, where that is one.

        Raises:
            UsageError: It is no judge, or a function whose name does not say which model it asks.
        """
        if self.judge is not None:
            return settings_of_judge(self.judge, self.model)
        models = self._models_of_metrics()
        return settings_of_judge(models[0]) if len(models) == 1 else None

    def all_metrics(self, of_conversations: Sequence[str] = ()) -> list[Metric | str]:
        """The metrics, then those of conversations and the baselines that are not among them."""
        names = {metric if isinstance(metric, str) else metric.name for metric in self.metrics}
        own = [name for name in of_conversations if name in CONVERSATION_DEFAULTS]
        added = dict.fromkeys((*own, *BASELINES, *of_conversations))
        return [*self.metrics, *(name for name in added if name not in names)]

    @asynccontextmanager
    async def open_metrics(self, of_conversations: Sequence[str] = ()) -> AsyncIterator[OpenedMetrics]:
        """Opens the cassette, the judge and the embedder, and loads the metrics; closes what it opened.

        Args:
            of_conversations: The metrics that are added since samples are conversations.

        Raises:
            UsageError: For an unknown metric, judge or embedder, or when a metric needs a judge and there is none.
            InputError: When the cassette or the judge's settings cannot be read.
        """
        options = self.options
        file = None if options.mode == "off" else options.cassette_file(lambda: self.judge_settings)
        cassette = None if file is None else Cassette(file, options.mode)
        try:
            async with AsyncExitStack() as stack:
                judge = await self._open(self.judge, cassette, stack)
                counted = judge if isinstance(judge, LiteLLMJudge) else None
                models = [] if counted is None or is_judge(self.judge) else [counted]
                for model in self._models_of_metrics():
                    if not any(opened.has_model_of(model) for opened in models):
                        models.append(await stack.enter_async_context(model.reopen(**self._options_of_judge(cassette))))
                if isinstance(self.embedder, str):
                    embedder = load_embedder(self.embedder, cassette, options.budget)
                else:
                    embedder = self.embedder.for_run()
                metrics = [
                    load_metric(metric, judge, embedder, self.prompts)
                    if isinstance(metric, str)
                    else self._bind(metric, models)
                    for metric in self.all_metrics(of_conversations)
                ]
                asked = metrics[: len(self.metrics)]
                _check_support(asked)
                has_own = any(name in CONVERSATION_DEFAULTS for name in of_conversations)
                is_of_answers = all(metric.measures == "answer" for metric in asked) and not has_own
                if self.turns == "none" and of_conversations and is_of_answers:
                    raise UsageError(
                        '--turns none (in Python turns="none") runs no metric of an answer on a conversation, and no '
                        "metric of a conversation is asked for; add one (assay metrics lists them), or say --turns last"
                    )
                if judge is None and len(models) == 1:
                    counted = models[0]
                yield OpenedMetrics(tuple(metrics), counted, embedder, self._concurrent_samples(counted))
        finally:
            if cassette is not None:
                cassette.close()

    async def _open(self, judge: JudgeLike | None, cassette: Cassette | None, stack: AsyncExitStack) -> Judge | None:
        """Opens the judge of the metrics given by name; one that is open stays open, and a run counts a view of it."""
        if judge is None:
            return None
        if is_judge(judge):
            return judge.for_run() if isinstance(judge, LiteLLMJudge) else judge
        model: Any = judge
        overrides: dict[str, Any] = {} if self.model is None else {"model": self.model}
        return await stack.enter_async_context(LiteLLMJudge(model, **self._options_of_judge(cassette), **overrides))

    def _options_of_judge(self, cassette: Cassette | None) -> dict[str, Any]:
        concurrency = {} if self.options.concurrency is None else {"concurrency": self.options.concurrency}
        return {"cassette": cassette, "budget": self.options.budget, **concurrency}

    def _models_of_metrics(self) -> list[LiteLLMJudge]:
        """The judges that metrics opened of what they were given, one per model."""
        models: list[LiteLLMJudge] = []
        for judge in (getattr(metric, "judge", None) for metric in self.metrics):
            if not isinstance(judge, LiteLLMJudge) or not judge.is_of_metric:
                continue
            if not any(model.has_model_of(judge) for model in models):
                models.append(judge)
        return models

    def _bind(self, metric: Metric, models: Sequence[LiteLLMJudge]) -> Metric:
        """The metric with the run's judge of its model; one whose judge was open stays as it is."""
        judge = getattr(metric, "judge", None)
        brought = f"{metric.name} brought its own"
        self._check_bound(brought, "embedder", getattr(metric, "embedder", None))
        if isinstance(judge, LiteLLMJudge) and judge.is_of_metric:
            return metric.with_judge(next(model for model in models if model.has_model_of(judge)))
        self._check_bound(brought, "judge", judge)
        return metric

    def _check_bound(self, given: str, role: str, asked: Any) -> None:
        """Raises where the cassette or the budget does not hold for a judge or embedder that came open."""
        if not isinstance(asked, LiteLLMJudge | LiteLLMEmbedder):
            return
        for name, is_set, has_own in (
            ("cassette", self.options.cassette is not None, asked.has_cassette),
            ("budget", self.options.budget.is_bounded, asked.has_bounds),
        ):
            if is_set and not has_own:
                raise UsageError(
                    f"{given} {role}, {asked.name}, for which the {name} of this evaluation does not hold: give the "
                    f"{name} to that {role}"
                )

    def _concurrent_samples(self, judge: LiteLLMJudge | None) -> int:
        if judge is not None and (self.options.concurrency is None or not is_judge(self.judge)):
            return judge.settings.concurrent_samples
        return self.options.concurrency or _SAMPLES_AT_ONCE


def _check_support(metrics: Iterable[Metric]) -> None:
    """Checks that an entailment model is asked by those metrics alone that ask whether a text supports a claim."""
    for metric in with_parts(metrics):
        judge = getattr(metric, "judge", None)
        asks_support = metric.asks_support and getattr(metric, "claims", "sentences") == "sentences"
        if isinstance(judge, LiteLLMJudge) and judge.settings.model.startswith(ENTAIL) and not asks_support:
            raise refuse(judge.name, f"{metric.name}{' with claims of the judge' * metric.asks_support}")


def with_parts(metrics: Iterable[Metric]) -> Iterator[Metric]:
    """Metrics, each with those that it is made of, as a scorer is."""
    for metric in metrics:
        yield metric
        yield from with_parts(getattr(metric, "parts", {}).values())
