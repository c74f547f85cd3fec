"""Which of several versions raters like better: of stored runs, of sets, within one run, or of results in memory."""

import hashlib
import json
import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ...arguments import check_type
from ...errors import AssayError, InputError, UsageError
from ...eval_sets import Sample
from ...eval_sets.preference import Preference
from ...eval_sets.preference_reading import is_preference_file
from ...eval_sets.turns import is_turn
from ...meta_eval.comparison import RATING_MARGIN
from ...meta_eval.decision import (
    Decision,
    PreferenceTable,
    VersionTable,
    decide_versions,
    decision_as_json,
    make_preference_table,
)
from ...meta_eval.groups import ENOUGH_PAIRED, FEWEST_GROUPS
from ...meta_eval.sequence import Interval, Look
from ...presentation.wording import describe_report
from ...text.wording import Phrase, count_of, list_first, phrase, verb_of
from ..answers.pairing import PairedAnswer, list_values, number_groups, pair_versions
from ..answers.rating_join import agreed_rating, ratings_by_rater
from ..answers.table import AnswerTable
from ..answers.version_answers import at_rated_level, read_sources
from ..answers.version_ratings import VersionRatings, rate_versions
from ..show.results import Results
from ..show.run_summary import describe_source
from ..store.database import explain_errors
from .compare import NOBODY_RATED
from .version_measure import VersionMeasure, choose_measure, common_metrics, orient
from .version_preferences import find_preferences, number_questions

if TYPE_CHECKING:
    from ...eval_sets.levels import RatedLevel
    from ...meta_eval.arrays import Floats, Places
    from ..store.database import Database
    from ..store.store import Store

Looks = Literal["counted", "any"]
"""Whether looks at versions are counted, or any number of them is allowed for."""
__all__ = [
    "Looks",
    "VersionOptions",
    "VersionReading",
    "decide",
    "decide_reading",
    "decided_as_json",
    "keep_first_look",
    "list_next",
    "rating_set",
    "read_versions",
]


@dataclass(frozen=True, slots=True)
class VersionOptions:
    """How versions are read."""

    by: str = ""  # the field of metadata that parts one run into versions (`system`, or `system=A,B`); "" for none
    scorer: Path | None = None
    metric: str | None = None
    ratings: tuple[Path, ...] = ()  # files of further ratings, or of preferences
    scale: tuple[float, float] | None = None  # the scale of the files' ratings, where they do not say it
    level: "RatedLevel | None" = None  # whether conversations or turns are compared; None for what is rated
    reading: Mapping[str, Any] = field(default_factory=dict)  # how sets are read, as `read_set` takes it
    # whether runs without a name of their own are called A, B and so on by their places, instead of by their ids
    has_letters: bool = False
    # whether ratings alone decide where several measures could, and none is named
    has_default: bool = False


@dataclass(frozen=True)
class VersionReading:
    """Versions as they were read: the table that is decided on, and the answers that its rows are of."""

    table: VersionTable  # one row per answer that takes part
    answers: tuple[PairedAnswer, ...]  # the answers, in the order of the rows
    measure: str  # what decides; "" where ratings alone do
    notes: tuple[str, ...]  # what a reader should know: what is left out, assumed or paired
    runs: Mapping[str, str] = field(default_factory=dict)  # the run's id of each version that is a run
    # which of two versions' answers people prefer; None where nobody was asked
    preferences: PreferenceTable | None = None
    files: tuple[Path, ...] = ()  # the files that were read, and those that the runs were made of
    preferences_from: str = ""  # the files that hold preferences, for messages; "" where the rating page alone has them
    asked: str = ""  # the option that named the measure; "" where none did
    # the store that keeps the looks, and what each version is called there; None where there is no store
    database: "Database | None" = None
    stored: Mapping[str, str] = field(default_factory=dict)
    unnamed: frozenset[tuple[int, int]] = frozenset()  # as in `VersionRatings`
    has_other_raters: bool = False  # as in `VersionRatings`
    raters: tuple[str, ...] = ()  # who rated answers or chose between them, as far as their names are known
    about: Phrase | None = None  # the runs and files, who rated, and today


