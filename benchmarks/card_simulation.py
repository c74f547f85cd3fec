"""Measures how often the intervals of a judge's card are wrong, on populations whose truth is known.

    python benchmarks/card_simulation.py --populations 200

Answers in groups (two fifths of an answer's quality are its group's) get ratings, a judge's scores and token overlap.
Three populations: the judge is noise and so is the overlap, so that an interval of both together, or of what the judge
adds, that leaves out 0 is wrong; a judge whose calibration error is known from 400,000 answers; and a judge whom an
instruction in an answer does not move, so that each injection that "worked" is its noise. The figures are the product's
own (`predict_together`, `measure_calibration`, `check_injections`), but for one: a card shows no interval of both
together. The first table measures the one that takes the predictions as fixed, and says why.
"""

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from functools import cache

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table
from numpy.typing import NDArray
from scipy.special import ndtr

from assay.eval_sets import Sample
from assay.judges import Usage
from assay.meta_eval import Estimate, ScoreTable, estimate, estimate_proportion, mean_spearman
from assay.metrics import Score
from assay.presentation import Figure
from assay.runs import build_value_table, check_injections, measure_calibration, measure_gain, predict_together

JUDGE, OVERLAP = "judge", "token_overlap"
OF_THE_GROUP = 0.4
FIVE_LEVELS = (-1.2, -0.5, 0.2, 0.9)
TWO_LEVELS = (-0.5,)
MOSTLY_BEST = (-1.8, -1.5, -1.2, -0.9)
ANSWERS_OF_TRUTH = 400_000

Floats = NDArray[np.float64]
Row = list[object]


def group_sizes(groups: int, per_group: int, *, is_equal: bool) -> list[int]:
    """Returns how many answers each group has; of unequal ones the first has two fifths of all."""
    if is_equal:
        return [per_group] * groups
    return [max(1, int(per_group * groups * share)) for share in (0.4, *[0.6 / (groups - 1)] * (groups - 1))]


class Population:
    """Draws answers with their ratings and scores."""

    def __init__(
        self, sizes: Sequence[int], levels: Sequence[float], steps: int, judge: float, generator: np.random.Generator
    ) -> None:
        self._group_of = np.repeat(np.arange(len(sizes)), sizes)
        self._levels, self._steps, self._judge, self._generator = levels, steps, judge, generator

    def draw(self) -> tuple[Floats, Floats, Floats]:
        """Draws ratings as shares of their scale, the judge's scores and the overlap's, each (answers,)."""
        quality = self._quality()
        ratings = np.digitize(quality, self._levels) / len(self._levels)
        scores = ndtr(self._judge * quality + math.sqrt(1 - self._judge**2) * self._quality())
        if self._levels == MOSTLY_BEST:
            scores = np.minimum(1.0, np.round(8 * scores) / 2)
        elif self._steps:
            scores = np.round(scores * self._steps) / self._steps
        return ratings, scores, ndtr(self._quality())

    def table(self) -> ScoreTable:
        """Draws answers as the card reads them."""
        ratings, scores, overlap = self.draw()
        samples = tuple(
            Sample(id=str(n), user_input="q", response="a", language="en", rating=float(rating), rating_min=0,
                   rating_max=1, group=f"g{group}")
            for n, (rating, group) in enumerate(zip(ratings, self._group_of, strict=True))
        )  # fmt: skip
        values = {
            name: {str(n): float(value) for n, value in enumerate(column)}
            for name, column in ((JUDGE, scores), (OVERLAP, overlap))
        }
        return build_value_table(samples, values)

    def _quality(self) -> Floats:
        of_groups = self._generator.standard_normal(int(self._group_of.max()) + 1)[self._group_of]
        own = self._generator.standard_normal(len(self._group_of))
        return math.sqrt(OF_THE_GROUP) * of_groups + math.sqrt(1 - OF_THE_GROUP) * own


def is_outside(interval: Estimate, truth: float) -> bool | None:
    """Whether an interval leaves the truth out; None where there is no interval."""
    if interval.low is None or interval.high is None:
        return None
    return not interval.low <= truth <= interval.high


def format_share(outcomes: Sequence[bool | None]) -> str:
    """Returns how often something came out, with Wilson's 95% interval and its number; None is not counted."""
    counted = [outcome for outcome in outcomes if outcome is not None]
    if not counted:
        return "no interval"
    share = estimate_proportion(sum(counted), len(counted))
    return f"{Figure.from_estimate('rate', share)} of {len(counted)}"


def combined_row(
    groups: int, per_group: int, is_equal: bool, levels: Sequence[float], options: argparse.Namespace
) -> Row:
    """Returns how often the intervals of both together, and of what the judge adds, leave 0 out: both are noise."""
    population = Population(
        group_sizes(groups, per_group, is_equal=is_equal),
        levels,
        len(levels) if levels == TWO_LEVELS else 3,
        0.0,
        np.random.default_rng([options.seed, groups, is_equal]),
    )
    together, gains = list[bool | None](), list[bool | None]()
    for number in range(options.populations):
        table = population.table()
        predictions = predict_together(table, JUDGE, OVERLAP, number)
        if isinstance(predictions, str):
            together.append(None)
            gains.append(None)
            continue
        agreement = estimate(mean_spearman(predictions, table.mean_rating), table.groups, scale="fisher")
        together.append(is_outside(agreement, 0.0))
        gains.append(is_outside(measure_gain(table, OVERLAP, predictions), 0.0))
    return [groups, describe(is_equal, levels), len(together), format_share(together), format_share(gains)]


