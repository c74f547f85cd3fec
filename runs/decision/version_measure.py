"""What decides between versions: one scorer or one metric, fixed before anybody looks; and the metrics beside it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ...errors import UsageError
from ...eval_sets.conversation import asked_text
from ...meta_eval.decision import make_preference_table
from ...meta_eval.groups import FEWEST_GROUPS
from ...meta_eval.scorer import Scorer
from ...metrics.specification import ALL_BASELINES, BASELINES, UNDIRECTED, parse_specification
from ...shell_words import quote_word
from ...text.wording import count_of, list_first, verb_of
from ..answers.score_table import score_baselines
from ..answers.table import AnswerTable
from .version_preferences import number_questions
from .versions import Scale, VersionReading

_Values = Sequence[Mapping[str, float]]
"""By version, the value of each answer by id, more is better."""


def measure_versions(reading: VersionReading) -> VersionReading:
    """Adds what decides, with its scores, the metrics that are shown beside it, and what does not count."""
    baselines = ALL_BASELINES if reading.level == "conversation" else BASELINES
    versions = tuple(_with_baselines(version, baselines) for version in reading.versions)
    reading = _choose_measure(replace(reading, versions=versions))
    names = [name for name in _common_metrics(reading.versions) if name != reading.measure]
    others = {name: [version.values(name) for version in reading.versions] for name in names}
    notes = (*reading.notes, *reading.rating_notes)
    reading = _set_scales(_separate_fitted(replace(reading, others=others, notes=notes)))
    if not reading.choices:
        return reading
    return replace(
        reading, preferences=make_preference_table(reading.choices, reading.table, number_questions(reading))
    )


def _with_baselines(version: AnswerTable, names: Sequence[str]) -> AnswerTable:
    """A version that is a set with the baselines that a run has: they tell whether what is rated is a random part."""
    if version.directions:
        return version
    scores = score_baselines(list(version.samples.values()), names)
    return replace(
        version, directions=dict.fromkeys(names, True), scores=dict(zip(version.samples, scores, strict=True))
    )


def _choose_measure(reading: VersionReading) -> VersionReading:
    """Chooses what decides: what the user named, else the only scorer, else the only metric beside the baselines.

    Without any of these, ratings alone decide, if there are some. Where every answer is rated nothing needs a measure.
    """
    versions, options = reading.versions, reading.options
    if options.scorer is not None and options.metric is not None:
        raise UsageError("--scorer and --metric: one measure decides; name one of them, the other metrics are shown")
    if options.scorer is not None:
        return _predict(reading, options.scorer)
    names, metric = _common_metrics(versions), options.metric
    is_all_rated = reading.rated == len(reading.answers)
    if metric is None:
        scorers = [name for name in names if parse_specification(name).is_scorer]
        metrics = [name for name in names if name not in ALL_BASELINES]
        for candidates in (scorers, metrics):
            if len(candidates) == 1:
                return _take_metric(reading, candidates[0])
        if is_all_rated or ((reading.rated or reading.choices) and not metrics):
            why = "every answer is rated" if is_all_rated else "the versions have only baselines in common"
            return replace(reading, notes=(*reading.notes, f"Only what people say decides: {why}."))
        if options.has_default:
            return reading
        raise UsageError(_which_measure(scorers or metrics, names))
    _check_metric(versions, metric, names)
    return _take_metric(reading, metric)


def _with_scores(
    reading: VersionReading, measure: str, values: _Values, fitted: Sequence[Collection[str]]
) -> VersionReading:
    """The answers with their scores by what decides."""
    answers = tuple(
        replace(answer, score=values[answer.version].get(name), is_fitted=name in fitted[answer.version])
        for answer in reading.answers
        for name in [answer.sample.id]
    )
    return replace(reading, answers=answers, measure=measure)


def _common_metrics(versions: Sequence[AnswerTable]) -> list[str]:
    """Returns the metrics that every version has, in the order of the first."""
    first, *others = versions
    return [name for name in first.directions if all(name in other.directions for other in others)]


def _orient(versions: Sequence[AnswerTable], metric: str) -> _Values:
    """Returns the values of a metric by version and answer, negated where lower is better."""
    return tuple(
        {
            name: value if version.directions.get(metric, True) else -value
            for name, value in version.values(metric).items()
        }
        for version in versions
    )


def _which_measure(candidates: Sequence[str], names: Sequence[str]) -> str:
    if candidates:
        return (
            f"which measure decides? It is fixed before you look: name one with --metric, of {list_first(candidates)} "
            "(or a saved scorer with --scorer FILE); the others are shown beside it and never decide"
        )
    common = f"only baselines ({', '.join(names)})" if names else "no metric"
    return (
        f"nothing decides: the versions have {common} in common, and too little is rated; score them with one metric "
        "(assay run SET --metrics NAME), name a baseline with --metric, or rate answers of each (assay rate SET "
        "--raters NAME)"
    )


def _check_metric(versions: Sequence[AnswerTable], metric: str, names: Sequence[str]) -> None:
    without = [version.name for version in versions if metric not in version.directions]
    if without:
        has = f"all versions have {', '.join(names)}" if names else "the versions have no metric in common"
        raise UsageError(
            f"--metric {metric}: {list_first(without)} was not scored with it ({has}); score it: assay run SET "
            f"--metrics {quote_word(metric)}"
        )


def _take_metric(reading: VersionReading, metric: str) -> VersionReading:
    versions, values = reading.versions, _orient(reading.versions, metric)
    for version, of_version in zip(versions, values, strict=True):
        if not of_version:
            raise UsageError(f"{metric} has no value for any answer of {version.name}; assay show says why")
    notes = list(reading.notes)
    if metric in UNDIRECTED:
        less, more = UNDIRECTED[metric]
        notes.append(f"Of {metric} neither is better in itself, {less} or {more}; here {more} counts as better.")
    elif not versions[0].directions[metric]:
        notes.append(f"Lower is better for {metric}: its scores count negated.")
    scale = _scale_of(metric) if parse_specification(metric).is_scorer else None
    scored = _with_scores(reading, metric, values, [version.fitted(metric) for version in versions])
    return replace(scored, score_scale=scale, notes=tuple(notes))


def _scale_of(metric: str) -> Scale | None:
    """The scale of a recorded scorer's predictions, where its file is still there."""
    file = Path(parse_specification(metric).argument)
    if not file.is_file():
        return None
    scorer = Scorer.load(file)
    return scorer.rating_min, scorer.rating_max


