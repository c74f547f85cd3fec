"""Metrics of the ragas library in our runs, and ours in Ragas's evaluations (extra `ragas`, version 0.4)."""

import copy
import difflib
import inspect
import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..arguments import wrong_type
from ..errors import JudgeError, UsageError
from ..eval_sets.ragas_dataset import load_ragas, ragas_row
from ..eval_sets.sample import Sample
from ..judges import Judge, JudgeLike, Usage, open_judge
from ..judges.embedders import Embedder, load_embedder, open_embedder
from ..languages import FALLBACK
from .metric import Metric, check_metric
from .score import Score, failed, scored, skipped
from .specification import RAGAS

if TYPE_CHECKING:
    from .ragas_parts import JudgeLog, MetricForRagas

_DEFAULT_EMBEDDER = "use"
_LOWER_IS_BETTER = ("noise_sensitivity", "harmfulness", "maliciousness")  # Ragas's metrics do not declare it
_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


def as_ragas_metric(metric: Metric, name: str | None = None) -> "MetricForRagas":
    """One of our metrics as Ragas's: for `ragas.evaluate(metrics=[...])`, `single_turn_ascore`, and `ascore`.

    A skipped or failed score is nan for Ragas, which knows nothing else; `ascore` gives the reason too, and a failure
    is logged.

    Args:
        metric: The metric.
        name: Its name in Ragas's table, which has one column per name. Default: the metric's own; give another beside
            Ragas's metric of the same name.

    Raises:
        UsageError: ragas is not installed, or the metric needs a field that a Ragas row does not have.
    """
    check_metric("metric", metric)
    load_ragas()
    from .ragas_parts import MetricForRagas

    try:
        return MetricForRagas(metric, name or metric.name)
    except ValueError as error:
        raise UsageError(f"{metric.name} cannot be used in Ragas: {error}") from error


