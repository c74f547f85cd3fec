"""Finding metrics by name: those of Assay, those of other packages (entry points in `assay.metrics`), and in files."""

import copy
import difflib
import importlib.util
import inspect
import sys
import traceback
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import UsageError
from ..eval_sets.levels import Level
from ..installation import load_entry, registered_entries
from ..judges import Judge
from ..judges.embedders import Embedder
from ..name_suggestions import nearest_names
from ..prompts import BUNDLED, Prompts
from .metric import Metric
from .specification import (
    DEFAULT_METRICS,
    GROUP,
    SCORER,
    MetricSpecification,
    coerce_options,
    constructor_parameters,
    find_substitute,
    option_types,
    parse_specification,
)


def default_metrics(*, has_judge: bool) -> tuple[str, ...]:
    """The metrics of a run that names none: what agreed best with people; without a judge, those that ask nobody."""
    return tuple(name for name in DEFAULT_METRICS if has_judge or not needs_judge(name))


def metric_names() -> list[str]:
    """Lists all names that `--metrics` takes, sorted."""
    return list(registered_entries(GROUP))


@dataclass(frozen=True, slots=True)
class MetricDescription:
    """What `assay metrics` says of one metric."""

    name: str
    summary: str  # the first line of its documentation
    range: tuple[float | None, float | None]  # its lowest and highest value; None where there is no bound
    needs: tuple[str, ...]  # the sample's fields that must not be empty
    higher_is_better: bool
    needs_judge: bool  # whether it cannot do without a judge
    options: tuple[str, ...]
    # what stands right after the name and its colon (`predicate:"The answer is polite"`); "" for nothing
    argument: str = ""
    measures: Level = "answer"  # what it is a measure of: an `answer`, or a whole `conversation`


def describe_metric(name: str) -> MetricDescription:
    """Describes a metric of the catalogue.

    Example:
        >>> describe_metric("declined").higher_is_better
        False
    """
    metric_class = _metric_class(parse_specification(name))
    summary = (inspect.getdoc(metric_class) or "").partition("\n")[0]
    return MetricDescription(
        name=name,
        summary=summary,
        range=metric_class.range,
        needs=tuple(metric_class.needs),
        higher_is_better=metric_class.higher_is_better,
        needs_judge=needs_judge(name),
        options=tuple(sorted(option_types(metric_class).keys() - {metric_class.argument})),
        argument=metric_class.argument,
        measures=metric_class.measures,
    )


def needs_judge(specification: MetricSpecification | str) -> bool:
    """Whether a metric needs a judge, by itself or because of an option.

    A metric whose judge has a default (`declined`, `effort`) does without, and asks where there is one.

    Example:
        >>> needs_judge("faithfulness"), needs_judge("declined"), needs_judge("heuristic:translate=judge")
        (True, False, True)
    """
    specification = _parsed(specification)
    if specification.is_scorer:
        from .scorer import load_scorer

        return load_scorer(specification).judge is not None
    metric_class = _metric_class(specification)
    judge = _parameters(metric_class).get("judge")
    required = judge is not None and judge.default is inspect.Parameter.empty
    return required or (judge is not None and "judge" in _option_texts(specification, metric_class).values())


def higher_is_better(specification: MetricSpecification | str) -> bool:
    """Whether higher values of a metric are better, as the metric declares.

    Example:
        >>> higher_is_better("faithfulness"), higher_is_better("declined")
        (True, False)
    """
    specification = _parsed(specification)
    if specification.is_ragas:  # of a run that an earlier version stored
        from ..eval_sets.column_table import is_lower_better

        return not is_lower_better(specification.argument)
    if specification.is_scorer:
        return True  # a predicted rating
    return bool(_metric_class(specification).higher_is_better)


def worst_value(specification: MetricSpecification | str) -> float | None:
    """Returns the end of a metric's range that is worst; None where it has no bound.

    Example:
        >>> worst_value("faithfulness"), worst_value("declined"), worst_value("answer_length")
        (0.0, 1.0, 0.0)
    """
    specification = _parsed(specification)
    if specification.is_scorer:
        from .scorer import load_scorer

        return load_scorer(specification).rating_min
    low: float | None
    high: float | None
    low, high = _metric_class(specification).range
    return low if higher_is_better(specification) else high


def measures_conversation(specification: MetricSpecification | str) -> bool:
    """Whether a metric is one of a whole conversation; a scorer is where one of its metrics is.

    Example:
        >>> measures_conversation("conversation_turns"), measures_conversation("faithfulness")
        (True, False)
    """
    specification = _parsed(specification)
    if specification.is_scorer:
        from .scorer import load_scorer

        return any(map(measures_conversation, load_scorer(specification).metrics))
    return bool(_metric_class(specification).measures == "conversation")