def _predict(reading: VersionReading, file: Path) -> VersionReading:
    """What a saved scorer predicts of all answers, from the values of its metrics that the versions have."""
    scorer = Scorer.load(file)
    values, fitted = [], []
    for version in reading.versions:
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
    scored = _with_scores(reading, f"scorer:{file}", values, fitted)
    return replace(scored, score_scale=(scorer.rating_min, scorer.rating_max))


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


def _separate_fitted(reading: VersionReading) -> VersionReading:
    """Keeps apart ratings and a scorer that was fitted on them: how far it is off elsewhere, these do not say.

    Where all answers of a version are rated, its mean is theirs, and the scorer has no part in it. Elsewhere the
    ratings that it was fitted on do not count where others are left; else the ratings count, and the scores do not.
    """
    answers, notes = list(reading.answers), list(reading.notes)
    for version, name in enumerate(reading.names):
        own = [place for place, answer in enumerate(answers) if answer.version == version]
        rated = [place for place in own if answers[place].rating is not None]
        fitted = [place for place in rated if answers[place].is_fitted]
        if not fitted or len(rated) == len(own):
            continue
        on = f"{reading.measure} was fitted on {len(fitted):,} of the {count_of(len(rated), 'rated answer')} of {name}"
        others = {answers[place].question for place in rated} - {answers[place].question for place in fitted}
        if len(others) < FEWEST_GROUPS:
            unscored = tuple(replace(answer, score=None) for answer in reading.answers)
            why = f"{on}, and few others are rated: the scores do not count."
            return replace(reading, answers=unscored, measure="", notes=(*reading.notes, why))
        for place in fitted:
            answers[place] = replace(answers[place], rating=None)
        whose = verb_of(len(fitted), "whose rating does", "whose ratings do")
        notes.append(f"{on}, {whose} not count: its predictions repeat {verb_of(len(fitted), 'it', 'them')}.")
    return replace(reading, answers=tuple(answers), notes=tuple(notes))


def _set_scales(reading: VersionReading) -> VersionReading:
    """Adds the scale of the scores. Raises where a scorer predicts ratings on another scale than that of the raters."""
    known, scale = reading.score_scale, reading.rating_scale
    if scale is not None and known not in {None, scale}:
        (low, high), (own_low, own_high) = scale, known or scale
        raise UsageError(
            f"{reading.measure} predicts ratings on {own_low:g} to {own_high:g}, and answers are rated on {low:g} to "
            f"{high:g}; fit a scorer on these ratings (assay meta --save), or name a metric"
        )
    return _with_span(reading)


def _with_span(reading: VersionReading) -> VersionReading:
    """The reading with the scale of the scores: of a metric 0 to 1, or what its values span."""
    if reading.score_scale is not None:
        return reading
    values = [answer.score for answer in reading.answers if answer.score is not None]
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    elif low >= -1 and high <= 0:
        low, high = -1.0, 0.0
    return replace(reading, score_scale=(low, high if high > low else low + 1))
