"""From a meta-evaluation of runs to a saved scorer: the fit, with the judge, prompts and embedder that it holds for."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...judges import LiteLLMJudge
from ...meta_eval.scorer import Scorer
from ...meta_eval.scorer_fit import fit_scorer
from ...metrics.catalogue import needs_judge, uses_embedder
from ...metrics.scorer import judge_record
from ...metrics.specification import parse_specification
from ...presentation.figure import Figure
from ...shell_words import quote_word
from ..answers.table import AnswerTable

if TYPE_CHECKING:
    from ...meta_eval.meta_evaluation import MetaEvaluation
    from ...meta_eval.score_join import JoinedScores
    from ...meta_eval.table import ScoreTable


_WIDE = 0.9
_MOSTLY = 0.5


def fit_run_scorer(
    path: Path, joined: "JoinedScores", evaluation: "MetaEvaluation", tables: Sequence[AnswerTable]
) -> Scorer:
    """Fits the combination that was chosen, with every check that a saved scorer passes."""
    if path.suffix not in {".yaml", ".yml"}:
        raise UsageError(f"{path}: a scorer's file ends in .yaml")
    plans = [table.row.plan for table in tables if table.row is not None]
    if not plans:
        raise UsageError("--save: a scorer runs Assay's metrics; name the RUN that has their scores")
    first = plans[0]
    if any((plan.judge, plan.embedder) != (first.judge, first.embedder) for plan in plans):
        raise UsageError("--save: the runs differ in judge or embedder; name runs of one judge")
    chosen = evaluation.selection.chosen.metrics if evaluation.selection else ()
    _refuse_scorers(path, chosen, tables)
    judge = None
    if first.judge is not None and any(map(needs_judge, chosen)):
        judge = judge_record(LiteLLMJudge(first.judge))
    return fit_scorer(
        joined.table,
        evaluation,
        judge=judge,
        embedder=first.embedder if any(map(uses_embedder, chosen)) else None,
        prompts=sorted(_used_prompts(tables, chosen)),
        answers=joined.texts,
    )


def _refuse_scorers(path: Path, chosen: Sequence[str], tables: Sequence[AnswerTable]) -> None:
    """Raises `UsageError` where a scorer was chosen: it would be a part of itself, or forget what that one learned."""
    scorers = [metric for metric in chosen if parse_specification(metric).is_scorer]
    if not scorers:
        return
    parts = [part for table in tables for part in table.scorer_parts()]
    own = [metric for table in tables for metric in table.metrics if not parse_specification(metric).is_scorer]
    metrics = ",".join(dict.fromkeys((*parts, *own)))
    raise UsageError(
        f"--save: {scorers[0]} was chosen, and a scorer is made of metrics, not of scorers; nothing was written. "
        f"Choose among its metrics: assay meta RUN --metrics {quote_word(metrics)} --save {quote_word(path)}"
    )


def describe_width(scorer: Scorer, table: "ScoreTable") -> str:
    """Says where the predictions of a scorer say little of single answers; empty where they say enough."""
    import numpy as np

    rated = table.rated().only(scorer.metrics)
    predictions = [
        scorer.predict(
            {name: None if np.isnan(value) else value for name, value in zip(rated.metrics, row, strict=True)}
        )
        for row in rated.scores.tolist()
    ]
    scale = scorer.rating_max - scorer.rating_min
    wide = np.mean([one.high - one.low >= _WIDE * scale for one in predictions])
    if wide < _MOSTLY:
        return ""
    low, high = Figure("rating", scorer.rating_min), Figure("rating", scorer.rating_max)
    return (
        f"It says little of a single answer: for {wide:.0%} of these answers its interval takes in nearly all of the "
        f"scale {low} to {high}. Use it for means and to compare versions, or rate more answers."
    )


def _used_prompts(tables: Sequence[AnswerTable], metrics: Sequence[str]) -> set[str]:
    """The prompts that the metrics used, as their evidence names them."""
    prompts: set[str] = set()
    for table in tables:
        for _, metric, score in table.rows():
            parts = score.evidence.get("parts", {}) if parse_specification(metric).is_scorer else {}
            evidences = {part: record.get("evidence", {}) for part, record in parts.items()}
            for name, evidence in (evidences | {metric: score.evidence}).items():
                if name in metrics:
                    prompts.update(map(str, evidence.get("prompts", ())))
    return prompts
