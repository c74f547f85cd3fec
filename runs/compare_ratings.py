"""Two runs as the raters see them: the ratings that there are of their answers, and what these say of B beside A."""

from typing import TYPE_CHECKING

from ..eval_sets import Sample
from ..metrics.specification import ALL_BASELINES
from .compare import RunComparison
from .ratings.rated_set import FILE
from .ratings.rating_join import join_ratings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..meta_eval.rating_difference import RatingDifference
    from .store import Store


def compare_ratings(store: "Store", comparison: RunComparison) -> "RatingDifference | None":
    """Estimates how much higher raters rate B, on the samples whose answer differs.

    Ratings are those that the samples came with and those of the rating page (`join_ratings`), by raters who rated
    answers of both runs. The scores that help are
    the mean percentile of the metrics that both runs have, without the baselines.

    Args:
        store: Where both runs are.
        comparison: The two runs.

    Returns:
        The difference, without a value where too few answers are rated; None where no answer differs, or the two runs
        are rated on different scales.
    """
    import numpy as np

    from ..meta_eval.rating_difference import estimate_rating_difference
    from ..meta_eval.subsets import fit_scale

    pairs = [pair for pair in comparison.samples if pair.answer_changed]
    if not pairs:
        return None
    samples_a, samples_b = (_rated_samples(store, run) for run in (comparison.a, comparison.b))
    rated = [(samples_a[comparison.id_in_a(pair.sample)], samples_b[pair.sample]) for pair in pairs]
    scales = {
        (sample.rating_min, sample.rating_max) for both in rated for sample in both if sample.human_rating is not None
    }
    if len(scales) > 1:
        return None
    names = [name for name in comparison.metrics if name not in ALL_BASELINES] or list(comparison.metrics)
    signs = np.array([1.0 if comparison.directions[name] else -1.0 for name in names])
    values = [
        np.array([[np.nan if value is None else value for value in map(read, names)] for read in readers]) * signs
        for readers in ([pair.earlier_value for pair in pairs], [pair.value for pair in pairs])
    ]
    percentiles = fit_scale(np.concatenate(values), "ranks")  # over both runs: no rating takes part
    ratings = np.array(_by_the_same_raters(rated), float)
    return estimate_rating_difference(
        (ratings[:, 0], ratings[:, 1]),
        (percentiles(values[0]).mean(axis=1), percentiles(values[1]).mean(axis=1)),
        np.unique([pair.source for pair in pairs], return_inverse=True)[1],
        scale=next(iter(scales), (1.0, 5.0)),
    )


def _rated_samples(store: "Store", run: str) -> dict[str, Sample]:
    return join_ratings(store.database, {sample.id: sample for sample in store.samples(run)}).samples


def _by_the_same_raters(pairs: "Sequence[tuple[Sample, Sample]]") -> list[list[float]]:
    """The mean rating of either answer of each pair, NaN without one, by raters who rated answers of both runs.

    A strict rater who saw only one run's answers says nothing of the difference between the runs. Of a pair that is
    rated on both sides only those raters count who rated both of its answers.
    """
    by_rater = [[_ratings_of(sample) for sample in pair] for pair in pairs]
    raters_a, raters_b = ({rater for pair in by_rater for rater in pair[side]} for side in (0, 1))
    both = raters_a & raters_b
    means = []
    for of_a, of_b in by_rater:
        kept = both & of_a.keys() & of_b.keys() if of_a and of_b else both
        means.append([_mean([value for rater, value in one.items() if rater in kept]) for one in (of_a, of_b)])
    return means


def _ratings_of(sample: Sample) -> dict[str, float]:
    """The ratings by rater; one rating without a rater is the file's."""
    return dict(sample.ratings) or ({} if sample.rating is None else {FILE: sample.rating})


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else float("nan")
