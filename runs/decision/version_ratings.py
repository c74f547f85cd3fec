"""What people said of the answers of several versions: a mean rating each, by raters who saw all; and choices."""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...errors import InputError
from ...eval_sets.column_table import NAMES
from ...eval_sets.items import (
    RATER,
    Item,
    ItemMatcher,
    has_other_answer,
    item_of,
    read_version,
    versioned_id,
)
from ...eval_sets.preference import Choice, Preference
from ...eval_sets.preference_reading import is_preference_file, read_preferences
from ...eval_sets.rows import Row
from ...eval_sets.sample import FILE
from ...eval_sets.score_columns import ReadOptions
from ...eval_sets.score_files import find_scale, read_ratings
from ...eval_sets.sources import flat_rows
from ...text.wording import count_of, list_first, verb_of
from ..answers.pairing import PairedAnswer
from ..answers.rating_join import (
    agreed_rating,
    merge_spellings,
    rater_key,
    ratings_by_rater,
)
from ..answers.table import AnswerTable
from ..ratings.answer_pair import ComparedVersion
from ..ratings.judgement import queue_ids
from ..ratings.rating_progress import SAME_ANSWER, queue_choices
from ..ratings.rating_queue import RatingQueue
from ..store.database import Database
from .versions import Scale, VersionOptions, VersionReading, number_questions

_VERSION_COLUMNS = tuple(dict.fromkeys(("version", "system", "run", *NAMES["version"])))
_OwnRatings = dict[tuple[int, str], dict[str, float]]  # by version and answer, then by rater


@dataclass(frozen=True, slots=True)
class RatedText:
    """The ratings of one answer, which one version gave, or several gave alike."""

    question: Hashable
    versions: frozenset[int]
    ratings: Mapping[str, float] = field(default_factory=dict)  # its ratings by rater


def find_common_raters(answers: Sequence[RatedText], versions: Collection[int]) -> frozenset[str]:
    """Finds the raters who rated answers of every version.

    A strict rater who saw only one version's answers says nothing of how versions differ; nor does an answer
    that all versions gave, where they gave others too.
    """
    raters = {version: set[str]() for version in versions}
    differing = [answer for answer in answers if not answer.versions >= set(versions)]
    for answer in differing or answers:
        for version in answer.versions & raters.keys():
            raters[version] |= answer.ratings.keys()
    return frozenset(set.intersection(*raters.values())) if raters else frozenset()


def comparable_ratings(answers: Sequence[RatedText], raters: Collection[str]) -> list[dict[str, float]]:
    """Returns the ratings of each answer that count.

    Of a question that is rated in several versions only those raters count who rated most of its answers, two or more:
    of two answers those who rated both.
    """
    by_question = defaultdict[Hashable, list[int]](list)
    for place, answer in enumerate(answers):
        if answer.ratings.keys() & set(raters):
            by_question[answer.question].append(place)
    kept: list[dict[str, float]] = [{} for _ in answers]
    for places in by_question.values():
        who = _raters_of_most(places, answers, raters)
        for place in places:
            kept[place] = {rater: value for rater, value in answers[place].ratings.items() if rater in who}
    return kept


def _raters_of_most(places: Sequence[int], answers: Sequence[RatedText], raters: Collection[str]) -> Collection[str]:
    """The raters who rated most versions of a question; all where one version alone is rated."""
    if len({answers[place].versions for place in places}) < 2:
        return raters
    rated = defaultdict[str, set[frozenset[int]]](set)
    for place in places:
        for rater in answers[place].ratings.keys() & set(raters):
            rated[rater].add(answers[place].versions)
    most = min(rated.values(), key=lambda theirs: (-len(theirs), sorted(map(sorted, theirs))))
    return {rater for rater, theirs in rated.items() if theirs == most} if len(most) > 1 else ()


