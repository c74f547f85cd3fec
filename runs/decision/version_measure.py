"""What decides between versions: one scorer or one metric, fixed before anybody looks; and the metrics beside it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import UsageError
from ...eval_sets.conversation import asked_text
from ...meta_eval.scorer import Scorer
from ...metrics.pairwise import Pairwise
from ...metrics.specification import ALL_BASELINES, UNDIRECTED, parse_specification
from ...shell_words import quote_word
from ...text.wording import list_first
from ..answers.table import AnswerTable

Scale = tuple[float, float]


@dataclass(frozen=True, slots=True)
class VersionMeasure:
    """What decides."""

    name: str = ""  # the scorer or metric; "" where ratings alone decide
    # by version, the value of each answer by id, more is better; empty where nothing has been scored
    values: tuple[Mapping[str, float], ...] = ()
    fitted: tuple[Collection[str], ...] = ()  # by version, the answers that the scorer was fitted on; or empty
    scale: Scale | None = None  # the scale of a scorer's predictions; None of a metric
    notes: tuple[str, ...] = ()


def choose_measure(
    versions: Sequence[AnswerTable],
    *,
    scorer: Path | None = None,
    metric: str | None = None,
    rated_share: float = 0.0,
    has_preferences: bool = False,
    problem: str = "",
    has_default: bool = False,
) -> VersionMeasure:
    """Chooses what decides: what the user named, else the only scorer, else the only metric beside the baselines.

    Without any of these, ratings alone decide, if there are some. Where every answer is rated nothing needs a measure.
    """
    if scorer is not None and metric is not None:
        raise UsageError("--scorer and --metric: one measure decides; name one of them, the other metrics are shown")
    if scorer is not None:
        return _predict(versions, scorer)
    names = common_metrics(versions)
    if metric == Pairwise.name and metric not in names:  # no value of one answer: a judge compares those of versions
        return VersionMeasure(metric)
    if metric is None:
        scorers = [name for name in names if parse_specification(name).is_scorer]
        metrics = [name for name in names if name not in ALL_BASELINES]
        for candidates in (scorers, metrics):
            if len(candidates) == 1:
                return _take_metric(versions, candidates[0])
        if rated_share == 1 or ((rated_share or has_preferences) and not metrics):
            why = "every answer is rated" if rated_share == 1 else "the versions have only baselines in common"
            return VersionMeasure(notes=(f"Only what people say decides: {why}.",))
        if has_default and not problem:
            return VersionMeasure()
        if problem:
            which = f"--metric NAME, of {list_first(names)}, or --scorer FILE" if names else "--scorer FILE"
            raise UsageError(f"{problem}, or name a measure that decides ({which})")
        raise UsageError(_which_measure(versions, scorers or metrics, names))
    _check_metric(versions, metric, names)
    return _take_metric(versions, metric)


def common_metrics(versions: Sequence[AnswerTable]) -> list[str]:
    """Returns the metrics that every version has, in the order of the first."""
    first, *others = versions
    return [name for name in first.directions if all(name in other.directions for other in others)]


def orient(versions: Sequence[AnswerTable], metric: str) -> tuple[dict[str, float], ...]:
    """Returns the values of a metric by version and answer, negated where lower is better."""
    return tuple(
        {
            name: value if version.directions.get(metric, True) else -value
            for name, value in version.values(metric).items()
        }
        for version in versions
    )


def _which_measure(versions: Sequence[AnswerTable], candidates: Sequence[str], names: Sequence[str]) -> str:
    if candidates:
        return (
            f"which measure decides? It is fixed before you look: name one with --metric, of {list_first(candidates)} "
            "(or a saved scorer with --scorer FILE); the others are shown beside it and never decide"
        )
    if names:
        return (
            f"the versions have only baselines in common ({', '.join(names)}) and no ratings: name one of these with "
            "--metric, score the versions with a metric that follows your raters, or rate some answers"
        )
    without = [version.name for version in versions if not version.directions]
    return (
        f"nothing decides: {list_first(without or [version.name for version in versions])} "
        "has no scores that the others have, and nothing is rated; score the versions with one metric (assay run SET "
        "--metrics NAME), or rate answers of each (assay rate SET --raters NAME)"
    )


def _check_metric(versions: Sequence[AnswerTable], metric: str, names: Sequence[str]) -> None:
    without = [version.name for version in versions if metric not in version.directions]
    if without:
        has = f"all versions have {', '.join(names)}" if names else "the versions have no metric in common"
        raise UsageError(
            f"--metric {metric}: {list_first(without)} was not scored with it ({has}); score it: assay run SET "
            f"--metrics {quote_word(metric)}"
        )


def _take_metric(versions: Sequence[AnswerTable], metric: str) -> VersionMeasure:
    values = orient(versions, metric)
    for version, of_version in zip(versions, values, strict=True):
        if not of_version:
            raise UsageError(f"{metric} has no value for any answer of {version.name}; assay show says why")
    notes = []
    if metric in UNDIRECTED:
        less, more = UNDIRECTED[metric]
        notes.append(f"Of {metric} neither is better in itself, {less} or {more}; here {more} counts as better.")
    elif not versions[0].directions[metric]:
        notes.append(f"Lower is better for {metric}: its scores count negated.")
    scale = _scale_of(metric) if parse_specification(metric).is_scorer else None
    fitted = tuple(version.fitted(metric) for version in versions)
    return VersionMeasure(metric, values, fitted, scale, tuple(notes))


def _scale_of(metric: str) -> Scale | None:
    """The scale of a recorded scorer's predictions, where its file is still there."""
    file = Path(parse_specification(metric).argument)
    if not file.is_file():
        return None
    scorer = Scorer.load(file)
    return scorer.rating_min, scorer.rating_max


