"""Measures how often the meta-evaluation's intervals contain the truth, and how often its test raises a false alarm.

    python benchmarks/meta_coverage.py --repeats 500

Simulates ratings 1 to 5 (a normal variable cut so that 28% are 1 and 52% are 5, as in Table I of the AFAS paper, or
evenly) and scores that are related to them, so that the true value of each measure is known (from two million answers).
Prints

- how often the 95% interval contains it, for independent answers and for groups of four that share half their variance;
- how often p < 0.05 under noise, for one metric, for the best of 12 (max-T), and for the selection among all their
  subsets; and the correlation that such noise reaches in sample and out of fold;
- how often the prediction-powered interval contains the true mean rating.
"""

import argparse
from collections.abc import Callable, Iterator

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table

from assay.meta_eval import bootstrap_statistics
from assay.meta_eval.arrays import Floats, Places
from assay.meta_eval.chance import chance_of_best
from assay.meta_eval.cross_validation import CombinationTask, column_spearmans, cross_validate
from assay.meta_eval.estimate import estimate
from assay.meta_eval.mean_rating import prediction_powered_mean
from assay.meta_eval.permutation import max_t
from assay.meta_eval.policy import estimate_share
from assay.meta_eval.table import ScoreTable

CUTS = {"as Lassche et al.": [-0.583, -0.496, -0.228, -0.05], "even": [-0.842, -0.253, 0.253, 0.842]}
MIDDLE = 3
Measure = Callable[[Floats, Floats], bootstrap_statistics.Statistic]
MEASURES: dict[str, Measure] = {
    "Spearman": bootstrap_statistics.spearman,
    "Kendall": bootstrap_statistics.kendall,
    "Pearson": bootstrap_statistics.pearson,
    "AUROC bad": lambda x, y: bootstrap_statistics.auroc(x, y >= MIDDLE),
}


def simulate(
    generator: np.random.Generator, n: int, follows: float, cuts: list[float], of_a_group: int
) -> tuple[Floats, Floats, Places]:
    """Scores, ratings, and the number of each answer's group; half of all variance is shared within a group."""
    groups = np.arange(n) // of_a_group
    both = generator.normal(size=(n, 2))
    if of_a_group > 1:
        shared = generator.normal(size=(groups[-1] + 1, 2))[groups]
        both = np.sqrt(0.5) * shared + np.sqrt(0.5) * both
    truth = both[:, 0]
    scores = follows * truth + np.sqrt(1 - follows**2) * both[:, 1]
    return scores, 1.0 + np.searchsorted(cuts, truth), groups


def labels(groups: Places) -> tuple[str, ...]:
    """The groups as labels."""
    return tuple(f"g{group}" for group in groups)


def intervals(repeats: int, resamples: int, seed: int) -> Iterator[list[object]]:
    """Builds one row per setting: how often each interval contains the truth."""
    settings = [
        (79, 0.5, "as Lassche et al.", 1),
        (79, 0.3, "even", 1),
        (200, 0.5, "as Lassche et al.", 4),
        (200, 0.3, "even", 4),
    ]
    for n, follows, shape, of_a_group in settings:
        generator = np.random.default_rng(seed)
        many = simulate(generator, 2_000_000, follows, CUTS[shape], 1)
        truth = {name: float(of(many[0], many[1])(np.ones((len(many[0]), 1)))[0]) for name, of in MEASURES.items()}
        held = dict.fromkeys(MEASURES, 0)
        for repeat in range(repeats):
            x, y, groups = simulate(generator, n, follows, CUTS[shape], of_a_group)
            for name, of in MEASURES.items():
                interval = estimate(of(x, y), labels(groups), seed=repeat)
                held[name] += bool(
                    interval.low is not None
                    and interval.high is not None
                    and interval.low <= truth[name] <= interval.high
                )
        yield [
            n,
            of_a_group,
            shape,
            round(truth["Spearman"], 3),
            *(f"{100 * count / repeats:.1f}%" for count in held.values()),
        ]


