"""Finding metrics by name: those of Assay, those of other packages (entry points in `assay.metrics`), and in files."""

import copy
import difflib
import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Any

from ..errors import UsageError
from ..installation import registered_entries
from ..judges import Judge
from ..judges.embedders import Embedder
from ..meta_eval.scorer import Scorer
from ..prompts import BUNDLED, Prompts
from .metric import Metric
from .metric_file import load_from_file, parse_file_metric
from .options import coerce_options, constructor_parameters, option_types
from .ragas_adapter import ragas_higher_is_better

GROUP = "assay.metrics"
BASELINES = ("token_overlap", "rouge_l_precision", "answer_length")
DEFAULT_METRICS = ("weakest_claim", "faithfulness", "token_overlap")
"""What agreed best with people's ratings (benchmarks/README.md); the first two come of the same calls."""
RAGAS = "ragas"
SCORER = "scorer"
# what stands right after a metric's name: in quotes, or up to the first option
_ARGUMENT = re.compile(r'(?::(?:"(?P<quoted>[^"]*)"|(?P<plain>.*?)))?(?P<options>(?::\w+=[^:]*)*)', re.DOTALL)


def _entries() -> Mapping[str, EntryPoint]:
    return registered_entries(GROUP)


def default_metrics(*, has_judge: bool) -> tuple[str, ...]:
    """The metrics of a run that names none: what agreed best with people; without a judge, those that ask nobody."""
    return tuple(name for name in DEFAULT_METRICS if has_judge or not needs_judge(name))


def metric_names() -> list[str]:
    """Lists all names that `--metrics` takes, sorted."""
    return list(_entries())


@dataclass(frozen=True, slots=True)
class MetricDescription:
    """What `assay metrics` says of one metric.

    Attributes:
        name: The metric's name.
        summary: The first line of its documentation.
        range: Its lowest and highest value; None where there is no bound.
        needs: The sample's fields that must not be empty.
        higher_is_better: Its direction.
        needs_judge: Whether it cannot do without a judge.
        options: The options that may follow its name after colons.
        argument: What stands right after the name and its colon (`predicate:"The answer is polite"`); "" for nothing.
    """

    name: str
    summary: str
    range: tuple[float | None, float | None]
    needs: tuple[str, ...]
    higher_is_better: bool
    needs_judge: bool
    options: tuple[str, ...]
    argument: str = ""


def describe_metric(name: str) -> MetricDescription:
    """Describes a metric of the catalogue.

    Raises:
        UsageError: No metric has this name.

    Example:
        >>> describe_metric("declined").higher_is_better
        False
    """
    metric_class = _metric_class(name)
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
    )


def needs_judge(specification: str) -> bool:
    """Whether a metric needs a judge: by itself, or because of an option (`translate=judge`).

    A metric whose judge has a default (`declined`, `numeric_claims`) does without, and asks where there is one.

    Example:
        >>> needs_judge("faithfulness"), needs_judge("declined"), needs_judge("heuristic:translate=judge")
        (True, False, True)
    """
    if specification.startswith(f"{RAGAS}:"):
        return True
    if specification.startswith(f"{SCORER}:"):
        return load_scorer(specification).judge is not None
    judge = _parameters(specification).get("judge")
    required = judge is not None and judge.default is inspect.Parameter.empty
    return required or (judge is not None and "judge" in _options(specification).values())


def higher_is_better(specification: str) -> bool:
    """Whether higher values of a metric are better, as the metric declares.

    Args:
        specification: A metric's name, with or without options; `ragas:NAME` is looked up in the adapter's table.

    Raises:
        UsageError: No metric has this name.

    Example:
        >>> higher_is_better("faithfulness"), higher_is_better("declined"), higher_is_better("ragas:noise_sensitivity")
        (True, False, False)
    """
    if specification.startswith(f"{RAGAS}:"):
        return ragas_higher_is_better(specification.removeprefix(f"{RAGAS}:"))
    if specification.startswith(f"{SCORER}:"):
        return True  # a predicted rating
    return bool(_metric_class(specification).higher_is_better)


def add_option(specification: str, name: str, value: str) -> str:
    """Adds an option to a specification, where the metric has it and the specification does not set it.

    Example:
        >>> add_option("answer_relevance", "questions", "5"), add_option("token_overlap", "questions", "5")
        ('answer_relevance:questions=5', 'token_overlap')
    """
    if specification.startswith((f"{RAGAS}:", f"{SCORER}:")) or name in _options(specification):
        return specification
    return f"{specification}:{name}={value}" if name in _parameters(specification) else specification


