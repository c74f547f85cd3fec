"""The meta-evaluation: a table of scores and ratings in, everything that a report tells out."""

from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version

import numpy as np

from .agreement import MetricAgreement, metric_agreements
from .arrays import Floats
from .bootstrap_statistics import mean_spearman
from .comparison import MARGIN, compare
from .estimate import Estimate, estimate
from .mean_rating import estimate_mean_rating
from .paper_procedure import paper_procedure
from .paper_tables import paper_tables
from .policy import BOUND, MINUTES, triage_policy
from .raters import agreement_of_raters, to_rating_scale
from .recommendation import name_of, recommend
from .results import Comparison, EvaluationSettings, MetaEvaluation, Selection, SliceAgreement
from .selection import Combine, Predictions, select
from .table import ScoreTable

RESAMPLES = 2000
PERMUTATIONS = 2000
BY = ("language", "message_type")
_FEWEST_PER_SLICE = 10
_PACKAGES = ("assay", "numpy", "scipy", "scikit-learn")


def evaluate_table(
    table: ScoreTable,
    *,
    combine: Combine = "subsets",
    max_metrics: int | None = None,
    by: Sequence[str] = BY,
    seed: int = 0,
    bootstrap: int = RESAMPLES,
    permutations: int = PERMUTATIONS,
    repeats: int = 10,
    folds: int = 5,
    level: float = 0.95,
    margin: float = MARGIN,
    bound: float = BOUND,
    minutes: float = MINUTES,
) -> MetaEvaluation:
    """Evaluates the metrics of a table against its ratings, alone and combined; all randomness comes from `seed`.

    `combine` and `max_metrics` as in `select`; `by` are attributes whose labels are looked at apart; `bootstrap` and
    `permutations` are numbers of resamples; `margin` is that of equivalence; `bound` the share of wrong answers among
    those sent, `minutes` what a person spends on an answer.
    """
    rated = table.rated()
    drawn = {"resamples": bootstrap, "level": level, "seed": seed}
    metrics = metric_agreements(table, permutations=permutations, **drawn)  # type: ignore[arg-type]
    raters = agreement_of_raters(table, **drawn)  # type: ignore[arg-type]
    found = select(
        table,
        combine=combine,
        max_metrics=max_metrics,
        repeats=repeats,
        folds=folds,
        permutations=permutations,
        **drawn,  # type: ignore[arg-type]
    )
    selection, predictions = found or (None, None)
    of_choice, of_best = _comparisons(
        rated,
        metrics,
        selection,
        predictions,
        permutations=permutations,
        margin=margin,
        **drawn,  # type: ignore[arg-type]
    )
    on_scale = _on_rating_scale(table, predictions, seed) if predictions else None
    if selection and on_scale is not None:
        told = tuple(None if np.isnan(value) else float(value) for value in on_scale)
        selection = replace(selection, predictions=told)
    policy = None
    if on_scale is not None:
        known = on_scale[~np.isnan(table.mean_rating)]
        policy = triage_policy(rated, known, bound=bound, confidence=level, minutes=minutes, folds=folds, seed=seed)
    return MetaEvaluation(
        recommendation=recommend(len(rated.items), metrics, raters, selection, of_choice),
        metrics=metrics,
        raters=raters,
        selection=selection,
        paper_procedure=paper_procedure(table, repeats=repeats, folds=folds, **drawn),  # type: ignore[arg-type]
        comparisons=of_choice + of_best,
        paper_tables=paper_tables(table, on_scale, name_of(selection) if selection else ""),
        policy=policy,
        mean_rating=estimate_mean_rating(table, selection.chosen.metrics, level=level) if selection else None,
        slices=_slices(rated, by, predictions, **drawn),  # type: ignore[arg-type]
        settings=EvaluationSettings(
            items=len(table.items),
            rated=len(rated.items),
            groups=len(set(rated.groups)),
            rating_min=table.rating_min,
            rating_max=table.rating_max,
            seed=seed,
            level=level,
            bootstrap=bootstrap,
            permutations=permutations,
            versions={package: version(package) for package in _PACKAGES},
        ),
    )


