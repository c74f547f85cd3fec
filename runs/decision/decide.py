"""Which of several versions raters like better: of stored runs, of sets, within one run, or of results in memory."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Literal

import numpy as np

from ...errors import AssayError, InputError, UsageError
from ...meta_eval.comparison import RATING_MARGIN
from ...meta_eval.decision import (
    Decision,
    NothingRatedError,
    compare_by_metrics,
    decide_versions,
    leave_unsettled,
)
from ...meta_eval.groups import FEWEST_GROUPS
from ...meta_eval.randomisation import labels_above_zero
from ...meta_eval.sequence import ERROR, Interval, Look
from ...presentation.figure import Figure
from ...presentation.texts import one_line
from ...text.wording import count_of
from ...value_messages import check_type
from ..answers.table import AnswerTable, check_one_answer, read_sources
from ..show.results import Results
from ..store.database import explain_errors
from .compare import NOBODY_RATED
from .version_ratings import rate_versions
from .versions import (
    VersionOptions,
    VersionReading,
    check_names,
    measure_versions,
    pair_answers,
    same_versions,
    select_level,
)

if TYPE_CHECKING:
    from ...eval_sets.levels import RatedLevel
    from ..store.database import Database
    from ..store.store import Store

Looks = Literal["counted", "any"]
"""Whether looks at versions are counted, or any number of them is allowed for."""
NOT_COUNTED = "This look is not counted, since the store can only be read: a later one does not know of it."
__all__ = [
    "Looks",
    "VersionOptions",
    "VersionReading",
    "decide",
    "decide_reading",
    "keep_first_look",
    "read_versions",
]


def decide(
    results: Sequence[Results],
    *,
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
        metric: The metric that decides, or `scorer:FILE`. Without one: the only scorer, else the only metric beside
            the baselines.
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
    check_one_answer(results)
    if len(results) < 2:
        raise UsageError("results: a decision is between two versions or more; give the results of each")
    labels = list(names) if names is not None else _default_names(results)
    if len(labels) != len(results):
        raise UsageError(f"names: give one per version, {len(results)} and not {len(labels)}")
    sources = [replace(one, name=name) for one, name in zip(results, labels, strict=True)]
    options = VersionOptions(
        metric=metric,
        ratings=tuple(map(Path, (ratings,) if isinstance(ratings, str | Path) else ratings)),
    )
    return decide_reading(_read(VersionReading(tuple(sources), options)), margin=margin, seed=seed, looks=looks)


def _default_names(results: Sequence[Results]) -> list[str]:
    runs = [one.run for one in results if one.run]
    return runs if len(runs) == len(results) else [_letter(place) for place in range(len(results))]


def _letter(place: int) -> str:
    return chr(ord("A") + place) if place < 26 else f"version {place + 1}"


def decide_reading(
    reading: VersionReading, *, margin: float = RATING_MARGIN, seed: int = 0, looks: Looks = "counted"
) -> Decision:
    """Decides between versions that were read; the notes of the reading are the last ones of the decision.

    With a store looks are counted: it keeps each, and the decision rests on all of them. Where nothing is rated or
    scored, nothing is settled.
    """
    if not margin > 0:
        raise UsageError(f"margin {margin:g}: give a size above 0, in points of the rating scale")
    try:
        return _decide_rated(reading, margin=margin, seed=seed, looks=looks)
    except NothingRatedError as error:
        problem = str(error)
        decision = leave_unsettled(reading.table, margin, problem[:1].upper() + problem[1:])
        return replace(decision, notes=(*decision.notes, *reading.notes))


def _decide_rated(reading: VersionReading, *, margin: float, seed: int, looks: Looks) -> Decision:
    """Decides where something is rated or scored; else raises `NothingRatedError`."""
    _check_judged_alike(reading)
    _check_preferences(reading)
    past: list[Look] | Literal["any"] = "any"
    if looks == "counted":
        past = read_looks(reading.database, reading.stored) if reading.database is not None else []
    decision = decide_versions(
        reading.table,
        reading.preferences,
        margin=margin,
        measure=reading.measure,
        seed=seed,
        looks=past,
        said=reading.said,
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
            if reading.database.is_read_only and look.number > len(past):
                decision = replace(decision, notes=(NOT_COUNTED, *decision.notes))
    has_scores = any(answer.score is not None for answer in reading.answers)
    is_unused = reading.options.asked and has_scores and decision.basis == "ratings"
    unused = [f"{reading.options.asked} is not used: the decision rests on ratings alone."] if is_unused else []
    return replace(
        decision, notes=(*_describe_worse_topics(reading, decision), *unused, *decision.notes, *reading.notes)
    )


def _describe_worse_topics(reading: VersionReading, decision: Decision) -> list[str]:
    """Says on which topics, message types or groups a version does worse beyond chance: of two that differ, the winner.

    What is tested are the gaps between the mean ratings of each question, or between the choices, at 5% over the kinds
    of labels and the versions that are asked about (`labels_above_zero`).
    """
    row = decision.deciding
    if decision.basis == "scores" or row.difference is None:
        return []
    gaps = _gaps_by_question(reading, decision, row.first, row.second)
    is_decided = decision.verdict in ("ship", "keep")
    turns = [sign for sign in (1, -1) if not is_decided or sign * row.difference > 0]
    label_of = {answer.question: answer for answer in reading.answers if answer.question in gaps}
    notes, fields = list[str](), {"topic": "topic", "message_type": "message type", "group": "group"}
    is_chosen = decision.basis == "preferences"
    does = "is chosen less than" if is_chosen else "is rated lower than"
    for kind, words in fields.items():
        labels = {
            question: str(label)
            for question, answer in label_of.items()
            if (label := getattr(answer.sample, kind, None) or answer.sample.metadata.get(kind))
        }
        units = [question if kind == "group" else label_of[question].group for question in labels]
        for sign in turns:
            worse, other = (row.second, row.first) if sign > 0 else (row.first, row.second)
            lost = -sign * np.array([gaps[question] for question in labels])
            error = ERROR / len(fields) / len(turns)
            for label, gap, size in labels_above_zero(lost, [*labels.values()], units, error=error):
                where = f"{words} {one_line(label, 60)}: by {Figure('share' if is_chosen else 'mean', gap)}"
                notes.append(f"{worse} {does} {other} on {where} on {count_of(size, 'question')}.")
    return notes


def _gaps_by_question(reading: VersionReading, decision: Decision, first: str, second: str) -> dict[int, float]:
    """How much higher the second version is rated than the first by question, or by how many more choices it wins."""
    pair = [reading.names.index(name) for name in (first, second)]
    sides: dict[int, tuple[list[float], list[float]]] = {}
    if decision.basis == "preferences" and (made := reading.preferences) is not None:
        for place, version in enumerate(pair):
            choices = np.zeros(len(made.question)) if not version else made.choices_of(version)
            for question, choice in zip(made.question.tolist(), choices.tolist(), strict=True):
                if not math.isnan(choice):
                    sides.setdefault(question, ([], []))[place].append(choice)
    else:
        for answer in reading.answers:
            if answer.rating is not None and answer.version in pair:
                sides.setdefault(answer.question, ([], []))[pair.index(answer.version)].append(answer.rating)
    return {question: fmean(two) - fmean(one) for question, (one, two) in sides.items() if one and two}


def _check_judged_alike(reading: VersionReading) -> None:
    """Raises where all versions gave the same answers, and these are scored otherwise: no versions are compared."""
    if len(same_versions(reading.names, reading.answers)) < math.comb(len(reading.names), 2):
        return
    scores = {reading.measure: reading.table.scores} if reading.measure else {}
    columns = replace(reading.table, others={**scores, **reading.table.others})
    other = next((one for one in compare_by_metrics(columns) if not one.is_zero), None)
    if other is not None:
        raise UsageError(
            f"{' and '.join(reading.names)} gave the same answers, which were judged otherwise: {other.metric} is "
            f"{other.mean_a:.2f} on average in {other.first} and {other.mean_b:.2f} in {other.second}. That is no "
            "comparison of versions. Which judge is better: assay judges compare; which prompt: assay judges prompts "
            "try"
        )


def decide_by_default(
    database: "Database", a: AnswerTable, b: AnswerTable, level: "RatedLevel | None" = None
) -> tuple[Decision | str, VersionReading | None]:
    """Decides between two runs, A and B, by ratings and the only measure there is; says why where it cannot."""
    reading = None
    try:
        sources = (replace(a, name="A"), replace(b, name="B"))
        reading = _read(VersionReading(sources, VersionOptions(level=level, has_default=True), database=database))
        decision = _decide_rated(reading, margin=RATING_MARGIN, seed=0, looks="counted")
    except AssayError as error:
        return str(error), reading
    if (
        decision.verdict == "equivalent"
        and decision.basis.startswith("ratings")
        and not any(one.rated for one in decision.versions)
    ):
        return NOBODY_RATED, reading  # the same answers, whose ratings would be the same
    return decision, reading


def read_looks(database: "Database", versions: Mapping[str, str]) -> list[Look]:
    """Reads the looks at versions, the first one first.

    Args:
        database: That of the store.
        versions: By the name that each version has today, what it is called in the store: a run, or a part of one.
    """
    with explain_errors(database, "the looks at these versions cannot be read"):
        compared = _versions_compared(database, versions)
        rows = database.execute(
            "SELECT look FROM decision_looks WHERE versions = ? ORDER BY number", (json.dumps(compared),)
        )
        records = [json.loads(row[0]) for row in rows.fetchall()]
    names = {stored: name for name, stored in versions.items()}
    looks = []
    for record in records:
        record["rated"] = round(record["rated"] * math.comb(len(versions), 2) / math.comb(len(compared), 2), 3)
        intervals: dict[tuple[str, str], Interval] = {}
        values: dict[tuple[str, str], float] = {}
        for first, second, low, high, near_low, near_high, p, *value in record.pop("intervals"):
            if first not in names or second not in names:
                continue  # a version that is left out today
            pair, turned = (names[first], names[second]), (names[second], names[first])
            intervals[pair], intervals[turned] = (
                (low, high, near_low, near_high, p),
                (-high, -low, -near_high, -near_low, p),
            )
            values[pair] = value[0] if value else (low + high) / 2  # an earlier version kept none: it is the middle
            values[turned] = -values[pair]
        looks.append(Look(**record, intervals=intervals, values=values))
    return looks


def keep_look(database: "Database", versions: Mapping[str, str], look: Look) -> None:
    """Keeps a look; one of the same number takes its place. A store that cannot be written to keeps none."""
    if database.is_read_only:
        return
    intervals = [
        [versions[first], versions[second], *ends, look.values[first, second]]
        for (first, second), ends in look.intervals.items()
    ]
    at = datetime.now(UTC).isoformat(timespec="seconds")
    with explain_errors(database, "the look at these versions cannot be kept"), database.transaction():
        compared = _versions_compared(database, versions)
        rated = look.rated * math.comb(len(compared), 2) / math.comb(len(versions), 2)  # as if of all their pairs
        record = {name: value for name, value in asdict(look).items() if name != "values"}
        record |= {"intervals": intervals, "rated": rated}
        database.execute(
            "INSERT INTO decision_looks (versions, number, at, look) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (versions, number) DO UPDATE SET look = excluded.look",
            (json.dumps(compared), look.number, at, json.dumps(record)),
        )


def keep_first_look(store: str | Path, reading: VersionReading, decision: Decision) -> Decision:
    """Keeps a look where there was no store, in a new one: other ratings may come, other files, or fewer versions."""
    from ..store.store import Store

    if reading.database is not None or decision.look is None:
        return decision
    try:
        keep_look(Store(store).database, reading.stored, decision.look)
    except (AssayError, OSError) as error:
        return replace(decision, notes=(f"This look is not counted: {error}", *decision.notes))
    return decision


def _versions_compared(database: "Database", versions: Mapping[str, str]) -> list[str]:
    """The versions whose looks these count with: themselves, or more that were looked at first, all together.

    Who leaves a version out after a look decides nothing new: 5% each time were 9% winners of equal versions in two
    looks. One version more is a new decision.
    """
    own = sorted(versions.values())
    rows = database.execute("SELECT versions FROM decision_looks WHERE number = 1 ORDER BY at, versions").fetchall()
    known: list[list[str]] = [json.loads(row[0]) for row in rows]
    return own if own in known else next((every for every in known if set(own) <= set(every)), own)


def _check_preferences(reading: VersionReading) -> None:
    """Raises where nothing but preferences could decide, and they are of too few groups of questions."""
    preferences, answers = reading.preferences, reading.answers
    if preferences is None or any(answer.rating is not None or answer.score is not None for answer in answers):
        return
    groups, questions = len(set(preferences.group.tolist())), len(set(preferences.question.tolist()))
    if groups < FEWEST_GROUPS:
        of_groups = "" if groups == questions else f" in {count_of(groups, 'group')}"
        files = ", ".join(map(str, reading.options.ratings)) or "the rating page"
        raise InputError(
            f"{files}: preferences of {count_of(questions, 'question')}{of_groups}, and no answer is rated or scored; "
            f"{FEWEST_GROUPS} groups of questions are needed: compare the answers to more questions, rate some, or "
            "name a metric that scored them"
        )


def read_versions(store: "Store | None", names: Sequence[str], options: VersionOptions) -> VersionReading:
    """Reads versions from stored runs or sets."""
    sources, notes = read_sources(store, names, options.by, {**options.reading, "scale": options.scale})
    letters: set[str] = set()
    if options.has_letters and not options.by:
        check_names([source.name for source in sources])
        own_names = {source.name for source in sources}
        for place, source in enumerate(sources):
            letter = _letter(place)
            if source.run is not None and source.name == source.run and letter not in own_names:
                sources[place] = replace(source, name=letter)
                letters.add(letter)
    database = store.database if store is not None else None
    return _read(VersionReading(tuple(sources), options, frozenset(letters), database, tuple(notes)))


def _read(sources: VersionReading) -> VersionReading:
    """Selects the answers at their level, pairs them, rates them and measures them."""
    return measure_versions(rate_versions(pair_answers(select_level(sources))))
