"""Are estimates from preferences, and from ratings and preferences together, right on average and as sure as they say?

    python benchmarks/preference_estimates.py --populations 1000

Simulates versions whose answers differ by a latent quality that varies by question and by group of questions. A rating
difference is the latent difference with the noise of a rater, on a scale of whole points; a preference is its sign with
another rater's noise, a tie where it is small. Prints how far the estimates are from the truth on average (bias, with
its standard error), how often their 95% interval holds the truth, and its width beside that of the ratings alone: with
many and few, equal and unequal groups, with preferences on the same and on other questions than the ratings, and where
the preferences measure something else. Prints the coverage of the intervals of the Bradley-Terry model too.
"""

import argparse
from dataclasses import dataclass

import checkout  # noqa: F401
import choix
import numpy as np
from benchmark_output import print_machine, print_table

from assay.meta_eval.arrays import Bools, Floats, Places
from assay.meta_eval.decision import PreferenceTable, VersionTable, combine_preferences, fit_bradley_terry
from assay.meta_eval.student import t_quantile

SPREAD_OF_GROUPS, SPREAD_OF_QUESTIONS, NOISE, TIE = 0.4, 0.7, 0.5, 0.3
SWING = 0.5  # of a version's strength by group


@dataclass(frozen=True)
class Setting:
    """What is simulated.

    `sizes`: questions by group; `rated`, `compared`: their shares; `shift`: how much the preferences' quality differs
    from that of the ratings; `apart`: whether other questions are compared than rated.
    """

    name: str
    sizes: tuple[int, ...]
    rated: float
    compared: float
    effect: float = 0.3
    shift: float = 0.0
    apart: bool = False
    whole: bool = True
    unrelated: float = 0.0


MANY, FEW = (2,) * 100, (10,) * 8
UNEQUAL = (40, 20, 10, 10, 5, 5, 5, 5, 3, 3, 2, 2, 1, 1, 1, 1)
SETTINGS = (
    Setting("100 groups of 2, 30% rated, all compared", MANY, 0.3, 1.0),
    Setting("100 groups of 2, no difference", MANY, 0.3, 1.0, effect=0.0),
    Setting("100 groups of 2, other questions", MANY, 0.4, 0.6, apart=True),
    Setting("100 groups of 2, other questions, fine ratings", MANY, 0.4, 0.6, apart=True, whole=False),
    Setting("100 groups of 2, no difference, other questions", MANY, 0.4, 0.6, effect=0.0, apart=True),
    Setting("100 groups of 2, large difference, other questions", MANY, 0.4, 0.6, effect=1.0, apart=True),
    Setting("8 groups of 10, 50% rated, all compared", FEW, 0.5, 1.0),
    Setting("8 groups of 10, other questions", FEW, 0.5, 0.5, apart=True),
    Setting("16 unequal groups, 50% rated, all compared", UNEQUAL, 0.5, 1.0),
    Setting("16 unequal groups, other questions", UNEQUAL, 0.5, 0.5, apart=True),
    Setting("preferences of something else, all compared", MANY, 0.3, 1.0, unrelated=1.0),
    Setting("preferences shifted by 0.3, other questions", MANY, 0.4, 0.6, apart=True, shift=-0.3),
    Setting("preferences shifted by 0.8, other questions", MANY, 0.4, 0.6, apart=True, shift=-0.8),
)


def draw(random: np.random.Generator, setting: Setting) -> tuple[Floats, Floats, Bools, Bools, Places]:
    """Rating differences and values of preferences of each question, which are rated, which compared, and its group."""
    group = np.repeat(np.arange(len(setting.sizes)), setting.sizes)
    count = len(group)
    quality = setting.effect + SPREAD_OF_GROUPS * random.normal(size=len(setting.sizes))[group]
    quality = quality + SPREAD_OF_QUESTIONS * random.normal(size=count)
    other = SPREAD_OF_GROUPS * random.normal(size=len(setting.sizes))[group]
    other = setting.effect + other + SPREAD_OF_QUESTIONS * random.normal(size=count)
    liked = (1 - setting.unrelated) * quality + setting.unrelated * other + setting.shift
    difference = quality + NOISE * random.normal(size=count)
    if setting.whole:  # rounded up or down at random, so that the mean stays what it is
        difference = np.floor(difference + random.random(count))
    felt = liked + NOISE * random.normal(size=count)
    value = np.where(np.abs(felt) < TIE, 0.0, np.sign(felt))
    lot = random.random(count)
    is_rated = lot < setting.rated
    is_compared = ~is_rated if setting.apart else random.random(count) < setting.compared
    return difference, value, is_rated, is_compared, group


