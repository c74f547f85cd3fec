"""Metrics of the ragas library in our runs, and ours in Ragas's evaluations (extra `ragas`, version 0.4)."""

import copy
import difflib
import inspect
import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import JudgeError, UsageError
from ..eval_sets.ragas_dataset import load_ragas, ragas_row
from ..eval_sets.sample import Sample
from ..judges import Judge, Usage
from ..judges.embedders import Embedder, load_embedder
from .metric import Metric, Score, failed, scored, skipped

if TYPE_CHECKING:
    from .ragas_parts import Asked, MetricForRagas

PREFIX = "ragas:"
_DEFAULT_EMBEDDER = "use"
_LOWER_IS_BETTER = ("noise_sensitivity", "harmfulness", "maliciousness")  # Ragas's metrics do not declare it
_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


def as_ragas_metric(metric: Metric, name: str | None = None) -> "MetricForRagas":
    """One of our metrics as Ragas's: for `ragas.evaluate(metrics=[...])`, `single_turn_ascore`, and `ascore`.

    What is skipped or failed is nan for Ragas, as it has no other word; `ascore` gives the reason too, and a failure is
    logged. Ragas keeps one column a name: give another `name` beside Ragas's own metric of the same one.
    Raises `UsageError` when ragas is not installed, and for a metric that needs what a Ragas row has no place for.
    """
    load_ragas()
    from .ragas_parts import MetricForRagas

    try:
        return MetricForRagas(metric, name or metric.name)
    except ValueError as error:
        raise UsageError(f"{metric.name} cannot be used in Ragas: {error}") from error


class RagasMetric(Metric):
    """A metric of the ragas library, `ragas:<its name>`, with our judge and embedder behind it.

    `metric` is an object of `ragas.metrics.collections`, of `ragas.metrics`, or of the user's own making
    (`NumericMetric`, `@numeric_metric`); it is copied, not changed. Without a `judge` (or `embedder`) it keeps its own,
    and then no cassette, budget or usage applies. What the judge replied is in the evidence, step by step.
    Raises `UsageError` when it has no LLM or embeddings to work with, or scores conversations.
    """

    def __init__(self, metric: Any, judge: Judge | None = None, embedder: Embedder | str | None = None) -> None:
        self._version = load_ragas().__version__
        self.name = f"{PREFIX}{metric.name}"
        self.judge = judge
        self.embedder = load_embedder(embedder) if isinstance(embedder, str) else embedder
        self._metric = self._fitted(metric)
        self._kind = _kind(self._metric)
        self._takes = _fields_taken(self._metric, self._kind)
        self._required = [name for name, required in self._takes.items() if required]
        self.needs = tuple(name for name in self._required if name in Sample.model_fields)
        self.range = _range(metric)
        self.higher_is_better = higher_is_better(metric.name)
        self._begin()

    async def measure(self, sample: Sample) -> Score:
        """Failed when Ragas raises or gives no number (nan), with the reason; skipped where a field is missing."""
        from .ragas_parts import Asked, scoring

        row = ragas_row(sample)
        fields = row.model_dump(exclude_none=True)
        if missing := [name for name in self._required if not fields.get(name)]:
            return skipped(f"the sample has no {' and no '.join(missing)}, also not in its metadata")
        asked = Asked(sample.id, sample.language or "en")
        token = scoring.set(asked)
        reason, value = "", math.nan
        try:
            reason, value = await self._score(row, fields)
        except Exception as error:  # whatever it is, it is this sample's, and Ragas's metrics raise as it comes
            reason = f"Ragas raised {type(error).__name__}: {' '.join(str(error).split())[:500]}"
        finally:
            scoring.reset(token)
        if asked.error is not None and not isinstance(asked.error, JudgeError):
            raise asked.error  # the budget is reached: no matter of one sample
        evidence, usage = self._evidence(asked), Usage.total(asked.usages)
        if asked.error is not None:
            return failed(str(asked.error), evidence, usage)
        if not math.isfinite(value):
            return failed(reason or f"Ragas gave no number ({value}) and no reason", evidence, usage)
        return scored(value, reason or f"Ragas's {self._metric.name} is {value:.2f}", evidence, usage)

    async def _score(self, row: Any, fields: Mapping[str, Any]) -> tuple[str, float]:
        if self._kind == "single_turn":
            return "", float(await self._metric.single_turn_ascore(row))
        given = {name: fields[name] for name in self._takes if name in fields}
        if self._kind == "prompt" or "llm" in self._takes:
            given["llm"] = self._llm()
        result = await self._metric.ascore(**given)
        reason = " ".join(str(result.reason or "").split())
        if result.value is None:
            return reason, math.nan
        try:
            return reason, float(result.value)
        except (TypeError, ValueError):
            return f"Ragas gave {result.value!r}, which is no number; {reason}", math.nan

    def _evidence(self, asked: "Asked") -> dict[str, Any]:
        evidence: dict[str, Any] = {"steps": asked.steps, "ragas": self._version}
        if self.judge is not None:
            evidence["judge"] = self.judge.name
        if self.embedder is not None:
            evidence["embedder"] = self.embedder.name
        return evidence

    def _fitted(self, metric: Any) -> Any:
        """A copy of the metric, and of those that it holds, with our judge and embedder in place of its own."""
        from ragas.embeddings import BaseRagasEmbedding
        from ragas.metrics.base import Metric as OlderMetric
        from ragas.metrics.base import SimpleBaseMetric

        from .ragas_parts import Embeddings, OlderEmbeddings

        fitted = copy.copy(metric)
        if isinstance(metric, OlderMetric) and hasattr(metric, "strictness"):
            fitted.strictness = 1  # n generations of one prompt are the same: Ragas would warn that it got one
        for name, held in vars(metric).items():
            if name == "llm" and self.judge is not None:
                setattr(fitted, name, self._llm())
            elif name == "embeddings" and self.embedder is not None:
                newer = not isinstance(metric, OlderMetric) or isinstance(held, BaseRagasEmbedding)
                setattr(fitted, name, (Embeddings if newer else OlderEmbeddings)(self.embedder))
            elif name in {"llm", "embeddings"} and held is None:
                wanted = "a judge" if name == "llm" else "an embedder"
                raise UsageError(f"{self.name} has no {name} of its own; give it {wanted}")
            elif isinstance(held, OlderMetric | SimpleBaseMetric):
                setattr(fitted, name, self._fitted(held))
        return fitted

    def _llm(self) -> Any:
        from .ragas_parts import JudgeLLM

        if self.judge is None:
            raise UsageError(f"{self.name} is given its LLM with each sample; give it a judge")
        return JudgeLLM(self.judge)

    def _begin(self) -> None:
        from ragas.run_config import RunConfig

        if self._kind == "prompt":
            self._llm()
        elif self._kind == "single_turn":
            self._metric.init(RunConfig())


