"""A run as a line of a list: when it was, how good its answers are, and what changed since the run before."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from statistics import fmean
from typing import TYPE_CHECKING

from ...presentation.figure import Figure
from ...text.wording import Phrase, phrase
from ..answers.summary import first_scored
from .results import read_results
from .run_report import describe_rated

if TYPE_CHECKING:
    from ..store.plan import Judging
    from ..store.store import RunRow, Store

_MOST_SAMPLES = 10_000  # of a run that a list reads
_MOST_RUNS = 100  # among which the run before is looked for


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a list says of a run, and what the next run of its set is compared with."""

    rated: Phrase | None  # how good people say that the answers are; None where nobody rated them
    ratings: Mapping[str, float]  # by sample; empty where there are several scales
    scale: tuple[float, float] | None
    metric: str  # the first metric that has a value; "" for none
    values: Mapping[str, float]  # of this metric, by sample
    failed: int  # answers that the metric with most failures could not score
    texts: Mapping[str, str]  # by sample, its fingerprint
    judging: "Judging"

    def describe(self) -> tuple[Phrase, ...]:
        """How good the answers are: for people, else by the first metric; and how many failed."""
        parts = [self.rated] if self.rated else []
        if self.rated is None and self.values:
            parts.append(phrase("metric_mean", metric=self.metric, mean=Figure("mean", fmean(self.values.values()))))
        if self.failed:
            parts.append(phrase("failed_shortly", count=self.failed))
        return tuple(parts)


def summarise_run(store: "Store", run: str) -> RunSummary | None:
    """How good a run's answers are, in few words; None of more answers than a list should read."""
    row = store.run(run)
    if store.count_samples(run) > _MOST_SAMPLES:
        return None
    results = read_results(store, row, has_evidence=False)
    summaries = results.summary(has_agreement=False)
    metric = first_scored(summaries, row.plan.metrics)
    rated = [*results.rated_rows.values()]
    ratings = {name: sample.human_rating or 0.0 for name, sample in results.rated_rows.items()}
    scales = {(sample.rating_min, sample.rating_max) for sample in rated}
    scale = next(iter(scales)) if len(scales) == 1 else None
    return RunSummary(
        rated=describe_rated(rated) if rated else None,
        ratings=ratings if scale else {},
        scale=scale,
        metric=metric,
        values=results.values(metric),
        failed=max((summary.failed for summary in summaries), default=0),
        texts={name: sample.fingerprint for name, sample in results.samples.items()},
        judging=store.judging(row),
    )


def find_run_before(older: Iterable["RunRow"], row: "RunRow") -> "RunRow | None":
    """The newest of the older runs, given the newest first, that scored the same sets as a run."""
    return next((other for other in islice(older, _MOST_RUNS) if other.plan.sets == row.plan.sets), None)


def describe_change(now: RunSummary, before: RunSummary) -> tuple[Phrase, ...]:
    """What changed since the run before of the same set, in the samples of both: answers, ratings, the first metric."""
    shared = now.texts.keys() & before.texts.keys()
    changed = sum(now.texts[name] != before.texts[name] for name in shared)
    parts = [phrase("changed_answers", changed=changed, count=len(shared))]
    if not shared or now.texts == before.texts:
        parts = [phrase("same_answers" if shared else "other_samples")]
    if now.scale == before.scale:
        parts += _describe_difference("rating", "", now.ratings, before.ratings)
    if now.judging.describe_change(before.judging):
        parts.append(phrase("other_judge"))
    elif now.metric == before.metric:
        parts += _describe_difference("metric", now.metric, now.values, before.values)
    return tuple(parts)


def _describe_difference(what: str, metric: str, now: Mapping[str, float], before: Mapping[str, float]) -> list[Phrase]:
    """How the mean of the samples with a value in both runs changed; nothing where it did not, or there are none."""
    shared = now.keys() & before.keys()
    difference = fmean(now[name] - before[name] for name in shared) if shared else 0.0
    amount = Figure("mean", abs(difference))
    if str(amount) == "0.00":
        return []
    direction = "higher" if difference > 0 else "lower"
    return [phrase(f"{what}_{direction}", metric=metric, amount=amount)]


def describe_moment(moment: str, now: datetime) -> Phrase:
    """A moment (ISO 8601) in words, as somebody says it at another one, whose time zone counts.

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