def decide(
    results: Sequence[Results],
    *,
    scorer: str | Path | None = None,
    metric: str | None = None,
    margin: float = RATING_MARGIN,
    names: Sequence[str] | None = None,
    ratings: str | Path | Sequence[str | Path] = (),
    seed: int = 0,
    looks: Looks = "counted",
) -> Decision:
    """Decides which of several versions raters like better: ship, keep, equivalent, or not settled.

    Answers are paired by id, else by question. Ratings are those of the samples, and of files.

    Args:
        results: One per version, the one in use today first.
        scorer: The file of a saved scorer, which decides.
        metric: The metric that decides. Without either: the only scorer, else the only metric beside the baselines.
        margin: The largest difference of mean ratings that does not matter, in points of the rating scale.
        names: What the versions are called; their runs' ids, or `A`, `B` and so on, if left out.
        ratings: Files of further ratings, whose rows name answers by text, or by id and version; or of preferences.
        seed: Seed of what is drawn.
        looks: `counted`: this is the only look at these results. `any`: the intervals hold however often you look while
            answers and ratings come in.

    Returns:
        The decision. `print(decision.sentence)` says it.

    Raises:
        UsageError: There are fewer than two versions, or nothing says which measure decides.
        InputError: A file cannot be read.

    Example:
        Thirty questions, which both versions answered; the new answer is rated one point higher, every third one two:

        >>> from assay import Sample, decide, evaluate
        >>> def answers(version, ratings):
        ...     return [Sample(id=f"{n}", user_input=f"Q{n}?", response=f"{version} {n}", rating=rating)
        ...             for n, rating in enumerate(ratings)]
        >>> old = evaluate(answers("old", [2, 3, 2] * 10), "token_overlap", progress=False)
        >>> new = evaluate(answers("new", [3, 4, 4] * 10), "token_overlap", progress=False)
        >>> print(decide([old, new], names=["old", "new"]).sentence)
        Ship new: ...
    """
    check_type("results", results, (list, tuple), "a list of results, one per version")
    for place, one in enumerate(results):
        check_type(f"results[{place}]", one, Results, "what `evaluate` returns, or `Results.from_store(...)`")
    if len(results) < 2:
        raise UsageError("results: a decision is between two versions or more; give the results of each")
    labels = list(names) if names is not None else _default_names(results)
    if len(labels) != len(results):
        raise UsageError(f"names: give one per version, {len(results)} and not {len(labels)}")
    sources = [replace(one, name=name) for one, name in zip(results, labels, strict=True)]
    options = VersionOptions(
        scorer=None if scorer is None else Path(scorer),
        metric=metric,
        ratings=tuple(map(Path, (ratings,) if isinstance(ratings, str | Path) else ratings)),
    )
    return decide_reading(_read(sources, None, options), margin=margin, seed=seed, looks=looks)


def _default_names(results: Sequence[Results]) -> list[str]:
    for place, one in enumerate(results):
        for earlier, other in enumerate(results[:place]):
            if one is other or (one.run and one.run == other.run):
                raise UsageError(
                    f"results[{place}]: is results[{earlier}] again; give two different results, or names for them"
                )
    runs = [one.run for one in results if one.run]
    if len(runs) == len(results):
        return runs
    return [_letter(place) for place in range(len(results))]


def _letter(place: int) -> str:
    return chr(ord("A") + place) if place < 26 else f"version {place + 1}"


