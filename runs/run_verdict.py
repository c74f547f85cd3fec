"""What a run says first: how good the answers are for people and for a metric, what failed, what to do next."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ..eval_sets import Sample
from ..meta_eval.answer_quality import describe_answers
from ..presentation.figure import Figure
from ..presentation.verdict import Verdict
from ..text.phrase import Phrase, phrase
from .summary import MetricSummary, first_scored

if TYPE_CHECKING:
    from .results import Results
    from .store import Store


def run_verdict(
    results: "Results", summaries: Sequence[MetricSummary], metrics: Collection[str], place: str
) -> Verdict:
    """What a run says first: how good the answers are for people and for the first metric, what failed, what next."""
    rated = [sample for sample in results.samples.values() if sample.human_rating is not None]
    lines: list[tuple[str, Phrase]] = [("chatbot", describe_rated(rated))]
    metric = first_scored(summaries, metrics)
    for shown in (summary for summary in summaries if summary.name == metric):
        mean, answers = Figure("mean", shown.mean), phrase("answers", count=shown.n)
        score = phrase("score", metric=shown.name, mean=mean, scored=shown.scored, answers=answers)
        lines.append(("scores", score))
    failed = max((summary.failed for summary in summaries), default=0)
    if failed:
        lines.append(("failed", phrase("failed_answers", count=failed)))
    lines.append(("next", phrase("try_meta" if rated else "try_rate", run=place)))
    return Verdict(tuple(lines))


def name_run(store: "Store", run: str) -> str:
    """The short name of a run in a command: `last` for the newest."""
    return "last" if store.run_ids(1) == [run] else run


def describe_rated(rated: Sequence[Sample]) -> Phrase:
    """How good people say that the answers are; of several scales only how many are rated."""
    scales = {(sample.rating_min, sample.rating_max) for sample in rated}
    if len(scales) > 1:
        answers, are_rated = phrase("answers", count=len(rated)), phrase("are_rated", count=len(rated))
        return phrase("rated_on_scales", rated=answers, are_rated=are_rated, scales=len(scales))
    (lowest, highest), people = next(iter(scales), (1.0, 5.0)), {rater for sample in rated for rater in sample.ratings}
    ratings = [sample.human_rating for sample in rated if sample.human_rating is not None]
    return describe_answers(ratings, lowest=lowest, highest=highest, people=max(len(people), 1))
