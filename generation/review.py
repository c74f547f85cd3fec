"""What annotators say of pairs, how far they agree, and which pairs are accepted (Twente paper, 5.4 and 5.6)."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

from ..eval_sets import Sample
from ..meta_eval.estimate import Estimate, estimate_proportion

if TYPE_CHECKING:
    from numpy.typing import NDArray

Option = Literal["irrelevant", "too_specific", "wrong", "incomplete", "correct"]
OPTIONS: tuple[Option, ...] = get_args(Option)


@dataclass(frozen=True)
class Review:
    """What one annotator says of one pair."""

    sample: str
    annotator: str  # the annotator's name
    options: frozenset[Option]
    comment: str = ""  # A comment, or ""

    @property
    def is_filled_in(self) -> bool:
        """Whether the annotator marked an option or wrote a comment."""
        return bool(self.options or self.comment)


@dataclass(frozen=True)
class Agreement:
    """How far annotators agree."""

    samples: int  # the number of pairs that two or more annotators reviewed
    full: int  # the number of couples of reviews of one pair with the same options
    partial: int  # the number of couples with at least one option in common, and not the same
    none: int
    # Krippendorff's alpha (nominal) of each option; None where nobody or everybody marked it
    alpha: Mapping[Option, float | None]


@dataclass(frozen=True)
class ReviewSummary:
    """The outcome of a review."""

    judged: int  # the number of pairs reviewed, without those whose reviewers disagree
    not_reviewed: int
    disagreed: int  # the number of pairs whose reviewers have no option in common; they are in no share
    disagreed_wrong: int  # of these, the number that somebody marked wrong
    other: int  # the number of judged pairs with a comment and no option
    counts: Mapping[Option, int]  # the number of judged pairs with each option
    # counts / judged with a 95% interval (Wilson), also for `relevant`: pairs that nobody called irrelevant
    shares: Mapping[str, Estimate]
    agreement: Agreement
    accepted: list[Sample]  # the pairs that every reviewer marked correct and none marked wrong


def assign_samples(
    samples: Sequence[Sample], annotators: Sequence[str], double_share: float, seed: int = 0
) -> dict[str, list[Sample]]:
    """Assigns each sample to one annotator at random, and a share of the samples to a second one.

    Returns:
        The samples of each annotator, in the set's order. Without the second assignment the numbers differ by at most
        one.
    """
    draw = random.Random(seed)
    order = list(range(len(samples)))
    draw.shuffle(order)
    places: dict[str, set[int]] = {annotator: set() for annotator in annotators}
    for turn, place in enumerate(order):
        places[annotators[turn % len(annotators)]].add(place)
    if len(annotators) > 1:
        for place in draw.sample(order, round(double_share * len(order))):
            places[draw.choice([name for name in annotators if place not in places[name]])].add(place)
    return {name: [samples[place] for place in sorted(own_places)] for name, own_places in places.items()}


def measure_agreement(reviews: Sequence[Review]) -> Agreement:
    """Measures the agreement of annotators.

    Example:
        >>> agreement = measure_agreement([
        ...     Review("a", "an", frozenset({"correct"})), Review("a", "bo", frozenset({"correct", "too_specific"})),
        ... ])
        >>> agreement.samples, agreement.full, agreement.partial, agreement.none
        (1, 0, 1, 0)
    """
    by_sample = _group_by_sample(reviews)
    couples = [
        (one.options, other.options)
        for sample_reviews in by_sample.values()
        for one, other in combinations(sample_reviews, 2)
        if one.annotator != other.annotator
    ]
    full = sum(one == other for one, other in couples)
    none = sum(not one & other for one, other in couples if one != other)
    return Agreement(
        samples=sum(len({review.annotator for review in group}) > 1 for group in by_sample.values()),
        full=full,
        partial=len(couples) - full - none,
        none=none,
        alpha={option: _alpha(reviews, option) for option in OPTIONS},
    )


def summarise_reviews(samples: Sequence[Sample], reviews: Sequence[Review]) -> ReviewSummary:
    """Summarises what annotators say of a set.

    Samples whose reviewers have no option in common count as disagreed, and as nothing else.
    """
    by_sample = _group_by_sample(reviews)
    disagreed = {name for name, group in by_sample.items() if len(group) > 1 and not _have_common_option(group)}
    judged = [name for name in by_sample if name not in disagreed]
    options = {name: frozenset[Option]().union(*(review.options for review in by_sample[name])) for name in judged}
    counts = {option: sum(option in chosen for chosen in options.values()) for option in OPTIONS}
    relevant = sum("irrelevant" not in chosen for chosen in options.values())
    accepted = [
        _with_reviews(sample, by_sample[sample.id])
        for sample in samples
        if sample.id in options
        and all("correct" in review.options for review in by_sample[sample.id])
        and "wrong" not in options[sample.id]
    ]
    return ReviewSummary(
        judged=len(judged),
        not_reviewed=sum(sample.id not in by_sample for sample in samples),
        disagreed=len(disagreed),
        disagreed_wrong=sum(any("wrong" in review.options for review in by_sample[name]) for name in disagreed),
        other=sum(not chosen for chosen in options.values()),
        counts=counts,
        shares={
            name: estimate_proportion(count, len(judged)) for name, count in (("relevant", relevant), *counts.items())
        },
        agreement=measure_agreement(reviews),
        accepted=accepted,
    )


def _alpha(reviews: Sequence[Review], option: Option) -> float | None:
    """Returns Krippendorff's alpha of one option; None where no sample has two reviews, or all reviews are alike."""
    import numpy as np

    from ..meta_eval.rater_coefficients import nominal_alpha

    table = _reliability_table(reviews, option)
    if not table.size:
        return None
    alpha = float(nominal_alpha(table)(np.ones((len(table), 1)))[0])
    return alpha if np.isfinite(alpha) else None


def _reliability_table(reviews: Sequence[Review], option: Option) -> "NDArray[Any]":
    """Returns (samples, annotators): 1 where the option was marked, 0 where not, NaN where there is no review."""
    import numpy as np

    marks = {
        (review.annotator, review.sample): float(option in review.options) for review in reviews if review.is_filled_in
    }
    annotators = sorted({annotator for annotator, _ in marks})
    samples = sorted({sample for _, sample in marks})
    return np.array([[marks.get((annotator, sample), np.nan) for annotator in annotators] for sample in samples])


def _group_by_sample(reviews: Sequence[Review]) -> dict[str, list[Review]]:
    groups: dict[str, list[Review]] = {}
    for review in reviews:
        if review.is_filled_in:
            groups.setdefault(review.sample, []).append(review)
    return groups


def _have_common_option(reviews: Sequence[Review]) -> bool:
    """Returns whether reviews share an option; comments without any option count as one."""
    common = frozenset.intersection(*(review.options for review in reviews))
    return bool(common) or not any(review.options for review in reviews)


def _with_reviews(sample: Sample, reviews: Sequence[Review]) -> Sample:
    rows = [
        {"annotator": review.annotator, "options": sorted(review.options), "comment": review.comment}
        for review in reviews
    ]
    return sample.model_copy(update={"metadata": {**sample.metadata, "reviews": rows}})