def decide_reading(
    reading: VersionReading, *, margin: float = RATING_MARGIN, seed: int = 0, looks: Looks = "counted"
) -> Decision:
    """Decides between versions that were read; the notes of the reading are the last ones of the decision.

    With a store looks are counted: it keeps each, and the decision rests on all of them.
    """
    if not margin > 0:
        raise UsageError(f"margin {margin:g}: give a size above 0, in points of the rating scale")
    _check_preferences(reading)
    past: list[Look] | Literal["any"] = "any"
    if looks == "counted":
        past = read_looks(reading.database, reading.stored) if reading.database is not None else []
    decision = decide_versions(
        reading.table, reading.preferences, margin=margin, measure=reading.measure, seed=seed, looks=past
    )
    if reading.has_other_raters and decision.basis in ("ratings", "ratings and scores"):
        decision = decision.without_common_raters()
    if decision.look is not None:
        own = reading.measure if decision.basis == "ratings and scores" else ""
        before = (measure for look in past if isinstance(look, Look) for measure in look.measures)
        look = replace(decision.look, measures=(*dict.fromkeys(name for name in before if name != own), own))
        decision = replace(decision, look=look)
        if reading.database is not None:
            keep_look(reading.database, reading.stored, look)
    has_scores = not all(map(math.isnan, reading.table.scores.tolist()))
    is_unused = reading.asked and has_scores and decision.basis == "ratings"
    unused = [f"{reading.asked} is not used: the decision rests on ratings alone."] if is_unused else []
    return replace(decision, notes=(*unused, *decision.notes, *reading.notes))


def decide_by_default(
    database: "Database", a: AnswerTable, b: AnswerTable, level: "RatedLevel | None" = None
) -> Decision | str:
    """Decides between two runs, A and B, by ratings and the only measure there is; says why where it cannot."""
    try:
        options = VersionOptions(level=level, has_default=True)
        decision = decide_reading(read_two(database, a, b, options))
    except AssayError as error:
        return str(error)
    if (
        decision.verdict == "equivalent"
        and decision.basis.startswith("ratings")
        and not any(one.rated for one in decision.versions)
    ):
        return NOBODY_RATED  # the same answers, whose ratings would be the same
    return decision


def read_looks(database: "Database", versions: Mapping[str, str]) -> list[Look]:
    """Reads the looks at versions, the first one first.

    Args:
        database: That of the store.
        versions: By the name that each version has today, what it is called in the store: a run, or a part of one.
    """
    with explain_errors(database, "the looks at these versions cannot be read"):
        rows = database.execute(
            "SELECT look FROM decision_looks WHERE versions = ? ORDER BY number", (_key_of_versions(versions),)
        )
        records = [json.loads(row[0]) for row in rows.fetchall()]
    names = {stored: name for name, stored in versions.items()}
    looks = []
    for record in records:
        intervals: dict[tuple[str, str], Interval] = {}
        for first, second, *interval in record.pop("intervals"):
            low, high, near_low, near_high, p = interval
            intervals[names[first], names[second]] = low, high, near_low, near_high, p
            intervals[names[second], names[first]] = -high, -low, -near_high, -near_low, p
        looks.append(Look(**record, intervals=intervals))
    return looks


def keep_look(database: "Database", versions: Mapping[str, str], look: Look) -> None:
    """Keeps a look; one of the same number takes its place. A store that cannot be written to keeps none."""
    if database.is_read_only:
        return
    intervals = [[versions[first], versions[second], *ends] for (first, second), ends in look.intervals.items()]
    record, at = asdict(look) | {"intervals": intervals}, datetime.now(UTC).isoformat(timespec="seconds")
    with explain_errors(database, "the look at these versions cannot be kept"), database.transaction():
        database.execute(
            "INSERT INTO decision_looks (versions, number, at, look) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (versions, number) DO UPDATE SET at = excluded.at, look = excluded.look",
            (_key_of_versions(versions), look.number, at, json.dumps(record)),
        )


def keep_first_look(store: str | Path, reading: VersionReading, decision: Decision) -> Decision:
    """Keeps an early look where there was no store: it makes one, so that the next look at these answers is counted."""
    from ..store.store import Store

    if reading.database is not None or decision.look is None or decision.look.share == 1:
        return decision
    try:
        keep_look(Store(store).database, reading.stored, decision.look)
    except (AssayError, OSError) as error:
        return replace(decision, notes=(f"This look is not counted: {error}", *decision.notes))
    return decision


