"""How many ratings an interval around the best metric's rho takes: in random order, and in the order of `active`.

    python benchmarks/rating_replay.py --data ../shared/data/rated

For each set of answers that people rated: metrics without a judge score all answers; the best of them by all ratings is
the one whose correlation is estimated. Then ratings are revealed as `assay rate --choose random` and `--choose active`
(by this metric) would ask for them, 200 times each, until the 95% interval is at most 0.2 wide. The estimate is
Spearman's correlation with the weights of `inverse_probability_weights` (1 in random order); its standard error on the
scale of Fisher's z comes from a bootstrap, and shrinks by sqrt(1 - n/N), since the answers are a finite set. Coverage
is the share of the final intervals that hold the rho of all ratings. No judge, no network.
"""

import argparse
import asyncio
import statistics
from collections.abc import Sequence
from pathlib import Path

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table

from assay import Sample, load_set
from assay.meta_eval.agreement_statistics import spearman
from assay.meta_eval.arrays import Floats
from assay.metrics import Score
from assay.metrics.catalogue import load_metric
from assay.runs.execute import execute
from assay.runs.ratings.rating_order import rating_order

METRICS = ("token_overlap", "rouge_l_precision", "answer_length")
WIDTH = 0.2
_STEP = 10
_FEWEST = 20
_RESAMPLES = 100
_NORMAL = 1.959964


def score_all(samples: Sequence[Sample]) -> Floats:
    """The metrics of all samples, (samples, metrics); 0 where there is no value."""
    place = {sample.id: number for number, sample in enumerate(samples)}
    values = np.zeros((len(samples), len(METRICS)))

    def keep(sample: Sample, scores: dict[str, Score]) -> None:
        values[place[sample.id]] = [scores[name].value or 0.0 for name in METRICS]

    asyncio.run(execute(samples, [load_metric(name) for name in METRICS], keep, concurrency=8))
    return values


def inverse_probability_weights(probabilities: Sequence[float], total: int) -> list[float]:
    """Weights that make the mean of sequentially drawn items an unbiased estimate of the mean of all.

    With q_m the probability of the m-th of M draws without replacement from N items, the weight is
    1 + (N - M) / (N - m) * (1 / ((N - m + 1) q_m) - 1) (Farquhar, Gal and Rainforth, 2021, "On Statistical Bias in
    Active Learning", R_LURE). Uniform draws give 1 everywhere.

    Args:
        probabilities: The probability of each draw, in the order of drawing.
        total: How many items there are, N.

    Returns:
        One weight per draw; the weighted mean is sum(weight * value) / M.
    """
    draws = len(probabilities)
    return [
        1.0 if total == place else 1 + (total - draws) / (total - place) * (1 / ((total - place + 1) * probability) - 1)
        for place, probability in enumerate(probabilities, start=1)
    ]


class Replay:
    """One set whose ratings are revealed in some order.

    Args:
        scores: The metric's values, (answers,).
        ratings: The ratings, (answers,).
    """

    def __init__(self, scores: Floats, ratings: Floats) -> None:
        self._scores, self._ratings = scores, ratings
        self.rho = float(spearman(scores, ratings)(np.ones((len(scores), 1)))[0])

    def interval(
        self, order: Sequence[int], probabilities: Sequence[float] | None, n: int, seed: int
    ) -> tuple[float, float]:
        """The interval from the first n ratings of an order."""
        seen, total = np.array(order[:n]), len(self._scores)
        weights = np.array(inverse_probability_weights(probabilities[:n], total)) if probabilities else np.ones(n)
        weights = np.maximum(weights, 0.0)
        counts = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=_RESAMPLES).T
        statistic = spearman(self._scores[seen], self._ratings[seen])
        values = statistic(np.column_stack([weights, weights[:, None] * counts]))
        z = np.arctanh(np.clip(values, -0.999, 0.999))
        half = _NORMAL * float(np.nanstd(z[1:])) * float(np.sqrt(1 - n / total))
        return float(np.tanh(z[0] - half)), float(np.tanh(z[0] + half))

    def needed(self, choose: str, seed: int) -> tuple[int, bool]:
        """How many ratings until the interval is narrow enough, and whether it then holds the rho of all ratings."""
        order, probabilities = rating_order(choose, self._scores[:, None], seed=seed)  # type: ignore[arg-type]
        sizes = [*range(_FEWEST, len(order), _STEP), len(order)]
        low, high = 0, len(sizes) - 1
        while low < high:  # the width falls with the ratings
            middle = (low + high) // 2
            bottom, top = self.interval(order, probabilities, sizes[middle], seed)
            low, high = (low, middle) if top - bottom <= WIDTH else (middle + 1, high)
        bottom, top = self.interval(order, probabilities, sizes[low], seed)
        return sizes[low], bottom - 1e-9 <= self.rho <= top + 1e-9


def main() -> None:
    """Replays each set and prints what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the rated sets")
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print_machine()
    rows: list[list[object]] = []
    for path in sorted(options.data.glob("*.jsonl")):
        samples = [sample for sample in load_set(path) if sample.human_rating is not None]
        ratings = np.array([sample.human_rating for sample in samples], dtype=float)
        values = score_all(samples)
        replays = [Replay(values[:, place], ratings) for place in range(len(METRICS))]
        place = max(range(len(METRICS)), key=lambda one: replays[one].rho if np.isfinite(replays[one].rho) else -1)
        found = {
            choose: [replays[place].needed(choose, options.seed + repeat) for repeat in range(options.repeats)]
            for choose in ("random", "active")
        }
        medians = {choose: statistics.median(n for n, _ in results) for choose, results in found.items()}
        cover = {choose: statistics.fmean(holds for _, holds in results) for choose, results in found.items()}
        gain = 1 - medians["active"] / medians["random"]
        rows.append(
            [
                path.stem,
                len(samples),
                METRICS[place],
                replays[place].rho,
                medians["random"],
                medians["active"],
                f"{gain:+.0%}",
                cover["random"],
                cover["active"],
            ]
        )
        print(f"{path.stem} done", flush=True)
    header = ["set", "answers", "metric", "rho", "random", "active", "fewer", "coverage, random", "coverage, active"]
    print_table(f"ratings until the interval is {WIDTH:g} wide (median of {options.repeats})", header, rows)


if __name__ == "__main__":
    main()