def rate_versions(reading: VersionReading) -> VersionReading:
    """Adds what people said of the answers: ratings, those that can be compared averaged, and choices between two.

    Ratings are those that the samples came with, those of the rating page, and those of files. Only raters count who
    rated answers of every version (`find_common_raters`), and to one question those who rated most of its answers;
    where that leaves no two versions with ratings, all count, but where all are named they decide nothing
    (`has_other_raters`).
    """
    versions, answers, options = reading.versions, reading.answers, reading.options
    of_choices = [file for file in options.ratings if is_preference_file(file, sheet=options.reading.get("sheet"))]
    choices, choice_notes = find_preferences(reading, of_choices)
    reading = replace(reading, choices=choices)
    files = [file for file in options.ratings if file not in of_choices]
    notes = [f"{version.name}, {version.rating_note}." for version in versions if version.rating_note]
    by_answer, scale = _own_ratings(answers)
    for file in files:
        of_file, file_scale, file_notes = _read_file(file, versions, scale, options)
        if scale is not None and file_scale != scale:
            if file is not files[0]:  # both were named
                (low, high), (file_low, file_high) = scale, file_scale
                raise InputError(
                    f"{file}: its ratings are on {file_low:g} to {file_high:g}, and those of {files[0]} on {low:g} to "
                    f"{high:g}; bring them to one scale"
                )
            others = count_of(sum(map(len, by_answer.values())), "rating does", "ratings do")
            notes.append(f"{others} not count beside those of {file}, being on another scale.")
            by_answer = {}
        for key, ratings in of_file.items():
            by_answer[key] = by_answer.get(key, {}) | ratings
        scale = file_scale
        notes += file_notes
    if not any(by_answer.values()):
        return replace(reading, notes=(*reading.notes, *notes, *choice_notes))
    by_answer = merge_spellings(by_answer)
    counted, rater_notes, has_other_raters = _count_ratings(answers, by_answer, range(len(versions)))
    answers = _with_agreed(answers, [_mean(ratings) for ratings in counted], scale)
    notes += [*rater_notes, *choice_notes]
    return replace(
        reading,
        answers=answers,
        rated=sum(answer.rating is not None for answer in answers),
        rating_scale=scale,
        notes=(*reading.notes, *notes),
        raters=tuple(sorted({rater for ratings in by_answer.values() for rater in ratings} - {FILE})),
        has_other_raters=has_other_raters,
    )


def _with_agreed(
    answers: Sequence[PairedAnswer], means: Sequence[float | None], scale: Scale | None
) -> tuple[PairedAnswer, ...]:
    """The answers with their means, or what the team agreed on: also of the same answer without ratings."""
    own = [
        agreed_rating(answer.sample) if (answer.sample.rating_min, answer.sample.rating_max) == scale else None
        for answer in answers
    ]
    agreed: dict[tuple[int, int], float] = {}
    for answer, rating in zip(answers, own, strict=True):
        if rating is not None:
            agreed.setdefault((answer.question, answer.text), rating)
    rated = []
    for answer, rating, mean in zip(answers, own, means, strict=True):
        shared = None if ratings_by_rater(answer.sample) else agreed.get((answer.question, answer.text))
        counts = next((value for value in (rating, shared, mean) if value is not None), None)
        rated.append(replace(answer, rating=counts))
    return tuple(rated)


def _own_ratings(answers: Sequence[PairedAnswer]) -> tuple[_OwnRatings, Scale | None]:
    """The ratings that came with the answers, and their scale."""
    ratings: _OwnRatings = {}
    scales: dict[Scale, int] = {}
    for answer in answers:
        if of_answer := ratings_by_rater(answer.sample):
            ratings[answer.version, answer.sample.id] = of_answer
            scale = answer.sample.rating_min, answer.sample.rating_max
            scales[scale] = scales.get(scale, 0) + 1
    if len(scales) > 1:
        listed = " and ".join(f"{count:,} on {low:g} to {high:g}" for (low, high), count in scales.items())
        raise InputError(f"the answers are rated on different scales, {listed}; bring them to one scale")
    return ratings, next(iter(scales), None)


def _count_ratings(
    answers: Sequence[PairedAnswer], by_answer: _OwnRatings, versions: range
) -> tuple[Sequence[Mapping[str, float]], list[str], bool]:
    """The ratings of each answer that count.

    One without any has those of the same answer of other versions. Where the ratings of one text differ between
    versions each counts for its own: the mean of a version is that of its own ratings.

    Returns:
        The ratings, notes, and whether they decide nothing (`VersionReading.has_other_raters`).
    """
    given = [by_answer.get((answer.version, answer.sample.id), {}) for answer in answers]
    texts = defaultdict[tuple[int, int], list[int]](list)
    for place, answer in enumerate(answers):
        texts[answer.question, answer.text].append(place)
    joined: list[RatedText] = []
    rated = [
        RatedText(answer.question, frozenset({answer.version}), own) for answer, own in zip(answers, given, strict=True)
    ]
    for (question, _), places in texts.items():
        by_rater = defaultdict[str, list[float]](list)
        for rater, rating in (one for place in places for one in given[place].items()):
            by_rater[rater].append(rating)
        means = {rater: sum(values) / len(values) for rater, values in by_rater.items()}
        joined.append(RatedText(question, frozenset(answers[place].version for place in places), means))
        for place in places:
            rated[place] = rated[place] if given[place] else replace(rated[place], ratings=means)
    everyone = {rater for answer in rated for rater in answer.ratings}
    is_rated = {version for answer in rated if answer.ratings for version in answer.versions}
    may_differ = FILE not in everyone and len(is_rated) > 1
    if not (common := find_common_raters(joined, versions)):
        by_rater_note = "no rater rated answers of every version, and how strict they are may differ"
        note = [f"All ratings count: {by_rater_note}."] if len(everyone) > 1 and not may_differ else []
        return [answer.ratings for answer in rated], note, may_differ
    kept = comparable_ratings(rated, common)
    if may_differ and len({answer.version for answer, own in zip(answers, kept, strict=True) if own}) < 2:
        return [answer.ratings for answer in rated], [], True  # each question has other raters for each version
    notes = []
    if left_out := sum(len(own.keys() - counted) for own, counted in zip(given, kept, strict=True)):
        notes.append(
            f"{count_of(left_out, 'rating')} {verb_of(left_out, 'is', 'are')} left out: only raters count who rated "
            f"answers of every version ({list_first(sorted(common), 5)}), and to one question those who rated most of "
            "its answers."
        )
    return kept, notes, False