def _key_of_versions(versions: Mapping[str, str]) -> str:
    return json.dumps(sorted(versions.values()))


def _check_preferences(reading: VersionReading) -> None:
    """Raises where nothing but preferences could decide, and they are of too few groups of questions."""
    preferences, table = reading.preferences, reading.table
    if preferences is None or not all(map(math.isnan, (*table.ratings.tolist(), *table.scores.tolist()))):
        return
    groups, questions = len(set(preferences.group.tolist())), len(set(preferences.question.tolist()))
    if groups < FEWEST_GROUPS:
        of_groups = "" if groups == questions else f" in {count_of(groups, 'group')}"
        raise InputError(
            f"{reading.preferences_from or 'the rating page'}: preferences of {count_of(questions, 'question')}"
            f"{of_groups}, and no answer is rated or scored; {FEWEST_GROUPS} groups of questions are needed: "
            "compare the answers to more questions, rate some, or name a metric that scored them"
        )


def read_versions(store: "Store | None", names: Sequence[str], options: VersionOptions) -> VersionReading:
    """Reads versions from stored runs or sets."""
    if options.by and len(names) != 1:
        raise UsageError(f"--by {options.by}: parts one run into versions; name one run, or leave --by out")
    if not options.by and len(names) < 2:
        raise UsageError(
            "a decision is between two versions or more: name the run in use today and the new one (assay decide RUN_A "
            "RUN_B), or one run with several systems and the field that names them (--by system)"
        )
    sources, notes = read_sources(store, names, options.by, {**options.reading, "scale": options.scale})
    if options.has_letters and not options.by:
        _check_names([source.name for source in sources])
        own_names = {source.name for source in sources}
        sources = [
            replace(source, name=_letter(place))
            if source.run is not None and source.name == source.run and _letter(place) not in own_names
            else source
            for place, source in enumerate(sources)
        ]
    return _read(sources, store.database if store is not None else None, options, notes)


def read_two(database: "Database", a: AnswerTable, b: AnswerTable, options: VersionOptions) -> VersionReading:
    """Reads two runs, A and B, whose answers and scores were read already."""
    return _read([replace(a, name="A"), replace(b, name="B")], database, options)


def _read(
    sources: Sequence[AnswerTable], database: "Database | None", options: VersionOptions, notes: Sequence[str] = ()
) -> VersionReading:
    """Selects the answers at their level, pairs them, rates them and measures them."""
    versions, level, level_notes = _select_level(sources, database, options)
    answers, pairing_notes = _pair(versions, options)
    rated = _rate(sources, versions, answers, database, options)
    table, measure, measure_notes, fitted_notes = _measure(versions, answers, rated, options)
    by = options.by.partition("=")[0]
    runs = {source.name: source.run for source in sources if source.run is not None}
    stored = _names_in_store(sources, level, by)
    return VersionReading(
        table,
        tuple(answers),
        measure,
        (*notes, *level_notes, *pairing_notes, *measure_notes, *rated.notes, *fitted_notes),
        {} if options.by else runs,
        make_preference_table(rated.preferences, table, rated.questions) if rated.preferences else None,
        tuple(Path(name) for source in sources for name in source.sets)
        + options.ratings
        + (() if options.scorer is None else (options.scorer,)),
        ", ".join(map(str, rated.preference_files)),
        f"--scorer {options.scorer}" if options.scorer else f"--metric {options.metric}" if options.metric else "",
        database,
        stored,
        rated.ratings.unnamed,
        rated.ratings.has_other_raters,
        tuple(sorted({*rated.ratings.raters, *(one.rater for one in rated.preferences if one.rater)})),
        _describe_sources(sources, rated.ratings),
    )


