"""The scores of a stored run as they are written to the traces that its samples came from."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from ..errors import AssayError, UsageError
from ..eval_sets import Sample
from ..eval_sets.turns import is_turn
from ..judges.judge import open_judge
from ..metrics import Score
from ..metrics.catalogue import describe_metric, load_metric
from ..metrics.specification import parse_specification
from ..name_suggestions import nearest_names, quote_names
from ..runs import Store
from ..runs.store.store import RunRow
from .sink import TraceScore
from .source import TraceOrigin


class RunScores:
    """The scores of one run, in the order of its samples, each with the trace or session that it is about."""

    def __init__(
        self,
        store: Store,
        run: RunRow,
        metrics: Sequence[str] = (),
    ) -> None:
        self._store, self._run = store, run
        self.metrics = _chosen_metrics(run, metrics)
        plan = run.plan
        self._judge = plan.judge.label if plan.judge is not None else ""
        self._directions = plan.all_directions
        self._ranges = {metric: _value_range(metric, run) for metric in self.metrics}
        self.samples_without_trace = 0  # samples with scores that come from no trace
        self.valueless = 0  # skipped and failed scores, which are left out

    def read(self) -> Iterator[TraceScore]:
        """Yields the scores, and counts anew what is left out."""
        self.samples_without_trace = self.valueless = 0
        samples = self._store.samples(self._run.id)  # in the order of the scores
        last_turns: dict[str, int | None] = {}  # of the conversation whose turns come next
        for name, rows in groupby(self._store.scores(self._run.id), itemgetter(0)):
            scores = {metric: score for _, metric, score in rows if metric in self._ranges}
            for sample in samples:
                if sample.messages and not is_turn(sample):
                    last_turns = {sample.id: sample.turn}
                if sample.id == name:
                    break
            else:  # in another order
                sample = self._store.sample(self._run.id, name)
            conversation = str(sample.metadata.get("conversation"))
            yield from self._sample_scores(
                sample, scores, last_turns.get(conversation) if is_turn(sample) else sample.turn
            )

    def _sample_scores(self, sample: Sample, scores: dict[str, Score], last_turn: int | None) -> Iterator[TraceScore]:
        has_no_trace = False
        for metric, score in scores.items():
            is_of_conversation = metric in self._run.plan.conversation_metrics
            if score.value is None:
                self.valueless += 1
            elif origin := find_origin(sample, is_of_conversation=is_of_conversation, last_turn=last_turn):
                yield self._trace_score(sample, metric, score, score.value, origin)
            else:
                has_no_trace = True
        self.samples_without_trace += has_no_trace

    def _trace_score(self, sample: Sample, metric: str, score: Score, value: float, origin: TraceOrigin) -> TraceScore:
        low, high = self._ranges[metric]
        prompts = score.evidence.get("prompts")
        is_judged = bool(prompts) or score.usage.calls + score.usage.from_cassette > 0
        option = score.evidence.get("option")
        return TraceScore(
            key=score_key(self._run.id, origin, metric),
            origin=origin,
            name=metric,
            value=value,
            low=low,
            high=high,
            higher_is_better=self._directions[metric],
            label=option if isinstance(option, str) else "",
            reason=score.reason,
            judge=self._judge if is_judged else "",
            prompts=_prompts_hash(prompts) if is_judged else "",
            run=self._run.id,
            sample=sample.id,
            at=self._run.created,
        )


def score_key(run: str, origin: TraceOrigin, metric: str) -> str:
    """Returns what makes a score this one: 32 hexadecimal digits over run, trace or part of a session, and metric."""
    session = origin.session if origin.unit == "session" else ""
    content = "\0".join((run, origin.address, origin.unit, session, origin.id, metric))
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def find_origin(sample: Sample, *, is_of_conversation: bool, last_turn: int | None = None) -> TraceOrigin | None:
    """Finds what a score of a sample is about: the session, or the trace of the turn under test."""
    origin = TraceOrigin.of_sample(sample)
    if origin is None or origin.unit not in {"trace", "session"}:
        return None
    if is_of_conversation and "session" in {origin.unit, origin.extent}:
        return replace(origin, unit="session")
    if origin.unit == "trace":
        # a turn before the last one is an answer of an earlier trace, whose messages this one repeats
        return origin if not is_turn(sample) or sample.turn == last_turn else None
    message = None if sample.turn is None else sample.messages[sample.turn]
    own: dict[str, Any] = (message.model_extra or {}) if message is not None else {}
    if not own.get("trace_id"):
        return None
    trace = str(own["trace_id"])
    return TraceOrigin(origin.address, trace, str(own.get("span_id") or ""), origin.session)


def _chosen_metrics(run: RunRow, metrics: Sequence[str]) -> tuple[str, ...]:
    known = run.plan.all_metrics
    for metric in metrics:
        if metric not in known:
            nearest = nearest_names(metric, known)
            hint = f"did you mean `{nearest[0]}`? " if nearest else ""
            raise UsageError(f"run {run.id} has no metric `{metric}`: {hint}it has {quote_names(known)}")
    return tuple(dict.fromkeys(metrics)) or run.plan.metrics


def _value_range(metric: str, run: RunRow) -> tuple[float | None, float | None]:
    """The range of a metric; unknown where what it was loaded from is gone."""
    try:
        specification = parse_specification(metric)
        if not (specification.path or specification.is_scorer):
            description = describe_metric(specification.name)
            if not description.argument:
                return description.range
        judge = None if run.plan.judge is None else open_judge(run.plan.judge)
        return load_metric(specification, judge).range
    except AssayError:
        return None, None


def _prompts_hash(prompts: object) -> str:
    names = tuple(map(str, prompts)) if isinstance(prompts, list | tuple) else ()
    return _hash_of(names) if names else ""


@cache
def _hash_of(prompts: tuple[str, ...]) -> str:
    return hashlib.sha256("\0".join(prompts).encode()).hexdigest()[:12]
