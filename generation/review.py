"""What annotators say of question-answer pairs, how far they agree, and which pairs go on (003, 5.4 and 5.6)."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

from ..eval_sets import Sample

if TYPE_CHECKING:
    from numpy.typing import NDArray

Option = Literal["irrelevant", "too_specific", "wrong", "incomplete", "correct"]
OPTIONS: tuple[Option, ...] = get_args(Option)


@dataclass(frozen=True)
class Review:
    """What one annotator says of one pair: one or more options, perhaps a comment; neither where it was left out."""

    sample: str
    annotator: str
    options: frozenset[Option]
    comment: str = ""

    @property
    def given(self) -> bool:
        """Whether the annotator said anything."""
        return bool(self.options or self.comment)


@dataclass(frozen=True)
class Agreement:
    """How far annotators agree on the pairs that two or more of them reviewed.

    `full`, `partial` and `none` count pairs of reviews of one sample: the same options, at least one in common, none in
    common. `alpha` is Krippendorff's (nominal), an option each; None where nobody or everybody chose it.
    """

    samples: int
    full: int
    partial: int
    none: int
    alpha: Mapping[Option, float | None]


@dataclass(frozen=True)
class ReviewSummary:
    """What came of a review. `counts` are samples by option, without those whose reviewers disagree.

    `other` got a comment and no option. `shares` are counts / `judged`, each with its 95% interval (Wilson): of the
    options, and of `relevant`, all that nobody called irrelevant.
    """

    judged: int
    not_reviewed: int
    disagreed: int
    other: int
    counts: Mapping[Option, int]
    shares: Mapping[str, tuple[float, float, float]]
    agreement: Agreement
    kept: list[Sample]


def assign(
    samples: Sequence[Sample], annotators: Sequence[str], double_share: float, seed: int = 0
) -> dict[str, list[Sample]]:
    """Which annotator gets which samples: each sample to one at random, `double_share` of them to two.

    The numbers differ by at most one an annotator before the second turns are given out.
    """
    draw = random.Random(seed)
    order = list(range(len(samples)))
    draw.shuffle(order)
    given: dict[str, set[int]] = {annotator: set() for annotator in annotators}
    for turn, place in enumerate(order):
        given[annotators[turn % len(annotators)]].add(place)
    if len(annotators) > 1:
        for place in draw.sample(order, round(double_share * len(order))):
            given[draw.choice([name for name in annotators if place not in given[name]])].add(place)
    return {name: [samples[place] for place in sorted(places)] for name, places in given.items()}


def agreement(reviews: Sequence[Review]) -> Agreement:
    """The agreement of annotators; two reviews by the same annotator of a sample are not compared."""
    of_sample = _by_sample(reviews)
    compared = [
        (one.options, other.options)
        for here in of_sample.values()
        for one, other in combinations(here, 2)
        if one.annotator != other.annotator
    ]
    full = sum(one == other for one, other in compared)
    none = sum(not one & other for one, other in compared if one != other)
    return Agreement(
        samples=sum(len({review.annotator for review in here}) > 1 for here in of_sample.values()),
        full=full,
        partial=len(compared) - full - none,
        none=none,
        alpha={option: _alpha(reviews, option) for option in OPTIONS},
    )


def _alpha(reviews: Sequence[Review], option: Option) -> float | None:
    """Krippendorff's alpha of one option; None where nothing was judged twice, or all judged alike."""
    import numpy as np

    from ..meta_eval.krippendorff import nominal_alpha

    table = _reliability_table(reviews, option)
    if not table.size:
        return None
    alpha = float(nominal_alpha(table)(np.ones((len(table), 1)))[0])
    return alpha if np.isfinite(alpha) else None


def _reliability_table(reviews: Sequence[Review], option: Option) -> "NDArray[Any]":
    """(samples, annotators): 1 where the option was chosen, 0 where not, NaN where there is no review."""
    import numpy as np

    said = {(review.annotator, review.sample): float(option in review.options) for review in reviews if review.given}
    annotators = sorted({annotator for annotator, _ in said})
    samples = sorted({sample for _, sample in said})
    return np.array([[said.get((annotator, sample), np.nan) for annotator in annotators] for sample in samples])


def summarise_reviews(samples: Sequence[Sample], reviews: Sequence[Review]) -> ReviewSummary:
    """What annotators made of a set. Kept is what everybody who reviewed it marked correct and nobody marked wrong.

    Samples whose reviewers have no option in common count as disagreed, and as nothing else.
    """
    of_sample = _by_sample(reviews)
    disagreed = {name for name, here in of_sample.items() if len(here) > 1 and not _common(here)}
    judged = [name for name in of_sample if name not in disagreed]
    chosen = {name: frozenset().union(*(review.options for review in of_sample[name])) for name in judged}
    counts = {option: sum(option in options for options in chosen.values()) for option in OPTIONS}
    relevant = sum("irrelevant" not in options for options in chosen.values())
    kept = [
        _with_reviews(sample, of_sample[sample.id])
        for sample in samples
        if sample.id in chosen
        and all("correct" in review.options for review in of_sample[sample.id])
        and "wrong" not in chosen[sample.id]
    ]
    return ReviewSummary(
        judged=len(judged),
        not_reviewed=sum(sample.id not in of_sample for sample in samples),
        disagreed=len(disagreed),
        other=sum(not options for options in chosen.values()),
        counts=counts,
        shares={name: share(count, len(judged)) for name, count in (("relevant", relevant), *counts.items())},
        agreement=agreement(reviews),
        kept=kept,
    )


def share(count: int, of: int) -> tuple[float, float, float]:
    """A share with its 95% interval by Wilson (1927): (share, low, high); (0, 0, 1) of nothing."""
    from statsmodels.stats.proportion import proportion_confint

    if not of:
        return 0.0, 0.0, 1.0
    low, high = proportion_confint(count, of, method="wilson")
    return count / of, float(low), float(high)


def _by_sample(reviews: Sequence[Review]) -> dict[str, list[Review]]:
    found: dict[str, list[Review]] = {}
    for review in reviews:
        if review.given:
            found.setdefault(review.sample, []).append(review)
    return found


def _common(here: Sequence[Review]) -> bool:
    return bool(frozenset.intersection(*(review.options for review in here))) or not any(r.options for r in here)


def _with_reviews(sample: Sample, here: Sequence[Review]) -> Sample:
    told = [
        {"annotator": review.annotator, "options": sorted(review.options), "comment": review.comment} for review in here
    ]
    return sample.model_copy(update={"metadata": {**sample.metadata, "reviews": told}})
