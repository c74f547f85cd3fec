"""What a run says first: how good the answers are for people and for a metric, what failed, what to do next."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ..eval_sets import Sample
from ..meta_eval.answer_quality import describe_answers
from ..presentation.figure import Figure
from ..presentation.verdict import Verdict
from ..text.wording import count_of
from .summary import MetricSummary, first_scored

if TYPE_CHECKING:
    from .results import Results
    from .store import Store


def run_verdict(
    results: "Results", summaries: Sequence[MetricSummary], metrics: Collection[str], place: str
) -> Verdict:
    """What a run says first: how good the answers are for people and for the first metric, what failed, what next."""
    rated = [sample for sample in results.samples.values() if sample.human_rating is not None]
    lines = [("Your chatbot", _describe_rated(rated))]
    metric = first_scored(summaries, metrics)
    for shown in (summary for summary in summaries if summary.name == metric):
        answers = f"{shown.scored:,} of {count_of(shown.n, 'answer')}"
        lines.append(("Scores", f"{metric} {Figure('mean', shown.mean)} on average, of {answers}"))
    failed = max((summary.failed for summary in summaries), default=0)
    if failed:
        lines.append(("Failed", f"{count_of(failed, 'answer')} could not be scored; the reasons stand below"))
    rate = f"have some of them rated: assay rate {place} --raters NAME,NAME"
    lines.append(("Next", f"which metric follows your team: assay meta {place}" if rated else rate))
    return Verdict(tuple(lines))


def name_run(store: "Store", run: str) -> str:
    """The short name of a run in a command: `last` for the newest."""
    return "last" if store.run_ids(1) == [run] else run


def _describe_rated(rated: Sequence[Sample]) -> str:
    """How good people say that the answers are; of several scales only how many are rated."""
    scales = {(sample.rating_min, sample.rating_max) for sample in rated}
    if len(scales) > 1:
        return f"{count_of(len(rated), 'answer is', 'answers are')} rated, on {len(scales)} scales"
    (lowest, highest), people = next(iter(scales), (1.0, 5.0)), {rater for sample in rated for rater in sample.ratings}
    ratings = [sample.human_rating for sample in rated if sample.human_rating is not None]
    return describe_answers(ratings, lowest=lowest, highest=highest, people=max(len(people), 1))
