"""The meta-evaluation: a table of scores and ratings in, everything that a report says out."""

from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version

import numpy as np

from .. import __version__
from ..text.wording import count_of
from .agreement import MetricAgreement, metric_agreements
from .arrays import Floats, Places
from .comparison import Comparison, compare
from .correlation import estimate_correlation
from .estimate import Estimate
from .groups import LEVEL, cross_predict
from .meta_evaluation import EvaluationSettings, MetaEvaluation, SliceAgreement
from .pass_fail import pass_fail_agreement, repeated_trials
from .ranks import mean_spearman
from .raters import agreement_of_raters, severity_note
from .scorer import interpolate, isotonic_knots
from .scorer_fit import predict_choice
from .selection import REPEATS, Predictions, Selection, select
from .sending import BOUND, triage_policy
from .table import QUESTION_ONLY, ScoreTable
from .verdict import NextCommands, give_verdict, problem_of_sending
from .version_agreement import version_agreement

PERMUTATIONS = 2000
SLICE_ATTRIBUTES = ("language", "message_type")
_FEWEST_PER_SLICE, _FOLDS = 10, 5
_LIBRARIES = ("numpy", "scipy", "scikit-learn")


def evaluate_table(
    table: ScoreTable,
    *,
    by: Sequence[str] = SLICE_ATTRIBUTES,
    seed: int = 0,
    permutations: int = PERMUTATIONS,
    repeats: int = REPEATS,
    bound: float = BOUND,
    commands: NextCommands | None = None,
) -> MetaEvaluation:
    """Evaluates the metrics of a table against its ratings, alone and combined; `commands` are those it advises."""
    rated = table.rated()
    metrics = metric_agreements(table, permutations=permutations, seed=seed)
    raters = agreement_of_raters(table)
    selection, predictions = select(table, repeats=repeats, permutations=permutations, seed=seed) or (None, None)
    choice = _scores_of_choice(rated, selection, predictions) if selection and predictions else None
    comparisons, best_comparisons = _comparisons(rated, metrics, selection, choice)
    expected = _expected_ratings(table, predictions, seed) if predictions else None
    policy = None
    if selection and expected is not None:
        is_scored = table.only(selection.chosen.metrics).is_scored
        values = tuple(float(value) if known else None for value, known in zip(expected, is_scored, strict=True))
        selection = replace(selection, predictions=values)
        predicted = predict_choice(rated, selection, seed=seed)
        policy = triage_policy(rated, predicted, bound=bound, seed=seed)
        if problem := problem_of_sending(metrics, raters, selection):
            policy = replace(policy, send_at=None, problem=problem)
    measure, out_of_fold = _measure_of_versions(table, metrics, choice)
    versions = version_agreement(table, measure=measure, out_of_fold=out_of_fold)
    agreement = pass_fail_agreement(table, seed=seed)
    return MetaEvaluation(
        verdict=give_verdict(
            table,
            metrics,
            raters,
            selection,
            comparisons=comparisons,
            policy=policy,
            commands=commands or NextCommands(),
        ),
        metrics=metrics,
        raters=raters,
        severity=severity_note(rated),
        selection=selection,
        comparisons=comparisons + best_comparisons,
        policy=policy,
        slices=_slices(rated, by, choice[1] if choice else None),
        versions=versions,
        agreement=agreement,
        trials=repeated_trials(table, agreement),
        settings=EvaluationSettings(
            items=len(table.items),
            rated=len(rated.items),
            groups=len(set(rated.groups)),
            rating_min=table.rating_min,
            rating_max=table.rating_max,
            seed=seed,
            level=LEVEL,
            permutations=permutations,
            versions={"assay": __version__} | {library: version(library) for library in _LIBRARIES},
        ),
    )


def _measure_of_versions(
    table: ScoreTable,
    metrics: tuple[MetricAgreement, ...],
    choice: tuple[str, Floats] | None,
) -> tuple[str, Floats | None]:
    """What is told of versions: the choice, with its scores out of fold where it is a combination, or a metric."""
    if choice:
        return choice[0], None if choice[0] in table.metrics else choice[1].mean(axis=1)
    alone = [metric for metric in metrics if not metric.baseline and metric.spearman.value is not None]
    return max(alone, key=lambda metric: metric.spearman.value or 0.0).name if alone else "", None


def _scores_of_choice(rated: ScoreTable, selection: Selection, predictions: Predictions) -> tuple[str, Floats]:
    """The name of the choice and its scores, (items, repeats): a metric's own, so that its figure is one everywhere."""
    name = selection.chosen.name
    return name, rated.column(name)[:, None] if name in rated.metrics else predictions.chosen


