"""How samples are scored: by which metrics, judge, embedder and prompts, and within which bounds."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from ..errors import UsageError
from ..judges import Budget, Cassette, JudgeSettings, LiteLLMJudge, Mode, load_settings
from ..judges.embedders import Embedder, load_embedder
from ..metrics import Metric
from ..metrics.catalogue import BASELINES, DEFAULT_METRICS, load_metric
from ..prompts import BUNDLED, Prompts

JudgeLike: TypeAlias = LiteLLMJudge | JudgeSettings | str
_SAMPLES_AT_ONCE = 16  # where no judge says how many calls it takes


@dataclass(frozen=True, slots=True)
class Scorers:
    """What `RunOptions` come to when they are opened: metrics that are ready to score.

    Attributes:
        metrics: The metrics, the baselines last.
        judge: Who answers their questions, if anybody: a view of the judge for this run, or a judge of its own.
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
        judge: Who answers the questions of the metrics given by name: a judge (it stays open), its settings, or a name
            as for `--judge`.
        embedder: For the metrics given by name: an embedder, or `use`, `st:MODEL` or `litellm:MODEL`.
        prompts: Your own prompts over the bundled ones, for the metrics given by name.
        cassette: File of recorded replies, for a judge and an embedder that are no objects yet.
        mode: How the cassette is used.
        budget: Bounds on live calls. Several runs may share one budget.
        concurrency: Calls at once of a judge that is no object yet; with a judge or without one, samples at once. None:
            as many as the judge's settings say.
    """

    metrics: Sequence[Metric | str] = DEFAULT_METRICS
    judge: JudgeLike | None = None
    embedder: Embedder | str = "use"
    prompts: Prompts = BUNDLED
    cassette: Path | None = None
    mode: Mode = "auto"
    budget: Budget = field(default_factory=Budget)
    concurrency: int | None = None

    def __post_init__(self) -> None:
        if self.cassette is None and self.mode in {"replay", "record"}:
            raise UsageError(f"the mode {self.mode} needs a cassette: name its file (--cassette FILE)")
        if self.cassette is not None and isinstance(self.judge, LiteLLMJudge):
            raise UsageError("a judge that is open has its own cassette: give the cassette to the judge")

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
        cassette = None if self.cassette is None or self.mode == "off" else Cassette(self.cassette, self.mode)
        try:
            judge = self._open_judge(cassette)
            if isinstance(self.embedder, str):
                embedder = load_embedder(self.embedder, cassette, self.budget)
            else:
                embedder = self.embedder.for_run()
            metrics = [
                load_metric(metric, judge, embedder, self.prompts) if isinstance(metric, str) else metric
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
        settings = load_settings(self.judge) if isinstance(self.judge, str) else self.judge
        if self.concurrency is not None:
            settings = settings.with_changes(concurrency=self.concurrency)
        return LiteLLMJudge(settings, cassette=cassette, budget=self.budget)

    def _concurrent_samples(self, judge: LiteLLMJudge | None) -> int:
        if judge is not None and (self.concurrency is None or not isinstance(self.judge, LiteLLMJudge)):
            return judge.settings.concurrent_samples
        return self.concurrency or _SAMPLES_AT_ONCE
