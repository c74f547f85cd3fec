"""Traces in memory: a source and a sink for the tests of watches."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from assay.errors import InputError
from assay.eval_sets import Sample
from assay.meta_eval import Estimate
from assay.meta_eval.monitoring import BoundState, Look
from assay.traces import TraceOrigin, TraceScore, UnreadTrace, WriteResult

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
ADDRESS = "phoenix://host/bot"


def trace(name, at=NOON, *, session="", **fields):
    """A trace with an answer."""
    origin = TraceOrigin(ADDRESS, name, session=session, time=at.isoformat())
    values = {
        "id": name,
        "user_input": f"Where is {name}?",
        "response": f"{name} is under Leave.",
        "retrieved_contexts": (f"{name} is under Leave.",),
        "language": "en",
        "group": session or None,
        "metadata": {"trace": origin.as_json(), "model": "m1"},
    }
    return Sample.model_validate(values | fields)


@dataclass
class MemoryTraces:
    """A project of traces, the scores that were written to it, and how it fails."""

    traces: list[Sample | UnreadTrace] = field(default_factory=list)
    scores: dict[str, TraceScore] = field(default_factory=dict)
    writes: int = 0
    reads: list[tuple[datetime | None, datetime | None]] = field(default_factory=list)
    problem: str = ""
    refused: set[str] = field(default_factory=set)  # ids of samples whose scores are not taken

    def read(self, since, until):
        """As `Source.read`."""
        if self.problem:
            raise InputError(self.problem)
        self.reads.append((since, until))
        for one in self.traces:
            origin = TraceOrigin.of_sample(one) if isinstance(one, Sample) else None
            time = datetime.fromisoformat(origin.time if origin else one.time)
            if (since is None or time >= since) and (until is None or time < until):
                yield one

    def write(self, scores):
        """As `Sink.write`."""
        for score in scores:
            self.writes += 1
            if score.sample in self.refused:
                yield WriteResult(score.key, "failed", "the trace is gone")
                continue
            state = "updated" if score.key in self.scores else "written"
            self.scores[score.key] = score
            yield WriteResult(score.key, state)

    def add(self, count, at=NOON - timedelta(hours=1), first=0):
        """Adds traces, a second apart."""
        self.traces += [trace(f"t{first + n:05}", at + timedelta(seconds=n)) for n in range(count)]


def simple_look(answers, settings, first_day):
    """A look without statistics: the mean of the judge's scores; a bound of the mean is broken below its limit."""
    import numpy as np

    judged = answers.judged[~np.isnan(answers.judged)]
    mean = Estimate(float(judged.mean()), 0.0, 1.0) if len(judged) else Estimate(None, problem="nothing is judged")
    states = []
    for entry in settings.bounds:
        is_broken = mean.value is not None and mean.value < entry.bound.limit - 2
        states.append(BoundState(entry.bound, is_broken, mean, 0.01, 0 if is_broken else None, "It fell <b>."))
    rated = int((~np.isnan(answers.ratings)).sum())
    return Look(
        int(answers.days.max(initial=0)),
        len(answers.days),
        len(judged),
        rated,
        mean,
        Estimate(0.1, 0.0, 0.2),
        (),
        tuple(states),
        ("a note",),
    )