def _expected_ratings(table: ScoreTable, predictions: Predictions, seed: int) -> Floats:
    """The choice's score of every item as an expected rating: isotonic, of rated items by folds that left them out."""
    rated = table.rated()
    mean = predictions.chosen.mean(axis=1)

    def rescale(training: Places, values: Floats) -> Floats:
        return interpolate(isotonic_knots(mean[training], rated.mean_rating[training]), values)

    expected, is_rated = np.full(len(table.items), np.nan), ~np.isnan(table.mean_rating)
    expected[is_rated] = cross_predict(
        lambda training, others: rescale(training, mean[others]), rated.group_numbers, _FOLDS, seed=seed
    )
    expected[~is_rated] = rescale(np.arange(len(mean)), predictions.unrated)
    return expected


def _comparisons(
    rated: ScoreTable,
    metrics: tuple[MetricAgreement, ...],
    selection: Selection | None,
    choice: tuple[str, Floats] | None,
) -> tuple[tuple[Comparison, ...], tuple[Comparison, ...]]:
    """Those of the choice with the best single metric and baseline, then those of the best single metric with each.

    A metric is compared as it is, not as the best single one is chosen anew in each fold.
    """

    def named_column(metric: MetricAgreement) -> tuple[str, Floats]:
        return metric.name, rated.column(metric.name)[:, None]

    ordered = sorted(
        (metric for metric in metrics if metric.spearman.value is not None),
        key=lambda metric: -(metric.spearman.value or 0.0),
    )
    alone = [metric for metric in ordered if not metric.baseline]
    baselines = [metric for metric in ordered if metric.baseline]
    choice_comparisons: list[Comparison] = []
    if selection and choice:
        chosen = selection.chosen.metrics
        if alone and len(chosen) > 1:
            choice_comparisons.append(compare(rated, choice, named_column(alone[0]), tries=len(alone)))
        others = [metric for metric in baselines if (metric.name,) != chosen][:1]
        others += [metric for metric in baselines if metric.name == QUESTION_ONLY and metric not in others]
        of = len(alone) if alone and choice[0] in rated.metrics else 1  # a baseline may be all there is
        choice_comparisons += [
            compare(rated, choice, named_column(other), tries=len(baselines), chosen_of=of) for other in others
        ]
    compared = {(one.first, one.second) for one in choice_comparisons}  # a pair is told of once, as the sentence does
    rest = [other for other in (*alone[1:], *baselines) if alone and (alone[0].name, other.name) not in compared]
    best_comparisons = tuple(
        compare(
            rated,
            named_column(alone[0]),
            named_column(other),
            tries=len(baselines) if other.baseline else 1,
            chosen_of=len(alone),
        )
        for other in rest
    )
    return tuple(choice_comparisons), best_comparisons


def _slices(rated: ScoreTable, by: Sequence[str], scores_of_choice: Floats | None) -> tuple[SliceAgreement, ...]:
    """The agreement for each label of each attribute, where at least ten rated answers have it."""
    slices: list[SliceAgreement] = []
    for attribute in by:
        labels = np.asarray(rated.attributes.get(attribute, ()), dtype=object)
        names = sorted(set(labels.tolist()) - {""})
        if len(names) == 1 and not (labels == "").any():
            continue  # all answers: their figures stand above, corrected for the choice
        for label in names:
            places = np.flatnonzero(labels == label)
            part = rated.take(places)
            metrics: tuple[tuple[str, Estimate], ...] = ()
            if len(places) < _FEWEST_PER_SLICE:
                chosen = Estimate(None, problem=f"only {count_of(len(places), 'rated answer')}")
            else:
                metrics = tuple((name, _slice_estimate(part, part.column(name)[:, None])) for name in part.metrics)
                chosen = Estimate(None, problem="no combination was chosen")
                if scores_of_choice is not None:
                    chosen = _slice_estimate(part, scores_of_choice[places])
            mean = float(part.mean_rating.mean())
            slices.append(SliceAgreement(attribute, str(label), len(places), mean, metrics, chosen))
    return tuple(slices)


def _slice_estimate(part: ScoreTable, values: Floats) -> Estimate:
    scored = np.flatnonzero(~np.isnan(values).any(axis=1))
    if len(scored) < _FEWEST_PER_SLICE:
        return Estimate(None, problem=f"only {count_of(len(scored), 'rated score')}")
    groups = [part.groups[place] for place in scored]
    return estimate_correlation(mean_spearman, values[scored], part.mean_rating[scored], groups)
