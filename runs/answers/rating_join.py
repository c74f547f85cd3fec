"""The ratings of answers: those that their file came with, and those of the rating page, side by side."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...eval_sets import Sample
from ...eval_sets.message import find_turns
from ...eval_sets.turns import is_turn, turn_id
from ...text.wording import count_of
from ..ratings.item_queue import queue_ids
from ..ratings.rating_queue import RatingQueue
from ..store.database import Database
from .rated_set import file_ratings, rated_samples

if TYPE_CHECKING:
    from ..store.store import Store

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
    rated: dict[str, Sample] = field(default_factory=dict)
    queues: dict[str, int] = field(default_factory=dict)  # how many answers it rated, the newest queue first


def join_ratings(database: Database, samples: Mapping[str, Sample]) -> JoinedRatings:
    """Joins the ratings of the samples' own file with those that people gave these very answers on the rating page.

    Every rating queue of the store counts that is on the same scale under the same guideline, in its present series;
    of two ratings by one rater the newer. Ratings on different scales are not one measure: the scale counts whose
    ratings, of the file and the page together, are of the most answers; where they are of as many, the newest queue's.
    """
    pages = _read_pages(database, samples)
    if not pages:
        return JoinedRatings(dict(samples))
    by_file = {key: _scale_of(sample) for key, sample in samples.items() if sample.human_rating is not None}
    candidates = [*pages, *(_Page(scale) for scale in dict.fromkeys(by_file.values()))]
    page = max(candidates, key=lambda candidate: len(_of_file(by_file, candidate.scale) | {*candidate.rated}))
    of_file = _of_file(by_file, page.scale)
    notes = [_left_out(other, page) for other in pages if other is not page]
    if other_scale := len(by_file) - len(of_file):
        notes.insert(0, f"{other_scale:,} of the file are left out, which are on another scale")
    if not page.rated and not other_scale:
        return JoinedRatings(dict(samples), _sentence(f"{len(of_file):,} of the file", notes))
    joined = {key: _joined(sample, page) for key, sample in samples.items()}
    parts = [f"{len(of_file):,} of the file"] if of_file else []
    parts += [_describe(page)] if page.rated else []
    if both := len(of_file & {*page.rated}):
        parts[-1] += f" ({count_of(both, 'answer has', 'answers have')} both)"
    return JoinedRatings(joined, _sentence(", ".join(parts), notes))


def _of_file(by_file: Mapping[str, _Scale], scale: _Scale) -> set[str]:
    return {key for key, theirs in by_file.items() if theirs == scale}


def _left_out(other: _Page, page: _Page) -> str:
    """Says that the ratings of some queues are left out, beside those that count."""
    if not page.rated:
        return f"the ratings of the page are left out: {_describe(other)}, but the file's are on another scale"
    why = "another scale" if other.scale != page.scale else "another guideline"
    queues = " and ".join(f"{count:,} of {name}" for name, count in other.queues.items())
    return f"{queues} are left out, which were given under {why}"


def join_run_ratings(store: "Store", run: str) -> JoinedRatings:
    """Joins the ratings of a run's answers; see `join_ratings`."""
    return join_ratings(store.database, {sample.id: sample for sample in store.samples(run)})


def find_rated_sample(store: "Store", run: str, name: str) -> Sample:
    """Finds one sample of a run with the ratings that all commands count: those of `join_run_ratings`."""
    sample = store.sample(run, name)
    return join_run_ratings(store, run).samples[name] if queue_ids(store.database) else sample


def _sentence(used: str, notes: list[str]) -> str:
    return f"ratings: {'; '.join((used, *notes))}"


def _describe(page: _Page) -> str:
    raters = sorted({rater for sample in page.rated.values() for rater in sample.ratings})
    low, high = page.scale
    return f"{len(page.rated):,} of the rating page by {', '.join(raters) or 'the team'} on {low:g} to {high:g}"


def _read_pages(database: Database, samples: Mapping[str, Sample]) -> list[_Page]:
    """The ratings of the page by scale and guideline, that of the newest queue first.

    A single answer may be rated as what it is or as the turn of its conversation: it is the same answer.
    """
    pages = dict[tuple[_Scale, str], _Page]()
    twins = {_twin_id(sample): key for key, sample in samples.items() if len(find_turns(sample.messages)) == 1}
    for name in queue_ids(database):
        queue = RatingQueue(database, name)
        rated: dict[str, Sample] = {}
        for sample in rated_samples(queue, has_file=False, known=samples):
            key = sample.id if sample.id in samples else twins.get(sample.id, "")
            if (ours := samples.get(key)) and ours.is_same_answer(sample):
                rated[key] = sample if key == sample.id else _as_twin(ours, sample)
        if not rated:
            continue
        scale = (float(queue.settings.rating_min), float(queue.settings.rating_max))
        page = pages.setdefault((scale, queue.guideline), _Page(scale, queue.guideline))
        page.queues[name] = len(rated)
        for key, sample in rated.items():
            newer = page.rated.get(key)
            page.rated[key] = sample if newer is None else _merged(newer, sample)
    return list(pages.values())


def _twin_id(sample: Sample) -> str:
    """The other id of a single answer with messages: of its turn, or, of a turn, of its conversation."""
    return str(sample.metadata["conversation"]) if is_turn(sample) else turn_id(sample.id, sample.turn or 0)


def _as_twin(ours: Sample, rated: Sample) -> Sample:
    """Our sample with what the page has of it under its other id: the ratings, and the raters' texts."""
    texts = {key: value for key, value in rated.metadata.items() if key not in {"conversation", "turn"}}
    return rated.model_copy(
        update={"id": ours.id, "messages": ours.messages, "group": ours.group, "metadata": {**ours.metadata, **texts}}
    )


def _merged(newer: Sample, older: Sample) -> Sample:
    rating = older.rating if newer.rating is None else newer.rating
    return newer.model_copy(update={"ratings": {**older.ratings, **newer.ratings}, "rating": rating})


def _joined(sample: Sample, page: _Page) -> Sample:
    low, high = page.scale
    names = {rater.casefold(): rater for answer in page.rated.values() for rater in answer.ratings}
    # one person whose name the file and the page write in other letters
    of_file = {
        names.get(rater.casefold(), rater): rating for rater, rating in file_ratings(sample, (low, high)).items()
    }
    rated = page.rated.get(sample.id)
    agreed = (
        sample.rating if sample.ratings and of_file else None
    )  # beside raters, it is what the file's team agreed on
    if rated is None:
        return sample.model_copy(update={"ratings": of_file, "rating": agreed, "rating_min": low, "rating_max": high})
    rating = agreed if rated.rating is None else rated.rating
    return rated.model_copy(update={"ratings": of_file | dict(rated.ratings), "rating": rating})


def _scale_of(sample: Sample) -> _Scale:
    return sample.rating_min, sample.rating_max
