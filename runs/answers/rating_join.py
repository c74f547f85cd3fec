"""The ratings of answers: those of the file and of the rating page, side by side."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from ...eval_sets import Sample
from ...eval_sets.message import REASONS
from ...eval_sets.sample import FILE
from ...presentation.figure import format_rating
from ...text.wording import count_of
from ..ratings.judgement import Judgement, describe_left_out, find_judgements, read_adjudications, read_answer_queues
from ..ratings.rating_queue import RatingQueue
from ..store.database import Database

if TYPE_CHECKING:
    from ..store.store import Store


def describe_rating(sample: Sample) -> str:
    """A sample's rating in its scale; "" without a rating.

    Example:
        >>> describe_rating(Sample(id="1", user_input="Free?", response="Yes.", rating=1))
        '1 of 5'
    """
    rating = sample.human_rating
    return "" if rating is None else format_rating(rating, sample.rating_min, sample.rating_max)


_IDS_AT_ONCE = 1000  # of one question to the database
_EARLIER = "under an earlier guideline"
_ROUNDING = 0.005  # a file may hold the mean of its raters with two places
_Answer = TypeVar("_Answer")


def rater_key(rater: str) -> str:
    """What is the same of one rater's name, however it is written: `Ada` in a file is `ADA` of the rating page."""
    return rater.casefold()


def merge_spellings(ratings: Mapping[_Answer, Mapping[str, float]]) -> dict[_Answer, dict[str, float]]:
    """Returns ratings by answer and rater in which each rater has one spelling, the first; of two ratings the later.

    Example:
        >>> merge_spellings({1: {"Ada": 3, "bo": 4}, 2: {"ADA": 5}})
        {1: {'Ada': 3, 'bo': 4}, 2: {'Ada': 5}}
    """
    names: dict[str, str] = {}
    return {
        answer: {names.setdefault(rater_key(rater), rater): rating for rater, rating in by_rater.items()}
        for answer, by_rater in ratings.items()
    }


def ratings_by_rater(sample: Sample) -> dict[str, float]:
    """Returns the ratings of a sample by rater; one rating without a rater is that of the rater `file`."""
    return dict(sample.ratings) or ({} if sample.rating is None else {FILE: sample.rating})


def file_ratings(sample: Sample, scale: tuple[float, float]) -> dict[str, float]:
    """Returns the ratings that a sample came with, by rater; its one rating is that of the rater `file`.

    Examples:
        >>> sample = Sample(id="a", user_input="q", response="r", rating=4)
        >>> file_ratings(sample, (1, 5)), file_ratings(sample, (1, 10))
        ({'file': 4.0}, {})
    """
    return ratings_by_rater(sample) if (sample.rating_min, sample.rating_max) == scale else {}


def agreed_rating(sample: Sample) -> float | None:
    """Returns what a team agreed on of an answer that its raters rated by themselves too; None where it did not.

    What an answer's rating is says `Sample.human_rating`: this where there is one, else the mean of its raters. A
    `rating` that is the raters' mean is no agreement.

    Examples:
        >>> sample = Sample(id="a", user_input="q", response="r", rating=4, ratings={"ada": 1, "bo": 4})
        >>> agreed_rating(sample), agreed_rating(sample.model_copy(update={"rating": 2.5}))
        (4.0, None)
    """
    if sample.rating is None or not sample.ratings:
        return None
    mean = sum(sample.ratings.values()) / len(sample.ratings)
    return None if abs(sample.rating - mean) <= _ROUNDING else sample.rating


def rated_samples(queue: RatingQueue, series: int | None = None) -> list[Sample]:
    """The samples that people rated, in the queue's order, as `with_judgements` makes them, hidden repeats aside.

    The ratings that a sample came with stand beside, where they are on this scale. `metadata` gets as `agreed_reason`
    why the team agreed on a rating.
    """
    by_sample, adjudications = queue.ratings_by_item(series), queue.adjudications(series)
    scale = queue.settings.scale
    rated = []
    for sample in queue.samples({*by_sample, *adjudications}):
        judgements, (agreed, reason) = by_sample.get(sample.id, []), adjudications.get(sample.id, (None, ""))
        if agreed is not None or any(one.value is not None for one in judgements):
            by_rater = {judgement.rater: judgement for judgement in judgements}
            one = with_judgements(sample, by_rater, file_ratings(sample, scale), agreed, scale)
            metadata = one.metadata | ({"agreed_reason": reason} if reason else {})
            rated.append(one.model_copy(update={"metadata": metadata}))
    return rated


def with_judgements(
    sample: Sample,
    judgements: Mapping[str, Judgement],
    of_file: Mapping[str, float],
    agreed: float | None,
    scale: tuple[float, float],
) -> Sample:
    """Returns a sample with what people said of it.

    `ratings` holds one rating per rater, and those that it came with; `rating` is what the team agreed on, where it
    adjudicated. `metadata` gets `rating_reasons` and `wrong_sentences` by rater.
    """
    values = {rater: float(one.value) for rater, one in judgements.items() if one.value is not None}
    reasons = {rater: one.reason for rater, one in judgements.items() if one.reason}
    wrong = {rater: list(one.wrong_sentences) for rater, one in judgements.items() if one.wrong_sentences}
    metadata = dict(sample.metadata)
    metadata |= {REASONS: _with_file_reasons(sample, reasons)} if reasons else {}
    metadata |= {"wrong_sentences": wrong} if wrong else {}
    changes = {"ratings": {**of_file, **values}, "rating": agreed, "rating_min": scale[0], "rating_max": scale[1]}
    # not validated anew: its messages may be many
    return sample.model_copy(update=changes | {"metadata": metadata})


