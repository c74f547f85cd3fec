"""Do the interval of soft pairwise accuracy, the test of two metrics and the false-winner rate hold what they promise?

    python benchmarks/version_agreement.py --data ../shared/data/rated

Simulates ratings and scores of two to five versions on the same questions, in few groups of unequal size or in many,
with versions that nobody, or everybody, can tell apart, and a metric that follows the rating, that favours one version
or that says nothing. Prints how often the 95% interval holds the mean accuracy over all draws; how often a metric that
sees no difference calls a version better, also where versions answered other questions; how often the interval of the
false-winner rate holds the rate over new versions; and how often PERM-INPUTS calls two equally good metrics different
at 5%. With --data also prints the metrics of mtrag_faithfulness and clapnq_human, which need no judge.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table
from meta_rated import SETS, build_table

from assay import load_set
from assay.meta_eval.correlation import spearman
from assay.meta_eval.policy import estimate_share
from assay.meta_eval.table import ScoreTable
from assay.meta_eval.version_agreement import version_agreement
from assay.meta_eval.version_results import VersionAgreement
from assay.presentation.figure import Figure

SIZES = {
    "7 groups of 3 to 29": [3, 4, 6, 8, 10, 15, 29],
    "12 groups of 1 to 20": [1, 1, 2, 2, 3, 4, 5, 6, 8, 10, 13, 20],
    "40 groups of 1": [1] * 40,
}
VERSIONS = {
    "2 versions 0.3 apart": [0.0, 0.3],
    "3 alike": [0.0, 0.0, 0.0],
    "3 versions, 1 worse": [0.0, 0.35, 0.4],
    "5 versions 0.2 apart": [0.0, 0.2, 0.4, 0.6, 0.8],
}
METRICS = {"follows": (0.6, 0.0), "favours the first": (0.6, 0.5), "says nothing": (0.0, 0.0)}
FAST = 200  # swaps in the simulation


def draw(
    random: np.random.Generator, sizes: list[int], quality: list[float], metric: tuple[float, float], metrics: int = 1
) -> ScoreTable:
    """Ratings and scores of all versions on the same questions; groups share a part of how well a version answers."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    questions, versions = len(group), len(quality)
    common = 0.5 * random.normal(size=(len(sizes), 1))[group] + 0.5 * random.normal(size=(questions, 1))
    own = 0.4 * random.normal(size=(len(sizes), versions))[group] + 0.7 * random.normal(size=(questions, versions))
    ratings = 3 + np.array(quality) + common + own
    follows, favour = metric
    scores = []
    for _ in range(metrics):
        noise = 0.3 * random.normal(size=(len(sizes), versions))[group] + 0.8 * random.normal(
            size=(questions, versions)
        )
        scores.append(follows * ratings + favour * (np.arange(versions) == 0) + noise)
    names = tuple(f"{question}-{version}" for question in range(questions) for version in range(versions))
    return ScoreTable(
        names,
        tuple(f"m{number}" for number in range(metrics)),
        np.column_stack([one.ravel() for one in scores]),
        np.clip(ratings, -20, 20).ravel()[:, None],
        rating_min=-20,
        rating_max=20,
        groups=tuple(np.repeat(group, versions).astype(str).tolist()),
        versions=tuple(f"v{version}" for version in range(versions)) * questions,
        questions=tuple(str(question) for question in range(questions) for _ in range(versions)),
    )


def apart(table: ScoreTable) -> ScoreTable:
    """The same with other questions for each version: groups take turns, and each keeps the answers of one version."""
    names = sorted(set(table.versions))
    order = {group: place for place, group in enumerate(dict.fromkeys(table.groups))}
    rows = zip(table.versions, table.groups, strict=True)
    return table.take([row for row, (name, group) in enumerate(rows) if names[order[group] % len(names)] == name])


def agree(table: ScoreTable, measure: str = "") -> VersionAgreement:
    """The agreement with as few swaps as the simulation needs."""
    result = version_agreement(table, measure=measure, permutations=FAST)
    assert result is not None
    return result


def rate(held: list[bool]) -> str:
    """How often something held, with the interval of that share."""
    share = estimate_share(np.array(held, dtype=bool), np.arange(len(held)))
    return str(Figure.from_estimate("rate", share))


def simulate_intervals(repeats: int, seed: int) -> None:
    """How often the interval of soft pairwise accuracy holds its mean over new groups."""
    rows: list[list[object]] = []
    for size_name, sizes in SIZES.items():
        for version_name, quality in VERSIONS.items():
            for metric_name, metric in METRICS.items():
                random = np.random.default_rng(seed)
                results = [agree(draw(random, sizes, quality, metric)).metrics[0] for _ in range(repeats)]
                values = np.array([one.soft.value for one in results], dtype=float)
                truth = float(values.mean())
                bounds = [(one.soft.low, one.soft.high) for one in results]
                held = [low is not None and high is not None and low <= truth <= high for low, high in bounds]
                width = np.mean([(high or 0) - (low or 0) for low, high in bounds])
                wrong = np.mean([(one.calls > 0) for one in results])
                rows.append([size_name, version_name, metric_name, truth, rate(held), float(width), float(wrong)])
    print_table(
        f"The 95% interval of soft pairwise accuracy, {repeats} draws each",
        ["groups", "versions", "metric", "mean accuracy", "held", "width", "calls a version"],
        rows,
    )


