"""How far `citations` agrees with labels: which citations support their sentence, and which claims are cited rightly.

    python benchmarks/citation_agreement.py --judge qwen1.5b

`cited_answers.jsonl` has 24 answers that we wrote, 12 English and 12 Dutch, with right and wrong citations (of another
source, of one that says otherwise, of no source, of one too many, and none), and a label for each citation and each
claim. The table has the share of verdicts that are the label, with a 95% interval over the answers, beside what calling
all of them right gives; and how the wrong ones are wrong. Replies are kept in a cassette in the cache folder, so that
an interrupted run goes on and a second one replays.
"""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import checkout  # noqa: F401
from benchmark_output import print_machine, print_table
from platformdirs import user_cache_path
from rated_agreement import score_samples

from assay import Sample, Score, load_set
from assay.judges import LiteLLMJudge, Usage, load_settings
from assay.meta_eval import estimate_mean
from assay.metrics import Citations
from assay.presentation import Figure

SET = Path(__file__).with_name("cited_answers.jsonl")
Unit = Literal["citations", "claims"]
LABELS: dict[Unit, str] = {"citations": "citations_support", "claims": "claims_cited_rightly"}


class Verdict(NamedTuple):
    """A verdict beside its label."""

    sample: Sample
    is_right: bool
    label: bool


def verdicts_of(samples: Sequence[Sample], scores: dict[str, Score], unit: Unit) -> list[Verdict]:
    """The verdicts on citations or claims, in the order of the labels."""
    verdicts = []
    for sample in samples:
        entries = scores[sample.id].evidence.get(unit, [])
        labels = sample.metadata[LABELS[unit]]
        if len(entries) != len(labels):
            raise ValueError(f"{sample.id}: {len(entries)} {unit}, {len(labels)} labels")
        verdicts += [
            Verdict(sample, entry["verdict"] == "supported", label)
            for entry, label in zip(entries, labels, strict=True)
        ]
    return verdicts


def agreement_row(name: str, verdicts: Sequence[Verdict]) -> list[object]:
    """One line of the table."""
    groups = [verdict.sample.source for verdict in verdicts]
    same = estimate_mean([float(one.is_right is one.label) for one in verdicts], groups, bounds=(0, 1))
    all_right = sum(one.label for one in verdicts) / len(verdicts)
    accepted = sum(one.is_right and not one.label for one in verdicts)
    rejected = sum(one.label and not one.is_right for one in verdicts)
    return [name, len(verdicts), str(Figure.from_estimate("coefficient", same)), all_right, accepted, rejected]


async def main() -> None:
    """Runs the metric and prints its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", default="qwen1.5b")
    parser.add_argument("--cassette", type=Path, help="where replies are recorded; in the cache folder if left out")
    parser.add_argument("--mode", choices=["auto", "replay"], default="auto")
    options = parser.parse_args()
    print_machine()
    settings = load_settings(options.judge)
    cassette = options.cassette or user_cache_path("assay") / f"citations.{settings.identity}.jsonl"
    samples = load_set(SET)
    async with LiteLLMJudge(settings, cassette=cassette, mode=options.mode) as judge:
        scores = await score_samples(samples, Citations(judge), 1)
    rows = []
    for unit in LABELS:
        verdicts = verdicts_of(samples, scores, unit)
        rows.append(agreement_row(unit, verdicts))
        rows += [
            agreement_row(f"  {language}", [one for one in verdicts if one.sample.language == language])
            for language in ("en", "nl")
        ]
    header = ["", "n", "same as the label", "all called right", "wrong ones accepted", "right ones rejected"]
    print_table(f"{len(samples)} answers, {settings.identity}", header, rows)
    usage = Usage.total([score.usage for score in scores.values()])
    print(f"{usage.calls} calls, {usage.tokens_in:,} tokens in")


if __name__ == "__main__":
    asyncio.run(main())
