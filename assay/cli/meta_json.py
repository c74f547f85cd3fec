"""A meta-evaluation as the object that `assay meta --json` prints."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..meta_eval.agreement import MetricAgreement
    from ..meta_eval.meta_evaluation import MetaEvaluation
    from ..meta_eval.score_join import JoinedScores
    from ..meta_eval.selection import Combination, Selection


_AS_EVALUATED = (
    "raters",
    "comparisons",
    "policy",
    "slices",
    "versions",
    "agreement",
    "trials",
    "settings",
)


def evaluation_as_json(evaluation: "MetaEvaluation", joined: "JoinedScores") -> dict[str, Any]:
    """Returns recommendation, `metrics`, `combinations`, `ceiling` and `chosen`; then the rest of the evaluation."""
    selection, raters = evaluation.selection, evaluation.raters
    values = asdict(evaluation)
    result: dict[str, Any] = {
        "verdict": evaluation.verdict.as_json(),
        "recommendation": evaluation.recommendation,
        "metrics": [_metric(metric) for metric in evaluation.metrics],
        "combinations": [_combination(one, selection) for one in selection.combinations] if selection else [],
        "ceiling": raters.ceiling.value if raters else None,
        "chosen": _combination(selection.chosen, selection) if selection else None,
    } | {name: values[name] for name in _AS_EVALUATED}
    if selection:
        elsewhere = {"combinations", "chosen", "predictions"}
        result["selection"] = {name: value for name, value in values["selection"].items() if name not in elsewhere}
        result["predictions"] = dict(zip(joined.table.items, selection.predictions, strict=False))
    return result | {
        "unscored": list(joined.unscored),
        "unrated": list(joined.unrated),
        "notes": list(joined.notes),
    }


def _metric(metric: "MetricAgreement") -> dict[str, Any]:
    rho = metric.spearman
    first = {"name": metric.name, "n": metric.n, "coverage": metric.coverage, "spearman": rho.value}
    rest = {name: value for name, value in asdict(metric).items() if name != "spearman"}
    return first | {"low": rho.low, "high": rho.high, "p": metric.p} | rest


def _combination(combination: "Combination", selection: "Selection") -> dict[str, Any]:
    out = selection.agreement_of(combination)
    first = {"metrics": list(combination.metrics), "in_sample": combination.in_sample, "out_of_fold": out.value}
    rest = {name: value for name, value in asdict(combination).items() if name not in {*first, "out_of_fold"}}
    shown = {"low": out.low, "high": out.high, "problem": out.problem}
    return first | shown | rest | {"optimism": selection.optimism_of(combination)}
