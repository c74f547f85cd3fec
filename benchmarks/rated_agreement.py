"""Measures how far faithfulness agrees with people, beside token overlap and published scores.

    python benchmarks/rated_agreement.py --data ../shared/data/rated --judge qwen1.5b

Draws answers of mtrag_faithfulness and begin_wow (seeded), judges their sentences and the claims that the judge writes,
and prints Spearman and AUROC with 95% intervals (whole groups resampled) and the seconds per answer; also of
weakest_claim, which is computed from the first way's replies. `--decide` sets how questions reach the judge. Replies
are recorded in the cache folder (the texts are other people's and not part of this repository), so that a second run
replays them and an interrupted one continues.
For AUROC an answer is good if it is rated above the middle of the scale. Seconds per answer: the time of the calls
divided by the number of calls at once, from the recordings; `calls` and `tokens` are means per answer.
"""

import argparse
import asyncio
import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import checkout  # noqa: F401
from benchmark_output import print_machine, print_table
from platformdirs import user_cache_path

from assay import Sample, load_set
from assay.judges import LiteLLMJudge, Usage, load_settings
from assay.meta_eval import auroc, spearman
from assay.metrics import BASELINES, Metric, Score, load_metric
from assay.presentation import Figure
from assay.runs import execute

SETS = ("begin_wow", "mtrag_faithfulness")
WAYS = ["faithfulness:claims=sentences", "faithfulness:claims=judge"]
WEAKEST = "weakest_claim"
PUBLISHED = "rl_f"  # Ragas faithfulness as published with mtrag


async def score_samples(samples: Sequence[Sample], metric: Metric, concurrency: int) -> dict[str, Score]:
    """The metric's score of each sample, by id."""
    return (await score_all(samples, [metric], concurrency))[metric.name]


async def score_all(
    samples: Sequence[Sample], metrics: Sequence[Metric], concurrency: int
) -> dict[str, dict[str, Score]]:
    """Each metric's score of each sample, by the metric's name and the sample's id."""
    scored: dict[str, dict[str, Score]] = {metric.name: {} for metric in metrics}

    def keep(sample: Sample, scores: dict[str, Score]) -> None:
        for name, score in scores.items():
            scored[name][sample.id] = score
        done = len(scored[metrics[0].name])
        print(f"\r{metrics[0].name}: {done} of {len(samples)}   ", end="", file=sys.stderr, flush=True)

    await execute(samples, metrics, keep, concurrency=concurrency)
    print(file=sys.stderr)
    return scored


def row(name: str, values: Mapping[str, float | None], samples: list[Sample], *took: object) -> list[object]:
    """One line of the table: agreement over the samples that have a value, and what an answer took."""
    rated = [(sample, value) for sample in samples if (value := values.get(sample.id)) is not None]
    xs = [value for _, value in rated]
    shares = [sample.rating_share or 0.0 for sample, _ in rated]
    groups = [sample.source for sample, _ in rated]
    rho, area = spearman(xs, shares, groups), auroc(xs, [share > 0.5 for share in shares], groups)
    agreement = [str(Figure.from_estimate("rho", rho)), str(Figure.from_estimate("rho", area))]
    return [name, len(rated), *agreement, *(took or (None, None, None))]


async def main() -> None:
    """Runs the comparison and prints one table per set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data/rated"))
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--ways", nargs="*", default=WAYS)
    parser.add_argument("--judge", default="qwen1.5b")
    parser.add_argument("--decide", default="auto", help="how questions reach the judge: single, listed, auto")
    parser.add_argument("--n", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mode", choices=["auto", "replay"], default="auto")
    options = parser.parse_args()
    print_machine()
    settings = load_settings(options.judge).with_changes(decide=options.decide)
    cassette = user_cache_path("assay") / f"rated.{settings.identity}.jsonl"
    concurrency = settings.concurrency

    async def judged(metric: str, samples: list[Sample]) -> dict[str, Score]:
        # a judge of its own: one that has met a question takes nothing for it, and each way is to tell its whole price
        async with LiteLLMJudge(settings, cassette=cassette, mode=options.mode) as judge:
            return await score_samples(samples, load_metric(metric, judge), concurrency)

    for name in options.sets:
        samples = load_set(options.data / f"{name}.jsonl")
        samples = random.Random(options.seed).sample(samples, min(options.n, len(samples)))
        rows = []
        for way in options.ways:
            scores = await judged(way, samples)
            usage, count = Usage.total([score.usage for score in scores.values()]), len(samples)
            seconds, tokens = usage.seconds / concurrency, usage.tokens_in + usage.tokens_out
            values = {key: score.value for key, score in scores.items()}
            rows.append(row(way, values, samples, seconds / count, usage.calls / count, tokens / count))
        for further in (*([WEAKEST] if WAYS[0] in options.ways else []), *BASELINES):
            scores = await judged(further, samples)
            rows.append(row(further, {key: score.value for key, score in scores.items()}, samples))
        published = {s.id: s.metadata.get("published_metrics", {}).get(PUBLISHED) for s in samples}
        if any(published.values()):
            rows.append(row("Ragas faithfulness, as published", published, samples))
        title = f"{name}: {len(samples)} samples (seed {options.seed}), {settings.identity}, {concurrency} at once"
        print_table(title, ["metric", "n", "Spearman", "AUROC", "s", "calls", "tokens"], rows)


if __name__ == "__main__":
    asyncio.run(main())
