"""The report's page: what the templates are given."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...eval_sets.items import RATER
from ...presentation.figure import Figure
from ...presentation.page import read_asset, render_page, typeset, write_page
from ...presentation.wording import describe_report
from ...text.wording import Phrase, with_number_marks
from ..answer_evidence import AnswerEvidence, MetricEvidence
from ..meta_evaluation import MetaEvaluation
from .charts import forest, scatters, triage
from .disagreements import Disagreement, predictions, worst_disagreements
from .tables import (
    combination_table,
    comparison_table,
    metric_table,
    pass_fail_table,
    rater_table,
    rater_tables,
    slice_table,
    trial_table,
    version_pair_table,
    version_table,
)

if TYPE_CHECKING:
    from ..score_join import JoinedScores

# an item's id -> its texts and the evidence of its scores; None where there is nothing to show
EvidenceOf = Callable[[str], AnswerEvidence | None]


def write_report(
    path: Path,
    evaluation: MetaEvaluation,
    joined: "JoinedScores",
    evidence_of: EvidenceOf,
    sources: Sequence[Phrase] = (),
) -> None:
    """Writes the report to a file; `sources` are the runs and files that it is of, as it names them.

    Raises:
        UsageError: It cannot be written.
    """
    write_page(path, render_report(evaluation, joined, evidence_of, sources))


def render_report(
    evaluation: MetaEvaluation, joined: "JoinedScores", evidence_of: EvidenceOf, sources: Sequence[Phrase] = ()
) -> str:
    """The report as HTML; see `write_report`."""
    view = _view(evaluation, joined, evidence_of) | {"about": _describe(evaluation, joined, sources)}
    return render_page(__package__, "page.html", view, script=read_asset(__package__, "thresholds.js"))


def _view(evaluation: MetaEvaluation, joined: "JoinedScores", evidence_of: EvidenceOf) -> dict[str, Any]:
    table, policy, selection = joined.table, evaluation.policy, evaluation.selection
    measure, predicted = predictions(table, evaluation)
    over, under = worst_disagreements(table, predicted)
    triage_chart = triage(policy) if policy else None
    thresholds = policy.thresholds if policy and triage_chart else ()
    texts = {one.item: evidence_of(one.item) or _from_files(joined, one) for one in (*over, *under)}
    return {
        "evaluation": evaluation,
        "joined": joined,
        "measure": measure,
        "forest": forest(evaluation),
        "scatters": scatters(table, evaluation),
        "selection": selection,
        "triage": triage_chart,
        "thresholds": _threshold_data(thresholds, triage_chart) if triage_chart else None,
        "over": [(disagreement, texts[disagreement.item]) for disagreement in over],
        "under": [(disagreement, texts[disagreement.item]) for disagreement in under],
        "metric_table": metric_table(evaluation, is_detailed=True),
        "pass_fail_table": pass_fail_table(evaluation.agreement)
        if any(one.threshold is not None for one in evaluation.agreement.values())
        else None,
        "trial_table": trial_table(evaluation.trials) if evaluation.trials else None,
        "rater_tables": (rater_table(evaluation.raters), *rater_tables(evaluation.raters)) if evaluation.raters else (),
        "combination_table": combination_table(selection) if selection else None,
        "comparison_table": comparison_table(evaluation.comparisons) if evaluation.comparisons else None,
        "slice_table": slice_table(evaluation, [one.name for one in evaluation.metrics if not one.baseline]),
        "version_tables": (version_table(evaluation.versions), version_pair_table(evaluation.versions))
        if evaluation.versions
        else (),
        "left_out": _by_reason(selection.left_out) if selection else {},
        "best_baseline": max(
            (metric for metric in evaluation.metrics if metric.baseline and metric.spearman.value is not None),
            key=lambda metric: metric.spearman.value or 0,
            default=None,
        ),
    }


def _describe(evaluation: MetaEvaluation, joined: "JoinedScores", sources: Sequence[Phrase]) -> Phrase:
    """What the report is of: the runs and files, how many answers are rated, and by whom where that is known."""
    raters = [rater for rater in joined.table.raters if rater != RATER]
    return describe_report(sources, rated=evaluation.settings.rated, raters=raters)


def _by_reason(left_out: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for metric, why in left_out:
        reasons.setdefault(why, []).append(metric)
    return reasons


def _threshold_data(thresholds: Any, chart: Any) -> dict[str, Any]:
    """Computes what the slider shows at each threshold; the script only displays it."""
    figures = [
        {
            "at": with_number_marks(str(Figure("mean", threshold.at))),
            "sent": threshold.sent,
            "sent_bad": threshold.sent_bad,
            "held": threshold.held,
            "held_good": threshold.held_good,
            "wrong_rate": with_number_marks(typeset(Figure.from_estimate("share", threshold.wrong_rate))),
            "hours": with_number_marks(str(Figure("hours", threshold.hours_saved))),
            "place": chart.places[number],
        }
        for number, threshold in enumerate(thresholds)
    ]
    return {"figures": figures}


def _from_files(joined: "JoinedScores", disagreement: Disagreement) -> AnswerEvidence:
    """Collects an answer's texts, scores and reasons from the files."""
    answer, table = joined.answers[disagreement.item], joined.table
    row = table.items.index(disagreement.item)
    evidence = []
    for place, metric in enumerate(table.metrics):
        value = None if np.isnan(table.scores[row, place]) else float(table.scores[row, place])
        status = "missing" if value is None else "scored"
        evidence.append(MetricEvidence(metric, value, status, answer.reasons.get(metric, "")))
    return AnswerEvidence(disagreement.item, answer.user_input, answer.response, answer.contexts, tuple(evidence))
