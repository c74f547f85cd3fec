"""How far `pairwise` prefers the answers that people prefer, and what asking in both orders changes.

    python benchmarks/pairwise_agreement.py --data ../shared/data/rated --judge qwen1.5b

On the pairs of ragchecker_pairwise (two raters, -2 to 2, above 0 where the second answer is better): the share of right
choices among the pairs that people do not call a tie (a tie of the judge counts half), and Spearman's correlation with
the mean rating, of both orders, of one order alone, of the mean of their probabilities, of token overlap and of answer
length; the share of comparisons that turn around with the order; and the position bias. Intervals (95%): over groups.

The pairs are split by a hash of their id: prompts may be tried on the half for development alone (`--development`);
the other half is what is published. Replies are recorded in a cassette (the texts are other people's and
not part of this repository), so that a second run replays them and an interrupted one continues.
"""

import argparse
import asyncio
import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table
from platformdirs import user_cache_path
from rated_agreement import score_samples

from assay import Sample, load_set
from assay.judges import LiteLLMJudge, Usage, load_settings
from assay.meta_eval import Estimate, estimate, estimate_mean, spearman
from assay.metrics import Metric, Score, load_metric
from assay.presentation import Figure

SET = "ragchecker_pairwise"


def is_for_development(sample: Sample) -> bool:
    """Whether prompts may be tried on a pair: half of them, by a hash of the id."""
    return int(hashlib.sha256(sample.id.encode()).hexdigest(), 16) % 2 == 0


def choose_pairs(samples: Sequence[Sample], n: int | None, *, development: bool) -> list[Sample]:
    """The first n pairs of a half in a seeded order."""
    pairs = [sample for sample in samples if is_for_development(sample) is development]
    random.Random(0).shuffle(pairs)
    return pairs[:n]


async def score_other(samples: Sequence[Sample], metric: Metric) -> dict[str, float]:
    """How much higher a metric scores the second answer than the first, by sample."""
    others = [sample.model_copy(update={"response": sample.other_response}) for sample in samples]
    first, second = [await score_samples(list(answers), metric, 1) for answers in (samples, others)]
    return {name: (second[name].value or 0.0) - (score.value or 0.0) for name, score in first.items()}


def measure_position(samples: Sequence[Sample], scored: Mapping[str, Score]) -> Estimate:
    """By how much the share of choices that fell on the answer that was read first is more than one half."""
    judged = [sample for sample in samples if sample.id in scored and scored[sample.id].evidence.get("orders")]
    choices = [[one for one in scored[s.id].evidence["orders"] if one["choice"] != "tie"] for s in judged]
    firsts = np.array([sum(one["choice"] == one["shown_first"] for one in of_pair) for of_pair in choices], float)
    counts = np.array([len(of_pair) for of_pair in choices], float)
    groups = [sample.source for sample in judged]
    share = estimate(lambda weights: (firsts @ weights) / (counts @ weights), groups, scale="logit")
    value, low, high = (None if end is None else end - 0.5 for end in (share.value, share.low, share.high))
    return replace(share, value=value, low=low, high=high)


def order_preference(score: Score, order: int) -> tuple[float, float]:
    """What one order alone says: the choice (1 where the second answer is better), and P(second) - P(first)."""
    entry = score.evidence["orders"][order]
    shares = entry["probabilities"] or {entry["option"]: 1.0}
    places = dict(zip(shares, (-1, 1, 0) if order == 0 else (1, -1, 0), strict=False))
    choice = {"first": -1.0, "tie": 0.0, "second": 1.0}[entry["choice"]]
    return choice, sum(places[option] * share for option, share in shares.items()) if len(shares) > 1 else choice


def agreement_row(
    name: str, choices: Mapping[str, float], values: Mapping[str, float], samples: Sequence[Sample]
) -> list[object]:
    """One line of the table: right choices where people prefer one answer, and the correlation with the rating."""
    rated = [sample for sample in samples if sample.id in choices]
    decided = [sample for sample in rated if sample.human_rating]
    right = [(1 + _sign(choices[sample.id]) * _sign(sample.human_rating or 0)) / 2 for sample in decided]
    share = estimate_mean(right, [sample.source for sample in decided], bounds=(0, 1))
    ties = sum(choices[sample.id] == 0 for sample in decided)
    ratings = [sample.human_rating or 0.0 for sample in rated]
    rho = spearman([values[sample.id] for sample in rated], ratings, [sample.source for sample in rated])
    figures = [str(Figure.from_estimate("coefficient", share)), str(Figure.from_estimate("rho", rho))]
    return [name, len(decided), ties, *figures]


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


async def main() -> None:
    """Runs the comparison and prints its tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/rated"))
    parser.add_argument("--judge", default="qwen1.5b")
    parser.add_argument("--development", action="store_true", help="the half that prompts may be tried on")
    parser.add_argument("--n", type=int, help="the first N pairs of a seeded order; all if left out")
    parser.add_argument("--cassette", type=Path, help="where replies are recorded; in the cache folder if left out")
    parser.add_argument("--mode", choices=["auto", "replay"], default="auto")
    options = parser.parse_args()
    print_machine()
    settings = load_settings(options.judge)
    cassette = options.cassette or user_cache_path("assay") / f"pairwise.{settings.identity}.jsonl"
    samples = choose_pairs(load_set(options.data / f"{SET}.jsonl"), options.n, development=options.development)
    async with LiteLLMJudge(settings, cassette=cassette, mode=options.mode) as judge:
        # one pair at a time: a model on this machine then finds the documentation in its prefix cache
        scores = await score_samples(samples, load_metric("pairwise", judge), 1)
    scored = {name: score for name, score in scores.items() if score.value is not None and score.evidence["orders"]}
    choices = {name: 1 - 2 * (score.value or 0.0) for name, score in scored.items()}
    means = {name: float(score.evidence["preference"] or 0.0) for name, score in scored.items()}
    alone = [{name: order_preference(score, order) for name, score in scored.items()} for order in (0, 1)]
    rows = [agreement_row("pairwise, both orders", choices, choices, samples)]
    for name, order in zip(("the first order alone", "the other order alone"), alone, strict=True):
        chosen, shares = [{key: pair[place] for key, pair in order.items()} for place in (0, 1)]
        rows.append(agreement_row(name, chosen, shares, samples))
    rows.append(agreement_row("mean of both orders' probabilities", means, means, samples))
    for name in ("token_overlap", "answer_length"):
        differences = await score_other([sample for sample in samples if sample.id in scored], load_metric(name, None))
        rows.append(agreement_row(f"{name}, second less first", differences, differences, samples))
    title = f"{SET}: {len(scored)} of {len(samples)} pairs (others are the same text), {settings.identity}"
    print_table(title, ["what chooses", "n, no tie", "its ties", "right", "Spearman"], rows)
    compared = [sample for sample in samples if sample.id in scored]
    turned = [float(scored[sample.id].evidence["contradiction"]) for sample in compared]
    contradictions = estimate_mean(turned, [sample.source for sample in compared], bounds=(0, 1))
    position = measure_position(samples, scored)
    for label, figure in (("first shown, less one half", position), ("contradictions", contradictions)):
        print(f"{label}: {Figure.from_estimate('coefficient', figure)} (n = {figure.n})")
    usage = Usage.total([score.usage for score in scores.values()])
    print(f"calls {usage.calls}, tokens {usage.tokens_in + usage.tokens_out:,}, seconds of calls {usage.seconds:,.0f}")


if __name__ == "__main__":
    asyncio.run(main())
