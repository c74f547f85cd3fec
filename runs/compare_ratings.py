"""Two runs as the raters see them: the ratings that there are of their answers, and what these say of B beside A."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, get_args

from ..eval_sets import Sample
from ..eval_sets.turns import turn_id
from ..meta_eval.score_files.read_options import RatedLevel
from ..metrics.specification import ALL_BASELINES
from .compare import RunComparison
from .rated_level import LevelItems, choose_level, find_level_items
from .ratings.rated_set import FILE
from .ratings.rating_join import join_ratings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..meta_eval.rating_difference import RatingDifference
    from .store import Store


@dataclass(frozen=True, slots=True)
class RaterComparison:
    """What raters say of B beside A, at one level: of conversations, or of turns.

    Attributes:
        difference: How much higher they rate B where it differs, without a value where too few are rated; None where
            nothing differs at this level, or the two runs are rated on different scales.
        same: How many answers (conversations, turns) that both runs have are the same in both.
        is_on_two_scales: Whether the ratings are on different scales.
        level: What is rated; None where there are no conversations.
        note: What is rated at which level, for the user; empty where there are no conversations.
    """

    difference: "RatingDifference | None"
    same: int = 0
    is_on_two_scales: bool = False
    level: RatedLevel | None = None
    note: str = ""

    def as_json(self) -> dict[str, Any] | None:
        """For `--json`: the difference with its level; None without one."""
        if self.difference is None:
            return None
        return asdict(self.difference) | {"level": self.level, "note": self.note}


@dataclass(frozen=True, slots=True)
class _Side:
    """What is rated in one run, at one level: its items, with all their ratings, and the values of its metrics."""

    items: LevelItems
    rated: Mapping[str, Sample]
    values: Mapping[str, Mapping[str, float]]


def compare_ratings(store: "Store", comparison: RunComparison, level: RatedLevel | None = None) -> RaterComparison:
    """Estimates how much higher raters rate B, on the samples whose answer differs.

    Ratings are those that the samples came with and those of the rating page (`join_ratings`), by raters who rated
    answers of both runs. Ratings of conversations and of their turns are two measures, which are never taken together.
    The scores that help are the mean percentile of the metrics that both runs have, without the baselines.

    Args:
        store: Where both runs are.
        comparison: The two runs.
        level: Whether ratings of conversations or of turns count; None for what is rated.

    Raises:
        UsageError: A level is asked for, and no sample of the runs is a conversation.
    """
    import numpy as np

    from ..meta_eval.rating_difference import estimate_rating_difference
    from ..meta_eval.subsets import fit_scale

    chosen, note = _choose_level(store, comparison, level)
    side_a, side_b = (_read_side(store, run, chosen) for run in (comparison.a, comparison.b))
    all_pairs = _pair_items(comparison, side_a, side_b)
    pairs = [pair for pair in all_pairs if not side_a.rated[pair[0]].has_same_texts(side_b.rated[pair[1]])]
    same = len(all_pairs) - len(pairs)
    rated = [(side_a.rated[in_a], side_b.rated[in_b]) for in_a, in_b in pairs]
    scales = {
        (sample.rating_min, sample.rating_max) for both in rated for sample in both if sample.human_rating is not None
    }
    if not pairs or len(scales) > 1:
        return RaterComparison(None, same, len(scales) > 1, chosen, note)
    names = [name for name in comparison.metrics if name not in ALL_BASELINES] or list(comparison.metrics)
    signs = np.array([1.0 if comparison.directions[name] else -1.0 for name in names])
    values = [
        np.array([[side.values.get(pair[place], {}).get(name, np.nan) for name in names] for pair in pairs]) * signs
        for place, side in enumerate((side_a, side_b))
    ]
    percentiles = fit_scale(np.concatenate(values), "ranks")  # over both runs: no rating takes part
    ratings = np.array(_by_the_same_raters(rated), float)
    difference = estimate_rating_difference(
        (ratings[:, 0], ratings[:, 1]),
        (percentiles(values[0]).mean(axis=1), percentiles(values[1]).mean(axis=1)),
        np.unique([in_b.source for _, in_b in rated], return_inverse=True)[1],
        scale=next(iter(scales), (1.0, 5.0)),
    )
    return RaterComparison(difference, same, level=chosen, note=note)


def _choose_level(store: "Store", comparison: RunComparison, asked: RatedLevel | None) -> tuple[RatedLevel | None, str]:
    """The level of both runs, by what is rated in them together."""
    items: dict[RatedLevel, Mapping[str, Sample]] = {}
    for level in get_args(RatedLevel):
        of_both: dict[str, Sample] = {}
        for side, run in (("A", comparison.a), ("B", comparison.b)):  # both runs may have one id
            samples = find_level_items(store.samples(run), level).samples
            rated = join_ratings(store.database, samples).samples
            of_both |= {f"{side}:{name}": sample for name, sample in rated.items()}
        items[level] = of_both
    return choose_level(items, asked)


def _read_side(store: "Store", run: str, level: RatedLevel | None) -> _Side:
    items = find_level_items(store.samples(run), level)
    of_conversations = store.run(run).plan.conversation_metrics
    values: dict[str, dict[str, float]] = {}
    for sample, metric, value, _ in store.sample_values(run):
        item = items.item(sample, metric, of_conversations)
        if item is not None and value is not None:
            values.setdefault(item, {})[metric] = value
    return _Side(items, join_ratings(store.database, items.samples).samples, values)


def _pair_items(comparison: RunComparison, side_a: _Side, side_b: _Side) -> list[tuple[str, str]]:
    """The items of A and B that belong together: as their samples do, and turns of one place in one conversation."""
    pairs = []
    for in_b, sample in side_b.items.samples.items():
        turn, conversation = sample.metadata.get("turn"), str(sample.metadata.get("conversation"))
        in_a = comparison.pairing.ids.get(in_b)
        if in_a is None and isinstance(turn, int) and conversation in comparison.pairing.ids:
            in_a = turn_id(comparison.id_in_a(conversation), turn)
        if in_a is not None and in_a in side_a.items.samples:
            pairs.append((in_a, in_b))
    return pairs


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
