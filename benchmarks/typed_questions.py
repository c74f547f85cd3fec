"""Which transport agrees best with people: typed questions about an answer's claims, one or all in a call.

    python benchmarks/typed_questions.py --data ../shared/data/rated --judge qwen1.5b

Takes 60 answers of each of three sets, half of them from each half of the set's groups (seed 0; prompts are tuned on
the `tune` half alone), and judges the support of their claims through `single` and `listed`, with and without the
sentences that a claim refers back to; with `--reasons` through `listed` without a reason, with one before each answer
and with one behind it. It prints, per half and for both, Spearman and AUROC with 95% intervals (whole
groups resampled), the calibration error, and what an answer took; token overlap stands beside them. Then the
differences of each two, on the answers that both judged.

Good answers, for AUROC and the calibration error: rated above the middle of the scale. Calibration error: the mean
distance between the score and the share of good answers over 10 bins of equal width, weighted by their answers. Seconds
per answer: what the calls took by the recordings, divided by the calls at once. Replies are kept in a cassette in the
cache folder, so that an interrupted run goes on and a second one replays.
"""

import argparse
import asyncio
import itertools
import json
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table
from platformdirs import user_cache_path

from assay import Sample, load_set
from assay.errors import JudgeError
from assay.judges import JudgeSettings, LiteLLMJudge, Usage, load_settings
from assay.languages import language_or_fallback
from assay.meta_eval.comparison import compare_metrics
from assay.meta_eval.correlation import auroc, spearman
from assay.meta_eval.estimate import Estimate
from assay.meta_eval.table import ScoreTable
from assay.metrics.catalogue import load_metric
from assay.metrics.claim_support import judge_support
from assay.presentation.figure import Figure
from assay.prompts import BUNDLED
from assay.text.sentence_kinds import CLAIM
from assay.text.sentences import answer_sentences

SETS = ("mtrag_faithfulness", "begin_wow", "clapnq_human")
HALVES = ("tune", "report")
TRANSPORTS = ("listed", "single")
REASONS = ("listed, reason first", "listed, reason after")
CONTEXTS = ("alone", "with context")


@dataclass(frozen=True)
class Outcome:
    """What one way of asking gave: a value per sample that has one, what was taken, and how many failed."""

    values: Mapping[str, float]
    usage: Usage
    failed: int


