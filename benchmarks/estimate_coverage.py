"""Does the interval of the three-level estimate hold the mean of ten million answers, and what does it save?

    python benchmarks/estimate_coverage.py --repeats 1000

Simulates populations whose ratings (1 to 5) follow a judge's score, which a cheap score follows more or less. An answer
is one of some thousands of combinations of cheap score, judge's score and rating, so that a population of ten million
is exactly a table of counts, and drawing from it without replacement is exact too. Of each population 20,000 answers
are judged (the same share of each stratum of the cheap score) and 100 of these rated at random. Prints how often the
95% interval of the mean rating, and that of the share of bad answers, holds the population's own, with the interval of
that rate, and the mean width beside those of the ratings alone.
"""

import argparse

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table

from assay.meta_eval.arrays import Floats, Places
from assay.meta_eval.policy import estimate_share
from assay.meta_eval.three_level import JudgedSample, Strata, ThreeLevelMean, three_level_mean, three_level_share
from assay.presentation.figure import Figure

# how closely the judge follows the rating, and the cheap score the judge: correlations of normal variables
SETTINGS = {
    "good judge, good cheap score": (0.8, 0.7),
    "good judge, poor cheap score": (0.8, 0.2),
    "poor judge, poor cheap score": (0.3, 0.2),
    "scores that say nothing": (0.0, 0.0),
}
CUTS = [-1.4, -0.7, 0.0, 0.7]  # of the latent quality: ratings 1 to 5; 24% are below 3


def cells(judge_follows: float, cheap_follows: float, seed: int) -> tuple[Floats, Floats]:
    """The combinations (cheap score, judge's score, rating) and how probable each is, from two million answers."""
    random = np.random.default_rng(seed)
    quality, noise, further = random.normal(size=(3, 2_000_000))
    judge = judge_follows * quality + np.sqrt(1 - judge_follows**2) * noise
    cheap = cheap_follows * judge + np.sqrt(1 - cheap_follows**2) * further
    ratings = 1.0 + np.searchsorted(CUTS, quality)
    rows = np.column_stack([cheap.round(1), judge.round(1), ratings])
    values, counts = np.unique(rows, axis=0, return_counts=True)
    return values, counts / counts.sum()


def strata_of(values: Floats, counts: Places, strata: int = 5) -> Strata:
    """The strata of a population that is given by the counts of its cells."""
    cheap, place = np.unique(values[:, 0], return_inverse=True)
    weights = np.bincount(place, weights=counts)
    reached = np.cumsum(weights) / weights.sum()
    edges = np.unique(cheap[np.searchsorted(reached, np.linspace(0, 1, strata + 1)[1:-1])])
    edges = edges[edges > cheap[0]]
    sizes = np.bincount(np.searchsorted(edges, cheap, side="right"), weights=weights).astype(np.intp)
    return Strata(edges, sizes, float(values[:, 0] @ counts / counts.sum()))


def draw(
    random: np.random.Generator, values: Floats, counts: Places, strata: Strata, sizes: tuple[int, int]
) -> JudgedSample:
    """Judges the same share of each stratum, and rates some of these at random; `sizes` says how many of both."""
    judged, rated = sizes
    stratum = np.searchsorted(strata.edges, values[:, 0], side="right")
    drawn = np.zeros(len(values), dtype=np.intp)
    for number, size in enumerate(strata.sizes):
        inside = np.flatnonzero(stratum == number)
        drawn[inside] = random.multivariate_hypergeometric(
            counts[inside], round(judged * size / strata.answers), method="marginals"
        )
    rows = np.repeat(values, drawn, axis=0)
    ratings = np.full(len(rows), np.nan)
    chosen = random.choice(len(rows), rated, replace=False)
    ratings[chosen] = rows[chosen, 2]
    return JudgedSample(rows[:, 0], rows[:, 1], ratings, np.arange(len(rows)))


def bad(sample: JudgedSample) -> JudgedSample:
    """The same answers, for the share of bad ones: every score turned round."""
    is_bad = np.where(np.isnan(sample.ratings), np.nan, sample.ratings < 3)
    return JudgedSample(-sample.cheap, -sample.judged, is_bad, sample.groups)


def holds(result: ThreeLevelMean, truth: float) -> bool:
    """Whether the interval from all three levels holds the truth."""
    return bool((result.mean.low or 0) <= truth <= (result.mean.high or 0))


def main() -> None:
    """Runs all settings and prints one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--answers", type=int, default=10_000_000)
    parser.add_argument("--judged", type=int, default=20_000)
    parser.add_argument("--rated", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print_machine()
    rows = []
    for name, follows in SETTINGS.items():
        values, probabilities = cells(*follows, options.seed)
        random = np.random.default_rng(options.seed)
        mean_held, bad_held, widths = [], [], []
        for _ in range(options.repeats):
            counts = random.multinomial(options.answers, probabilities)
            strata = strata_of(values, counts)
            sample = draw(random, values, counts, strata, (options.judged, options.rated))
            result = three_level_mean(strata, sample, scale=(1, 5))
            mean_held.append(holds(result, float(values[:, 2] @ counts / options.answers)))
            opposite = np.column_stack([-values[:, 0], values[:, 1:]])
            share = three_level_share(strata_of(opposite, counts), bad(sample))
            bad_held.append(holds(share, float(counts[values[:, 2] < 3].sum() / options.answers)))
            widths.append(
                [(e.high or 0) - (e.low or 0) for e in (result.ratings_alone, result.two_levels, result.mean)]
            )
        alone, two, three = np.mean(widths, axis=0)
        rows.append([name, rate(mean_held), rate(bad_held), f"{alone:.3f}", f"{two:.3f}", f"{three:.3f}"])
    title = (
        f"{options.repeats} populations of {options.answers:,} answers, {options.judged:,} judged, "
        f"{options.rated} rated, seed {options.seed}"
    )
    print_table(
        title,
        ["setting", "mean held", "bad share held", "width: ratings alone", "and judge", "and cheap score"],
        rows,
    )


def rate(held: list[bool]) -> str:
    """How often an interval held, with the interval of that share."""
    share = estimate_share(np.array(held), np.arange(len(held)))
    return str(Figure.from_estimate("rate", share))


if __name__ == "__main__":
    main()
