"""The ratings of answers: those that their file came with, and those of the rating page, side by side."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...eval_sets import Sample
from ...text.wording import count_of
from ..database import Database
from .rated_set import file_ratings, rated_samples
from .rating_queue import RatingQueue, queue_ids

if TYPE_CHECKING:
    from ..store import Store

_Scale = tuple[float, float]


@dataclass(frozen=True, slots=True)
class JoinedRatings:
    """Answers with all ratings that there are of them.

    Attributes:
        samples: The answers by id. Where the page rated some of them, `ratings` has a rating by rater, of which the
            file's own is `file`, and `rating` is what the team agreed on; else they are as they came.
        note: What the ratings are and which are left out, for the user; empty where all are the file's.
    """

    samples: dict[str, Sample]
    note: str = ""


@dataclass(slots=True)
class _Page:
    """What the rating page has of some answers: those of one scale under one guideline."""

    scale: _Scale | None = None
    guideline: str = ""
    rated: dict[str, Sample] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def join_ratings(database: Database, samples: Mapping[str, Sample]) -> JoinedRatings:
    """Joins the ratings of the samples' own file with those that people gave these very answers on the rating page.

    Every rating queue of the store counts whose scale and guideline are those of the newest one that rated any of the
    answers, in its present series; of two ratings by one rater the newer. Ratings on different scales are not one
    measure: then the source that rated more answers counts alone, the page where both rated as many.

    Args:
        database: The store's database.
        samples: Samples by id.
    """
    page = _read_page(database, samples)
    if not page.rated:
        return JoinedRatings(dict(samples))
    by_file = [key for key, sample in samples.items() if sample.human_rating is not None]
    other_scale = [key for key in by_file if _scale_of(samples[key]) != page.scale]
    notes = list(page.left_out)
    if other_scale and len(by_file) > len(page.rated):
        notes.insert(0, f"the ratings of the page are left out: {_describe(page)}, but the file's are on another scale")
        return JoinedRatings(dict(samples), _sentence(f"{len(by_file):,} of the file", notes))
    if other_scale:
        notes.insert(0, f"{len(other_scale):,} of the file are left out, which are on another scale")
    joined = {key: _joined(sample, page) for key, sample in samples.items()}
    parts = []
    if kept := len(by_file) - len(other_scale):
        parts.append(f"{kept:,} of the file")
    parts.append(_describe(page))
    if both := len({*by_file} & {*page.rated} - {*other_scale}):
        parts[-1] += f" ({count_of(both, 'answer has', 'answers have')} both)"
    return JoinedRatings(joined, _sentence(", ".join(parts), notes))


def join_run_ratings(store: "Store", run: str) -> JoinedRatings:
    """Joins the ratings of a run's answers; see `join_ratings`.

    Args:
        store: Where the run and the ratings are.
        run: The run's id.
    """
    return join_ratings(store.database, {sample.id: sample for sample in store.samples(run)})


def find_rated_sample(store: "Store", run: str, name: str) -> Sample:
    """Finds one sample of a run with the ratings that all commands count: those of `join_run_ratings`.

    Args:
        store: Where the run and the ratings are.
        run: The run's id.
        name: The sample's id.

    Raises:
        UsageError: The run has no such sample.
    """
    sample = store.sample(run, name)
    return join_run_ratings(store, run).samples[name] if queue_ids(store.database) else sample


def _sentence(used: str, notes: list[str]) -> str:
    return f"ratings: {'; '.join((used, *notes))}"


def _describe(page: _Page) -> str:
    raters = sorted({rater for sample in page.rated.values() for rater in sample.ratings})
    low, high = page.scale or (1, 5)
    return f"{len(page.rated):,} of the rating page by {', '.join(raters) or 'the team'} on {low:g} to {high:g}"


def _read_page(database: Database, samples: Mapping[str, Sample]) -> _Page:
    page = _Page()
    for name in queue_ids(database):
        queue = RatingQueue(database, name)
        rated = {
            sample.id: sample
            for sample in rated_samples(queue, has_file=False)
            if (ours := samples.get(sample.id))
            and (ours.user_input, ours.response) == (sample.user_input, sample.response)
        }
        if not rated:
            continue
        scale = (float(queue.settings.rating_min), float(queue.settings.rating_max))
        if page.scale is None:
            page.scale, page.guideline = scale, queue.guideline
        if (scale, queue.guideline) != (page.scale, page.guideline):
            why = "another scale" if scale != page.scale else "another guideline"
            page.left_out.append(f"{len(rated):,} of {name} are left out, which were given under {why}")
            continue
        for key, sample in rated.items():
            newer = page.rated.get(key)
            page.rated[key] = sample if newer is None else _merged(newer, sample)
    return page


def _merged(newer: Sample, older: Sample) -> Sample:
    rating = older.rating if newer.rating is None else newer.rating
    return newer.model_copy(update={"ratings": {**older.ratings, **newer.ratings}, "rating": rating})


def _joined(sample: Sample, page: _Page) -> Sample:
    low, high = page.scale or _scale_of(sample)
    of_file = file_ratings(sample, (low, high))
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
