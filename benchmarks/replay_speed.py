"""Measures how fast faithfulness is computed from recordings, beside Ragas's warm cache on the same texts.

    python benchmarks/replay_speed.py [--passes 15] [--n 60]

Both sides first record replies of the same local server: two calls per sample (claims, verdicts); Assay also with its
default, which takes the sentences as claims and so needs one call. Then each replays them: every pass opens the
recordings anew, so that nothing stays in memory between passes. Ragas is timed with its own cache (DiskCacheBackend)
and the metrics that it recommends; `ragas.evaluate` takes twice as long.
Without ragas (benchmarks/README.md says how to install it) only Assay is timed.
"""

import argparse
import asyncio
import gc
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import get_args

import checkout  # noqa: F401
from benchmark_output import print_machine, print_table
from local_judge import helpdesk, local_judge

from assay import Sample, aevaluate
from assay.judges import LiteLLMJudge
from assay.metrics import ClaimsBy, Faithfulness

RAGAS = "Ragas, its disk cache"
Pass = Callable[[], object]


def assay_passes(samples: Sequence[Sample], cassette: Path) -> dict[str, Pass]:
    """One pass of Assay: on the judge's claims, as Ragas does, and by default."""

    def judge() -> LiteLLMJudge:
        return LiteLLMJudge("openai/local", structured="schema", cassette=cassette, mode="replay")

    async def metric_alone(claims: ClaimsBy) -> None:
        metric = Faithfulness(judge(), claims=claims)
        for sample in samples:
            assert (await metric.assess(sample)).status != "failed"

    return {
        "Assay, metric.assess": lambda: asyncio.run(metric_alone("judge")),
        "Assay, metric.assess, by default": lambda: asyncio.run(metric_alone("sentences")),
    }


def ragas_passes(samples: Sequence[Sample], api_base: str, folder: Path) -> dict[str, Pass]:
    """One pass of Ragas's recommended metrics with its disk cache, already warmed."""
    from ragas.cache import DiskCacheBackend
    from ragas_pipelines import collections_metrics, score_collections

    def score() -> None:
        metrics = collections_metrics(api_base, DiskCacheBackend(str(folder / "collections")))[:1]
        asyncio.run(score_collections(metrics, samples, 1))

    score()
    return {RAGAS: score}


def samples_per_second(ways: Mapping[str, Pass], count: int, passes: int) -> dict[str, list[float]]:
    """Samples per second of each pass, lowest first; one pass before them is not counted.

    The ways take turns, so that other work on the machine slows all of them alike.
    """
    measured: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(passes + 1):
        for name, one_pass in ways.items():
            gc.collect()
            begun = time.perf_counter()
            one_pass()
            if number:
                measured[name].append(count / (time.perf_counter() - begun))
    return {name: sorted(speeds) for name, speeds in measured.items()}


async def record(samples: Sequence[Sample], api_base: str, cassette: Path) -> None:
    """Fills the cassette from the server."""
    judge = LiteLLMJudge("openai/local", structured="schema", api_base=api_base, cassette=cassette, mode="record")
    async with judge:
        for claims in get_args(ClaimsBy):
            await aevaluate(samples, [Faithfulness(judge, claims=claims)])


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passes", type=int, default=15, help="timed passes of each way")
    parser.add_argument("--n", type=int, default=60, help="samples (60 are bundled; more are made from them)")
    options = parser.parse_args()
    samples = helpdesk(options.n)
    print_machine()
    with tempfile.TemporaryDirectory() as folder, local_judge() as server:
        cassette = Path(folder) / "assay.jsonl"
        asyncio.run(record(samples, server.api_base, cassette))
        passes = assay_passes(samples, cassette)
        try:
            passes |= ragas_passes(samples, server.api_base, Path(folder))
        except ImportError as error:
            print(f"without Ragas: {error}")
        server.forget()
        speeds = samples_per_second(passes, len(samples), options.passes)
        assert not server.stats()["requests"], "something was asked anew: this was no replay"
    medians = {name: statistics.median(measured) for name, measured in speeds.items()}
    ragas = medians.get(RAGAS)
    rows = [(name, medians[name], own[0], own[-1], ragas and medians[name] / ragas) for name, own in speeds.items()]
    header = ("", "samples/s (median)", "lowest", "highest", "x Ragas's own cache")
    print_table(f"Replay of faithfulness, n = {len(samples)} samples, {options.passes} passes each", header, rows)


if __name__ == "__main__":
    main()