def load_metric(
    specification: str, judge: Judge | None = None, embedder: Embedder | None = None, prompts: Prompts = BUNDLED
) -> Metric:
    """Loads the metric of a specification, which becomes the metric's `name`.

    Args:
        specification: A name, with options after colons: `faithfulness:claims=judge:numeric=no`; `ragas:NAME`, a
            metric of the ragas library with our judge behind it; `scorer:FILE`, a saved scorer; or `PATH.py:NAME`, a
            metric in a file of yours.
        judge: Given to a metric that takes one.
        embedder: Given to a metric that takes one; each has a default.
        prompts: Given to a metric that asks a judge.

    Raises:
        UsageError: An unknown name or option, or a metric that needs a judge and there is none.

    Example:
        >>> load_metric("rouge_l").range
        (0.0, 1.0)
    """
    if judge is None and needs_judge(specification):
        raise UsageError(f"{specification} asks a judge; name one with --judge (in Python: judge=...)")
    if specification.startswith(f"{RAGAS}:"):
        from .ragas_adapter import load_ragas_metric

        ragas_metric: Metric = load_ragas_metric(
            specification.removeprefix(f"{RAGAS}:"), judge=judge, embedder=embedder
        )
        return ragas_metric
    if specification.startswith(f"{SCORER}:"):
        from .scorer import load_scorer_metric

        def load_part(name: str) -> Metric:
            return load_metric(name, judge, embedder, prompts)

        embedder_name = embedder.name if embedder else "use"
        return load_scorer_metric(specification, load_part, judge=judge, embedder=embedder_name, prompts=prompts)
    metric_class, options = _metric_class(specification), _options(specification)
    argument = getattr(metric_class, "argument", "")
    if argument and argument not in options:
        name = specification.partition(":")[0]
        raise UsageError(f"{specification}: the {argument} is missing; write {name}:{argument.upper()}")
    if isinstance(metric_class, Metric):
        return _named(copy.copy(metric_class), specification, options)
    parameters = constructor_parameters(metric_class)
    arguments = coerce_options(specification, metric_class, options) if options else {}
    if "judge" in parameters:
        arguments["judge"] = judge
    if "embedder" in parameters and embedder is not None:
        arguments["embedder"] = embedder
    if "prompts" in parameters:
        arguments["prompts"] = prompts
    try:
        metric: Metric = metric_class(**arguments)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{specification}: {error}") from error
    if options or parse_file_metric(specification):
        metric.name = specification
    return metric


def uses_embedder(specification: str) -> bool:
    """Whether a metric compares texts by an embedder.

    Example:
        >>> uses_embedder("answer_relevance"), uses_embedder("faithfulness")
        (True, False)
    """
    if specification.startswith((f"{RAGAS}:", f"{SCORER}:")):
        return True
    return "embedder" in _parameters(specification)


def load_scorer(specification: str) -> Scorer:
    """The saved scorer that `scorer:FILE` names. Raises `InputError` where it cannot be read."""
    from .scorer import scorer_path

    return Scorer.load(scorer_path(specification)[0])


def _named(metric: Metric, specification: str, options: Mapping[str, str]) -> Metric:
    """Names a metric that is already an object as in the specification; it takes no options."""
    if options:
        raise UsageError(f"{specification}: {metric.name} takes no options")
    metric.name = specification
    return metric


def _parameters(specification: str) -> dict[str, inspect.Parameter]:
    """The constructor's parameters; none for a metric that is an object already."""
    metric_class = _metric_class(specification)
    return {} if isinstance(metric_class, Metric) else constructor_parameters(metric_class)


def _metric_class(specification: str) -> Any:
    """A metric's class, or the metric itself where it was made from a function."""
    if in_file := parse_file_metric(specification):
        return load_from_file(in_file.path, in_file.name)
    name = specification.split(":", maxsplit=1)[0]
    if name.endswith(".py"):
        raise UsageError(f"{specification} names a file; name the metric in it too: {name}:NAME")
    if name not in _entries():
        near = difflib.get_close_matches(name, metric_names(), n=1)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise UsageError(f"no metric is called {name!r}{hint} The metrics are {', '.join(metric_names())}")
    return _entries()[name].load()


def _options(specification: str) -> dict[str, str]:
    """The options by name; what a metric takes right after its name is the first of them."""
    in_file = parse_file_metric(specification)
    options: dict[str, str] = {}
    after_name = in_file.options if in_file else specification[len(specification.partition(":")[0]) :]
    if argument := getattr(_metric_class(specification), "argument", ""):
        match = _ARGUMENT.fullmatch(after_name)
        if match and (text := (match["quoted"] or match["plain"] or "").strip()):
            options[argument] = text
        after_name = match["options"] if match else ""
    for option in after_name.split(":")[1:]:
        name, equals, value = option.partition("=")
        if not equals:
            raise UsageError(f"{specification}: write options as name=value, not {option!r}")
        options[name] = value
    return options
