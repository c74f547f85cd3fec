"""A metric of your own from a function: `@metric` above it, and it can be used at once."""

import inspect
import math
from collections.abc import Awaitable, Callable
from functools import update_wrapper
from typing import Any, get_args, overload

from ..errors import UsageError
from ..eval_sets.levels import Level
from ..eval_sets.sample import Sample
from ..number_bounds import LARGEST_NUMBER
from ..value_messages import wrong_type
from ..worker_threads import call_beside
from .metric import Metric
from .score import Score, failed, scored

Value = Score | float | bool
_NEEDS = {"answer": "response", "conversation": "messages"}
MetricFunction = Callable[[Sample], Value] | Callable[[Sample], Awaitable[Value]]


class FunctionMetric(Metric):
    """A metric that a function computes; `metric` makes it. Called, it is the function.

    A function that is not async runs in a thread of its own, so that it may take its time. A value that is no finite
    number, or not in the metric's range, makes the sample failed: it is never cut or counted.
    """

    def __init__(
        self,
        function: MetricFunction,
        *,
        name: str | None = None,
        needs: tuple[str, ...] | None = None,
        range: tuple[float | None, float | None] = (0.0, 1.0),  # noqa: A002 # the name that metrics give it
        higher_is_better: bool = True,
        measures: Level = "answer",
    ) -> None:
        if inspect.isclass(function) or not callable(function):
            raise wrong_type(
                "metric", function, "a function that takes a sample and returns a number, a bool or a Score"
            )
        self.function = function
        self.name = name or str(getattr(function, "__name__", "metric"))
        if measures not in get_args(Level):
            raise wrong_type("measures", measures, '"answer" or "conversation"')
        self.measures = measures
        self.needs = needs = (_NEEDS[measures],) if needs is None else needs
        self.range = _checked_range(self.name, range)
        self.higher_is_better = higher_is_better
        if unknown := [field for field in needs if field not in Sample.model_fields]:
            raise UsageError(f"{self.name} needs {unknown[0]!r}, which is not a field of a sample")
        if len(_required_parameters(function)) != 1:
            raise UsageError(f"{self.name}: a metric's function takes one argument, the sample")
        update_wrapper(self, function, updated=())

    def __call__(self, sample: Sample) -> Any:
        """What the function returns for a sample: a value, or an awaitable of one."""
        return self.function(sample)

    async def measure(self, sample: Sample) -> Score:
        """The function's score, or its value as a score; failed where that is no value.

        Raises:
            Exception: Whatever the function raises; in a run it makes the sample failed.
        """
        if inspect.iscoroutinefunction(self.function):
            value = await self.function(sample)
        else:
            value = await call_beside(self.function, sample)
            if inspect.isawaitable(value):  # a function that returns a coroutine, such as a lambda
                value = await value
        return value if isinstance(value, Score) else self._as_score(value)

    def _as_score(self, value: Any) -> Score:
        if isinstance(value, bool):
            return scored(float(value), "yes" if value else "no")
        try:
            number = float(value) if not isinstance(value, str | bytes) else math.nan
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            return failed(
                f"{self.name} returned {value!r}, which is no number; where there is no value, "
                "return skipped(reason) or failed(reason)"
            )
        low, high = self.range
        if (low is not None and number < low) or (high is not None and number > high):
            problem = f"{self.name} returned {number:g}, outside its range {_range_text(low, high)}"
            return failed(f"{problem}; declare another above it: @metric(range=(LOW, HIGH))")
        if abs(number) > LARGEST_NUMBER:
            return failed(f"{self.name} returned {number:g}, larger than {LARGEST_NUMBER:g}: measure in a larger unit")
        return scored(number, f"{self.name} is {number:g}")


@overload
def metric(function: MetricFunction, /) -> FunctionMetric:
    """`@metric` without arguments."""


@overload
def metric(
    *,
    name: str | None = ...,
    needs: tuple[str, ...] = ...,
    range: tuple[float | None, float | None] = ...,
    higher_is_better: bool = ...,
    measures: Level = ...,
) -> Callable[[MetricFunction], FunctionMetric]:
    """`@metric(...)` with a declaration."""


def metric(function: MetricFunction | None = None, /, **declaration: Any) -> Any:
    """Makes a metric of a function that takes a sample and returns a float, a bool or a `Score`.

    The function may be async. Use it with or without arguments, and pass the result to `evaluate`, or name it on the
    command line: `--metrics my_metrics.py:is_short`.

    Args:
        function: The function.
        **declaration: `name` (default: the function's), `needs` (the sample fields that must not be empty; default:
            `response`, or `messages`), `range` (lowest and highest value, None for no bound; default: 0 to 1),
            `higher_is_better` (default: True), and `measures`: `answer` (the default), or `conversation` for a metric
            that looks at all of `sample.messages`.

    Raises:
        UsageError: `needs` has a name that is not a field of a sample, `range` is no two bounds, or the function takes
            other arguments.

    Example:
        >>> from assay import Sample, metric
        >>> @metric(needs=("response",))
        ... def is_short(sample: Sample) -> bool:
        ...     return len(sample.response) < 200
        >>> is_short.score(response="Under Leave > Requests.").value
        1.0
    """
    if function is not None:
        return FunctionMetric(function)
    return lambda decorated: FunctionMetric(decorated, **declaration)


def _checked_range(name: str, declared: Any) -> tuple[float | None, float | None]:
    """The lowest and the highest value. Raises `UsageError` where they are no two bounds, the lower one first."""
    bounds = tuple(declared) if isinstance(declared, list | tuple) else ()
    if len(bounds) != 2 or not all(
        bound is None or (isinstance(bound, int | float) and not isinstance(bound, bool)) for bound in bounds
    ):
        raise UsageError(f"{name}: range is {declared!r}; write the lowest and the highest value: range=(1, 5)")
    low, high = bounds
    if low is not None and high is not None and not low < high:
        raise UsageError(f"{name}: range is {declared!r}, whose first bound is not below the second; write (LOW, HIGH)")
    return low, high


def _required_parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    parameters = inspect.signature(function).parameters.values()
    variable = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    return [
        parameter for parameter in parameters if parameter.default is parameter.empty and parameter.kind not in variable
    ]


def _range_text(low: float | None, high: float | None) -> str:
    if high is None:
        return f"from {low:g} up"
    return f"up to {high:g}" if low is None else f"{low:g} to {high:g}"
