"""Two runs as the raters see them: the ratings that there are of their answers, and what these say of B beside A."""

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from ..eval_sets import Sample
from ..meta_eval.score_files.read_options import RatedLevel
from ..metrics.specification import ALL_BASELINES
from .compare import RunComparison
from .ratings.same_raters import RatedText, average_ratings, find_common_raters, ratings_by_rater
from .version_answers import choose_level_of, describe_rating_kinds, pair_answers, read_run, select_answers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..meta_eval.rating_difference import RatingDifference
    from .store import Store


@dataclass(frozen=True, slots=True)
class RaterComparison:
    """What raters say of B beside A, at one level: of conversations, or of turns."""

    # how much higher they rate B where it differs, without a value where too few are rated; None where nothing differs
    # at this level, or the two runs are rated on different scales
    difference: "RatingDifference | None"
    same: int = 0  # how many answers (conversations, turns) that both runs have are the same in both
    is_on_two_scales: bool = False
    level: RatedLevel | None = None  # what is rated; None where there are no conversations
    note: str = ""  # what is rated at which level, for the user; empty where there are no conversations
    # says which ratings are left out because they are of pairs of answers, and which are beside two answers and taken
    # as of the first; empty where there are none
    left_out: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any] | None:
        """For `--json`: the difference with its level; None without one."""
        if self.difference is None:
            return None
        return asdict(self.difference) | {"level": self.level, "note": self.note, "left_out": list(self.left_out)}


def compare_ratings(store: "Store", comparison: RunComparison, level: RatedLevel | None = None) -> RaterComparison:
    """Estimates how much higher raters rate B, on the samples whose answer differs.

    Ratings are those that the samples came with and those of the rating page (`join_ratings`), by raters who rated
    answers of both runs. Ratings of conversations and of their turns are two measures, which are never taken together.
    The scores that help are the mean percentile of the metrics that both runs have, without the baselines.
    """
    import numpy as np

    from ..meta_eval.rating_difference import estimate_rating_difference
    from ..meta_eval.subsets import fit_scale

    sources = [read_run(store, store.run(run)) for run in (comparison.a, comparison.b)]
    chosen, note = choose_level_of(store.database, sources, level)
    sides = [
        select_answers(store.database, replace(source, name=name), chosen)
        for name, source in zip("AB", sources, strict=True)
    ]
    side_a, side_b = sides
    left_out = tuple(describe_rating_kinds(sides))
    pair_ids = pair_answers(comparison.pairing, side_a.samples, side_b.samples)
    all_pairs = [(in_a, in_b) for in_b, in_a in pair_ids.items()]
    pairs = [pair for pair in all_pairs if not side_a.samples[pair[0]].has_same_texts(side_b.samples[pair[1]])]
    same = len(all_pairs) - len(pairs)
    rated = [(side_a.samples[in_a], side_b.samples[in_b]) for in_a, in_b in pairs]
    scales = {
        (sample.rating_min, sample.rating_max) for both in rated for sample in both if sample.human_rating is not None
    }
    if not pairs or len(scales) > 1:
        return RaterComparison(None, same, len(scales) > 1, chosen, note, left_out)
    names = [name for name in comparison.metrics if name not in ALL_BASELINES] or list(comparison.metrics)
    signs = np.array([1.0 if comparison.directions[name] else -1.0 for name in names])
    values = [
        np.array([[side.values.get(pair[place], {}).get(name, np.nan) for name in names] for pair in pairs]) * signs
        for place, side in enumerate((side_a, side_b))
    ]
    percentiles = fit_scale(np.concatenate(values), "ranks")  # over both runs: no rating takes part
    ratings = np.array(_average_by_the_same_raters(rated), float).reshape(len(pairs), 2)
    difference = estimate_rating_difference(
        (ratings[:, 0], ratings[:, 1]),
        (percentiles(values[0]).mean(axis=1), percentiles(values[1]).mean(axis=1)),
        np.unique([in_b.source for _, in_b in rated], return_inverse=True)[1],
        scale=next(iter(scales), (1.0, 5.0)),
    )
    return RaterComparison(difference, same, level=chosen, note=note, left_out=left_out)


def _average_by_the_same_raters(pairs: "Sequence[tuple[Sample, Sample]]") -> list[float]:
    """The mean ratings of the first pair's answer in A and in B, of the second pair's, and so on; NaN without one."""
    answers = [
        RatedText(number, frozenset({side}), ratings_by_rater(sample))
        for number, pair in enumerate(pairs)
        for side, sample in enumerate(pair)
    ]
    return average_ratings(answers, find_common_raters(answers, (0, 1)))
