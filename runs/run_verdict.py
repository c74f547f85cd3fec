"""What a run says first: how good the answers are for people and for a metric, what failed, what to do next."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..eval_sets import Sample
from ..meta_eval.answer_quality import describe_answers
from ..presentation.figure import Figure
from ..presentation.verdict import Verdict
from ..text.wording import Phrase, phrase
from .ratings.rating_join import join_run_ratings
from .summary import MetricSummary, first_scored

if TYPE_CHECKING:
    from .store import Store

_MOST_SAMPLES = 10_000  # whose ratings are looked at one by one


def run_verdict(store: "Store", run: str, summaries: Sequence[MetricSummary]) -> Verdict:
    """What a run says first: how good the answers are for people and for the first metric, what failed, what next."""
    count = store.count_samples(run)
    is_many = count > _MOST_SAMPLES
    rated = [] if is_many else _rated_answers(store, run)
    lines: list[tuple[str, Phrase]] = [
        ("chatbot", phrase("gave_answers", count=count) if is_many else describe_rated(rated))
    ]
    metric = first_scored(summaries, store.run(run).plan.metrics)
    for shown in (summary for summary in summaries if summary.name == metric):
        mean, answers = Figure("mean", shown.mean), phrase("answers", count=shown.n)
        score = phrase("score", metric=shown.name, mean=mean, scored=shown.scored, answers=answers)
        lines.append(("scores", score))
    failed = max((summary.failed for summary in summaries), default=0)
    if failed:
        lines.append(("failed", phrase("failed_answers", count=failed)))
    place = "last" if store.run("last").id == run else run
    lines.append(("next", phrase("try_meta" if rated else "try_rate", run=place)))
    return Verdict(tuple(lines))


def _rated_answers(store: "Store", run: str) -> list[Sample]:
    samples = join_run_ratings(store, run).samples.values()
    return [sample for sample in samples if sample.human_rating is not None]


def describe_rated(rated: Sequence[Sample]) -> Phrase:
    """How good people say that the answers are; of several scales only how many are rated."""
    scales = {(sample.rating_min, sample.rating_max) for sample in rated}
    if len(scales) > 1:
        answers, are_rated = phrase("answers", count=len(rated)), phrase("are_rated", count=len(rated))
        return phrase("rated_on_scales", rated=answers, are_rated=are_rated, scales=len(scales))
    (lowest, highest), people = next(iter(scales), (1.0, 5.0)), {rater for sample in rated for rater in sample.ratings}
    ratings = [sample.human_rating for sample in rated if sample.human_rating is not None]
    return describe_answers(ratings, lowest=lowest, highest=highest, people=max(len(people), 1))