def _describe_sources(sources: Sequence[AnswerTable], ratings: VersionRatings) -> Phrase:
    """The runs and files of the versions, how many answers are rated, and by whom."""
    listed = []
    for source in sources:
        files = ", ".join(place.rsplit("/", 1)[-1] for place in source.sets)
        run = describe_source(source.row) if source.row is not None else files
        is_named = run and run != source.name
        name = phrase("file", name=source.name)
        listed.append(phrase("version_of", version=source.name, source=run) if is_named else name)
    rated = sum(not math.isnan(mean) for mean in ratings.means)
    return describe_report(listed, rated=rated, raters=ratings.raters)


def _names_in_store(sources: Sequence[AnswerTable], level: "RatedLevel | None", by: str) -> dict[str, str]:
    """What looks at each version are kept under: its run, or of a file what its answers are, whatever it is called.

    Versions of the same answers are numbered, so that each is a version of its own.
    """
    names: dict[str, str] = {}
    count = Counter[str]()
    for source in sources:
        if source.run is not None:
            name = f"{source.run} {level or ''} {by}{f'={source.name}' if by else ''}".strip()
        else:
            answers = sorted(sample.fingerprint for sample in source.samples.values())
            name = f"answers {hashlib.sha256(''.join(answers).encode()).hexdigest()[:32]} {level or ''}".strip()
        count[name] += 1
        names[source.name] = name if count[name] == 1 else f"{name} ({count[name]})"
    return names


def _select_level(
    sources: Sequence[AnswerTable], database: "Database | None", options: VersionOptions
) -> tuple[list[AnswerTable], "RatedLevel | None", list[str]]:
    """The versions at the level that is compared, with all ratings of their answers; the level; and notes."""
    _check_names([source.name for source in sources])
    for source in sources:
        if not source.samples:
            raise UsageError(f"{source.name} has no answer")
    rated_tables, level, level_note = at_rated_level(database, sources, options.level)
    versions = [table.without_pair_ratings() for table in rated_tables]
    for version in versions:
        if not version.samples:
            raise UsageError(f"{version.name} has no {level or 'answer'}; leave --level out")
    notes = _describe_unfinished(sources) + ([f"The versions are {level_note}."] if level_note else [])
    return versions, level, notes


def _pair(versions: Sequence[AnswerTable], options: VersionOptions) -> tuple[list[PairedAnswer], list[str]]:
    """The answers that take part, and how they were paired."""
    answers, notes = pair_versions(versions, is_one_source=bool(options.by))
    names = [version.name for version in versions]
    return answers, [*notes, *_describe_same(names, answers), *_describe_empty(names, answers)]


@dataclass(frozen=True)
class _Judged:
    """What people said of the answers that take part."""

    ratings: VersionRatings
    preferences: list[Preference]
    questions: Mapping[str, tuple[int, ...]]  # the questions by what a preference may call them
    preference_files: list[Path]
    notes: tuple[str, ...]


def _rate(
    sources: Sequence[AnswerTable],
    versions: Sequence[AnswerTable],
    answers: Sequence[PairedAnswer],
    database: "Database | None",
    options: VersionOptions,
) -> _Judged:
    """The ratings and preferences of the answers: their own, those of the rating page, and those of files."""
    by = options.by.partition("=")[0]
    of_preferences = [file for file in options.ratings if is_preference_file(file)]
    questions = number_questions(answers, [version.name for version in versions])
    preferences, preference_notes = find_preferences(sources, database, of_preferences, questions, by)
    files = [file for file in options.ratings if file not in of_preferences]
    if not files and not preferences and options.scorer is None and options.metric is None:
        _check_pair_ratings(versions)
    ratings = rate_versions(versions, answers, database=database, files=files, scale=options.scale, by=by)
    notes = (*ratings.notes, *preference_notes)
    return _Judged(_with_agreed(ratings, answers), preferences, questions, of_preferences, notes)


