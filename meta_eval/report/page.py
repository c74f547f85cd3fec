"""The report's page: what the templates are given."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...eval_sets.items import RATER
from ...presentation.charts import Forest, draw_forest
from ...presentation.page import read_asset, render_page, write_page
from ...presentation.verdict import describe_report
from ...text.wording import Phrase
from ..answer_evidence import AnswerEvidence, MetricEvidence
from ..meta_evaluation import MetaEvaluation
from ..table import ScoreTable
from .blocks import report_blocks

if TYPE_CHECKING:
    from ..score_join import JoinedScores

# an item's id -> its texts and the evidence of its scores; None where there is nothing to show
EvidenceOf = Callable[[str], AnswerEvidence | None]
MOST_EACH_WAY = 5


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
    return render_page(__package__, "page.html", view, script=read_asset(__package__, "folded.js"))


def _view(evaluation: MetaEvaluation, joined: "JoinedScores", evidence_of: EvidenceOf) -> dict[str, Any]:
    table = joined.table
    measure, predicted = predictions(table, evaluation)
    over, under = worst_disagreements(table, predicted)
    texts = {one.item: evidence_of(one.item) or _from_files(joined, one) for one in (*over, *under)}
    return {
        "evaluation": evaluation,
        "joined": joined,
        "measure": measure,
        "forest": _forest(evaluation),
        "over": [(disagreement, texts[disagreement.item]) for disagreement in over],
        "under": [(disagreement, texts[disagreement.item]) for disagreement in under],
        "blocks": report_blocks(evaluation, joined),
        "best_baseline": max(
            (metric for metric in evaluation.metrics if metric.baseline and metric.spearman.value is not None),
            key=lambda metric: metric.spearman.value or 0,
            default=None,
        ),
    }


def _forest(evaluation: MetaEvaluation) -> Forest:
    """The metrics on the answers that chose among them and the choice's corrected agreement, on one axis."""
    rows = [
        (
            metric.name,
            "baseline" if metric.baseline else "metric",
            metric.spearman,
            "" if metric.higher_is_better else "lower is better",
        )
        for metric in evaluation.metrics
    ]
    rows.sort(key=lambda row: -(row[2].value if row[2].value is not None else -2))
    if evaluation.selection is not None:
        name, agreement = evaluation.selection.chosen.name, evaluation.selection.agreement
        rows.insert(0, (name, "chosen", agreement, "on unseen answers"))
    ceiling = evaluation.raters.ceiling.value if evaluation.raters else None
    return draw_forest(rows, within=(-1, 1), ceiling=ceiling)


def _describe(evaluation: MetaEvaluation, joined: "JoinedScores", sources: Sequence[Phrase]) -> Phrase:
    """What the report is of: the runs and files, how many answers are rated, and by whom where that is known."""
    raters = [rater for rater in joined.table.raters if rater != RATER]
    return describe_report(sources, rated=evaluation.settings.rated, raters=raters)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item with the rating that its score stands for (`scored`) and people's mean rating (`rated`)."""

    item: str
    scored: float
    rated: float
    labels: tuple[str, ...]

    @property
    def gap(self) -> float:
        """Scored - rated: above 0 the answer is better for the measure than for the raters."""
        return self.scored - self.rated


def predictions(table: ScoreTable, evaluation: MetaEvaluation) -> tuple[str, dict[str, float]]:
    """Returns the name of the chosen combination, and by item the rating that it predicts out of fold."""
    selection = evaluation.selection
    if selection is None:
        return "", {}
    predicted = zip(table.items, selection.predictions, strict=True)
    return selection.chosen.name, {item: value for item, value in predicted if value is not None}


def worst_disagreements(
    table: ScoreTable, predicted: dict[str, float]
) -> tuple[tuple[Disagreement, ...], tuple[Disagreement, ...]]:
    """Returns the items that were scored high and rated low, and those scored low and rated high, widest gaps first."""
    disagreements = []
    for row, item in enumerate(table.items):
        rating = table.mean_rating[row]
        if item in predicted and not np.isnan(rating):
            labels = tuple(label for column in table.attributes.values() if (label := column[row]))
            disagreements.append(Disagreement(item, predicted[item], float(rating), labels))
    disagreements.sort(key=lambda disagreement: disagreement.gap)
    over = tuple(disagreement for disagreement in reversed(disagreements[-MOST_EACH_WAY:]) if disagreement.gap > 0)
    under = tuple(disagreement for disagreement in disagreements[:MOST_EACH_WAY] if disagreement.gap < 0)
    return over, under


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
