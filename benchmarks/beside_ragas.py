"""Assay's own metrics beside Ragas's of the same name: rank correlation, agreement with the ratings, requests, tokens.

    python benchmarks/beside_ragas.py --judge qwen1.5b [--n 40] [--metrics context_recall rubric] [--out FILE]

Both judge the same samples of a set with references (bundled: helpdesk_en) with the same judge. To each sample's
passages one of another page is added, at a place drawn with the seed, so that there is something to rank and to be
misled by. Needs the extra `ragas`, and a judge; every reply is kept in a cassette in the cache folder, so that an
interrupted run goes on where it stopped, and a second one asks nothing (`--mode replay`).

Ragas asks some 25 times per sample for all metrics, with a reason for each verdict: on two cores expect minutes per
sample. `--metrics` names those that you want; they are measured one after the other, the cheapest first.

Printed: one row per metric (n with a value on both sides; Spearman between both and of each with the rating, with 95%
intervals that resample whole groups; requests, tokens, failures), how near both context precisions are to that of the
passages that were put there, and the ten largest differences with both scores and all texts, so that a person can say
which is right. `topic_adherence` gets each sample as a conversation of one turn, and the page titles of every second
group as the chatbot's topics; `rubric` the five levels of Ragas's default rubric.
"""

import argparse
import asyncio
import json
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import checkout  # noqa: F401
from benchmark_output import print_machine, print_table
from platformdirs import user_cache_path

from assay import Sample, load_set
from assay.errors import JudgeError
from assay.judges import Judge, LiteLLMJudge, Usage
from assay.judges.embedders import load_embedder
from assay.meta_eval.correlation import spearman
from assay.metrics import Metric, RagasMetric, RubricMetric, Score
from assay.metrics.catalogue import load_metric
from assay.metrics.context_precision import average_precision
from assay.metrics.rubric_file import Rubric
from assay.metrics.score import failed, scored
from assay.presentation.figure import Figure

EMBEDDER = load_embedder("use")
MOST_PER_METRIC = 2  # of the largest differences, so that one metric does not fill the list


@dataclass(frozen=True)
class Pair:
    """A metric of ours and Ragas's, made with a judge. Ragas's values are rescaled to ours by `shift` and `scale`."""

    name: str
    ours: Callable[[Judge], Metric]
    ragas: Callable[[Judge], Metric]
    shift: float = 0.0
    scale: float = 1.0


@dataclass(frozen=True)
class Difference:
    """Both scores of a sample; `theirs` is Ragas's value on our scale."""

    sample: Sample
    name: str
    ours: Score
    ragas: Score
    theirs: float

    @property
    def size(self) -> float:
        """How far the two values lie apart."""
        return abs((self.ours.value or 0.0) - self.theirs)


class RagasTopicAdherence(Metric):
    """Ragas's metric for conversations, which the adapter of single answers leaves out."""

    name = "ragas:topic_adherence"

    def __init__(self, judge: Judge) -> None:
        self.judge = judge

    async def measure(self, sample: Sample) -> Score:
        """Ragas's value; failed where it has none."""
        from ragas.messages import AIMessage, HumanMessage
        from ragas.metrics.collections import TopicAdherence

        from assay.metrics.ragas_parts import JudgeLLM, JudgeLog, current_log

        log = JudgeLog(sample.id)
        token = current_log.set(log)
        turn = [HumanMessage(content=sample.user_input), AIMessage(content=sample.response)]
        try:
            metric = TopicAdherence(llm=JudgeLLM(self.judge))
            result = await metric.ascore(user_input=turn, reference_topics=sample.metadata["reference_topics"])
        except (JudgeError, ValueError, TypeError) as error:
            return failed(f"Ragas raised {error}", usage=Usage.total(log.usages))
        finally:
            current_log.reset(token)
        evidence, usage = {"steps": log.steps}, Usage.total(log.usages)
        if result.value is None or result.value != result.value:
            return failed("Ragas gives no number", evidence, usage)
        return scored(float(result.value), "", evidence, usage)


def rubric_pair() -> Pair:
    """Ragas's rubric with its default levels, and ours with the same."""
    from ragas.metrics.collections import DomainSpecificRubrics
    from ragas.metrics.collections.domain_specific_rubrics.util import DEFAULT_WITH_REFERENCE_RUBRICS

    from assay.metrics.ragas_parts import JudgeLLM

    levels = dict(enumerate(DEFAULT_WITH_REFERENCE_RUBRICS.values(), start=1))
    question = "How good is the answer, compared with the reference?"
    rubric = Rubric.model_validate(
        {
            "fields": ["user_input", "response", "reference"],
            "criteria": [{"name": "quality", "question": question, "levels": levels}],
        }
    )
    return Pair(
        "rubric",
        lambda judge: RubricMetric(judge, rubric),
        lambda judge: RagasMetric(DomainSpecificRubrics(llm=JudgeLLM(judge), with_reference=True), judge),
        shift=-1.0,
        scale=0.25,
    )