def _measure(
    versions: Sequence[AnswerTable], answers: Sequence[PairedAnswer], rated: _Judged, options: VersionOptions
) -> tuple[VersionTable, str, list[str], list[str]]:
    """The table that is decided on, what decides, and notes: on the metrics, and on what does not count beside them."""
    ratings = rated.ratings
    measure = choose_measure(
        versions,
        scorer=options.scorer,
        metric=options.metric,
        rated_share=sum(not math.isnan(mean) for mean in ratings.means) / len(answers),
        has_preferences=bool(rated.preferences),
        problem=ratings.problem,
        has_default=options.has_default,
    )
    names = tuple(version.name for version in versions)
    means, has_scores, fitted_notes = _separate_fitted(names, answers, ratings, measure)
    score_scale = _find_score_scale(answers, measure)
    scale, scale_notes = _find_scale(ratings, measure, score_scale)
    others = [name for name in common_metrics(versions) if name != measure.name]
    table = VersionTable(
        versions=names,
        version=_numbers([answer.version for answer in answers]),
        question=_numbers([answer.question for answer in answers]),
        group=_numbers(number_groups(answers)),
        scores=_column(answers, measure.values if has_scores else ()),
        ratings=_array(means if not scale_notes else [math.nan] * len(answers)),
        text=_numbers([answer.text for answer in answers]),
        scale=scale,
        others={name: _column(answers, orient(versions, name)) for name in others},
        score_scale=score_scale,
    )
    notes = [*measure.notes, *_describe_missing(table.others)]
    return table, measure.name if has_scores else "", notes, [*fitted_notes, *scale_notes]


def _check_pair_ratings(versions: Sequence[AnswerTable]) -> None:
    """Raises where a version has no ratings but those of pairs: nobody rated its answers by themselves."""
    for version in versions:
        if not version.has_only_pair_ratings:
            continue
        raise InputError(
            f"{version.name}: its ratings say which of two answers is better, and a decision needs ratings of one "
            "answer or preferences between these versions (--ratings), or a measure (--metric NAME, --scorer FILE); "
            "what a judge of pairs is worth says `assay judges card MODEL --on SET`"
        )


def _describe_unfinished(sources: Sequence[AnswerTable]) -> list[str]:
    """Says which runs did not end: what they have so far takes part."""
    unfinished = {one.row.id: one.row.status for one in sources if one.row is not None and one.row.status != "done"}
    return [f"Run {run} is not done ({status}): what it has so far takes part." for run, status in unfinished.items()]