def calibration_row(
    groups: int, per_group: int, is_equal: bool, levels: Sequence[float], options: argparse.Namespace
) -> Row:
    """Returns how often the interval of the calibration error leaves out the truth."""
    sizes = group_sizes(groups, per_group, is_equal=is_equal)
    generator = np.random.default_rng([options.seed, groups, is_equal])
    truth = true_calibration_error(tuple(levels))
    population = Population(sizes, levels, 0, 0.5, generator)
    outside, below = list[bool | None](), list[bool | None]()
    for _ in range(options.populations):
        error = measure_calibration(population.table(), JUDGE).error
        outside.append(is_outside(error, truth))
        below.append(None if error.high is None else error.high < truth)
    return [groups, describe(is_equal, levels), options.populations, format_share(outside), format_share(below)]


@cache
def true_calibration_error(levels: tuple[float, ...]) -> float:
    """Computes the calibration error of very many answers."""
    many = Population([1] * ANSWERS_OF_TRUTH, levels, 0, 0.5, np.random.default_rng(99))
    return calibration_error(*many.draw()[:2])


def calibration_error(ratings: Floats, scores: Floats) -> float:
    """Computes the error in five bins of equal width."""
    bins = np.minimum((scores * 5).astype(int), 4)
    return float(sum(abs((scores - ratings)[bins == one].sum()) for one in range(5)) / len(scores))


def injection_row(claims: int, noise: float, options: argparse.Namespace) -> Row:
    """Returns how often injections that move nothing are said to work, by a judge who errs on a verdict that often."""
    generator = np.random.default_rng([options.seed, claims, int(1000 * noise)])
    numbers = range(options.probed)
    samples = [Sample(id=str(n), user_input="q", response="a", language="en", group=f"g{n // 2}") for n in numbers]
    lifted = list[bool | None]()
    for _ in range(options.populations):
        truth = generator.random((len(samples), claims)) < 0.5

        def ask(truth: NDArray[np.bool_] = truth) -> dict[str, Score]:
            verdicts = truth ^ (generator.random(truth.shape) < noise)
            return {sample.id: make_score(row.tolist()) for sample, row in zip(samples, verdicts, strict=True)}

        check = check_injections(samples, ask(), ask(), ask())
        low = None if check is None else check.share.low
        lifted.append(low is not None and low > 0)
    return [claims, f"{noise:.0%}", options.populations, format_share(lifted)]


def make_score(verdicts: Sequence[bool]) -> Score:
    """Makes the score of an answer whose claims have these verdicts."""
    claims = [
        {"text": f"Claim {n}.", "verdict": "supported" if verdict else "not_found", "probability": None}
        for n, verdict in enumerate(verdicts)
    ]
    return Score(sum(verdicts) / len(verdicts), "scored", "", {"claims": claims}, Usage())


def describe(is_equal: bool, levels: Sequence[float]) -> str:
    """Describes groups and ratings in words."""
    sizes = "equal" if is_equal else "one has two fifths"
    return f"{sizes}; {len(levels) + 1} ratings{', most at the best' if levels == MOSTLY_BEST else ''}"


def cells(options: argparse.Namespace) -> Iterator[tuple[int, int, bool, Sequence[float]]]:
    """Yields groups, answers per group, whether they are equal, and where a quality becomes the next rating."""
    for groups in options.groups:
        per_group = max(2, round(options.answers / groups))
        yield groups, per_group, True, FIVE_LEVELS
        yield groups, per_group, False, TWO_LEVELS


def main() -> None:
    """Prints the tables; the same seed gives the same populations."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--populations", type=int, default=200, help="per row")
    parser.add_argument("--groups", type=int, nargs="+", default=[8, 15, 50])
    parser.add_argument("--answers", type=int, default=60, help="of a population, in groups of two or more")
    parser.add_argument("--probed", type=int, default=20, help="answers that are given an instruction")
    parser.add_argument("--repeats", type=int, default=2, help="how often the folds of both together are dealt")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    product = sys.modules[predict_together.__module__]
    product.REPEATS, product.PERMUTATIONS = options.repeats, 9  # the p-value is not looked at
    print_machine()
    print_table(
        "Both together where both are noise: intervals that leave out 0",
        ["groups", "groups and ratings", "n", "both together", "what the judge adds"],
        [combined_row(*cell, options) for cell in cells(options)],
    )
    print_table(
        "The calibration error: intervals that leave out the truth",
        ["groups", "groups and ratings", "n", "leaves it out", "lies below it"],
        [
            calibration_row(groups, per_group, is_equal, levels, options)
            for groups, per_group, is_equal, _ in cells(options)
            for levels in (FIVE_LEVELS, MOSTLY_BEST)
        ],
    )
    print_table(
        "Injections that move nothing: cards that say that they worked",
        ["claims", "wrong verdicts", "n", "false alarms"],
        [injection_row(claims, noise, options) for claims in (1, 2, 4) for noise in (0.02, 0.05, 0.1, 0.2)],
    )


if __name__ == "__main__":
    main()
