"""How samples are scored: by which metrics, judge, embedder and prompts, and within which bounds."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import UsageError
from ..judges import Budget, Cassette, Judge, JudgeSettings, LiteLLMJudge, Mode, load_settings
from ..judges.embedders import Embedder, load_embedder
from ..judges.python_model import JudgeFunction, open_python_model
from ..judges.settings import PYTHON, judge_file_name
from ..metrics import Metric
from ..metrics.catalogue import load_metric
from ..metrics.specification import BASELINES, DEFAULT_METRICS
from ..prompts import BUNDLED, Prompts

JudgeLike: TypeAlias = Judge | JudgeSettings | str | Path | JudgeFunction | Any
"""Who judges: a judge, its settings, a name as for `--judge`, a function from text to text, or an OpenAI client."""

JUDGE_FIELD = "{judge}"
"""Stands for the judge's name in the name of a cassette."""
_SAMPLES_AT_ONCE = 16  # where no judge says how many calls it takes


@dataclass(frozen=True, slots=True)
class Scorers:
    """What `RunOptions` come to when they are opened: metrics that are ready to score.

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
class RunOptions:
    """What `assay run`, a suite and `evaluate` need to score samples.

    Attributes:
        metrics: Names of the catalogue, or metrics as they are. The baselines are always added.
        judge: Who answers the questions of the metrics given by name: a judge (it stays open), its settings, a name as
            for `--judge`, a function that takes a text and returns the reply, or a client of the package `openai`.
        model: The model that a client asks; for a function its name in cassettes and reports.
        embedder: For the metrics given by name: an embedder, or `use`, `st:MODEL` or `litellm:MODEL`.
        prompts: Your own prompts over the bundled ones, for the metrics given by name.
        cassette: File of recorded replies, for a judge and an embedder that are not open yet; `{judge}` in its name
            stands for the judge's name.
        mode: How the cassette is used.
        budget: Bounds on live calls. Several runs may share one budget.
        concurrency: Calls at once of a judge that is no object yet; with a judge or without one, samples at once. None:
            as many as the judge's settings say.
    """

    metrics: Sequence[Metric | str] = DEFAULT_METRICS
    judge: JudgeLike | None = None
    model: str | None = None
    embedder: Embedder | str = "use"
    prompts: Prompts = BUNDLED
    cassette: Path | None = None
    mode: Mode = "auto"
    budget: Budget = field(default_factory=Budget)
    concurrency: int | None = None

    def __post_init__(self) -> None:
        if self.cassette is None and self.mode in {"replay", "record"}:
            raise UsageError(f"the mode {self.mode} needs a cassette: name its file (--cassette FILE)")
        if self.cassette is not None and _is_judge(self.judge):
            raise UsageError("a judge that is open has its own cassette: give the cassette to the judge")
        if self.model is not None and (self.judge is None or isinstance(self.judge, str | Path | JudgeSettings)):
            raise UsageError(
                f"model={self.model!r} is for a judge that is a client or a function; here the judge alone says which "
                'model is asked, such as judge="openai/gpt-4o-mini"'
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
    async def scorers(self) -> AsyncIterator[Scorers]:
        """Opens the cassette, the judge and the embedder, and loads the metrics; closes what it opened.

        Raises:
            UsageError: For an unknown metric, judge or embedder, or when a metric needs a judge and there is none.
            InputError: When the cassette or the judge's settings cannot be read.
        """
        cassette = None if self.cassette is None or self.mode == "off" else Cassette(self.cassette_file(), self.mode)
        try:
            is_other_judge = _is_judge(self.judge) and not isinstance(self.judge, LiteLLMJudge)
            other_judge: Any = self.judge if is_other_judge else None
            judge = None if other_judge is not None else self._open_judge(cassette)
            if isinstance(self.embedder, str):
                embedder = load_embedder(self.embedder, cassette, self.budget)
            else:
                embedder = self.embedder.for_run()
            metrics = [
                load_metric(metric, other_judge or judge, embedder, self.prompts) if isinstance(metric, str) else metric
                for metric in self.all_metrics
            ]
            scorers = Scorers(tuple(metrics), judge, embedder, self._concurrent_samples(judge))
            if judge is None or isinstance(self.judge, LiteLLMJudge):
                yield scorers
            else:
                async with judge:
                    yield scorers
        finally:
            if cassette is not None:
                cassette.close()

    def _open_judge(self, cassette: Cassette | None) -> LiteLLMJudge | None:
        if self.judge is None or isinstance(self.judge, LiteLLMJudge):
            return self.judge and self.judge.for_run()
        overrides: dict[str, Any] = {} if self.concurrency is None else {"concurrency": self.concurrency}
        if self.model is not None:
            overrides["model"] = self.model
        return LiteLLMJudge(self.judge, cassette=cassette, budget=self.budget, **overrides)

    def cassette_file(self) -> Path:
        """The cassette's file, with the judge's name in its place."""
        file = str(self.cassette)
        if JUDGE_FIELD in file:
            settings = self.judge_settings
            name = "no judge" if settings is None else judge_file_name(settings)
            file = file.replace(JUDGE_FIELD, name)
        return Path(file)

    def _concurrent_samples(self, judge: LiteLLMJudge | None) -> int:
        if judge is not None and (self.concurrency is None or not isinstance(self.judge, LiteLLMJudge)):
            return judge.settings.concurrent_samples
        return self.concurrency or _SAMPLES_AT_ONCE


def _is_judge(judge: Any) -> bool:
    return isinstance(judge, LiteLLMJudge) or (callable(getattr(judge, "ask", None)) and hasattr(judge, "logprobs"))