def higher_is_better(name: str) -> bool:
    """Whether higher values of Ragas's metric of this name are better; a mode may follow (`noise_sensitivity(...)`).

    Example:
        >>> higher_is_better("faithfulness"), higher_is_better("noise_sensitivity(mode=irrelevant)")
        (True, False)
    """
    return name.partition("(")[0] not in _LOWER_IS_BETTER


def load_ragas_metric(name: str, judge: Judge | None = None, embedder: Embedder | None = None) -> RagasMetric:
    """The metric of `ragas.metrics.collections` with this name (`faithfulness`), for `--metrics ragas:NAME`.

    The embedder is `use` if none is given. Raises `UsageError` for an unknown name, and where a judge is needed.
    """
    known = _collection()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"Ragas has no metric called {name!r} for single answers{hint} It has {', '.join(known)}")
    from .ragas_parts import Embeddings, JudgeLLM

    parts: dict[str, Any] = {}
    takes = inspect.signature(known[name]).parameters
    if "llm" in takes:
        if judge is None:
            raise UsageError(f"{PREFIX}{name} asks a judge; name one with --judge (in Python: judge=...)")
        parts["llm"] = JudgeLLM(judge)
    if "embeddings" in takes:
        embedder = embedder or load_embedder(_DEFAULT_EMBEDDER)
        parts["embeddings"] = Embeddings(embedder)
    try:
        made = known[name](**parts)
    except (ImportError, ValueError, TypeError) as error:
        raise UsageError(f"{PREFIX}{name} cannot be made: {' '.join(str(error).split())}") from error
    made.name = name
    return RagasMetric(made, judge if "llm" in takes else None, embedder if "embeddings" in takes else None)


def _collection() -> dict[str, Any]:
    load_ragas()
    from ragas.metrics import collections

    found = {}
    for class_name in collections.__all__:
        made = getattr(collections, class_name)
        if class_name != "BaseMetric" and hasattr(made, "ascore") and _scores_single_answers(made):
            default = inspect.signature(made).parameters.get("name")
            found[default.default if default else _CAPITAL.sub("_", class_name).lower()] = made
    return dict(sorted(found.items()))


def _scores_single_answers(metric_class: Any) -> bool:
    """Whether it scores a message and its answer: no conversations, and no pictures (those bring their own client)."""
    from ragas import SingleTurnSample

    takes = inspect.signature(metric_class.ascore).parameters.values()
    required = {each.name for each in takes if each.default is each.empty} - {"self"}
    known = required <= {*SingleTurnSample.model_fields}
    return known and not _takes_messages(metric_class) and "MultiModal" not in metric_class.__name__


def _takes_messages(metric: Any) -> bool:
    takes = inspect.signature(metric.ascore).parameters.values()
    return any(each.name == "user_input" and "Message" in str(each.annotation) for each in takes)


def _kind(metric: Any) -> str:
    """How Ragas wants this metric called."""
    from ragas.metrics.base import MultiTurnMetric, SimpleLLMMetric, SingleTurnMetric

    if isinstance(metric, SingleTurnMetric):
        return "single_turn"
    if isinstance(metric, MultiTurnMetric) or not hasattr(metric, "ascore") or _takes_messages(metric):
        raise UsageError(f"{metric.name} scores conversations, or is no metric of Ragas; Assay judges single answers")
    return "prompt" if isinstance(metric, SimpleLLMMetric) else "fields"


def _fields_taken(metric: Any, kind: str) -> dict[str, bool]:
    """The fields of a row that the metric takes, and whether it must have them."""
    if kind == "single_turn":
        required = metric.required_columns.get("SINGLE_TURN", set())
        taken = metric.get_required_columns(with_optional=True).get("SINGLE_TURN", set())
        return {name: name in required for name in sorted(taken)}
    if kind == "prompt":
        return dict.fromkeys(metric.get_variables(), True)
    function = getattr(metric, "_func", None) or metric.ascore
    parameters = inspect.signature(function).parameters.values()
    return {each.name: each.default is each.empty and each.name != "llm" for each in parameters}


def _range(metric: Any) -> tuple[float | None, float | None]:
    allowed = getattr(metric, "allowed_values", None)
    if isinstance(allowed, range) and len(allowed):
        return float(allowed[0]), float(allowed[-1])
    if isinstance(allowed, tuple) and len(allowed) == 2:
        return float(allowed[0]), float(allowed[1])
    return None, None