def load_metric(
    specification: MetricSpecification | str,
    judge: Judge | None = None,
    embedder: Embedder | None = None,
    prompts: Prompts = BUNDLED,
) -> Metric:
    """Loads the metric of a specification, whose text becomes the metric's `name`.

    Example:
        >>> load_metric("rouge_l").range
        (0.0, 1.0)
    """
    specification = _parsed(specification)
    if judge is None and needs_judge(specification):
        raise UsageError(f"{specification} asks a judge; name one with --judge (in Python: judge=...)")
    if specification.is_scorer:
        from .scorer import load_scorer_metric

        def load_part(name: str) -> Metric:
            return load_metric(name, judge, embedder, prompts)

        embedder_name = embedder.name if embedder else "use"
        return load_scorer_metric(specification, load_part, judge=judge, embedder=embedder_name, prompts=prompts)
    metric_class = _metric_class(specification)
    texts = _option_texts(specification, metric_class)
    argument = getattr(metric_class, "argument", "")
    if argument and argument not in texts:
        quotes = " (in double quotes where it looks like an option)" if specification.options else ""
        raise UsageError(
            f"{specification}: the {argument} is missing; write {specification.name}:{argument.upper()}{quotes}"
        )
    if isinstance(metric_class, Metric):
        if texts:
            raise UsageError(f"{specification}: {metric_class.name} takes no options")
        metric: Metric = copy.copy(metric_class)
        metric.name = specification.text
        return metric
    parameters = _parameters(metric_class)
    arguments = coerce_options(specification.text, metric_class, texts) if texts else {}
    if "judge" in parameters:
        arguments["judge"] = judge
    if "embedder" in parameters and embedder is not None:
        arguments["embedder"] = embedder
    if "prompts" in parameters:
        arguments["prompts"] = prompts
    try:
        metric = metric_class(**arguments)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{specification}: {error}") from error
    if texts or specification.path:
        metric.name = specification.text
    return metric


def uses_embedder(specification: MetricSpecification | str) -> bool:
    """Whether a metric compares texts by an embedder.

    Example:
        >>> uses_embedder("answer_relevance"), uses_embedder("faithfulness")
        (True, False)
    """
    specification = _parsed(specification)
    if specification.is_scorer:
        return True
    return "embedder" in _parameters(_metric_class(specification))


def _parsed(specification: MetricSpecification | str) -> MetricSpecification:
    return parse_specification(specification) if isinstance(specification, str) else specification


def _parameters(metric_class: Any) -> dict[str, inspect.Parameter]:
    """The constructor's parameters; none for a metric that is an object already."""
    return {} if isinstance(metric_class, Metric) else constructor_parameters(metric_class)


def _metric_class(specification: MetricSpecification) -> Any:
    """A metric's class, or the metric itself where it was made from a function."""
    name = specification.name
    if specification.path:
        return load_from_file(specification.path, name)
    if name.endswith(".py"):
        raise UsageError(f"{specification} names a file; name the metric in it too: {name}:NAME")
    entries = registered_entries(GROUP)
    if specification.is_ragas:
        raise UsageError(
            f"{specification}: metrics of the ragas library do not run in Assay; name Assay's own (docs/python.md has "
            "them beside Ragas's), or compare scores that Ragas made: assay meta --scores FILE"
        )
    if name == SCORER:
        raise UsageError(
            f"{specification}: name the scorer's file (scorer:FILE); make one with: assay meta RUN --save FILE"
        )
    if name not in entries:
        if instead := find_substitute(name):
            raise UsageError(f"no metric is called {name!r}; {instead}")
        near = ", ".join(nearest_names(name, entries, at_most=3, cutoff=0))
        raise UsageError(f"no metric is called {name!r}; the nearest are {near} (`assay metrics` lists all)")
    return load_entry(entries[name])


def _option_texts(specification: MetricSpecification, metric_class: Any) -> dict[str, str]:
    """The text of each option by its name; what the metric takes right after its own name is the first of them."""
    if "" in specification.options:
        raise UsageError(f"{specification}: write options as name=value, not ''")
    if not specification.argument:
        return dict(specification.options)
    if argument := getattr(metric_class, "argument", ""):
        text = specification.argument.strip()
        return ({argument: text} if text else {}) | dict(specification.options)
    texts = {}
    for option in specification.argument.split(":"):  # not an option as one is written
        name, equals, value = option.partition("=")
        if not equals:
            raise UsageError(f"{specification}: write options as name=value, not {option!r}")
        texts[name] = value
    return texts | dict(specification.options)


def load_from_file(path: str, name: str) -> Any:
    """Loads `name` from a Python file: a metric (a function with `@metric` above it), or a class of metrics."""
    value = getattr(_load_module(Path(path).expanduser().resolve()), name, None)
    if isinstance(value, Metric) or (inspect.isclass(value) and issubclass(value, Metric)):
        return value
    if callable(value):
        raise UsageError(f"{path}:{name} is a plain function; write @metric above it (from assay import metric)")
    known = _metrics_in(_load_module(Path(path).expanduser().resolve()))
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]}?" if near else f"; it has {', '.join(known) or 'none'}"
    raise UsageError(f"{path} has no metric called {name!r}{hint}")


def _metrics_in(module: ModuleType) -> list[str]:
    return [
        name
        for name, value in vars(module).items()
        if isinstance(value, Metric)
        or (inspect.isclass(value) and issubclass(value, Metric) and value.__module__ == module.__name__)
    ]


@cache
def _load_module(file: Path) -> ModuleType:
    if not file.is_file():
        raise UsageError(f"there is no file {file}; give the path of the Python file with the metric")
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))
    name = f"assay_metric_file_{file.stem}_{abs(hash(file)):x}"
    specification = importlib.util.spec_from_file_location(name, file)
    if specification is None or specification.loader is None:
        raise UsageError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module  # dataclasses and pydantic look their module up
    try:
        specification.loader.exec_module(module)
    except Exception as error:  # the user's code: whatever it raises, the message names its line
        del sys.modules[name]
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
        line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
        where = f"{file}, line {line}" if line else str(file)
        raise UsageError(f"{where}: {type(error).__name__}: {error}") from error
    return module
