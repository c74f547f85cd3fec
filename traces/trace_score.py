"""A score on its way to the trace that it is about."""

from dataclasses import dataclass

from .origin import TraceOrigin


@dataclass(frozen=True, slots=True)
class TraceScore:
    """A score as a sink writes it.

    Attributes:
        key: What makes it this score: a hash of run, trace and metric, 32 hexadecimal digits. What is written twice
            under one key is one score.
        origin: The trace, span and session that it is about.
        name: The metric's name.
        value: The value; None of one that has none, which is written with its label and reason.
        low: The lowest value that the metric can have; None without one.
        high: The highest; None without one.
        higher_is_better: The metric's direction.
        label: `skipped` or `failed` without a value, the chosen option of a metric with options, else empty.
        reason: Why, in a sentence.
        link: The address of the answer's page; empty without one.
        judge: The judge's name; empty of a metric that asks none.
        prompts: The hash of the prompts that were asked; empty without a judge.
        run: The run's id.
        sample: The sample's id.
        at: When the run was made, in ISO 8601 in UTC.
    """

    key: str
    origin: TraceOrigin
    name: str
    value: float | None
    low: float | None
    high: float | None
    higher_is_better: bool
    label: str
    reason: str
    link: str
    judge: str
    prompts: str
    run: str
    sample: str
    at: str
