"""Runs and comparisons as JSON for programs."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..eval_sets import Sample
from ..judges import Usage
from ..metrics import Score
from .compare_tables import comparison_sentences
from .ratings.rating_join import find_rated_sample, join_run_ratings
from .summary import ScoreTotals

if TYPE_CHECKING:
    from ..meta_eval.decision import Decision
    from .compare import RunComparison
    from .session import Outcome
    from .store import Store


def run_as_json(store: "Store", outcome: "Outcome") -> dict[str, Any]:
    """The object of `assay run --json`.

    `usage` is what the replies of this session took, and `lost` what calls without a reply may have taken at most.
    """
    from .run_verdict import run_verdict

    run = outcome.run
    directions = store.run(run).plan.all_directions
    languages: dict[str, dict[str, Any]] = {}
    totals = ScoreTotals.of_run(store, run)
    summaries = totals.summarise(directions)
    for summary in totals.summarise(directions, by_language=True):
        languages.setdefault(summary.language, {})[summary.name] = summary.as_json()
    return {
        "run": run,
        "verdict": run_verdict(store, run, summaries).as_json(),
        "metrics": {summary.name: summary.as_json() for summary in summaries},
        "languages": languages,
        "notes": list(totals.notes),
        "usage": usage_as_json(outcome.usage),
        "lost": asdict(outcome.lost),
        "seconds": round(outcome.seconds, 3),
    }


def scores_as_json(store: "Store", run: str, sample: str | None) -> dict[str, Any]:
    """The object of `assay show RUN --json`. Raises `UsageError` for a sample that the run does not have."""
    return {"run": run, "scores": list(score_rows(store, run, sample))}


def score_rows(store: "Store", run: str, sample: str | None = None) -> Iterator[dict[str, Any]]:
    """Every score of a run as JSON values, in the samples' order, with the question, the answer and the rating."""
    one = None if sample is None else find_rated_sample(store, run, sample)
    by_id = join_run_ratings(store, run).samples if one is None else {one.id: one}
    for sample_id, metric, score in store.scores(run, sample):
        yield score_as_json(by_id[sample_id], metric, score)


def score_as_json(sample: Sample, metric: str, score: Score) -> dict[str, Any]:
    """One score as JSON values, with its sample's texts and rating."""
    texts = {"user_input": sample.user_input, "response": sample.response}
    row = {"sample": sample.id, "metric": metric} | asdict(score) | {"usage": usage_as_json(score.usage)} | texts
    return row | rating_as_json(sample) | {"other_response": sample.other_response}


def rating_as_json(sample: Sample) -> dict[str, float | None]:
    """A sample's rating with its scale, all null where it is not rated: a number alone does not say what it means.

    Example:
        >>> texts = {"user_input": "Free?", "response": "Yes."}
        >>> rating_as_json(Sample(id="1", **texts, rating=2, rating_min=-2, rating_max=2))
        {'rating': 2.0, 'rating_min': -2.0, 'rating_max': 2.0}
        >>> rating_as_json(Sample(id="2", **texts))
        {'rating': None, 'rating_min': None, 'rating_max': None}
    """
    rating = sample.human_rating
    low, high = (None, None) if rating is None else (sample.rating_min, sample.rating_max)
    return {"rating": rating, "rating_min": low, "rating_max": high}


def usage_as_json(usage: Usage) -> dict[str, Any]:
    """Returns the usage of calls as JSON values, without their seconds."""
    return {name: value for name, value in asdict(usage).items() if name != "seconds"}


def comparison_as_json(
    store: "Store", comparison: "RunComparison", decision: "Decision | str", metric: str, count: int
) -> dict[str, Any]:
    """The object of `assay show changes --json`."""

    def score_in(run: str, sample: str) -> dict[str, Any]:
        return next(row for row in score_rows(store, run, sample) if row["metric"] == metric)

    from ..meta_eval.decision import decision_as_json  # late: a run's report needs no statistics

    changed = [
        {
            "sample": sample,
            "metric": metric,
            "difference": difference,
            "answer_changed": comparison.has_changed_answer(sample),
            "a": score_in(comparison.a, comparison.id_in_a(sample)),
            "b": score_in(comparison.b, sample),
        }
        for sample, difference in comparison.most_changed(metric, count)
    ]
    return {
        "a": comparison.a,
        "b": comparison.b,
        "samples": len(comparison.samples),
        "answers_changed": comparison.changed_answers,
        "only_a": comparison.only_a,
        "only_b": comparison.only_b,
        "other_question": comparison.other_question,
        "paired_by_question": comparison.pairing.by_question,
        "paired_by_content": comparison.pairing.by_content,
        "sentences": comparison_sentences(comparison, decision),
        "raters": None if isinstance(decision, str) else decision_as_json(decision),
        "metrics": [row.as_json() for row in comparison.overall],
        "languages": [row.as_json() for row in comparison.languages],
        "message_types": [row.as_json() for row in comparison.message_types],
        "changed": changed,
    }