def named_pair(name: str, ragas_name: str = "") -> Pair:
    """A pair by name."""
    return Pair(
        name,
        lambda judge: load_metric(name, judge, EMBEDDER),
        lambda judge: load_metric(f"ragas:{ragas_name or name}", judge, EMBEDDER),
    )


def all_pairs() -> list[Pair]:
    """All pairs, those that ask least first."""
    return [
        named_pair("context_recall"),
        rubric_pair(),
        named_pair("context_relevance"),
        named_pair("context_precision"),
        named_pair("context_precision:against=response", "context_utilization"),
        named_pair("answer_correctness"),
        named_pair("factual_correctness"),
        Pair("topic_adherence", lambda judge: load_metric("topic_adherence", judge), RagasTopicAdherence),
        named_pair("noise_sensitivity"),
    ]


def choose_samples(source: str, count: int, seed: int) -> list[Sample]:
    """A seeded choice of the set's samples with a reference, each with one passage of another group and topics."""
    draw = random.Random(seed)
    samples = [sample for sample in load_set(source) if sample.reference and sample.retrieved_contexts]
    titles = {sample.source: sample.retrieved_contexts[0].partition("\n")[0] for sample in samples}
    topics = [title for number, title in enumerate(titles.values()) if number % 2 == 0]
    chosen = draw.sample(samples, min(count, len(samples)))
    return [with_stray_passage(sample, samples, topics, draw) for sample in chosen]


def with_stray_passage(sample: Sample, samples: Sequence[Sample], topics: Sequence[str], draw: random.Random) -> Sample:
    """The sample with a passage of another group among its own; `metadata.own` says which are its own."""
    others = [other for other in samples if other.source != sample.source]
    stray = draw.choice(draw.choice(others).retrieved_contexts)
    passages = list(sample.retrieved_contexts)
    place = draw.randint(0, len(passages))
    own = [True] * len(passages)
    passages.insert(place, stray)
    own.insert(place, False)
    metadata = sample.metadata | {"own": own, "reference_topics": list(topics)}
    return sample.model_copy(update={"retrieved_contexts": tuple(passages), "metadata": metadata})


async def measure(metric: Metric, samples: Sequence[Sample], at_once: int) -> dict[str, Score]:
    """The metric's score of each sample, by id."""
    free, scores = asyncio.Semaphore(at_once), {}

    async def one(sample: Sample) -> None:
        async with free:
            scores[sample.id] = await metric.assess(sample)
        print(f"\r{metric.name}: {len(scores)} of {len(samples)}   ", end="", file=sys.stderr, flush=True)

    await asyncio.gather(*(one(sample) for sample in samples))
    print(file=sys.stderr)
    return scores


def describe_estimate(xs: Sequence[float], ys: Sequence[float], groups: Sequence[str]) -> str:
    """Spearman with its interval; where it is undefined, that."""
    return str(Figure.from_estimate("correlation", spearman(xs, ys, groups)))


def mean_of(scores: Mapping[str, Score], part: Callable[[Usage], float]) -> float:
    """The mean of a part of the usage, per sample."""
    return sum(part(score.usage) for score in scores.values()) / len(scores)


def summarise(
    samples: Sequence[Sample], ours: Mapping[str, Score], theirs: Mapping[str, float | None], ragas: Mapping[str, Score]
) -> list[object]:
    """One row of the table."""
    both = [s for s in samples if ours[s.id].value is not None and theirs[s.id] is not None]
    xs = [ours[s.id].value or 0.0 for s in both]
    ys = [theirs[s.id] or 0.0 for s in both]
    groups = [s.source for s in both]
    ratings = [s.rating_share or 0.0 for s in both]
    row: list[object] = [len(both), describe_estimate(xs, ys, groups)]
    row += [describe_estimate(xs, ratings, groups), describe_estimate(ys, ratings, groups)]
    for scores in (ours, ragas):
        row += [mean_of(scores, lambda usage: usage.calls)]
        row += [mean_of(scores, lambda usage: usage.tokens_in + usage.tokens_out)]
        row += [sum(score.status == "failed" for score in scores.values())]
        row += [sum(score.status == "skipped" for score in scores.values())]
    return row


