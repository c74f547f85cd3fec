"""Versions that are compared: their answers side by side, and what is known of each, step by step.

Each step takes a `VersionReading` and returns one of which more is known: the answers at one level (`select_level`),
paired (`pair_answers`), rated (`rate_versions`) and measured (`measure_versions`).
"""

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...eval_sets.conversation import opening_question
from ...eval_sets.items import question_id
from ...eval_sets.preference import Preference
from ...meta_eval.decision import PreferenceTable, VersionTable, make_preference_table
from ...meta_eval.groups import FEWEST_GROUPS
from ...meta_eval.scorer import Scorer
from ...metrics.specification import ALL_BASELINES, BASELINES, UNDIRECTED, parse_specification
from ...presentation.verdict import describe_report
from ...text.wording import Phrase, count_of, list_first, phrase, verb_of
from ...value_messages import quote_word
from ..answers.pairing import PairedAnswer, list_values, pair_versions
from ..answers.score_table import score_baselines
from ..answers.table import AnswerTable, at_rated_level, version_field

if TYPE_CHECKING:
    from ...eval_sets.levels import RatedLevel
    from ..store.database import Database

Scale = tuple[float, float]


@dataclass(frozen=True, slots=True)
class VersionOptions:
    """How versions are read."""

    by: str = ""  # the field of metadata that parts one run into versions (`system`, or `system=A,B`); "" for none
    metric: str | None = None
    ratings: tuple[Path, ...] = ()  # files of further ratings, or of preferences
    scale: Scale | None = None  # the scale of the files' ratings, where they do not say it
    level: "RatedLevel | None" = None  # whether conversations or turns are compared; None for what is rated
    reading: Mapping[str, Any] = field(default_factory=dict)  # how sets are read, as `read_set` takes it
    # whether runs without a name of their own are called A, B and so on by their places, instead of by their ids
    has_letters: bool = False
    # whether ratings alone decide where several measures could, and none is named
    has_default: bool = False

    @property
    def version_field(self) -> str:
        """The field of metadata that parts one run into versions; "" for none."""
        return version_field(self.by)

    @property
    def asked(self) -> str:
        """The option that names the measure; "" where none does."""
        return f"--metric {self.metric}" if self.metric else ""


