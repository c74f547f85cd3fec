"""What scores samples: metrics, and whom they ask, as they were given; opened they are ready to score."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import UsageError
from ..judges import Cassette, Judge, JudgeSettings, LiteLLMJudge, load_settings
from ..judges.embedders import Embedder, load_embedder
from ..judges.python_model import JudgeFunction, open_python_model
from ..judges.settings import PYTHON
from ..metrics import Metric
from ..metrics.catalogue import load_metric
from ..metrics.specification import BASELINES, DEFAULT_METRICS
from ..prompts import BUNDLED, Prompts
from .options import RunOptions
from .plan import Plan

JudgeLike: TypeAlias = Judge | JudgeSettings | str | Path | JudgeFunction | Any
"""Who judges: a judge, its settings, a name as for `--judge`, a function from text to text, or an OpenAI client."""

_SAMPLES_AT_ONCE = 16  # where no judge says how many calls it takes


@dataclass(frozen=True, slots=True)
class OpenedMetrics:
    """What a `ScoringRequest` comes to when it is opened: metrics that are ready to score.

    Attributes:
        metrics: The metrics, the baselines last.
        judge: Who answers their questions, if anybody: a view of the judge for this run, or a judge of its own. None
            also for a judge of another class, whose calls nobody counts but itself.
        embedder: What turns texts into vectors.
        concurrent_samples: How many samples keep the judge busy.
    """

    metrics: tuple[Metric, ...]
    judge: LiteLLMJudge | None
    embedder: Embedder
    concurrent_samples: int


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

    Raises:
        UsageError: The judge, the model and the options do not fit together.
    """

    metrics: Sequence[Metric | str] = DEFAULT_METRICS
    judge: JudgeLike | None = None
    model: str | None = None
    embedder: Embedder | str = "use"
    prompts: Prompts = BUNDLED
    options: RunOptions = field(default_factory=RunOptions)

    def __post_init__(self) -> None:
        if self.options.cassette is not None and _is_judge(self.judge):
            raise UsageError("a judge that is open has its own cassette: give the cassette to the judge")
        if self.model is not None and (self.judge is None or isinstance(self.judge, str | Path | JudgeSettings)):
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
        )

    @property
    def judge_settings(self) -> JudgeSettings | None:
        """The settings that the judge has, or will have when it is opened; None without a judge.

        Raises:
            UsageError: It is no judge, or a function whose name does not say which model it asks.
        """
        judge: Any = self.judge
        if judge is None or isinstance(judge, JudgeSettings):
            return judge
        if isinstance(judge, str | Path):
            return load_settings(str(judge))
        if isinstance(judge, LiteLLMJudge):
            return judge.settings
        if _is_judge(judge):
            return JudgeSettings(model=f"{PYTHON}{judge.name}", served_as=judge.name, parameters={})
        return open_python_model(judge, self.model, is_recorded=True).settings

    @property
    def all_metrics(self) -> list[Metric | str]:
        """The metrics, then the baselines that are not among them."""
        names = {metric if isinstance(metric, str) else metric.name for metric in self.metrics}
        return [*self.metrics, *(baseline for baseline in BASELINES if baseline not in names)]

    @asynccontextmanager
    async def open(self) -> AsyncIterator[OpenedMetrics]:
        """Opens the cassette, the judge and the embedder, and loads the metrics; closes what it opened.

        Raises:
            UsageError: For an unknown metric, judge or embedder, or when a metric needs a judge and there is none.
            InputError: When the cassette or the judge's settings cannot be read.
        """
        options = self.options
        file = None if options.mode == "off" else options.cassette_file(lambda: self.judge_settings)
        cassette = None if file is None else Cassette(file, options.mode)
        try:
            is_other_judge = _is_judge(self.judge) and not isinstance(self.judge, LiteLLMJudge)
            other_judge: Any = self.judge if is_other_judge else None
            judge = None if other_judge is not None else self._open_judge(cassette)
            if isinstance(self.embedder, str):
                embedder = load_embedder(self.embedder, cassette, options.budget)
            else:
                embedder = self.embedder.for_run()
            metrics = [
                load_metric(metric, other_judge or judge, embedder, self.prompts) if isinstance(metric, str) else metric
                for metric in self.all_metrics
            ]
            opened = OpenedMetrics(tuple(metrics), judge, embedder, self._concurrent_samples(judge))
            if judge is None or isinstance(self.judge, LiteLLMJudge):
                yield opened
            else:
                async with judge:
                    yield opened
        finally:
            if cassette is not None:
                cassette.close()

    def _open_judge(self, cassette: Cassette | None) -> LiteLLMJudge | None:
        if self.judge is None or isinstance(self.judge, LiteLLMJudge):
            return self.judge and self.judge.for_run()
        overrides: dict[str, Any] = (
            {} if self.options.concurrency is None else {"concurrency": self.options.concurrency}
        )
        if self.model is not None:
            overrides["model"] = self.model
        return LiteLLMJudge(self.judge, cassette=cassette, budget=self.options.budget, **overrides)

    def _concurrent_samples(self, judge: LiteLLMJudge | None) -> int:
        if judge is not None and (self.options.concurrency is None or not isinstance(self.judge, LiteLLMJudge)):
            return judge.settings.concurrent_samples
        return self.options.concurrency or _SAMPLES_AT_ONCE


def _is_judge(judge: Any) -> bool:
    return isinstance(judge, LiteLLMJudge) or (callable(getattr(judge, "ask", None)) and hasattr(judge, "logprobs"))