def _mean(ratings: Mapping[str, float]) -> float | None:
    return sum(ratings.values()) / len(ratings) if ratings else None


def _read_file(
    file: Path, versions: Sequence[AnswerTable], own_scale: Scale | None, options: VersionOptions
) -> tuple[_OwnRatings, Scale, list[str]]:
    """The ratings of a file, by version and answer; of a row without a version all that have its text."""
    reading, by = options.reading, options.version_field
    rows = flat_rows(file, reading.get("sheet"), reading.get("header_row"))
    names = [version.name for version in versions]
    by_label = {version.run: version.name for version in versions if version.run and not by}
    by_label |= {name: name for name in names}
    column = _find_version_column(rows, by_label, by)
    whose = f"say whose is rated in a column `version` ({list_first(names)}), or write the answer in `response`"
    of_file = ReadOptions(scale=options.scale, versions=column or None)
    source = read_ratings(rows, str(file), of_file, repeated="keep one of them" if column else whose)
    scale, scale_notes = find_scale(source, own_scale)
    notes = [f"{note}." for note in (*source.notes, *scale_notes)]
    ratings: _OwnRatings = {}
    matchers = [ItemMatcher(map(item_of, version.samples.values())) for version in versions]
    unmatched, others = 0, Counter[str]()
    for number, item in enumerate(source.items):
        of_item = {
            FILE if rater == RATER else rater: column_of_rater[number]
            for rater, column_of_rater in source.columns.items()
            if number in column_of_rater
        }
        label = item.label(column) if column else ""
        if label and label not in by_label:
            others[label] += 1
        elif of_item:
            name = by_label.get(label, "")
            within = [place for place, version in enumerate(versions) if not name or version.name == name]
            matches = _find(item, within, matchers, versions, file=str(file), whose=whose)
            unmatched += not matches
            for version, sample in matches:
                ratings[version, sample] = ratings.get((version, sample), {}) | of_item
    if others:
        count, listed = others.total(), list_first(sorted(others), 5)
        notes.append(f"{file}: {count_of(count, 'row')} of {listed} {verb_of(count, 'is', 'are')} left out.")
    if not ratings:
        raise InputError(
            f"{file}: none of its ratings is of an answer of {list_first(names)}; rows name answers by question and "
            f"answer, or by id and version: {whose}"
        )
    if unmatched:
        verb = verb_of(unmatched, "is", "are")
        notes.append(f"{file}: {count_of(unmatched, 'rated row')} {verb} of no answer of these versions.")
    return ratings, scale, notes


def _find_version_column(rows: Sequence[Row], by_label: Collection[str], by: str) -> str:
    """The column whose cells name these versions; "" where none does."""
    for column in filter(None, (by, *_VERSION_COLUMNS)):
        if any(read_version(row.values, column) in by_label for row in rows):
            return column
    return ""


def _find(
    item: Item,
    within: Sequence[int],
    matchers: Sequence[ItemMatcher],
    versions: Sequence[AnswerTable],
    *,
    file: str,
    whose: str,
) -> list[tuple[int, str]]:
    """The answers that a row is of: several only where they have its text."""
    matches = []
    name = item.question or item.id
    for version in within:
        own = versioned_id(name, versions[version].name)  # where the row has the id that several versions share
        try:
            known = replace(item, id=own if own in versions[version].samples else name)
            number = matchers[version].find(known)
        except InputError as error:
            raise InputError(f"{file}, {error}") from None
        if number is not None and not has_other_answer(matchers[version].items[number], item):
            matches.append((version, matchers[version].items[number].id))
    if len(matches) > 1 and not item.response:
        answers = {versions[version].samples[sample].response for version, sample in matches}
        if len(answers) > 1:
            listed = " and ".join(versions[version].name for version, _ in matches)
            raise InputError(
                f"{file}, {item.place}: {name or item.user_input[:60]!r} is an answer of {listed}; {whose}"
            )
    return matches


