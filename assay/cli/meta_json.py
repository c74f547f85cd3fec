"""A meta-evaluation as the object that `assay meta --json` prints."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..meta_eval.agreement import MetricAgreement
    from ..meta_eval.results import Combination, MetaEvaluation
    from ..meta_eval.score_files import JoinedScores


_UNCHANGED = (
    *("raters", "paper_procedure", "comparisons", "paper_tables"),
    *("policy", "mean_rating", "slices", "settings"),
)


def as_object(evaluation: "MetaEvaluation", joined: "JoinedScores") -> dict[str, Any]:
    """`recommendation`, `metrics`, `combinations`, `ceiling`; then all else that was found, and what was read."""
    selection, raters = evaluation.selection, evaluation.raters
    told: dict[str, Any] = {
        "recommendation": evaluation.recommendation,
        "metrics": [_metric(metric) for metric in evaluation.metrics],
        "combinations": [_combination(each) for each in selection.combinations] if selection else [],
        "ceiling": raters.ceiling.value if raters else None,
        "chosen": _combination(selection.chosen) if selection else None,
    }
    everything = asdict(evaluation)
    for name in (
        "raters",
        "paper_procedure",
        "comparisons",
        "paper_tables",
        "policy",
        "mean_rating",
        "slices",
        "settings",
    ):
        told[name] = everything[name]
    if selection:
        beside = {"combinations", "chosen", "predictions"}
        told["selection"] = {name: value for name, value in everything["selection"].items() if name not in beside}
        told["predictions"] = dict(zip(joined.table.items, selection.predictions, strict=False))
    read = {"unscored": joined.unscored, "unrated": joined.unrated, "notes": joined.notes}
    return told | {name: list(value) for name, value in read.items()}


def _metric(metric: "MetricAgreement") -> dict[str, Any]:
    rho = metric.spearman
    known = {"name": metric.name, "n": metric.n, "coverage": metric.coverage, "spearman": rho.value}
    rest = {name: value for name, value in asdict(metric).items() if name != "spearman"}
    return known | {"low": rho.low, "high": rho.high, "p": metric.p} | rest


def _combination(combination: "Combination") -> dict[str, Any]:
    out = combination.out_of_fold
    known = {"metrics": list(combination.metrics), "in_sample": combination.in_sample, "out_of_fold": out.value}
    rest = {name: value for name, value in asdict(combination).items() if name not in {*known, "out_of_fold"}}
    return known | {"low": out.low, "high": out.high, "problem": out.problem} | rest