def largest_differences(
    name: str,
    samples: Sequence[Sample],
    ours: Mapping[str, Score],
    theirs: Mapping[str, float | None],
    ragas: Mapping[str, Score],
) -> list[Difference]:
    """The samples of a metric on which both sides differ most."""
    both = [s for s in samples if ours[s.id].value is not None and theirs[s.id] is not None]
    found = [Difference(s, name, ours[s.id], ragas[s.id], theirs[s.id] or 0.0) for s in both]
    return sorted(found, key=lambda difference: -difference.size)[:MOST_PER_METRIC]


def print_difference(difference: Difference) -> None:
    """Both scores of a sample with what they are made of, and its texts."""
    sample, ours = difference.sample, difference.ours
    print(f"--- {sample.id}  {difference.name}: Assay {ours.value:.2f}, Ragas {difference.theirs:.2f}, ", end="")
    print(f"rating {sample.human_rating}")
    print(f"question: {sample.user_input}\nanswer: {sample.response}\nreference: {sample.reference}")
    for number, passage in enumerate(sample.retrieved_contexts, start=1):
        origin = "own" if sample.metadata["own"][number - 1] else "of another page"
        print(f"passage {number} ({origin}): {' '.join(passage.split())[:600]}")
    print(f"Assay: {ours.reason}")
    for claim in ours.evidence.get("claims", []):
        probability = claim["probability"]
        print(f"  {claim['verdict']}{'' if probability is None else f' {probability:.2f}'}: {claim['text']}")
    print("Ragas:")
    for step in difference.ragas.evidence.get("steps", []):
        print(f"  {json.dumps(step, ensure_ascii=False)[:1500]}")
    print(flush=True)


def print_planted_precision(samples: Sequence[Sample], ours: Mapping[str, Score], ragas: Mapping[str, Score]) -> None:
    """How far both context precisions are from that of the passages that were put there."""
    planted = {s.id: average_precision([float(own) for own in s.metadata["own"]]) for s in samples}
    rows: list[list[object]] = []
    for name, scores in (("Assay", ours), ("Ragas", ragas)):
        errors = [abs(score.value - planted[key]) for key, score in scores.items() if score.value is not None]
        rows.append([name, len(errors), sum(errors) / len(errors) if errors else None])
    print_table("Context precision against the passages that were put there", ("", "n", "mean difference"), rows)


async def main() -> None:
    """Measures both sides, one metric after the other, and prints the tables."""
    pairs = {pair.name: pair for pair in all_pairs()}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", default="qwen1.5b")
    parser.add_argument("--set", default="helpdesk_en", help="a bundled set, or a file whose samples have references")
    parser.add_argument("--n", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--metrics", nargs="+", choices=pairs, default=list(pairs))
    parser.add_argument("--differences", type=int, default=10)
    parser.add_argument("--mode", choices=["auto", "replay"], default="auto")
    parser.add_argument("--out", type=Path, help="all scores with their evidence, as JSON")
    options = parser.parse_args()
    print_machine()
    samples = choose_samples(options.set, options.n, options.seed)
    cassette = user_cache_path("assay", ensure_exists=True) / f"beside_ragas.{Path(options.judge).stem}.jsonl"
    rows: list[list[object]] = []
    kept: dict[str, dict[str, Any]] = {}
    differences: list[Difference] = []
    async with LiteLLMJudge(options.judge, cassette=cassette, mode=options.mode) as judge:
        at_once = judge.settings.concurrent_samples
        for name in options.metrics:
            pair = pairs[name]
            ours = await measure(pair.ours(judge.for_run()), samples, at_once)
            ragas = await measure(pair.ragas(judge.for_run()), samples, at_once)
            theirs = {
                key: None if score.value is None else (score.value + pair.shift) * pair.scale
                for key, score in ragas.items()
            }
            rows.append([name, *summarise(samples, ours, theirs, ragas)])
            if name == "context_precision":
                print_planted_precision(samples, ours, ragas)
            differences += largest_differences(name, samples, ours, theirs, ragas)
            kept[name] = {
                side: {key: [score.value, score.status, score.reason, score.evidence] for key, score in scores.items()}
                for side, scores in (("assay", ours), ("ragas", ragas))
            }
            if options.out:
                options.out.write_text(json.dumps(kept, ensure_ascii=False, indent=1), encoding="utf-8")
    header = ("", "n", "Assay ~ Ragas", "Assay ~ rating", "Ragas ~ rating")
    header += ("requests", "tokens", "failed", "skipped", "R requests", "R tokens", "R failed", "R skipped")
    print_table(f"{options.set}, {len(samples)} samples, judge {options.judge}; R is Ragas", header, rows)
    for difference in sorted(differences, key=lambda each: -each.size)[: options.differences]:
        print_difference(difference)


if __name__ == "__main__":
    asyncio.run(main())
