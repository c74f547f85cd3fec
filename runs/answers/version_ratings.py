"""What people said of the answers of several versions: one mean rating per answer, by raters who saw all versions."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import InputError
from ...eval_sets import Sample
from ...eval_sets.column_table import ALIASES, NAMES
from ...eval_sets.conversation import asked_text
from ...eval_sets.number_rule import NumberRule
from ...eval_sets.opening_question import opening_question
from ...eval_sets.pair_ratings import describe_lost_pairs
from ...eval_sets.rows import Row
from ...eval_sets.version_column import versioned_id
from ...meta_eval.score_files import Item, ReadOptions, ScoreSource, flat_rows, read_ratings
from ...meta_eval.score_files.flat_rows import find_roles
from ...meta_eval.score_files.score_join import ItemMatcher, find_scale, has_other_answer
from ...meta_eval.table import RATER
from ...text.wording import count_of, list_first, verb_of
from ..ratings.rating_queue import RatingQueue
from .pairing import PairedAnswer
from .rating_direction import describe_left_out_pair_ratings
from .rating_join import FILE, merge_spellings, ratings_of_answers
from .table import AnswerTable
from .version_answers import describe_rating_kinds

if TYPE_CHECKING:
    from ..store.database import Database

_OTHER_ANSWER = ("other_response", *ALIASES["other_response"])
_VERSION_COLUMNS = tuple(dict.fromkeys(("version", "system", "run", *NAMES["version"])))
Scale = tuple[float, float]
_OwnRatings = dict[tuple[int, str], dict[str, float]]  # by version and answer, then by rater


@dataclass(frozen=True, slots=True)
class RatedText:
    """The ratings of one answer, which one version gave, or several gave alike."""

    question: Hashable
    versions: frozenset[int]
    ratings: Mapping[str, float] = field(default_factory=dict)  # its ratings by rater


def ratings_by_rater(sample: Sample) -> dict[str, float]:
    """Returns the ratings of a sample by rater; one rating without a rater is that of the rater `file`."""
    return dict(sample.ratings) or ({} if sample.rating is None else {FILE: sample.rating})


def find_common_raters(answers: Sequence[RatedText], versions: Collection[int]) -> frozenset[str]:
    """Finds the raters who rated answers of every version.

    A strict rater who saw only one version's answers says nothing of the difference between versions.
    """
    raters = {version: set[str]() for version in versions}
    for answer in answers:
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


@dataclass(frozen=True, slots=True)
class VersionRatings:
    """The ratings of the answers that take part."""

    means: tuple[float, ...]  # the mean rating of each answer; NaN where it is not rated
    scale: Scale | None  # their scale; None where nothing is rated
    notes: tuple[str, ...]  # which ratings count and which do not
    problem: str = ""  # why none counts though there are some; "" otherwise
    # the answers, by question and text, whose ratings name no rater: with those of people who are named they compare
    # only where these rate them too
    unnamed: frozenset[tuple[int, int]] = frozenset()


def rate_versions(
    versions: Sequence[AnswerTable],
    answers: Sequence[PairedAnswer],
    *,
    database: "Database | None",
    files: Sequence[Path] = (),
    scale: Scale | None = None,
    by: str = "",
) -> VersionRatings:
    """Joins all ratings of several versions' answers, and averages those that can be compared.

    Ratings are those that the samples came with, those of the rating page, and those of files. Only raters count who
    rated answers of every version (`find_common_raters`); where nobody did, all count, and a note says so.
    """
    notes = [f"{version.name}, {version.rating_note}." for version in versions if version.rating_note]
    notes += describe_rating_kinds(versions)
    by_answer, own_scale, problem = _own_ratings(answers)
    notes += [f"{problem}."] if problem else []
    for file in files:
        of_file, file_scale, file_notes = _read_file(file, versions, scale, own_scale, by)
        if own_scale is not None and file_scale != own_scale:
            count = sum(map(len, by_answer.values()))
            notes.append(
                f"{count_of(count, 'other rating')} {verb_of(count, 'does', 'do')} not count, "
                f"being on another scale than {file}."
            )
            by_answer = {}
        for key, ratings in of_file.items():
            by_answer[key] = by_answer.get(key, {}) | ratings
        own_scale = file_scale
        notes += file_notes
    if database is not None:
        notes += _describe_queues(database, versions)
    if not any(by_answer.values()):
        return VersionRatings((math.nan,) * len(answers), None, tuple(notes), problem)
    by_answer = merge_spellings(by_answer)
    means, rater_notes = _average(versions, answers, by_answer)
    shared = _describe_shared(versions, answers, by_answer)
    unnamed = frozenset(
        (answer.question, answer.text)
        for answer in answers
        if set(by_answer.get((answer.version, answer.sample.id), ())) == {FILE}
    )
    return VersionRatings(tuple(means), own_scale, (*notes, *shared, *rater_notes), unnamed=unnamed)


def _own_ratings(answers: Sequence[PairedAnswer]) -> tuple[_OwnRatings, Scale | None, str]:
    """The ratings that came with the answers, their scale, and why none counts where there are several scales."""
    ratings: _OwnRatings = {}
    scales: dict[Scale, int] = {}
    for answer in answers:
        if of_answer := ratings_by_rater(answer.sample):
            ratings[answer.version, answer.sample.id] = of_answer
            scale = answer.sample.rating_min, answer.sample.rating_max
            scales[scale] = scales.get(scale, 0) + 1
    if len(scales) > 1:
        listed = " and ".join(f"{count:,} on {low:g} to {high:g}" for (low, high), count in scales.items())
        why = f"they are on different scales, {listed}; bring them to one scale"
        return {}, None, f"No rating that came with the answers counts: {why}"
    return ratings, next(iter(scales), None), ""


def _describe_shared(
    versions: Sequence[AnswerTable], answers: Sequence[PairedAnswer], by_answer: _OwnRatings
) -> list[str]:
    """Says how many answers have no ratings but those that the same answer of another version got."""
    rated_in = defaultdict[tuple[int, int], set[int]](set)
    for answer in answers:
        if by_answer.get((answer.version, answer.sample.id)):
            rated_in[answer.question, answer.text].add(answer.version)
    shared = Counter(
        versions[answer.version].name
        for answer in answers
        if answer.version not in rated_in.get((answer.question, answer.text), {answer.version})
    )
    if not shared:
        return []
    listed = ", ".join(f"{count:,} of {name}" for name, count in shared.items())
    return [f"The same answer has the same ratings: {listed} {verb_of(shared.total(), 'was', 'were')} rated elsewhere."]


def _average(
    versions: Sequence[AnswerTable], answers: Sequence[PairedAnswer], by_answer: _OwnRatings
) -> tuple[list[float], list[str]]:
    """The mean of each answer; the same answer of several versions has the ratings of all of them."""
    texts = [(answer.question, answer.text) for answer in answers]
    owners: dict[tuple[int, int], set[int]] = {}
    merged: dict[tuple[int, int], dict[str, list[float]]] = {}
    for answer, key in zip(answers, texts, strict=True):
        owners.setdefault(key, set()).add(answer.version)
        for rater, rating in by_answer.get((answer.version, answer.sample.id), {}).items():
            merged.setdefault(key, {}).setdefault(rater, []).append(rating)
    places = {key: place for place, key in enumerate(owners)}
    rated = [
        RatedText(
            key[0],
            frozenset(theirs),
            {rater: sum(values) / len(values) for rater, values in merged.get(key, {}).items()},
        )
        for key, theirs in owners.items()
    ]
    common = find_common_raters(rated, range(len(versions)))
    everyone = {rater for answer in rated for rater in answer.ratings}
    if not common:
        by_rater = "no rater rated answers of every version, and how strict they are may differ"
        note = [f"All ratings count: {by_rater}."] if len(everyone) > 1 else []
        return [_mean(rated[places[key]].ratings) for key in texts], note
    kept = comparable_ratings(rated, common)
    means = [_mean(ratings) for ratings in kept]
    notes = []
    if others := everyone - common:
        count = sum(len(answer.ratings.keys() & others) for answer in rated)
        notes.append(
            f"{count_of(count, 'rating')} by {list_first(sorted(others), 5)} {verb_of(count, 'is', 'are')} left out: "
            "only raters count who rated answers of every version."
        )
    left_out = sum(
        len(answer.ratings.keys() & common) - len(ratings)
        for answer, ratings in zip(rated, kept, strict=True)
        if ratings
    )
    if left_out:
        notes.append(
            f"{count_of(left_out, 'rating')} {verb_of(left_out, 'is', 'are')} left out: to a question only those "
            "raters count who rated most of its answers."
        )
    if lost := sum(
        bool(answer.ratings.keys() & common) and math.isnan(mean) for answer, mean in zip(rated, means, strict=True)
    ):
        notes.append(
            f"{count_of(lost, 'rated answer')} {verb_of(lost, 'does', 'do')} not count: other raters rated the other "
            "version's answer to the same question."
        )
    return [means[places[key]] for key in texts], notes


def _mean(ratings: Mapping[str, float]) -> float:
    return sum(ratings.values()) / len(ratings) if ratings else math.nan


def _read_file(
    file: Path, versions: Sequence[AnswerTable], scale: Scale | None, own_scale: Scale | None, by: str
) -> tuple[_OwnRatings, Scale, list[str]]:
    """The ratings of a file, by version and answer; of a row without a version all that have its text."""
    all_rows = flat_rows(file)
    pairs = [row for row in all_rows if _has_two_sides(row) and _has_other_answer(row)]
    lost = [row for row in all_rows if pairs and _has_two_sides(row) and not _has_other_answer(row)]
    rows = [row for row in all_rows if not (pairs and _has_two_sides(row))]
    if not rows and all_rows:
        raise InputError(
            f"{file}: its ratings say which of two answers is better, and a decision needs ratings of one answer, or "
            "preferences between these versions"
        )
    names = [version.name for version in versions]
    by_label = {version.run: version.name for version in versions if version.run and not by}
    by_label |= {name: name for name in names}
    column = _version_column(rows, by_label, by)
    other_names = "" if column else _describe_other_names(rows, by_label, by)
    whose = other_names or (
        f"say whose is rated in a column `version` ({list_first(names)}), or write the answer in a column `response`"
    )
    _check_whose(rows, column, versions, file, other_names=other_names, whose=whose)
    source = read_ratings(_with_labels(rows, column), str(file), ReadOptions(scale=scale))
    scale, notes = _find_scale(rows, source, scale, own_scale)
    ratings: _OwnRatings = {}
    matchers = [_matcher(version) for version in versions]
    unmatched, others = 0, Counter[str]()
    for number, item in enumerate(source.items):
        of_item = {
            FILE if rater == RATER else rater: column_of_rater[number]
            for rater, column_of_rater in source.columns.items()
            if number in column_of_rater
        }
        label = _label(item.values, column)
        if label and label not in by_label:
            others[label] += 1
        elif of_item:
            name = by_label.get(label, "")
            within = [place for place, version in enumerate(versions) if not name or version.name == name]
            own = replace(item, id=item.id.removeprefix(f"{label}: "))
            matches = _find(own, within, matchers, versions, file=str(file), whose=whose)
            unmatched += not matches
            for version, sample in matches:
                ratings[version, sample] = ratings.get((version, sample), {}) | of_item
    if others:
        count, listed = others.total(), list_first(sorted(others), 5)
        notes.append(f"{file}: {count_of(count, 'row')} of {listed} {verb_of(count, 'is', 'are')} left out.")
    if not ratings:
        raise InputError(
            f"{file}: none of its ratings is of an answer of {list_first(names)}; rows name answers by question and "
            f"answer, or by id and version{other_names and f'; {other_names}'}"
        )
    if rated_pairs := _only_rated(pairs, source):
        notes.append(f"{file}: {describe_left_out_pair_ratings(len(rated_pairs))}.")
    if rated_lost := _only_rated(lost, source):
        notes.append(f"{describe_lost_pairs(str(file), len(rated_lost), rated_lost[0].place)}.")
    if unmatched:
        verb = verb_of(unmatched, "is", "are")
        notes.append(f"{file}: {count_of(unmatched, 'rated row')} {verb} of no answer of these versions.")
    return ratings, scale, notes


def _only_rated(rows: Sequence[Row], source: ScoreSource) -> list[Row]:
    """The rows with a rating, in a column in which the rest of the file has its ratings."""
    roles = find_roles(list(dict.fromkeys(name for row in rows for name in row.values)), {})
    columns = source.read_columns or (roles.get("rating") or roles.get("value") or "",)

    def is_given(cell: object) -> bool:  # also 0, which is a tie
        return cell is not None and str(cell).strip() != ""

    return [row for row in rows if any(is_given(row.values.get(column)) for column in columns)]


def _has_other_answer(row: Row) -> bool:
    return any(str(row.values.get(column) or "").strip() for column in _OTHER_ANSWER)


def _has_two_sides(row: Row) -> bool:
    """Whether a row's rating is on a scale with two sides, as `Sample.has_two_sides` has it."""
    with suppress(ValueError):
        return (NumberRule().read(row.values.get("rating_min")) or 0) < 0
    return False