def _with_file_reasons(sample: Sample, reasons: dict[str, str]) -> dict[str, Any]:
    """What raters wrote, beside what the people wrote whose ratings the sample came with."""
    of_file = sample.metadata.get(REASONS)
    return {**(of_file if isinstance(of_file, Mapping) else {FILE: of_file} if of_file else {}), **reasons}


def rated_ids(database: Database, samples: Sequence[str]) -> list[str]:
    """Returns which of some ids are those of answers that people rated in the store."""
    ids: list[str] = []
    for start in range(0, len(samples), _IDS_AT_ONCE):
        names = samples[start : start + _IDS_AT_ONCE]
        places = ", ".join("?" * len(names))
        rows = database.execute(
            f"SELECT DISTINCT sample FROM ratings WHERE sample IN ({places}) "
            "AND queue IN (SELECT id FROM rating_queues WHERE about = '')",
            list(names),
        )
        ids += (str(name) for (name,) in rows.fetchall())
    return ids


_Scale = tuple[float, float]


@dataclass(frozen=True, slots=True)
class JoinedRatings:
    """Answers with all ratings that there are of them."""

    # the answers by id. Where the page rated some of them, `ratings` has a rating by rater, of which the file's own is
    # `file`, and `rating` is what the team agreed on; else they are as they came.
    samples: dict[str, Sample]
    note: str = ""  # what the ratings are and which are left out, for the user; empty where all are the file's


@dataclass(slots=True)
class _Page:
    """What the rating page has of some answers: those of one scale under one guideline."""

    scale: _Scale
    guideline: str = ""
    rated: set[str] = field(default_factory=set)  # the answers that have a rating
    judgements: dict[str, dict[str, Judgement]] = field(default_factory=dict)  # of each answer, by rater
    names: dict[str, str] = field(default_factory=dict)  # what a rater's name is, by what it is in any letters
    agreed: dict[str, float] = field(default_factory=dict)  # what the team agreed on
    queues: dict[str, int] = field(default_factory=dict)  # how many answers it rated, the newest queue first

    def add(self, key: str, judgement: Judgement) -> None:
        """Takes up what was said of an answer, after what is newer."""
        by_rater = self.judgements.setdefault(key, {})
        rater = self.names.setdefault(rater_key(judgement.rater), judgement.rater)
        current = by_rater.setdefault(rater, judgement)
        if current.value is None and judgement.value is not None:
            by_rater[rater] = judgement

    def raters(self) -> list[str]:
        """Who rated."""
        said = (one for by_rater in self.judgements.values() for one in by_rater.items())
        return sorted({rater for rater, judgement in said if judgement.value is not None})


def join_ratings(database: Database, samples: Mapping[str, Sample]) -> JoinedRatings:
    """Joins the ratings of the samples' own file with those that people gave these very answers on the rating page.

    Every rating queue of the store counts that is on the same scale under the newest guideline, or was given none; of
    two ratings by one rater the newer. What was given under an earlier guideline, of another queue or in an earlier
    series, is left out.
    Ratings on different scales are not one measure: the scale counts whose ratings, of the file and the page together,
    are of the most answers; where they are of as many, that of the newest guideline.
    """
    pages, from_earlier = _read_pages(database, samples)
    if not pages and not from_earlier:
        return JoinedRatings(dict(samples))
    by_file = {key: _scale_of(sample) for key, sample in samples.items() if sample.human_rating is not None}
    newest = {page.scale: page for page in reversed(pages)}  # of each scale the page under its newest guideline
    candidates = [page for page in pages if newest[page.scale] is page]
    candidates += [_Page(scale) for scale in dict.fromkeys(by_file.values()) if scale not in newest]
    if not candidates:
        return JoinedRatings(dict(samples), _sentence("none", from_earlier))
    of_scale = defaultdict[_Scale, set[str]](set)  # the answers that the file rates
    for key, scale in by_file.items():
        of_scale[scale].add(key)
    page = max(candidates, key=lambda candidate: len(of_scale[candidate.scale] | candidate.rated))
    of_file, notes = of_scale[page.scale], list[str]()
    if other_scale := len(by_file) - len(of_file):
        notes.append(f"{other_scale:,} of the file are left out, which are on another scale")
    for other in pages:
        if other is not page:
            notes += _left_out(other.queues, _EARLIER if other.scale == page.scale else "on another scale")
    notes += from_earlier
    if not page.rated and not other_scale:
        return JoinedRatings(dict(samples), _sentence(f"{len(of_file):,} of the file", notes))
    joined = {key: _joined(sample, key, page) for key, sample in samples.items()}
    parts = [f"{len(of_file):,} of the file"] if of_file else []
    parts += [_describe(page)] if page.rated else []
    if both := len(of_file & page.rated):
        parts[-1] += f" ({count_of(both, 'answer has', 'answers have')} both)"
    return JoinedRatings(joined, _sentence(", ".join(parts), notes))


