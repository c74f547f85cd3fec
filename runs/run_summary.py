"""A run as a line of a list: when it was, how good its answers are, and what changed since the run before."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ..eval_sets import Sample
from ..presentation.figure import Figure
from ..text.phrase import Phrase, phrase
from .ratings.rating_join import join_run_ratings
from .run_verdict import describe_rated
from .summary import MetricSummary, ScoreTotals, first_scored

if TYPE_CHECKING:
    from .store import RunRow, Store

_MOST_SAMPLES = 2000  # whose texts and ratings are looked at one by one
_MOST_RUNS = 200  # among which the run before is looked for


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a list says of a run, and what the next run of its set is compared with."""

    answers: int
    rated: Phrase | None  # how good people say that they are; None where nobody rated them, or they are very many
    mean_rating: float | None  # None where there are several scales
    scale: tuple[float, float] | None
    metric: str  # the first metric that has a value; "" for none
    mean: float | None
    failed: int  # answers that the metric with most failures could not score
    texts: Mapping[str, int] | None  # by sample, the hash of question and answer; None where they are very many

    def describe(self) -> tuple[Phrase, ...]:
        """How good the answers are: for people, else by the first metric; and how many failed."""
        parts = [self.rated] if self.rated else []
        if self.rated is None and self.mean is not None:
            parts.append(phrase("metric_mean", metric=self.metric, mean=Figure("mean", self.mean)))
        if self.failed:
            parts.append(phrase("failed_shortly", count=self.failed))
        return tuple(parts)


def summarise_run(store: "Store", run: str) -> RunSummary:
    """How good a run's answers are, in few words."""
    plan, count = store.run(run).plan, store.count_samples(run)
    summaries: list[MetricSummary] = ScoreTotals(store.score_counts(run), ()).summarise(plan.all_directions)
    metric = first_scored(summaries, plan.metrics) or ""
    is_many = count > _MOST_SAMPLES
    samples = {} if is_many else join_run_ratings(store, run).samples
    rated = [sample for sample in samples.values() if sample.human_rating is not None]
    scales = {(sample.rating_min, sample.rating_max) for sample in rated}
    scale = next(iter(scales)) if len(scales) == 1 else None
    return RunSummary(
        answers=count,
        rated=describe_rated(rated) if rated else None,
        mean_rating=sum(sample.human_rating or 0.0 for sample in rated) / len(rated) if scale else None,
        scale=scale,
        metric=metric,
        mean=next((summary.mean for summary in summaries if summary.name == metric), None),
        failed=max((summary.failed for summary in summaries), default=0),
        texts=None if is_many else {name: _hash_texts(sample) for name, sample in samples.items()},
    )


def _hash_texts(sample: Sample) -> int:
    messages = [(message.role, message.text, message.tool_calls) for message in sample.messages]
    return hash((sample.user_input, sample.response, repr(messages)))


def find_run_before(store: "Store", row: "RunRow", older: list[str]) -> "RunRow | None":
    """The newest of the older runs, given the newest first, that scored the same sets."""
    rows = (store.run(run) for run in older[:_MOST_RUNS])
    return next((other for other in rows if other.plan.sets == row.plan.sets), None)


def describe_change(now: RunSummary, before: RunSummary, *, is_same_judge: bool) -> tuple[Phrase, ...]:
    """What changed since the run before of the same set: the answers, their ratings, and the first metric."""
    parts = []
    if now.texts is not None and before.texts is not None:
        shared = now.texts.keys() & before.texts.keys()
        changed = sum(now.texts[name] != before.texts[name] for name in shared)
        if not changed:
            parts.append(phrase("same_answers" if shared else "other_samples"))
        else:
            parts.append(phrase("changed_answers", changed=changed, count=len(shared)))
    if now.mean_rating is not None and before.mean_rating is not None and now.scale == before.scale:
        parts += _describe_difference("rating", "", now.mean_rating - before.mean_rating)
    if not is_same_judge:
        parts.append(phrase("other_judge"))
    elif now.metric == before.metric and now.mean is not None and before.mean is not None:
        parts += _describe_difference("metric", now.metric, now.mean - before.mean)
    return tuple(parts)


def _describe_difference(what: str, metric: str, difference: float) -> list[Phrase]:
    amount = Figure("mean", abs(difference))
    if str(amount) == "0.00":
        return []
    direction = "higher" if difference > 0 else "lower"
    return [phrase(f"{what}_{direction}", metric=metric, amount=amount)]


def describe_moment(moment: str, now: datetime) -> Phrase:
    """A moment in words, as somebody says it at another one, whose time zone counts.

    Args:
        moment: In ISO 8601, with its zone.
        now: The present moment, with its zone.

    Example:
        >>> from datetime import UTC
        >>> now = datetime(2026, 11, 29, 9, 0, tzinfo=UTC)
        >>> moments = "2026-11-29T08:05:00+00:00", "2026-11-28T23:59:00+00:00", "2026-11-25T10:00:00+00:00"
        >>> [describe_moment(moment, now).write() for moment in (*moments, "2025-10-03T10:00:00+00:00")]
        ['today at 08:05', 'yesterday at 23:59', '4 days ago', '3 October 2025']
    """
    then = datetime.fromisoformat(moment).astimezone(now.tzinfo)
    days, time = (now.date() - then.date()).days, f"{then:%H:%M}"
    if days in {0, 1}:
        return phrase("yesterday_at" if days else "today_at", time=time)
    if 1 < days < 7:
        return phrase("days_ago", count=days)
    values = {"day": str(then.day), "month": phrase(f"month_{then.month}"), "year": str(then.year)}
    return phrase("on_day" if then.year == now.year else "on_day_of_year", **values)