def _with_labels(rows: Sequence[Row], column: str) -> list[Row]:
    """The rows with their version before their id: two versions may have one id."""
    id_column = find_roles(list(dict.fromkeys(name for row in rows for name in row.values)), {}).get("id", "")
    return [
        row._replace(values=row.values | {id_column: f"{label}: {row.values[id_column]}"})
        if (label := _label(row.values, column)) and row.values.get(id_column)
        else row
        for row in rows
    ]


def _label(values: Mapping[str, object], column: str) -> str:
    return str(values.get(column) or "").strip() if column else ""


def _find_scale(
    rows: Sequence[Row], source: ScoreSource, scale: Scale | None, own_scale: Scale | None
) -> tuple[Scale, list[str]]:
    """Scale that the user says, else the file, else that of the other ratings where all are on it, else as usual."""
    values = [value for column in source.columns.values() for value in column.values()]
    if stated := scale or source.scale:
        low, high = stated
        off = next((value for value in values if not low <= value <= high), None)
        if off is None:
            return stated, []
        whose = "which --scale says" if scale else "which its rating_min and rating_max say"
        raise InputError(
            f"{source.name}, {_place_of(rows, source, off)}: is {off:g}, off the scale of {low:g} to {high:g}, {whose}"
            "; correct the rating, or the scale"
        )
    low, high = min(values), max(values)
    if own_scale is not None and own_scale[0] <= low and high <= own_scale[1]:
        return own_scale, []
    bounds, _ = find_scale(source, ReadOptions())
    if bounds == (1.0, 5.0):
        return bounds, []
    low, high = bounds
    lowest, highest = (_place_of(rows, source, value) for value in (min(values), max(values)))
    return bounds, [
        f"{source.name}: the scale of {low:g} to {high:g} is taken from its lowest rating ({lowest}) and its highest "
        f"({highest}); say another with --scale."
    ]