def _left_out(counts: Mapping[str, int], why: str) -> list[str]:
    """Says how many ratings of each queue do not count."""
    return [f"{count:,} of {name} are left out, which were given {why}" for name, count in counts.items()]


def join_run_ratings(store: "Store", run: str) -> JoinedRatings:
    """Joins the ratings of a run's answers; see `join_ratings`."""
    return join_ratings(store.database, {sample.id: sample for sample in store.samples(run)})


def find_rated_sample(store: "Store", run: str, name: str) -> Sample:
    """Finds one sample of a run with the ratings that all commands count: those of `join_run_ratings`.

    Where there are several scales or guidelines, which of them counts depends on the other answers, which are read too.
    """
    sample = store.sample(run, name)
    pages = {(queue.settings.scale, queue.guideline) for queue in read_answer_queues(store.database).values()}
    if {scale for scale, _ in pages} <= {_scale_of(sample)} and len(pages) <= 1:
        return join_ratings(store.database, {name: sample}).samples[name]
    return join_run_ratings(store, run).samples[name]


def _sentence(used: str, notes: list[str]) -> str:
    return f"ratings: {'; '.join((used, *notes))}"


def _describe(page: _Page) -> str:
    low, high = page.scale
    raters = ", ".join(page.raters()) or "the team"
    agreed = f", of which {count_of(len(page.agreed), 'is', 'are')} what the team agreed on" if page.agreed else ""
    return f"{len(page.rated):,} of the rating page by {raters} on {low:g} to {high:g}{agreed}"


def _read_pages(database: Database, samples: Mapping[str, Sample]) -> tuple[list[_Page], list[str]]:
    """The ratings of the page by scale and guideline, the newest guideline first, and what of other series is left out.

    An answer is known by its fingerprint: a single answer may be rated as what it is or as the turn of its
    conversation. What was said under the id of one of these answers is of this one alone, also where another is the
    same.
    """
    queues = read_answer_queues(database)
    if not queues:
        return [], []
    keys = defaultdict[str, dict[str, None]](dict)
    for key, sample in samples.items():
        keys[sample.fingerprint][key] = None

    def same_answers(name: str, fingerprint: str) -> Collection[str]:
        same = keys.get(fingerprint, {})
        return [name] if name in same else same

    said, agreed = defaultdict[str, list[tuple[str, Judgement]]](list), defaultdict[str, dict[str, float]](dict)
    earlier = defaultdict[tuple[str, int], set[str]](set)
    for judgement in find_judgements(database, keys):
        same = same_answers(judgement.sample, judgement.fingerprint)
        if judgement.series == queues[judgement.queue].series:
            said[judgement.queue] += ((key, judgement) for key in same if not judgement.is_repeat)
        elif judgement.value is not None:
            earlier[judgement.queue, judgement.series].update(same)
    for name, sample_name, fingerprint, value in read_adjudications(database):
        agreed[name] |= dict.fromkeys(same_answers(sample_name, fingerprint), value)
    pages, newest = dict[tuple[_Scale, str], _Page](), dict[_Scale, str]()  # the newest guideline of each scale
    rated_in = {
        name: rated
        for name in queues
        if (rated := {key for key, judgement in said[name] if judgement.value is not None} | agreed[name].keys())
    }
    for name in rated_in:
        if queues[name].guideline:
            newest.setdefault(queues[name].settings.scale, queues[name].guideline)
    for name, rated in rated_in.items():
        scale = queues[name].settings.scale
        guideline = queues[name].guideline or newest.get(scale, "")  # no guideline is no new one
        page = pages.setdefault((scale, guideline), _Page(scale, guideline))
        page.queues[name] = len(rated)
        page.rated |= rated
        page.agreed = agreed[name] | page.agreed
        # what was said of this very item counts before what was said of the same answer elsewhere, the newest first
        for key, judgement in sorted(said[name], key=lambda one: (one[0] != one[1].sample, -one[1].number)):
            if key in rated:
                page.add(key, judgement)
    left_out = [describe_left_out(len(rated), "rated answer", *series) for series, rated in earlier.items()]
    return list(pages.values()), left_out


def _joined(sample: Sample, key: str, page: _Page) -> Sample:
    """A sample with its ratings: one person may be written in other letters in the file and on the page."""
    ratings = file_ratings(sample, page.scale).items()
    of_file = {page.names.get(rater_key(rater), rater): rating for rater, rating in ratings}
    # beside raters, the file's one rating is what its team agreed on
    agreed = page.agreed.get(key, sample.rating if sample.ratings and of_file else None)
    return with_judgements(sample, page.judgements.get(key, {}), of_file, agreed, page.scale)


def _scale_of(sample: Sample) -> _Scale:
    return sample.rating_min, sample.rating_max