class RagasMetric(Metric):
    """A metric of the ragas library, `ragas:<its name>`, with our judge and embedder behind it.

    The evidence has each reply of the judge, step by step. Ragas's metrics do not declare a direction: that of its own
    ones is in this module's table, that of other metrics is taken to be higher is better.

    Args:
        metric: An object of `ragas.metrics.collections`, of `ragas.metrics`, or of your own making (`NumericMetric`,
            `@numeric_metric`); it is copied, not changed.
        judge: Takes the place of the metric's LLM; without it the metric keeps its own, and no cassette, budget or
            usage applies.
        embedder: The same for its embeddings: an `Embedder` or its name.
        higher_is_better: The direction, where this module's table does not know it.

    Raises:
        UsageError: The metric has no LLM or embeddings to work with, or scores conversations.
    """

    def __init__(
        self,
        metric: Any,
        judge: JudgeLike | None = None,
        embedder: Embedder | str | None = None,
        higher_is_better: bool | None = None,
    ) -> None:
        self._version = load_ragas().__version__
        if inspect.isclass(metric) or not hasattr(metric, "name"):
            raise wrong_type("metric", metric, "a metric of Ragas as it is made there: Faithfulness(llm=...)")
        self.name = f"{RAGAS}:{metric.name}"
        self.judge = None if judge is None else open_judge(judge)
        self.embedder = None if embedder is None else open_embedder(embedder)
        self._original = metric
        self._metric = self._with_our_parts(metric)
        self._kind = _kind(self._metric)
        self._fields = _row_fields(self._metric, self._kind)
        self._required = [name for name, required in self._fields.items() if required]
        self.needs = tuple(name for name in self._required if name in Sample.model_fields)
        self.range = _range(metric)
        self.higher_is_better = ragas_higher_is_better(metric.name) if higher_is_better is None else higher_is_better
        self._begin()

    def with_judge(self, judge: Judge) -> "RagasMetric":
        """A copy of this metric that asks another judge."""
        view = RagasMetric(self._original, judge, self.embedder, self.higher_is_better)
        view.name = self.name
        return view

    async def measure(self, sample: Sample) -> Score:
        """The score; failed when Ragas raises or gives no number (nan), skipped where a field is missing.

        Raises:
            BudgetReached: A bound of the run is reached.
        """
        from .ragas_parts import JudgeLog, current_log

        row = ragas_row(sample)
        fields = row.model_dump(exclude_none=True)
        if missing := [name for name in self._required if not fields.get(name)]:
            return skipped(f"the sample has no {' and no '.join(missing)}, also not in its metadata")
        log = JudgeLog(sample.id, sample.language or FALLBACK)
        token = current_log.set(log)
        reason, value = "", math.nan
        try:
            reason, value = await self._score(row, fields)
        except Exception as error:  # whatever it is, it is this sample's, and Ragas's metrics raise as it comes
            reason = f"Ragas raised {type(error).__name__}: {' '.join(str(error).split())[:500]}"
        finally:
            current_log.reset(token)
        if log.error is not None and not isinstance(log.error, JudgeError):
            raise log.error  # the budget is reached: no matter of one sample
        evidence, usage = self._evidence(log), Usage.total(log.usages)
        if log.error is not None:
            return failed(str(log.error), evidence, usage)
        if not math.isfinite(value):
            return failed(reason or f"Ragas gave no number ({value}) and no reason", evidence, usage)
        return scored(value, reason or f"Ragas's {self._metric.name} is {value:.2f}", evidence, usage)

    async def _score(self, row: Any, fields: Mapping[str, Any]) -> tuple[str, float]:
        if self._kind == "single_turn":
            return "", float(await self._metric.single_turn_ascore(row))
        arguments = {name: fields[name] for name in self._fields if name in fields}
        if self._kind == "prompt" or "llm" in self._fields:
            arguments["llm"] = self._llm()
        result = await self._metric.ascore(**arguments)
        reason = " ".join(str(result.reason or "").split())
        if result.value is None:
            return reason, math.nan
        try:
            return reason, float(result.value)
        except (TypeError, ValueError):
            return f"Ragas gave {result.value!r}, which is no number; {reason}", math.nan

    def _evidence(self, log: "JudgeLog") -> dict[str, Any]:
        evidence: dict[str, Any] = {"steps": log.steps, "ragas": self._version}
        if self.judge is not None:
            evidence["judge"] = self.judge.name
        if self.embedder is not None:
            evidence["embedder"] = self.embedder.name
        return evidence

    def _with_our_parts(self, metric: Any) -> Any:
        """A copy of the metric, and of those that it holds, with our judge and embedder in place of its own."""
        from ragas.embeddings import BaseRagasEmbedding
        from ragas.metrics.base import Metric as OlderMetric, SimpleBaseMetric

        from .ragas_parts import Embeddings, OlderEmbeddings

        copied = copy.copy(metric)
        if isinstance(metric, OlderMetric) and hasattr(metric, "strictness"):
            copied.strictness = 1  # n generations of one prompt are the same: Ragas would warn that it got one
        for name, part in vars(metric).items():
            if name == "llm" and self.judge is not None:
                setattr(copied, name, self._llm())
            elif name == "embeddings" and self.embedder is not None:
                newer = not isinstance(metric, OlderMetric) or isinstance(part, BaseRagasEmbedding)
                setattr(copied, name, (Embeddings if newer else OlderEmbeddings)(self.embedder))
            elif name in {"llm", "embeddings"} and part is None:
                wanted = "a judge" if name == "llm" else "an embedder"
                raise UsageError(f"{self.name} has no {name} of its own; give it {wanted}")
            elif isinstance(part, OlderMetric | SimpleBaseMetric):
                setattr(copied, name, self._with_our_parts(part))
        return copied

    def _llm(self) -> Any:
        from .ragas_parts import JudgeLLM

        if self.judge is None:
            raise UsageError(f"{self.name} takes its LLM with each sample; give it a judge")
        return JudgeLLM(self.judge)

    def _begin(self) -> None:
        from ragas.run_config import RunConfig

        if self._kind == "prompt":
            self._llm()
        elif self._kind == "single_turn":
            self._metric.init(RunConfig())


def ragas_higher_is_better(name: str) -> bool:
    """Whether higher values of Ragas's metric of this name are better; a mode may follow (`noise_sensitivity(...)`).

    Example:
        >>> ragas_higher_is_better("faithfulness"), ragas_higher_is_better("noise_sensitivity(mode=irrelevant)")
        (True, False)
    """
    return name.partition("(")[0] not in _LOWER_IS_BETTER