def _place_of(rows: Sequence[Row], source: ScoreSource, rating: float) -> str:
    """Where a rating stands first; of one that was brought to another scale its row."""
    roles = find_roles(list(dict.fromkeys(name for row in rows for name in row.values)), {})
    columns = source.read_columns or tuple(filter(None, [roles.get("rating") or roles.get("value")]))
    for row in rows:
        for column in columns:
            with suppress(ValueError):
                if NumberRule().read(row.values.get(column)) == rating:
                    return f"{row.place}, field {column}"
    return next(
        f"{source.items[number].place}, of {rater}"
        for rater, ratings in source.columns.items()
        for number, value in ratings.items()
        if value == rating
    )


def _version_column(rows: Sequence[Row], names: Collection[str], by: str) -> str:
    """The column whose cells name versions; "" where there is none."""
    for wanted in filter(None, (by, *_VERSION_COLUMNS)):
        for column in (wanted, f"metadata.{wanted}"):
            if any(str(row.values.get(column) or "").strip() in names for row in rows):
                return column
    return ""


def _describe_other_names(rows: Sequence[Row], by_label: Mapping[str, str], by: str) -> str:
    """What to do about a column of versions that names none of them; "" where there is no such column."""
    listed = list_first(list(dict.fromkeys(by_label.values())))
    for wanted in filter(None, (by, *_VERSION_COLUMNS)):
        for column in (wanted, f"metadata.{wanted}"):
            labels = list(dict.fromkeys(label for row in rows if (label := _label(row.values, column))))
            if labels and not by_label.keys() & {*labels}:
                typed = " ".join(f"{label}=RUN" for label in labels[: len(by_label)])
                own_names = "" if by else f", or call the runs as the file does (assay decide {typed})"
                return (
                    f"its column {column} names {list_first([repr(label) for label in labels], 5)}, and the versions "
                    f"are {listed}: write these names there{own_names}"
                )
    return ""


