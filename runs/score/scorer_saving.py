"""From a meta-evaluation of runs to a saved scorer: the fit, with the judge, prompts and embedder that it holds for."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...judges import LiteLLMJudge
from ...meta_eval.scorer import Scorer
from ...meta_eval.scorer_fit import fit_scorer
from ...metrics.catalogue import metric_names, needs_judge, uses_embedder
from ...metrics.scorer import judge_record
from ...metrics.specification import parse_specification
from ...value_messages import quote_word
from ..answers.table import AnswerTable

if TYPE_CHECKING:
    from ...meta_eval.meta_evaluation import MetaEvaluation
    from ...meta_eval.score_join import JoinedScores


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
    _refuse_scorers(chosen)
    _refuse_unnamed(chosen, path)
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


def _refuse_scorers(chosen: Sequence[str]) -> None:
    """Raises `UsageError` where a scorer was chosen: it would be a part of itself, or forget what that one learned."""
    scorers = [metric for metric in chosen if parse_specification(metric).is_scorer]
    if scorers:
        raise UsageError(
            f"--save: {scorers[0]} was chosen, and a scorer is made of metrics, not of scorers; nothing was written. "
            "Name the metrics to choose among: assay meta RUN --metrics METRIC,... --save FILE"
        )


def _refuse_unnamed(chosen: Sequence[str], path: Path) -> None:
    """Raises `UsageError` where a metric was passed to `evaluate`: no file says where the scorer finds it again."""
    known = metric_names()
    parsed = [parse_specification(metric) for metric in chosen]
    unnamed = [one.name for one in parsed if not one.path and one.name not in known]
    if not unnamed:
        return
    own, others = unnamed[0], [metric for metric in chosen if metric not in unnamed]
    names, left = (",".join([*others, *more]) for more in ([f"my_metrics.py:{name}" for name in unnamed], ()))
    typed = f"--metrics {quote_word(left)} --save {quote_word(str(path))}"
    again = f"assay run SET --metrics {quote_word(names)}"
    without = f"; or leave it out: assay meta RUN {typed}" if others else ""
    raise UsageError(
        f"--save: {own} is a metric that was passed to evaluate(), and a saved scorer has to find it again; nothing "
        f"was written. Put it in a Python file, name it as FILE.py:{own}, as in {again}, and save from "
        f"that run{without}"
    )


def _used_prompts(tables: Sequence[AnswerTable], metrics: Sequence[str]) -> set[str]:
    """The prompts that the metrics used, as their evidence names them."""
    prompts: set[str] = set()
    for table in tables:
        for _, metric, score in table.rows():
            if metric in metrics:
                prompts.update(map(str, score.evidence.get("prompts", ())))
    return prompts