def load_ragas_metric(name: str, judge: Judge | None = None, embedder: Embedder | None = None) -> RagasMetric:
    """The metric of `ragas.metrics.collections` with this name (`faithfulness`), for `--metrics ragas:NAME`."""
    metric_class = _ragas_class(name)
    from .ragas_parts import Embeddings, JudgeLLM

    parts: dict[str, Any] = {}
    parameters = inspect.signature(metric_class).parameters
    if "llm" in parameters:
        if judge is None:
            raise UsageError(f"{RAGAS}:{name} asks a judge; name one with --judge (in Python: judge=...)")
        parts["llm"] = JudgeLLM(judge)
    if "embeddings" in parameters:
        embedder = embedder or load_embedder(_DEFAULT_EMBEDDER)
        parts["embeddings"] = Embeddings(embedder)
    try:
        metric = metric_class(**parts)
    except (ImportError, ValueError, TypeError) as error:
        raise UsageError(f"{RAGAS}:{name} cannot be made: {' '.join(str(error).split())}") from error
    metric.name = name
    return RagasMetric(metric, judge if "llm" in parameters else None, embedder if "embeddings" in parameters else None)


def ragas_needs_judge(name: str) -> bool:
    """Whether the metric of `ragas:NAME` asks an LLM."""
    return "llm" in inspect.signature(_ragas_class(name)).parameters


def _ragas_class(name: str) -> Any:
    known = _collection()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"Ragas has no metric called {name!r} for single answers{hint} It has {', '.join(known)}")
    return known[name]


def _collection() -> dict[str, Any]:
    load_ragas()
    from ragas.metrics import collections

    classes = {}
    for class_name in collections.__all__:
        metric_class = getattr(collections, class_name)
        if class_name != "BaseMetric" and hasattr(metric_class, "ascore") and _scores_single_answers(metric_class):
            name = inspect.signature(metric_class).parameters.get("name")
            classes[name.default if name else _CAPITAL.sub("_", class_name).lower()] = metric_class
    return dict(sorted(classes.items()))


def _scores_single_answers(metric_class: Any) -> bool:
    """Whether it scores a message and its answer: no conversations, and no pictures (those bring their own client)."""
    from ragas import SingleTurnSample

    parameters = inspect.signature(metric_class.ascore).parameters.values()
    required = {parameter.name for parameter in parameters if parameter.default is parameter.empty} - {"self"}
    known = required <= {*SingleTurnSample.model_fields}
    return known and not _scores_messages(metric_class) and "MultiModal" not in metric_class.__name__


def _scores_messages(metric: Any) -> bool:
    parameters = inspect.signature(metric.ascore).parameters.values()
    return any(parameter.name == "user_input" and "Message" in str(parameter.annotation) for parameter in parameters)


def _kind(metric: Any) -> str:
    """How Ragas wants this metric called."""
    from ragas.metrics.base import MultiTurnMetric, SimpleLLMMetric, SingleTurnMetric

    if isinstance(metric, SingleTurnMetric):
        return "single_turn"
    if isinstance(metric, MultiTurnMetric) or not hasattr(metric, "ascore") or _scores_messages(metric):
        raise UsageError(f"{metric.name} scores conversations, or is no metric of Ragas; Assay judges single answers")
    return "prompt" if isinstance(metric, SimpleLLMMetric) else "fields"


def _row_fields(metric: Any, kind: str) -> dict[str, bool]:
    """The fields of a row that the metric takes, and whether it must have them."""
    if kind == "single_turn":
        required = metric.required_columns.get("SINGLE_TURN", set())
        accepted = metric.get_required_columns(with_optional=True).get("SINGLE_TURN", set())
        return {name: name in required for name in sorted(accepted)}
    if kind == "prompt":
        return dict.fromkeys(metric.get_variables(), True)
    function = getattr(metric, "_func", None) or metric.ascore
    parameters = inspect.signature(function).parameters.values()
    return {
        parameter.name: parameter.default is parameter.empty and parameter.name != "llm" for parameter in parameters
    }


def _range(metric: Any) -> tuple[float | None, float | None]:
    allowed = getattr(metric, "allowed_values", None)
    if isinstance(allowed, range) and len(allowed):
        return float(allowed[0]), float(allowed[-1])
    if isinstance(allowed, tuple) and len(allowed) == 2:
        return float(allowed[0]), float(allowed[1])
    return None, None
