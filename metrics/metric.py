"""What a metric is."""

import asyncio
import inspect
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping
from contextvars import copy_context
from copy import copy
from functools import cache, partial
from itertools import filterfalse
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar, cast, get_args

from pydantic import ValidationError

from ..errors import JudgeError, UsageError
from ..eval_sets.levels import Level
from ..eval_sets.sample import Sample
from ..judges.usage import Usage, meter_usage
from ..value_messages import describe_first_mistake, describe_value, wrong_type
from ..worker_threads import compute_beside
from .score import Score, failed, skipped
from .specification import find_substitute

if TYPE_CHECKING:
    from ..judges import Judge

T = TypeVar("T")
P = ParamSpec("P")

_SHORT = 20_000  # characters: a linear pass over as many takes about a millisecond, and a worker costs a tenth of one


async def compute_for(sample: Sample, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs a computation over a sample's texts: beside the event loop where these are long."""
    if text_length(sample) <= _SHORT:
        return function(*args, **kwargs)
    return await compute_beside(function, *args, **kwargs)


def text_length(sample: Sample) -> int:
    """Counts the characters of a sample's texts: question, answer, contexts, reference and messages.

    Example:
        >>> text_length(Sample(id="s1", user_input="Is it free?", response="Yes.", retrieved_contexts=("Free.",)))
        20
    """
    texts = [sample.user_input, sample.response, sample.reference or ""]
    said = [message.text for message in sample.messages] if sample.messages else ()
    return sum(map(len, [*texts, *said, *sample.retrieved_contexts]))


FURTHER_NEEDS = ("policy", "metadata.expected_actions", "metadata.customer_goal")
"""What metrics need of a sample beside its fields: its first system message, and what its metadata say."""
_OF_THREAD = threading.local()


class Metric(ABC):
    """Measures one thing of a sample. A new metric says what it is in the class attributes and writes `measure`.

    A metric that asks no judge is a `ComputedMetric`.

    Attributes:
        name: What `--metrics` and the tables call it.
        range: The lowest and highest value; None where there is no bound.
        needs: The sample fields that must not be empty, and of `FURTHER_NEEDS` what it reads besides; without one of
            them the sample is skipped.
        substitutes: The fields of which one may stand in for a needed one, by its name.
        higher_is_better: Whether higher values are better. Everything that ranks or compares reads it here.
        measures: What it is a measure of: one `answer`, or the whole `conversation` (a sample with `messages`).
        argument: The constructor's parameter that stands right after the name in a specification
            (`predicate:"The answer is polite"`, `rubric:FILE`); "" for a metric without one.
        asks_support: Whether all that it asks a judge is whether a text supports claims, which an entailment model can.
    """

    name: str
    range: tuple[float | None, float | None] = (0.0, 1.0)
    needs: tuple[str, ...] = ("response",)
    substitutes: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    higher_is_better: bool = True
    measures: Level = "answer"
    argument: str = ""
    asks_support: bool = False

    @abstractmethod
    async def measure(self, sample: Sample) -> Score:
        """The score of a sample that has all that the metric needs.

        Raises:
            JudgeError: The judge gave no usable reply; `assess` makes it a failed score.
        """

    async def assess(self, sample: Sample) -> Score:
        """`measure`, with a missing field as a skipped score and a judge's error as a failed one.

        Raises:
            BudgetReached: A bound of the run is reached; this stops the run, not the sample.
        """
        if not isinstance(sample, Sample):
            raise wrong_type("sample", sample, "a Sample; `score` and `ascore` take its fields")
        sample = self._prepare(sample)
        if incomplete := self.skip_incomplete(sample):
            return incomplete
        with meter_usage() as usages:
            try:
                return await self.measure(sample)
            except JudgeError as error:
                return failed(str(error), usage=Usage.total(usages))

    def skip_incomplete(self, sample: Sample) -> Score | None:
        """The skipped score of a sample that lacks a needed field, or that the metric cannot read; None for another."""
        missing = self.missing_fields(partial(has_field, sample))
        return skipped(f"the sample has no {' and no '.join(missing)}") if missing else None

    def missing_fields(self, has: Callable[[str], bool]) -> list[str]:
        """Lists the needed fields that are empty, and that no other field stands in for.

        Args:
            has: Whether a field is not empty.
        """
        empty = [*filterfalse(has, self.needs)]
        return [name for name in empty if not any(map(has, self.substitutes.get(name, ())))] if empty else []

    def _prepare(self, sample: Sample) -> Sample:
        """The sample as this metric reads it, before it is looked at what the sample lacks."""
        return sample

    def with_judge(self, judge: "Judge") -> Self:
        """A copy of this metric that asks another judge: a run asks with its own recordings and bounds.

        Args:
            judge: Takes the place of `judge`, the attribute by which a metric holds its judge.
        """
        view: Any = copy(self)
        view.judge = judge
        return cast(Self, view)

    async def ascore(self, **fields: Any) -> Score:
        """The score of a sample given by its fields, as in Ragas: `await metric.ascore(user_input=..., response=...)`.

        Raises:
            UsageError: The fields make no sample.
        """
        fields = {"id": "sample", "user_input": "", "response": ""} | fields
        try:
            sample = Sample.model_validate(fields)
        except ValidationError as error:
            raise UsageError(f"{self.name}: these fields make no sample: {describe_first_mistake(error)}") from error
        if sample.language is None:
            from ..text.language_detection import detect_language

            sample = sample.model_copy(update={"language": detect_language(sample.user_input, sample.response)})
        return await self.assess(sample)

    def score(self, **fields: Any) -> Score:
        """`ascore` for code that is not async, also in a notebook.

        Raises:
            UsageError: The fields make no sample.

        Example:
            >>> from assay.metrics import TokenOverlap
            >>> TokenOverlap().score(response="It is free.", retrieved_contexts=["The course is free."]).value
            0.6666666666666667
        """
        return run_to_end(self.ascore(**fields))


def check_choice(option: str, value: str, choices: Any) -> None:
    """Checks that an option has one of the words of a `Literal`.

    Example:
        >>> from typing import Literal
        >>> check_choice("mode", "f2", Literal["f1", "precision", "recall"])
        Traceback (most recent call last):
        ValueError: mode is f1, precision or recall, not 'f2'
    """
    if value not in get_args(choices):
        *words, last = get_args(choices)
        raise ValueError(f"{option} is {', '.join(words)} or {last}, not {value!r}")


def check_metric(name: str, value: Any) -> None:
    """Checks that an argument is a metric."""
    if isinstance(value, Metric):
        return
    accepted = "the name of a metric, which `assay metrics` lists, or a metric"
    if inspect.isclass(value) and issubclass(value, Metric):
        accepted = f"its name ({value.name!r}), or make a metric of it: {value.__name__}(...)"
    elif inspect.isroutine(value):
        accepted = f"a metric: put @metric above {value.__name__} (from assay import metric)"
    else:
        theirs = value.__name__ if inspect.isclass(value) else type(value).__name__
        if instead := find_substitute(theirs):
            raise UsageError(f"{name}: {describe_value(value)} cannot be used; {instead}")
    raise wrong_type(name, value, accepted)


class ComputedMetric(Metric):
    """A metric that only computes: it writes `compute`, and long texts are worked through beside the event loop.

    The time of `compute` must grow about linearly with the sample's texts, or stop at a bound that the score states.
    """

    async def measure(self, sample: Sample) -> Score:
        """`compute`, beside the event loop where the texts are long."""
        return await compute_for(sample, self.compute, sample)

    @abstractmethod
    def compute(self, sample: Sample) -> Score:
        """The score of a sample that has all that the metric needs."""


def _report_but_interruptions(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Reports what a task ended with, unless that is the interruption that is raised anyway."""
    if not isinstance(context.get("exception"), KeyboardInterrupt):
        loop.default_exception_handler(context)


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine from code that is not async, and waits for it.

    Each thread has one event loop for it, so that connections are used again. Where a loop is running already, as in a
    notebook, the coroutine runs on a loop in another thread; code that is async itself should rather await it.
    """
    running = _running_loop()
    if running is None:
        if not hasattr(_OF_THREAD, "runner"):
            _OF_THREAD.runner = asyncio.Runner()
        runner: asyncio.Runner = _OF_THREAD.runner
        results = list[T]()

        async def keep_result() -> None:
            """Keeps the result from the runner, which writes it out (`repr`) when it gives Ctrl-C back."""
            results.append(await work)

        try:
            runner.run(keep_result(), context=copy_context())  # the caller's, not that of the loop's first use
            return results[0]
        except KeyboardInterrupt:  # one that asyncio has not turned into the end of the work: it ends here
            del _OF_THREAD.runner
            runner.get_loop().set_exception_handler(_report_but_interruptions)
            runner.close()
            raise
        finally:
            work.close()  # where Ctrl-C came before it began
    if running is _background_loop():
        work.close()
        raise UsageError("async code waits here for async code: await it (`aevaluate`, `ascore`) instead")
    future = asyncio.run_coroutine_threadsafe(work, _background_loop())
    try:
        return future.result()
    finally:
        future.cancel()  # Ctrl-C, or a notebook's stop button, ends the wait and the work


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


@cache
def _background_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="assay", daemon=True).start()
    return loop


def has_field(sample: Sample, name: str) -> bool:
    """Whether a field of a sample is not empty; a text of white space alone is. Of metadata an empty list says a thing.

    Example:
        >>> sample = Sample(id="1", user_input="Why?", response=" ", metadata={"expected_actions": []})
        >>> has_field(sample, "response"), has_field(sample, "metadata.expected_actions"), has_field(sample, "policy")
        (False, True, False)
    """
    if "." in name:
        field, _, key = name.partition(".")
        value = getattr(sample, field).get(key)
        return bool(value.strip()) if isinstance(value, str) else value is not None
    value = getattr(sample, name)
    return bool(value.strip() if type(value) is str else value)