def _check_whose(
    rows: Sequence[Row],
    column: str,
    versions: Sequence[AnswerTable],
    file: Path,
    *,
    other_names: str,
    whose: str,
) -> None:
    """Raises where one rater rates one id twice: several versions have it, and nothing says whose answer is rated."""
    roles = find_roles(list(dict.fromkeys(name for row in rows for name in row.values)), {})
    first_places: dict[tuple[str, str], str] = {}
    for row in rows:
        name = _label(row.values, roles.get("id", ""))
        owners = [version.name for version in versions if _own_id(name, version) in version.samples]
        if not name or (len(owners) < 2 and not other_names) or _label(row.values, column):
            continue
        first = first_places.setdefault((name, _label(row.values, roles.get("rater", ""))), row.place)
        if first != row.place:
            of_several = f", and is an answer of {' and '.join(owners)}" if len(owners) > 1 else ""
            place = f"{file}, {row.place}, field {roles['id']}"
            raise InputError(f"{place}: {name!r} stands at {first} too{of_several}; {whose}")


def _matcher(version: AnswerTable) -> ItemMatcher:
    return ItemMatcher(_item(sample) for sample in version.samples.values())


def _item(sample: Sample) -> Item:
    before = asked_text(sample).removesuffix(sample.user_input).rstrip("\n")
    return Item(sample.id, f"sample {sample.id}", sample.user_input, sample.response, before=before)


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
    for version in within:
        try:
            number = matchers[version].find(_with_own_id(item, versions[version]))
        except InputError as error:
            raise InputError(f"{file}, {error}") from None
        if number is not None and not has_other_answer(matchers[version].items[number], item):
            matches.append((version, matchers[version].items[number].id))
    if len(matches) > 1 and not item.response:
        answers = {versions[version].samples[sample].response for version, sample in matches}
        if len(answers) > 1:
            listed = " and ".join(versions[version].name for version, _ in matches)
            raise InputError(
                f"{file}, {item.place}: {item.id or item.user_input[:60]!r} is an answer of {listed}; {whose}"
            )
    return matches


