"""What a metric is, and what it gives."""

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Coroutine
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from ..errors import JudgeError, UsageError
from ..eval_sets.sample import Sample
from ..judges.meter import metered
from ..judges.question import Usage

T = TypeVar("T")

Status = Literal["scored", "skipped", "failed"]

_OF_THREAD = threading.local()


@dataclass(frozen=True, slots=True)
class Score:
    """What a metric found for one sample.

    `value` is a float when `status` is `scored`, and None otherwise: never NaN. `reason` is a sentence for a person;
    `evidence` (JSON values) is enough to check the number by hand; `usage` is what the judge took.
    """

    value: float | None
    status: Status
    reason: str
    evidence: dict[str, Any] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)

    def __post_init__(self) -> None:
        if (self.value is None) == (self.status == "scored"):
            raise ValueError(f"a score that is {self.status} cannot have the value {self.value}")
        if self.value is not None and self.value != self.value:
            raise ValueError("a score is never NaN: skip or fail with a reason")


def scored(value: float, reason: str, evidence: dict[str, Any] | None = None, usage: Usage | None = None) -> Score:
    """A score with a value."""
    return Score(value, "scored", reason, evidence or {}, usage or Usage())


def skipped(reason: str, evidence: dict[str, Any] | None = None, usage: Usage | None = None) -> Score:
    """No value, because there is nothing to measure; not an error."""
    return Score(None, "skipped", reason, evidence or {}, usage or Usage())


def failed(reason: str, evidence: dict[str, Any] | None = None, usage: Usage | None = None) -> Score:
    """No value, because measuring went wrong."""
    return Score(None, "failed", reason, evidence or {}, usage or Usage())


class Metric(ABC):
    """Measures one thing of a sample. A new metric says what it is in the class attributes and writes `measure`.

    `range` is the lowest and highest value (None: no bound); `needs` the sample fields that must not be empty.
    """

    name: str
    range: tuple[float | None, float | None] = (0.0, 1.0)
    needs: tuple[str, ...] = ("response",)
    higher_is_better: bool = True

    @abstractmethod
    async def measure(self, sample: Sample) -> Score:
        """The score of a sample that has all that the metric needs. May raise `JudgeError`."""

    async def assess(self, sample: Sample) -> Score:
        """`measure`, with a missing field as `skipped` and a judge's error as `failed`.

        Raises `BudgetReached`, which stops the run and not the sample.
        """
        missing = [name for name in self.needs if not _has(sample, name)]
        if missing:
            return skipped(f"the sample has no {' and no '.join(missing)}")
        with metered() as taken:
            try:
                return await self.measure(sample)
            except JudgeError as error:
                return failed(str(error), usage=Usage.total(taken))

    async def ascore(self, **fields: Any) -> Score:
        """The score of a sample given by its fields, as in Ragas: `await metric.ascore(user_input=..., response=...)`.

        Raises `UsageError` for fields that make no sample.
        """
        given = {"id": "sample", "user_input": "", "response": ""} | fields
        try:
            sample = Sample.model_validate(given)
        except ValidationError as error:
            raise UsageError(f"{self.name}: these fields make no sample: {error}") from error
        if sample.language is None:
            from ..eval_sets.language import detect_language

            sample = sample.model_copy(update={"language": detect_language(sample.user_input, sample.response)})
        return await self.assess(sample)

    def score(self, **fields: Any) -> Score:
        """`ascore` without a running event loop. Raises `UsageError` inside one (a notebook): await `ascore` there."""
        return run_to_end(self.ascore(**fields))


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine from code that is not async: on one event loop a thread, so that connections are used again."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        if not hasattr(_OF_THREAD, "runner"):
            _OF_THREAD.runner = asyncio.Runner()
        runner: asyncio.Runner = _OF_THREAD.runner
        return runner.run(work, context=copy_context())  # the caller's, not that of the loop's first use
    work.close()
    raise UsageError("an event loop is running here (a notebook, an async function): await the async twin instead")


def _has(sample: Sample, name: str) -> bool:
    value = getattr(sample, name)
    return bool(value.strip()) if isinstance(value, str) else bool(value)
