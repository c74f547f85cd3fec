"""Finding metrics by name: those of Assay and those that other packages bring (entry points in `assay.metrics`)."""

import difflib
import inspect
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from ..errors import UsageError
from ..judges import Judge
from ..judges.embedders import Embedder
from .metric import Metric

GROUP = "assay.metrics"
BASELINES = ("token_overlap", "rouge_l_precision", "answer_length")
DEFAULT_METRICS = ("faithfulness", "answer_relevance")
RAGAS = "ragas"


@cache
def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)}


def metric_names() -> list[str]:
    """All names that `--metrics` takes, sorted."""
    return list(_entries())


def needs_judge(specification: str) -> bool:
    """Whether a metric cannot do without a judge: by itself, or by an option that chooses it (`translate=judge`).

    One with a default for it asks where there is one.
    """
    if specification.startswith(f"{RAGAS}:"):
        return True
    judge = _parameters(_metric_class(specification)).get("judge")
    required = judge is not None and judge.default is inspect.Parameter.empty
    return required or (judge is not None and "judge" in _options(specification).values())


def higher_is_better(specification: str) -> bool:
    """Whether a metric's higher values are the better ones, as it declares. Raises `UsageError` for an unknown name."""
    if specification.startswith(f"{RAGAS}:"):
        return True
    return bool(_metric_class(specification).higher_is_better)


def given_option(specification: str, name: str, value: str) -> str:
    """The specification with this option too, where the metric has one of that name and the specification is silent."""
    if specification.startswith(f"{RAGAS}:") or name in _options(specification):
        return specification
    return f"{specification}:{name}={value}" if name in _parameters(_metric_class(specification)) else specification


def load_metric(specification: str, judge: Judge | None = None, embedder: Embedder | None = None) -> Metric:
    """The metric of a name, with options after colons: `faithfulness:claims=judge:verdicts=listed`.

    `ragas:NAME` is a metric of the ragas library with our judge behind it. The metric's `name` is the specification.
    Raises `UsageError` for an unknown name or option, or when the metric needs a judge and there is none.
    """
    if judge is None and needs_judge(specification):
        raise UsageError(f"{specification} asks a judge; name one with --judge (in Python: judge=...)")
    if specification.startswith(f"{RAGAS}:"):
        from .ragas_adapter import load_ragas_metric

        ragas_metric: Metric = load_ragas_metric(
            specification.removeprefix(f"{RAGAS}:"), judge=judge, embedder=embedder
        )
        return ragas_metric
    metric_class, options = _metric_class(specification), _options(specification)
    known = _parameters(metric_class)
    if unknown := [name for name in options if name not in known or name in {"judge", "embedder"}]:
        choices = sorted(set(known) - {"judge", "embedder"})
        raise UsageError(f"{specification}: no option is called {unknown[0]!r}; the options are {choices or 'none'}")
    given: dict[str, Any] = dict(options)
    if "judge" in known:
        given["judge"] = judge
    if "embedder" in known and embedder is not None:
        given["embedder"] = embedder
    try:
        metric: Metric = metric_class(**given)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{specification}: {error}") from error
    if options:
        metric.name = specification
    return metric


def _metric_class(specification: str) -> Any:
    name = specification.split(":", maxsplit=1)[0]
    if name not in _entries():
        near = difflib.get_close_matches(name, metric_names(), n=1)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise UsageError(f"no metric is called {name!r}{hint} The metrics are {', '.join(metric_names())}")
    return _entries()[name].load()


def _options(specification: str) -> dict[str, str]:
    options = {}
    for option in specification.split(":")[1:]:
        name, equals, value = option.partition("=")
        if not equals:
            raise UsageError(f"{specification}: write options as name=value, not {option!r}")
        options[name] = value
    return options


def _parameters(metric_class: Any) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(metric_class).parameters)