_SWAPPED: dict[Choice, Choice] = {"first": "second", "tie": "tie", "second": "first"}


def find_preferences(reading: VersionReading, files: Sequence[Path]) -> tuple[tuple[Preference, ...], tuple[str, ...]]:
    """Finds the preferences between versions, and says where they are from.

    Of the choices of one rater between the same answers those count that are newest: those of the rating page, as what
    is exported from it is never newer, else those of the file that is named last.
    """
    if not files and (reading.database is None or not queue_ids(reading.database, has_pairs=True)):
        return (), ()
    sources, by, questions = reading.sources, reading.options.version_field, number_questions(reading)
    names = {source.name: source.name for source in sources}
    if not by:
        names |= {source.run: source.name for source in sources if source.run is not None}
    places, notes = list[tuple[str, list[Preference]]](), list[str]()  # the newest last
    # questions that not every version answered are these versions' too
    known_questions = questions.keys() | {name for source in sources for name in source.samples}
    sheet = reading.options.reading.get("sheet")
    for file in dict.fromkeys(files):
        rows = read_preferences(file, versions=tuple(names), questions=known_questions, sheet=sheet, notes=notes)
        places.append((str(file), [replace(row, first=names[row.first], second=names[row.second]) for row in rows]))
    if reading.database is not None:
        places.append(("the rating page", store_preferences(reading.database, name_versions(sources, by))))
    known: set[Hashable] = set()
    preferences: list[Preference] = []
    for place, rows in reversed(places):
        keys = [_key(row, questions) for row in rows]
        newest = [row for row, key in zip(rows, keys, strict=True) if key is None or key not in known]
        if again := len(rows) - len(newest):
            verb = verb_of(again, "does", "do")
            notes.append(
                f"{count_of(again, 'choice')} of {place} {verb} not count: a newer one is of the same rater between "
                "the same answers."
            )
        if newest:
            notes.append(f"{count_of(len(newest), 'choice')} between two answers, of {place}.")
        preferences = [*newest, *preferences]
        known.update(keys)
    return tuple(row for row in preferences if row.first != row.second), tuple(notes)


def _key(row: Preference, questions: Mapping[str, tuple[int, ...]]) -> Hashable:
    """What is the same of one rater's choices between the same answers; None where nobody knows who chose."""
    if not row.rater and row.reason != SAME_ANSWER:
        return None
    return questions.get(row.question, row.question), frozenset((row.first, row.second)), rater_key(row.rater)


def name_versions(sources: Sequence[AnswerTable], field: str) -> tuple[ComparedVersion, ...]:
    """Names versions as a queue keeps them, and as `store_preferences` knows them again."""
    return tuple(
        ComparedVersion(name=source.name, source=source.run or next(iter(source.sets), ""), field=field)
        for source in sources
    )


def store_preferences(database: Database, versions: Sequence[ComparedVersion]) -> list[Preference]:
    """What people chose between versions in a store, in the present series of all queues.

    A version is known by its source (and by its name where a field of metadata tells it apart), whatever it is called
    there. Of two choices by one rater on one pair of answers the newer counts. `first` comes before `second` in
    `versions`; `question` is the id in the earlier, or in the first of all where the queue has it.
    """
    keys = [_version_key(version) for version in versions]
    newest: dict[tuple[str, str, str, str], Preference] = {}
    for name in queue_ids(database, has_pairs=True):
        queue = RatingQueue(database, name)
        compared = queue.comparison.versions
        places = {version.name: keys.index(key) for version in compared if (key := _version_key(version)) in keys}
        if len(places) < 2:
            continue
        has_first = _version_key(compared[0]) == keys[0]
        for choice in queue_choices(queue):
            asked = choice.asked
            if asked.first not in places or asked.second not in places:
                continue
            one, other = places[asked.first], places[asked.second]
            question = asked.question if has_first else asked.ids[0 if one < other else 1]
            preference = replace(
                choice.preference,
                question=question,
                first=versions[min(one, other)].name,
                second=versions[max(one, other)].name,
                choice=choice.preference.choice if one < other else _SWAPPED[choice.preference.choice],
            )
            newest.setdefault((question, preference.first, preference.second, preference.rater), preference)
    return list(newest.values())


def _version_key(version: ComparedVersion) -> tuple[str, str, str]:
    return version.source, version.field, version.name if version.field else ""