def _on_rating_scale(table: ScoreTable, predictions: Predictions, seed: int) -> Floats | None:
    """The choice's score of every item as an expected rating: isotonic, of rated items by folds that left them out."""
    from sklearn.isotonic import IsotonicRegression

    rated = table.rated()
    mean = predictions.chosen.mean(axis=1)
    of_rated = to_rating_scale(rated, mean, seed=seed)
    if of_rated is None:
        return None
    found = np.full(len(table.items), np.nan)
    is_rated = ~np.isnan(table.mean_rating)
    found[is_rated] = of_rated
    if not is_rated.all():
        fitted = IsotonicRegression(out_of_bounds="clip").fit(mean, rated.mean_rating)
        found[~is_rated] = fitted.predict(predictions.unrated)
    return found


def _comparisons(
    rated: ScoreTable,
    metrics: tuple[MetricAgreement, ...],
    selection: Selection | None,
    predictions: Predictions | None,
    *,
    resamples: int,
    permutations: int,
    level: float,
    margin: float,
    seed: int,
) -> tuple[tuple[Comparison, ...], tuple[Comparison, ...]]:
    """Those of the choice with the best single metric and baseline, then those of the best single metric with each."""

    def told(first: tuple[str, Floats], second: tuple[str, Floats]) -> Comparison:
        return compare(
            rated,
            first,
            second,
            resamples=resamples,
            permutations=permutations,
            level=level,
            margin=margin,
            seed=seed,
        )

    def of_metric(metric: MetricAgreement) -> tuple[str, Floats]:
        return metric.name, rated.column(metric.name)[:, None]

    ordered = sorted(
        (metric for metric in metrics if metric.spearman.value is not None),
        key=lambda metric: -(metric.spearman.value or 0.0),
    )
    alone = [metric for metric in ordered if not metric.baseline]
    baselines = [metric for metric in ordered if metric.baseline]
    found: list[Comparison] = []
    if selection and predictions:
        choice = name_of(selection), predictions.chosen
        if len(selection.chosen.metrics) > 1:
            found.append(told(choice, (f"{alone[0].name} alone", predictions.single)))
        if baselines:
            found.append(told(choice, of_metric(baselines[0])))
    others = [*alone[1:], *baselines] if alone else []
    return tuple(found), tuple(told(of_metric(alone[0]), of_metric(other)) for other in others)


def _slices(
    rated: ScoreTable,
    by: Sequence[str],
    predictions: Predictions | None,
    *,
    resamples: int,
    level: float,
    seed: int,
) -> tuple[SliceAgreement, ...]:
    """Each label of each attribute by itself, where at least ten rated answers have it."""
    found: list[SliceAgreement] = []
    for attribute in by:
        labels = np.asarray(rated.attributes.get(attribute, ()), dtype=object)
        for label in sorted(set(labels.tolist()) - {""}):
            places = np.flatnonzero(labels == label)
            part = rated.take(places)
            enough = len(places) >= _FEWEST_PER_SLICE
            metrics: tuple[tuple[str, Estimate], ...] = ()
            chosen = Estimate(None, problem=f"only {len(places)} rated answers")
            if enough:
                metrics = tuple(
                    (name, _spearman(part, part.column(name)[:, None], resamples, level, seed)) for name in part.metrics
                )
                chosen = (
                    _spearman(part, predictions.chosen[places], resamples, level, seed)
                    if predictions
                    else Estimate(None, problem="no combination was chosen")
                )
            mean = float(part.mean_rating.mean())
            found.append(SliceAgreement(attribute, str(label), len(places), mean, metrics, chosen))
    return tuple(found)


def _spearman(part: ScoreTable, values: Floats, resamples: int, level: float, seed: int) -> Estimate:
    scored = np.flatnonzero(~np.isnan(values).any(axis=1))
    if len(scored) < _FEWEST_PER_SLICE:
        return Estimate(None, problem=f"only {len(scored)} rated scores")
    groups = [part.groups[place] for place in scored]
    statistic = mean_spearman(values[scored], part.mean_rating[scored])
    return estimate(statistic, groups, resamples=resamples, level=level, seed=seed)