@dataclass(frozen=True)
class VersionReading:
    """Versions, and what is known of them so far."""

    sources: tuple[AnswerTable, ...]  # the versions as they were read
    options: VersionOptions = field(default_factory=VersionOptions)
    letters: frozenset[str] = frozenset()  # what versions without a name of their own are called
    database: "Database | None" = None  # of the store that keeps the looks; None where there is no store
    notes: tuple[str, ...] = ()  # what a reader should know: what is left out, assumed or paired
    versions: tuple[AnswerTable, ...] = ()  # the versions at the level that is compared, with all their ratings
    level: "RatedLevel | None" = None
    answers: tuple[PairedAnswer, ...] = ()  # the answers that take part
    # --- what people said
    rated: int = 0  # how many answers have a rating
    rating_scale: Scale | None = None  # None where nothing is rated
    raters: tuple[str, ...] = ()  # who rated answers, as far as their names are known
    # whether all are named, and none of them rated answers of every version, or those to the same questions
    has_other_raters: bool = False
    choices: tuple[Preference, ...] = ()  # which of two versions' answers people prefer
    preferences: PreferenceTable | None = None  # the same by the numbers of questions; None where nobody was asked
    # --- what decides
    measure: str = ""  # the scorer or metric; "" where ratings alone decide
    score_scale: Scale | None = None  # the scale of its values; None before they are known
    # further metrics, which never decide: by version and answer their values
    others: Mapping[str, Sequence[Mapping[str, float]]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the versions, that in use today first."""
        return tuple(source.name for source in self.sources)

    @property
    def runs(self) -> dict[str, str]:
        """The run's id of each version that is a run."""
        sources = () if self.options.by else self.sources
        return {source.name: source.run for source in sources if source.run is not None}

    @property
    def lettered(self) -> dict[str, str]:
        """The run's id of each version that is called by a letter as it has no name of its own."""
        return {name: run for name, run in self.runs.items() if name in self.letters}

    @cached_property
    def table(self) -> VersionTable:
        """The table that is decided on, one row per answer that takes part."""
        return version_table(
            self.names,
            self.answers,
            self.others,
            scale=self.rating_scale or self.score_scale or (0.0, 1.0),
            score_scale=self.score_scale,
            directions=metric_directions(self.versions[0].directions),
        )

    @cached_property
    def stored(self) -> dict[str, str]:
        """What looks at each version are kept under: what its answers are, in whatever run or file, under any name.

        Versions of the same answers are numbered, so that each is a version of its own.
        """
        names, count = dict[str, str](), Counter[str]()
        for source in self.sources:
            digest = _digest([sample.fingerprint for sample in source.samples.values()])
            name = f"answers {digest} {self.level or ''}".strip()
            count[name] += 1
            names[source.name] = name if count[name] == 1 else f"{name} ({count[name]})"
        return names

    @property
    def said(self) -> tuple[str, str]:
        """A digest of the ratings that count, and one of the choices: the same in any order and under any name."""
        stored, names = self.stored, self.names
        ratings = [
            f"{stored[names[answer.version]]} {answer.sample.fingerprint} {answer.rating:.9g}"
            for answer in self.answers
            if answer.rating is not None
        ]
        choices = []
        for choice in self.choices:
            sides = (choice.first, -choice.value), (choice.second, choice.value)
            choices.append(f"{choice.question} {sorted((stored.get(name, name), value) for name, value in sides)}")
        return _digest(ratings), _digest(choices)

    @property
    def about(self) -> Phrase:
        """The runs and files, who rated, and today."""
        listed = []
        for source in self.sources:
            files = ", ".join(place.rsplit("/", 1)[-1] for place in source.sets)
            run = source.row.describe() if source.row is not None else files
            is_named = run and run != source.name
            name = phrase("file", name=source.name)
            listed.append(phrase("version_of", version=source.name, source=run) if is_named else name)
        return describe_report(listed, rated=self.rated, raters=self.raters)


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256("".join(sorted(parts)).encode()).hexdigest()[:32]


def version_table(
    names: Sequence[str],
    answers: Sequence[PairedAnswer],
    others: Mapping[str, Sequence[Mapping[str, float]]],
    **options: Any,
) -> VersionTable:
    """The table of paired answers; `others` has the values of metrics by version and answer."""
    import numpy as np

    def column(values: Sequence[float | None]) -> Any:
        return np.array([math.nan if value is None else value for value in values], dtype=float)

    numbers = [(answer.version, answer.question, answer.group, answer.text) for answer in answers]
    version, question, group, text = np.array(numbers, dtype=np.intp).T
    return VersionTable(
        versions=tuple(names),
        version=version,
        question=question,
        group=group,
        scores=column([answer.score for answer in answers]),
        ratings=column([answer.rating for answer in answers]),
        text=text,
        others={name: column(list_values(answers, values)) for name, values in others.items()},
        **options,
    )


def metric_directions(directions: Mapping[str, bool]) -> dict[str, bool | None]:
    """Whether higher is better of each metric; None where neither more nor less is."""
    return {name: None if name in UNDIRECTED else higher for name, higher in directions.items()}


def select_level(reading: VersionReading) -> VersionReading:
    """Adds the versions at the level that is compared, with all ratings of their answers."""
    check_names(reading.names)
    for source in reading.sources:
        if not source.samples:
            raise UsageError(f"{source.name} has no answer")
    tables, level, level_note = at_rated_level(reading.database, reading.sources, reading.options.level)
    for version in tables:
        if not version.samples:
            raise UsageError(f"{version.name} has no {level or 'answer'}; leave --level out")
    notes = _describe_unfinished(reading.sources) + ([f"The versions are {level_note}."] if level_note else [])
    return replace(reading, versions=tuple(tables), level=level, notes=(*reading.notes, *notes))


def check_names(names: Sequence[str]) -> None:
    """Raises `UsageError` where two versions have one name."""
    for name in names:
        if names.count(name) > 1:
            raise UsageError(
                f"{name} is named more than once; name two different runs, or give each a name of its own (A={name})"
            )


def _describe_unfinished(sources: Sequence[AnswerTable]) -> list[str]:
    """Says which runs did not end: what they have so far takes part."""
    unfinished = {one.row.id: one.row.status for one in sources if one.row is not None and one.row.status != "done"}
    return [f"Run {run} is not done ({status}): what it has so far takes part." for run, status in unfinished.items()]


def pair_answers(reading: VersionReading) -> VersionReading:
    """Adds the answers that take part, and says how they were paired."""
    answers, notes = pair_versions(reading.versions, is_one_source=bool(reading.options.by))
    same = [f"{one} and {other} gave the same answers." for one, other in same_versions(reading.names, answers)]
    return replace(reading, answers=tuple(answers), notes=(*reading.notes, *notes, *same))


def same_versions(names: Sequence[str], answers: Sequence[PairedAnswer]) -> list[tuple[str, str]]:
    """Which versions gave the same answers to all questions, two by two."""
    texts: list[dict[int, set[int]]] = [{} for _ in names]
    for answer in answers:
        texts[answer.version].setdefault(answer.question, set()).add(answer.text)
    return [
        (names[one], names[other]) for one, other in combinations(range(len(texts)), 2) if texts[one] == texts[other]
    ]


def number_questions(reading: VersionReading) -> dict[str, tuple[int, ...]]:
    """Numbers questions by what a preference may call them: the id in any version, or the text.

    What is another question in another version is that of the version in use. A text may be of several questions.
    """
    numbers: dict[str, tuple[int, ...]] = {}
    for answer in sorted(reading.answers, key=lambda answer: answer.version):
        numbers.setdefault(answer.sample.id, (answer.question,))
        numbers.setdefault(question_id(answer.sample.id, reading.names[answer.version]), (answer.question,))
    by_text: dict[str, dict[int, None]] = {}
    for answer in reading.answers:
        asked = opening_question(answer.sample)
        for text in (asked, " ".join(asked.split())):
            by_text.setdefault(text, {})[answer.question] = None
    return {text: tuple(questions) for text, questions in by_text.items()} | numbers


_Values = Sequence[Mapping[str, float]]
"""By version, the value of each answer by id, more is better."""


def measure_versions(reading: VersionReading) -> VersionReading:
    """Adds what decides, with its scores, the metrics that are shown beside it, and what does not count."""
    baselines = ALL_BASELINES if reading.level == "conversation" else BASELINES
    versions = tuple(_with_baselines(version, baselines) for version in reading.versions)
    reading = _choose_measure(replace(reading, versions=versions))
    names = [name for name in _common_metrics(reading.versions) if name != reading.measure]
    others = {name: [version.values(name) for version in reading.versions] for name in names}
    reading = _set_scales(_separate_fitted(replace(reading, others=others)))
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
        candidates = scorers or metrics
        if options.has_default and candidates:
            listed = list_first(candidates, 3)
            why = (
                f"The ratings alone decide here, as several metrics could help them ({listed}): assay decide --metric."
            )
            return replace(reading, notes=(*reading.notes, why))
        if not candidates:
            return reading  # nothing is rated, and no metric scored the answers
        raise UsageError(
            f"which measure decides? It is fixed before you look: name one with --metric, of {list_first(candidates)} "
            "(a saved scorer as scorer:FILE); the others are shown beside it and never decide"
        )
    _check_metric(versions, metric, names)
    return _take_metric(reading, metric)


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
    fitted = [version.fitted(metric) for version in versions]
    answers = tuple(
        replace(answer, score=values[answer.version].get(name), is_fitted=name in fitted[answer.version])
        for answer in reading.answers
        for name in [answer.sample.id]
    )
    return replace(reading, answers=answers, measure=metric, score_scale=scale, notes=tuple(notes))


def _scale_of(metric: str) -> Scale | None:
    """The scale of a recorded scorer's predictions, where its file is still there."""
    file = Path(parse_specification(metric).argument)
    if not file.is_file():
        return None
    scorer = Scorer.load(file)
    return scorer.rating_min, scorer.rating_max


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
    """Adds the scale of the scores: of a scorer its own, of a metric 0 to 1, or what its values span.

    Raises `UsageError` where a scorer predicts ratings on another scale than that of the raters.
    """
    known, scale = reading.score_scale, reading.rating_scale
    if scale is not None and known not in {None, scale}:
        (low, high), (own_low, own_high) = scale, known or scale
        raise UsageError(
            f"{reading.measure} predicts ratings on {own_low:g} to {own_high:g}, and answers are rated on {low:g} to "
            f"{high:g}; fit a scorer on these ratings (assay meta --save), or name a metric"
        )
    if reading.score_scale is not None:
        return reading
    values = [answer.score for answer in reading.answers if answer.score is not None]
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    elif low >= -1 and high <= 0:
        low, high = -1.0, 0.0
    return replace(reading, score_scale=(low, high if high > low else low + 1))