def estimate(
    difference: Floats, value: Floats, is_rated: Bools, is_compared: Bools, group: Places
) -> tuple[tuple[float, float, float], tuple[float, float, float], bool]:
    """Estimates (value, low, high) of ratings alone and with preferences, and whether these were set aside."""
    count = len(difference)
    numbers = np.arange(count)
    ratings = np.concatenate([np.where(is_rated, 0.0, np.nan), np.where(is_rated, difference, np.nan)])
    table = VersionTable(
        ("old", "new"),
        np.repeat([0, 1], count),
        np.tile(numbers, 2),
        np.tile(group, 2),
        scores=np.full(2 * count, np.nan),
        ratings=ratings,
        text=np.arange(2 * count),
        scale=(-9.0, 9.0),
    )
    chosen = numbers[is_compared]
    places = np.zeros(len(chosen), dtype=np.intp)
    preferences = PreferenceTable(table.versions, places, places + 1, value[chosen], chosen, group[chosen])
    groups = int(group.max()) + 1
    sizes = np.bincount(group[is_rated], minlength=groups).astype(float)
    sums = np.bincount(group[is_rated], weights=difference[is_rated], minlength=groups)
    means = np.array([0.0, sums.sum() / sizes.sum()])
    without = (sums.sum() - sums) / (sizes.sum() - sizes)
    replicates = np.column_stack([np.zeros(groups), without])
    counted = np.column_stack([sizes, sizes])
    both = combine_preferences(table, preferences, means, replicates, counted)
    alone = _interval(means, replicates, counted)
    return (
        alone,
        _interval(both.means, both.replicates, both.counted),
        any("more than chance" in note for note in both.notes),
    )


def _interval(means: Floats, replicates: Floats, counted: Floats) -> tuple[float, float, float]:
    value, without = float(means[1] - means[0]), replicates[:, 1] - replicates[:, 0]
    sizes = counted.sum(axis=1)
    degrees = sizes.sum() ** 2 / (sizes**2).sum() - 1
    error = np.sqrt((len(without) - 1) * np.var(without))
    away = t_quantile(0.975, float(degrees)) * float(error)
    return value, value - away, value + away


def describe(name: str, estimates: Floats, truth: float) -> list[object]:
    """One row: the bias with its standard error, the coverage with its own, the width."""
    count = len(estimates)
    held = float(((estimates[:, 1] <= truth) & (truth <= estimates[:, 2])).mean())
    bias, error = float(estimates[:, 0].mean() - truth), float(estimates[:, 0].std() / np.sqrt(count))
    width = float((estimates[:, 2] - estimates[:, 1]).mean())
    return [
        name,
        f"{bias:+.3f} ({error:.3f})",
        f"{held:.1%} ({np.sqrt(held * (1 - held) / count):.1%})",
        f"{width:.3f}",
    ]


def strength_coverage(
    random: np.random.Generator, sizes: tuple[int, ...], strengths: Floats, repeats: int
) -> list[str]:
    """How often the intervals of the Bradley-Terry model hold the probability, of each pair."""
    pairs = [(first, second) for first in range(len(strengths)) for second in range(first + 1, len(strengths))]
    group = np.repeat(np.arange(len(sizes)), sizes)
    held: list[list[bool]] = [[] for _ in pairs]
    likely = expected_probabilities(strengths, pairs)
    for _ in range(repeats):
        which = random.integers(len(pairs), size=len(group))
        first, second = np.array(pairs)[which].T
        swing = SWING * random.normal(size=(len(sizes), len(strengths)))[group]
        place = np.arange(len(group))
        ahead = strengths[second] - strengths[first] + swing[place, second] - swing[place, first]
        choice = np.where(random.random(len(group)) < 1 / (1 + np.exp(-ahead)), 1.0, -1.0)
        table = PreferenceTable(tuple("ABCDE"[: len(strengths)]), first, second, choice, group, group)
        for number, pair in enumerate(fit_bradley_terry(table).pairs):
            if pair.low is not None and pair.high is not None:
                held[number].append(pair.low <= likely[number] <= pair.high)
    return [f"{np.mean(column):.1%} ({len(column)})" for column in held]


def expected_probabilities(strengths: Floats, pairs: list[tuple[int, int]]) -> list[float]:
    """What the model makes of endless comparisons, over groups whose strengths swing (Gauss-Hermite quadrature)."""
    points, weights = np.polynomial.hermite_e.hermegauss(40)
    wins = np.zeros((len(strengths), len(strengths)))
    for first, second in pairs:
        ahead = strengths[second] - strengths[first] + SWING * np.sqrt(2) * points
        wins[second, first] = (weights / (1 + np.exp(-ahead))).sum() / weights.sum()
        wins[first, second] = 1 - wins[second, first]
    fitted = choix.ilsr_pairwise_dense(wins)
    return [float(1 / (1 + np.exp(fitted[first] - fitted[second]))) for first, second in pairs]


def main() -> None:
    """Runs all settings and prints two tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--populations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print_machine()
    rows = []
    for setting in SETTINGS:
        random = np.random.default_rng(options.seed)
        results = [estimate(*draw(random, setting)) for _ in range(options.populations)]
        alone, both = (np.array([result[place] for result in results]) for place in (0, 1))
        set_aside = np.mean([result[2] for result in results])
        rows.append(
            [
                *describe(setting.name, alone, setting.effect),
                *describe("", both, setting.effect)[1:],
                f"{set_aside:.1%}",
            ]
        )
    header = ["setting", "ratings: bias", "held", "width", "both: bias", "held", "width", "set aside"]
    print_table(f"{options.populations} populations, seed {options.seed}", header, rows)
    random = np.random.default_rng(options.seed)
    repeats = options.populations
    rows = [
        [name, *strength_coverage(random, sizes, np.array([0.0, 0.4, 1.0]), repeats)]
        for name, sizes in (("100 groups of 3", (3,) * 100), ("8 groups of 20", (20,) * 8), ("16 unequal", UNEQUAL))
    ]
    print_table(f"Bradley-Terry, {repeats} populations: interval holds (n)", ["groups", "A-B", "A-C", "B-C"], rows)


if __name__ == "__main__":
    main()