def simulate_tests(repeats: int, seed: int) -> None:
    """How often two equally good metrics are called different."""
    rows: list[list[object]] = []
    for size_name, sizes in SIZES.items():
        for place, (version_name, quality) in enumerate(VERSIONS.items()):
            random = np.random.default_rng([seed, place, len(sizes)])
            differ = []
            for _ in range(repeats):
                result = agree(draw(random, sizes, quality, METRICS["follows"], metrics=2), "m0").metrics[1]
                differ.append(result.p is not None and result.p <= 0.05)
            rows.append([size_name, version_name, rate(differ)])
    title = f"PERM-INPUTS between two metrics that follow the rating, {repeats} draws each"
    print_table(title, ["groups", "versions", "p <= 0.05"], rows)


def simulate_calls(repeats: int, seed: int) -> None:
    """The metric's own test where it sees no difference, and the false-winner rate over new versions."""
    rows: list[list[object]] = []
    for size_name, sizes in SIZES.items():
        for versions in (2, 3, 5):
            random = np.random.default_rng(seed + 2)
            alike = [draw(random, sizes, [0.0] * versions, (0.6, 0.0)) for _ in range(repeats)]
            pairs = versions * (versions - 1) // 2
            called = f"{np.mean([agree(table).metrics[0].calls for table in alike]) / pairs:.1%}"
            other = "-"
            if versions == 2:  # more versions would leave some with few groups
                other = f"{np.mean([agree(apart(table)).metrics[0].calls for table in alike]):.1%}"
            results = []
            for _ in range(repeats):
                quality = (0.35 * random.normal(size=versions)).tolist()
                table = draw(random, sizes, quality, (0.6, 0.0))
                favour = 0.35 * random.normal(size=versions)
                scores = table.scores + np.tile(favour, len(table.items) // versions)[:, None]
                results.append(agree(replace(table, scores=scores)).metrics[0])
            made = [one for one in results if one.calls]
            truth = sum(len(one.contrary) for one in made) / sum(one.calls for one in made)
            held = [(one.false_rate.low or 0) <= truth <= (one.false_rate.high or 0) for one in made]
            rows.append([size_name, versions, called, other, f"{truth:.1%}", rate(held)])
    print_table(
        f"Calls of a metric, {repeats} draws each",
        ["groups", "versions", "calls of a pair alike", "of other questions", "false winners", "interval held"],
        rows,
    )


def print_rated(folder: Path, name: str) -> None:
    """The metrics of a rated set that need no judge, between its systems and on its answers."""
    samples = list(load_set(str(folder / f"{name}.jsonl")))
    table = replace(
        build_table(samples),
        versions=tuple(str(sample.metadata["system"]) for sample in samples),
        questions=tuple(sample.user_input for sample in samples),
    )
    result = version_agreement(table, measure="token_overlap")
    assert result is not None
    rated = table.rated()
    rows: list[list[object]] = []
    for one in sorted(result.metrics, key=lambda one: -(one.soft.value or 0)):
        values = rated.column(one.metric)
        scored = np.flatnonzero(~np.isnan(values))
        groups = [rated.groups[place] for place in scored]
        answers = spearman(values[scored].tolist(), rated.mean_rating[scored].tolist(), groups, has_p_value=False)
        calls = f"{len(one.contrary)} of {one.calls}"
        soft, on_answers = (str(Figure.from_estimate("rho", each)) for each in (one.soft, answers))
        rows.append([one.metric, one.problem or f"{one.ordered} of {one.pairs}", soft, on_answers, calls, one.p])
    print_table(
        f"{name}: {len(result.versions)} versions, {len(rated.items)} answers, {len(set(rated.groups))} groups",
        ["metric", "pairs right", "soft accuracy", "Spearman on answers", "false winners", "p against token_overlap"],
        rows,
    )


def main() -> None:
    """Runs all simulations, then the rated sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=600, help="draws; half for calls, a quarter for tests")
    parser.add_argument("--data", type=Path, help="folder of the rated sets")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print_machine()
    if options.repeats:
        simulate_intervals(options.repeats, options.seed)
        simulate_calls(options.repeats // 2, options.seed)
        simulate_tests(options.repeats // 4, options.seed)
    for name in SETS if options.data else ():
        print_rated(options.data, name)


if __name__ == "__main__":
    main()