def _check_names(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise UsageError(
                f"{name} is named more than once; name two different runs, or give each a name of its own (A={name})"
            )


def _with_agreed(ratings: VersionRatings, answers: Sequence[PairedAnswer]) -> VersionRatings:
    """The ratings with what the team agreed on instead of its raters' mean: also of the same answer without ratings."""
    own = [
        agreed_rating(answer.sample) if (answer.sample.rating_min, answer.sample.rating_max) == ratings.scale else None
        for answer in answers
    ]
    agreed: dict[tuple[int, int], float] = {}
    for answer, rating in zip(answers, own, strict=True):
        if rating is not None:
            agreed.setdefault((answer.question, answer.text), rating)
    means = []
    for answer, rating, mean in zip(answers, own, ratings.means, strict=True):
        shared = None if ratings_by_rater(answer.sample) else agreed.get((answer.question, answer.text))
        means.append(next((value for value in (rating, shared) if value is not None), mean))
    return replace(ratings, means=tuple(means))


def _separate_fitted(
    names: Sequence[str], answers: Sequence[PairedAnswer], ratings: VersionRatings, measure: VersionMeasure
) -> tuple[list[float], bool, list[str]]:
    """Keeps apart ratings and a scorer that was fitted on them: how far it is off elsewhere, these do not say.

    Where all answers of a version are rated, its mean is theirs, and the scorer has no part in it. Elsewhere the
    ratings that it was fitted on do not count where others are left; else the ratings count, and the scores do not.

    Returns:
        The ratings that count, whether the scores do, and notes.
    """
    means, notes = list(ratings.means), list[str]()
    for version, name in enumerate(names if measure.fitted else ()):
        own = [place for place, answer in enumerate(answers) if answer.version == version]
        rated = [place for place in own if not math.isnan(means[place])]
        fitted = [place for place in rated if answers[place].sample.id in measure.fitted[version]]
        if not fitted or len(rated) == len(own):
            continue
        on = f"{measure.name} was fitted on {len(fitted):,} of the {count_of(len(rated), 'rated answer')} of {name}"
        if len({answers[place].question for place in rated} - {answers[place].question for place in fitted}) < (
            FEWEST_GROUPS
        ):
            return list(ratings.means), False, [f"{on}, and few others are rated: the scores do not count."]
        for place in fitted:
            means[place] = math.nan
        whose = verb_of(len(fitted), "whose rating does", "whose ratings do")
        notes.append(f"{on}, {whose} not count: its predictions repeat {verb_of(len(fitted), 'it', 'them')}.")
    return means, True, notes


def _find_scale(
    ratings: VersionRatings, measure: VersionMeasure, score_scale: tuple[float, float]
) -> tuple[tuple[float, float], list[str]]:
    """The scale of the ratings, else that of the scores; and what does not fit together."""
    if ratings.scale is None or measure.scale in {None, ratings.scale}:
        return ratings.scale or score_scale, []
    (low, high), (own_low, own_high) = ratings.scale, score_scale
    return score_scale, [
        f"The ratings ({low:g} to {high:g}) do not count: the scale of {measure.name} is {own_low:g} to {own_high:g}."
    ]


def _find_score_scale(answers: Sequence[PairedAnswer], measure: VersionMeasure) -> tuple[float, float]:
    """The scale of a scorer's predictions; of a metric 0 to 1, or what its values span."""
    if measure.scale is not None:
        return measure.scale
    values = [value for value in _column(answers, measure.values).tolist() if not math.isnan(value)]
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    if low >= -1 and high <= 0:
        return -1.0, 0.0
    return low, high if high > low else low + 1


def _describe_same(names: Sequence[str], answers: Sequence[PairedAnswer]) -> list[str]:
    """Says which versions gave the same answers to all questions."""
    texts: list[dict[int, set[int]]] = [{} for _ in names]
    for answer in answers:
        texts[answer.version].setdefault(answer.question, set()).add(answer.text)
    return [
        f"{names[one]} and {names[other]} gave the same answers."
        for one, other in combinations(range(len(texts)), 2)
        if texts[one] == texts[other]
    ]


def _describe_empty(names: Sequence[str], answers: Sequence[PairedAnswer]) -> list[str]:
    """Says how many answers have no text: nothing was said, or nothing was recorded."""
    empty = Counter(names[answer.version] for answer in answers if not _own_text(answer.sample).strip())
    if not empty:
        return []
    listed = ", ".join(f"{count:,} of {name}" for name, count in empty.items())
    is_empty = verb_of(empty.total(), "is empty, and counts", "are empty, and count")
    return [f"{count_of(empty.total(), 'answer')} {is_empty} as any other: {listed}."]


def _describe_missing(others: Mapping[str, "Floats"]) -> list[str]:
    """Says which of the metrics that are shown beside have no value of some answers."""
    counts = {name: sum(map(math.isnan, column.tolist())) for name, column in others.items()}
    missing = [f"{name} of {count_of(count, 'answer')}" for name, count in counts.items() if count]
    if not missing:
        return []
    return [f"In the other metrics the mean stands in for what has no value: {list_first(missing)}."]


def list_next(reading: VersionReading, most: int, seed: int = 0) -> list[list[Sample]]:
    """Lists what to rate next: questions whose answers differ, are not all rated and not all compared, drawn at random.

    Of unpaired versions it is so many of each version.

    Returns:
        By question its unrated answers, each text once; and those that nobody who is named rated, since ratings of
        other raters can be compared only where they rated these too. The group of each is a number of the draw, which
        answers to one question share and which does not say whose they are.
    """
    group_of = dict(zip(reading.table.question.tolist(), reading.table.group.tolist(), strict=True))
    questions: dict[int, dict[int, PairedAnswer]] = {}
    rated: set[tuple[int, int]] = set()
    counts_rated = not reading.has_other_raters  # else the same people are to rate the answers of all versions
    by_version: dict[int, dict[int, set[int]]] = {}
    for answer, rating in zip(reading.answers, reading.table.ratings.tolist(), strict=True):
        questions.setdefault(answer.question, {}).setdefault(answer.text, answer)
        by_version.setdefault(answer.question, {}).setdefault(answer.version, set()).add(answer.text)
        if counts_rated and not math.isnan(rating):
            rated.add((answer.question, answer.text))
    compared = _find_compared(reading.preferences)
    counts = Counter(version for answered in by_version.values() for version in answered)
    shared = sum(len(answered) > 1 for answered in by_version.values())
    is_paired = shared > 0 and shared >= ENOUGH_PAIRED * min(counts.values())
    named = rated - reading.unnamed
    candidates = {
        question: [answer.sample for text, answer in texts.items() if (question, text) not in named]
        for question, texts in questions.items()
        if any((question, text) not in rated for text in texts)
        and not by_version[question].keys() <= compared.get(question, set())
        and (len(set(map(frozenset, by_version[question].values()))) > 1 or not is_paired)
    }
    draw = random.Random(seed)
    chosen = draw.sample(list(candidates), min(most, len(candidates)) if is_paired else len(candidates))
    drawn, numbers = Counter[int](), dict[int, int]()
    to_rate = []
    for question in chosen:
        if is_paired or any(drawn[version] < most for version in by_version[question]):  # unpaired: so many of each
            drawn.update(by_version[question].keys())
            group = f"group-{numbers.setdefault(group_of[question], len(numbers) + 1)}"
            to_rate.append([sample.model_copy(update={"group": group}) for sample in candidates[question]])
    return to_rate


def _find_compared(preferences: PreferenceTable | None) -> dict[int, set[int]]:
    """By question the versions that people compared with another."""
    compared: dict[int, set[int]] = {}
    if preferences is not None:
        columns = (preferences.question, preferences.first, preferences.second)
        for question, first, second in zip(*(column.tolist() for column in columns), strict=True):
            compared.setdefault(question, set()).update((first, second))
    return compared


def rating_set(to_rate: Sequence[Sequence[Sample]], seed: int = 0) -> list[Sample]:
    """Makes a set for raters of answers that `list_next` listed: shuffled; nothing in it says whose answer is whose.

    Its ratings find their answers by question and answer (`--ratings FILE`).
    """
    samples = [sample for answers in to_rate for sample in answers]
    random.Random(seed).shuffle(samples)
    unrated: dict[str, Any] = {"rating": None, "ratings": {}, "metadata": {}}
    return [sample.model_copy(update={"id": f"answer-{number}"} | unrated) for number, sample in enumerate(samples, 1)]


def decided_as_json(decision: Decision, to_rate: Sequence[Sequence[Sample]] = ()) -> dict[str, Any]:
    """Returns what `assay decide --json` prints."""
    return decision_as_json(decision) | {"next": [[sample.id for sample in answers] for answers in to_rate]}


def _numbers(numbers: Sequence[int]) -> "Places":
    import numpy as np

    return np.array(numbers, dtype=np.intp)


def _array(numbers: Sequence[float]) -> "Floats":
    import numpy as np

    return np.array(numbers, dtype=float)


def _column(answers: Sequence[PairedAnswer], values: Sequence[Mapping[str, float]]) -> "Floats":
    return _array(list_values(answers, values) if values else [math.nan] * len(answers))


def _own_text(sample: Sample) -> str:
    """What the chatbot wrote: the answer, and of a whole conversation all of them."""
    if not sample.messages or is_turn(sample):
        return sample.response
    return "\n\n".join(message.text for message in sample.messages if message.is_answer)