def false_alarms(repeats: int, permutations: int, seed: int) -> Iterator[list[object]]:
    """Builds one row per setting: how often p < 0.05 under noise; the correlations in sample and out of fold."""
    for n, of_a_group, metrics in ((79, 1, 12), (80, 4, 12)):
        generator = np.random.default_rng(seed)
        alarms = {"one": 0, "max-T": 0, "selection": 0}
        in_sample, out_of_fold = [], []
        for repeat in range(repeats):
            columns = [simulate(generator, n, 0.0, CUTS["as Lassche et al."], of_a_group) for _ in range(metrics)]
            scores, ratings, groups = np.stack([x for x, _, _ in columns], axis=1), columns[0][1], columns[0][2]
            table = ScoreTable(
                tuple(f"i{number}" for number in range(n)),
                tuple(f"m{number}" for number in range(metrics)),
                scores,
                ratings[:, None],
                groups=labels(groups),
            )
            alone, together = max_t(table, permutations=permutations, seed=repeat)
            alarms["one"] += alone[0] < 0.05
            alarms["max-T"] += min(together) < 0.05
            task = CombinationTask.build(scores, ratings, groups, middle=MIDDLE, how="ranks", largest=metrics)
            chance = chance_of_best(task, permutations=permutations, seed=repeat)
            best = float(chance.reached[0])
            validation = cross_validate(task, repeats=1, folds=5, seed=repeat, rules=("best",))
            assert validation is not None
            alarms["selection"] += chance.p(best) < 0.05
            in_sample.append(best)
            out_of_fold.append(column_spearmans(validation.chosen["best"], ratings)[0])
        error = np.std(out_of_fold) / np.sqrt(repeats)
        shares = (f"{100 * count / repeats:.1f}%" for count in alarms.values())
        yield [n, of_a_group, *shares, float(np.mean(in_sample)), f"{np.mean(out_of_fold):.3f} +- {error:.3f}"]


def rates(repeats: int, seed: int) -> Iterator[list[object]]:
    """How often the prediction-powered interval and that of a share hold, and how much narrower the former is."""
    for n, of_a_group in ((60, 1), (200, 4)):
        generator = np.random.default_rng(seed)
        cuts = CUTS["as Lassche et al."]
        truth = simulate(generator, 2_000_000, 0.7, cuts, 1)[1]
        mean, bad = float(truth.mean()), float((truth < MIDDLE).mean())
        powered = classical = shares = 0
        widths = []
        for _ in range(repeats):
            x, y, groups = simulate(generator, n + 2000, 0.7, cuts, of_a_group)
            powered_mean = prediction_powered_mean(y[:n], x[:n], x[n:], groups[:n], scale=(1, 5))
            for_mean, plain = powered_mean.mean, powered_mean.classical
            assert for_mean.low is not None and for_mean.high is not None
            assert plain.low is not None and plain.high is not None
            powered += for_mean.low <= mean <= for_mean.high
            classical += plain.low <= mean <= plain.high
            widths.append((for_mean.high - for_mean.low) / (plain.high - plain.low))
            of_bad = estimate_share(y[:n] < MIDDLE, groups[:n])
            shares += bool(of_bad.low is not None and of_bad.high is not None and of_bad.low <= bad <= of_bad.high)
        shares_of_alarms = (f"{100 * count / repeats:.1f}%" for count in (powered, classical, shares))
        yield [n, of_a_group, *shares_of_alarms, float(np.mean(widths))]


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=500)
    parser.add_argument("--resamples", type=int, default=2000)
    parser.add_argument("--permutations", type=int, default=999)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--only", nargs="+", choices=["intervals", "alarms", "rates"], help="these tables; default: all"
    )
    options = parser.parse_args()
    print_machine()
    repeats, seed = options.repeats, options.seed
    wanted = options.only or ["intervals", "alarms", "rates"]
    if "intervals" in wanted:
        title = f"95% intervals hold the truth, {repeats} repeats, {options.resamples} resamples"
        rows = list(intervals(repeats, options.resamples, seed))
        print_table(title, ["n", "of a group", "ratings", "true rho", *MEASURES], rows)
    if "alarms" in wanted:
        title = f"p < 0.05 under noise, 12 metrics, {repeats} repeats, {options.permutations} permutations"
        header = ["n", "of a group", "one metric", "max-T", "selection", "best in sample", "chosen out of fold"]
        print_table(title, header, list(false_alarms(repeats, options.permutations, seed)))
    if "rates" in wanted:
        title = f"mean rating from few, 2,000 unrated, {repeats} repeats"
        header = ["rated", "of a group", "powered", "classical", "share of bad", "width, powered / classical"]
        print_table(title, header, list(rates(repeats, seed)))


if __name__ == "__main__":
    main()
