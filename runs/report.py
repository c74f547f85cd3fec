"""Runs and comparisons as JSON for programs."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from .compare_tables import comparison_sentences, comparison_verdict
from .ratings.rating_join import find_rated_sample
from .results import read_results, score_as_json, score_rows, usage_as_json
from .run_blocks import name_run, run_verdict

if TYPE_CHECKING:
    from ..meta_eval.decision import Decision
    from .compare import RunComparison
    from .session import Outcome
    from .store import RunRow, Store


def run_as_json(store: "Store", outcome: "Outcome") -> dict[str, Any]:
    """The object of `assay run --json`.

    `usage` is what the replies of this session took, and `lost` what calls without a reply may have taken at most.
    """
    run = store.run(outcome.run)
    results = read_results(store, run, has_evidence=False)
    languages: dict[str, dict[str, Any]] = {}
    summaries = results.summary()
    for summary in results.summary(by_language=True):
        languages.setdefault(summary.language, {})[summary.name] = summary.as_json()
    return {
        "run": run.id,
        "verdict": run_verdict(results, summaries, run.plan.metrics, name_run(store, run.id)).as_json(),
        "metrics": {summary.name: summary.as_json() for summary in summaries},
        "languages": languages,
        "notes": list(results.notes),
        "usage": usage_as_json(outcome.usage),
        "lost": asdict(outcome.lost),
        "seconds": round(outcome.seconds, 3),
    }


def scores_as_json(store: "Store", run: "RunRow", sample: str | None) -> dict[str, Any]:
    """The object of `assay show RUN --json`. Raises `UsageError` for a sample that the run does not have."""
    if sample is not None:
        return {"run": run.id, "scores": list(score_rows(store, run, sample))}
    results = read_results(store, run)
    summaries = results.summary(has_agreement=False)
    verdict = run_verdict(results, summaries, run.plan.metrics, name_run(store, run.id))
    return {"verdict": verdict.as_json()} | results.as_json()


def comparison_as_json(
    store: "Store", comparison: "RunComparison", decision: "Decision | str", metric: str, count: int
) -> dict[str, Any]:
    """The object of `assay show changes --json`."""

    def score_in(run: str, sample: str) -> dict[str, Any]:
        score = next(score for _, name, score in store.scores(run, sample) if name == metric)
        return score_as_json(find_rated_sample(store, run, sample), metric, score)

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
        "verdict_lines": comparison_verdict(comparison, decision).as_json(),
        "sentences": comparison_sentences(comparison, decision),
        "raters": None if isinstance(decision, str) else decision_as_json(decision),
        "metrics": [row.as_json() for row in comparison.overall],
        "languages": [row.as_json() for row in comparison.languages],
        "message_types": [row.as_json() for row in comparison.message_types],
        "changed": changed,
    }