def _predict(versions: Sequence[AnswerTable], file: Path) -> VersionMeasure:
    """What a saved scorer predicts of all answers, from the values of its metrics that the versions have."""
    scorer = Scorer.load(file)
    name = f"scorer:{file}"
    values, fitted = [], []
    for version in versions:
        _check_parts(version, scorer, file)
        known = version.scorer_parts() | {metric: version.values(metric) for metric in version.directions}
        predictions = {
            item: scorer.predict(parts).predicted
            for item in version.samples
            if (parts := {part: known[part][item] for part in scorer.metrics if item in known[part]})
        }
        if not predictions:
            raise UsageError(f"{file}: its metrics have no value for any answer of {version.name}; assay show says why")
        values.append(predictions)
        fitted.append(
            {
                item
                for item, sample in version.samples.items()
                if scorer.was_fitted_on(asked_text(sample), sample.response)
            }
        )
    return VersionMeasure(name, tuple(values), tuple(fitted), (scorer.rating_min, scorer.rating_max))


def _check_parts(version: AnswerTable, scorer: Scorer, file: Path) -> None:
    """Raises `UsageError` where a version was not scored with a scorer's metrics, or by another judge."""
    metric = quote_word(f"scorer:{file}")
    judge = scorer.judge.model if scorer.judge else ""
    command = f"assay run SET --metrics {metric}" + (f" --judge {quote_word(judge)}" if judge else "")
    known = version.directions.keys() | version.scorer_parts()
    if absent := [part for part in scorer.metrics if part not in known]:
        raise UsageError(
            f"{file}: {version.name} has no scores of {', '.join(absent)}, which the scorer reads; score it: {command}"
        )
    plan = version.row.plan if version.row else None
    by = plan.judge.label if plan is not None and plan.judge else ""
    has_scorer = any(parse_specification(name).is_scorer for name in version.directions)
    if judge and plan is not None and by != judge and not has_scorer:
        raise UsageError(
            f"{file}: the scorer was fitted with the judge {judge}, and {version.name} was judged by "
            f"{by or 'none'}; score it: {command}"
        )