def _with_own_id(item: Item, version: AnswerTable) -> Item:
    """The row with the id of the answer it is of; where its question is that of another answer, of this one."""
    name = _own_id(item.id, version)
    sample = version.samples.get(name)
    asked = " ".join(item.user_input.split())
    if sample is None or not asked or asked in _questions(sample):
        return replace(item, id=name)
    to_question = [other for other, answer in version.samples.items() if asked in _questions(answer)]
    if not to_question:  # the same question, written otherwise
        return replace(item, id=name)
    return replace(item, id=to_question[0] if len(to_question) == 1 else "")  # of several, the text says which


def _questions(sample: Sample) -> tuple[str, str, str]:
    """What a file may have as the question of an answer."""
    texts = (sample.user_input, asked_text(sample), opening_question(sample))
    first, second, third = (" ".join(text.split()) for text in texts)
    return first, second, third


def _own_id(name: str, version: AnswerTable) -> str:
    """The id of a version's answer, where a row may have that which several versions share."""
    own = versioned_id(name, version.name)
    return own if own in version.samples else name


def _describe_queues(database: "Database", versions: Sequence[AnswerTable]) -> list[str]:
    """Says which ratings are of answers that were not drawn at random."""
    queues = {one.queue for version in versions for one in ratings_of_answers(database, list(version.samples.values()))}
    chosen = {
        name: choose for name in sorted(queues) if (choose := RatingQueue(database, name).settings.choose) != "random"
    }
    return [
        f"The answers of {name} were chosen by {choose} and not at random: the estimates assume that what is rated is "
        "a random part."
        for name, choose in chosen.items()
    ]