def choose(samples: Sequence[Sample], n: int, seed: int) -> dict[str, list[Sample]]:
    """`n` samples, by half of the groups: no group is in both halves."""
    chance = random.Random(seed)
    groups = sorted({sample.source for sample in samples})
    chance.shuffle(groups)
    in_tune = set(groups[: len(groups) // 2])
    halves = {
        "tune": [s for s in samples if s.source in in_tune],
        "report": [s for s in samples if s.source not in in_tune],
    }
    return {half: chance.sample(members, min(n // 2, len(members))) for half, members in halves.items()}


async def judge_answers(
    samples: Sequence[Sample], settings: JudgeSettings, cassette: Path, way: tuple[str, str]
) -> Outcome:
    """The support of each answer's claims, on average, by one way of asking."""
    (transport, _, reason), context = way[0].partition(", reason "), way[1]
    values: dict[str, float] = {}
    failed, done = 0, 0
    limit = asyncio.Semaphore(settings.concurrency)
    async with LiteLLMJudge(
        settings, cassette=cassette, mode="auto", decide=transport, reason=reason or "none"
    ) as judge:

        async def measure(sample: Sample) -> None:
            nonlocal failed, done
            split = answer_sentences(sample.response, language_or_fallback(sample.language))
            claims = [each for each in split if each.kind == CLAIM]
            if context == "alone":
                claims = [each._replace(context="") for each in claims]
            if claims:
                async with limit:
                    try:
                        texts = [claim.text for claim in claims]
                        contexts = {claim.text: claim.context for claim in claims}
                        documentation = "\n\n".join(sample.retrieved_contexts)
                        judged, _ = await judge_support(sample, texts, documentation, judge, BUNDLED, context=contexts)
                        values[sample.id] = sum(claim.support for claim in judged) / len(judged)
                    except JudgeError as error:
                        failed += 1
                        print(f"\n{sample.id}: {error}", file=sys.stderr)
            done += 1
            print(f"\r{', '.join(way)}: {done} of {len(samples)}   ", end="", file=sys.stderr, flush=True)

        await asyncio.gather(*map(measure, samples))
        print(file=sys.stderr)
        return Outcome(values, judge.usage, failed)


def calibration_error(values: Sequence[float], good: Sequence[bool], bins: int = 10) -> float:
    """The mean distance between score and share of good answers over bins of equal width, weighted by answers."""
    members: dict[int, list[int]] = {}
    for place, value in enumerate(values):
        members.setdefault(min(bins - 1, int(value * bins)), []).append(place)
    distances = [abs(sum(values[p] - good[p] for p in places)) for places in members.values()]
    return sum(distances) / len(values)


def describe(way: str, half: str, values: Mapping[str, float], samples: Sequence[Sample]) -> dict[str, object]:
    """The agreement of one way over samples that have a value."""
    judged = [sample for sample in samples if sample.id in values]
    xs = [values[sample.id] for sample in judged]
    shares = [sample.rating_share or 0.0 for sample in judged]
    good, groups = [share > 0.5 for share in shares], [sample.source for sample in judged]
    figures = {"way": way, "half": half, "n": len(judged)}
    figures["spearman"] = _figures(spearman(xs, shares, groups))
    figures["auroc"] = _figures(auroc(xs, good, groups))
    return figures | {"ece": calibration_error(xs, good) if xs else None}


def compare_ways(values: Mapping[str, Mapping[str, float]], samples: Sequence[Sample]) -> list[list[object]]:
    """Each two ways: Spearman of the one less that of the other, and the permutation's p, on the answers of both."""
    scores = np.array([[values[way].get(sample.id, np.nan) for way in values] for sample in samples])
    table = ScoreTable(
        tuple(sample.id for sample in samples),
        tuple(values),
        scores,
        np.array([[sample.rating_share] for sample in samples], float),
        groups=tuple(sample.source for sample in samples),
        rating_min=0,
        rating_max=1,
    )
    compared = [compare_metrics(table, first, second) for first, second in itertools.combinations(values, 2)]
    return [
        [each.first, each.second, each.n, str(Figure.from_estimate("correlation", each.difference)), each.p_permutation]
        for each in compared
    ]


def _figures(estimate: Estimate) -> list[float | None]:
    return [estimate.value, estimate.low, estimate.high]


async def main() -> None:
    """Runs the comparison, prints one table per set, and writes the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data/rated"))
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--transports", nargs="+", default=TRANSPORTS)
    parser.add_argument("--contexts", nargs="+", default=CONTEXTS, choices=CONTEXTS)
    parser.add_argument("--reasons", action="store_true", help="compare reasons, in place of the transports")
    parser.add_argument("--judge", default="qwen1.5b")
    parser.add_argument("--n", type=int, default=60, help="answers of each set, half of them from each half")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="the figures as JSON; beside the cassette if not said")
    options = parser.parse_args()
    print_machine()
    settings = load_settings(options.judge)
    cassette = user_cache_path("assay") / f"typed_questions.{settings.identity}.jsonl"
    out = options.out or cassette.with_suffix(".json")
    ways = ("listed", *REASONS) if options.reasons else options.transports
    results: dict[str, object] = {"judge": settings.identity, "n": options.n, "seed": options.seed}
    for name in options.sets:
        halves = choose(load_set(options.data / f"{name}.jsonl"), options.n, options.seed)
        samples = [sample for half in HALVES for sample in halves[half]]
        figures: list[dict[str, object]] = []
        values: dict[str, Mapping[str, float]] = {}
        for way in [(transport, context) for transport in ways for context in options.contexts]:
            outcome = await judge_answers(samples, settings, cassette, way)
            usage, count = outcome.usage, max(1, len(samples))
            took = {
                "requests": usage.calls / count,
                "tokens": (usage.tokens_in + usage.tokens_out) / count,
                "seconds": usage.seconds / settings.concurrency / count,
                "failed": outcome.failed,
            }
            values[", ".join(way)] = outcome.values
            for half, members in (*halves.items(), ("both", samples)):
                figures.append(describe(", ".join(way), half, outcome.values, members) | took)
        overlap = load_metric("token_overlap")
        baseline = {sample.id: (await overlap.assess(sample)).value or 0.0 for sample in samples}
        values["token_overlap"] = baseline
        figures += [
            describe("token_overlap", half, baseline, members) for half, members in (*halves.items(), ("both", samples))
        ]
        results[name] = figures
        out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        rows = [
            [each["way"], each["half"], each["n"]]
            + [str(Figure("rho", *each[name])) for name in ("spearman", "auroc")]  # type: ignore[misc]
            + [each.get(key) for key in ("ece", "requests", "tokens", "seconds", "failed")]
            for each in figures
        ]
        header = ["way", "half", "n", "Spearman", "AUROC", "ECE", "requests", "tokens", "s", "failed"]
        print_table(f"{name}: {len(samples)} answers (seed {options.seed}), {settings.identity}", header, rows)
        title = f"{name}: Spearman of the one less that of the other"
        print_table(title, ["way", "less", "n", "difference", "p"], compare_ways(values, samples))
    print(f"figures: {out}; replies: {cassette}")


if __name__ == "__main__":
    asyncio.run(main())
