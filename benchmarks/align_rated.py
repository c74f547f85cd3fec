"""Does a judge that learns from ratings follow people better? `assay align` on sets that people rated.

    python benchmarks/align_rated.py --data ../shared/data/rated --judge qwen1.5b --decide listed

Takes up to 100 answers of each set, half of them from each half of its groups (as `typed_questions.py` does, whose
recordings serve here with `--n 60 --cassette FILE`), and tries the candidates of `assay align` with the mean support of
an answer's claims: Spearman out of fold with its 95% interval over groups, as it is and for each candidate, calls and
tokens of each, and whether one is adopted. `--shuffled N` then repeats the decision on N shufflings of the ratings, for
the candidates that need no call. Replies are kept in a cassette in the cache folder: an interrupted run goes on, a
second one replays.
"""

import argparse
import itertools
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table
from platformdirs import user_cache_path
from typed_questions import choose

from assay import Sample, load_set
from assay.judges import Cassette, Judge, LiteLLMJudge, load_settings
from assay.judges.embedders import load_embedder
from assay.judges.judge_folder import CANDIDATES
from assay.languages import language_or_fallback
from assay.metrics import Metric, Score
from assay.metrics.claim_support import judge_support
from assay.metrics.score import scored, skipped
from assay.presentation.figure import Figure
from assay.prompts import BUNDLED
from assay.runs.align import Aligner, AlignmentReport
from assay.text.sentence_kinds import CLAIM
from assay.text.sentences import answer_sentences

SETS = ("mtrag_faithfulness", "clapnq_human", "begin_wow")


class SupportedShare(Metric):
    """The mean P(supported) of an answer's claims: faithfulness without what is computed."""

    name = "supported_share"
    range = (0, 1)
    needs = ("response", "retrieved_contexts")

    def __init__(self, judge: Judge, context: str = "with context") -> None:
        self.judge = judge
        self.context = context

    async def measure(self, sample: Sample) -> Score:
        """The score."""
        sentences = answer_sentences(sample.response, language_or_fallback(sample.language))
        claims = [sentence for sentence in sentences if sentence.kind == CLAIM]
        if self.context == "alone":
            claims = [claim._replace(context="") for claim in claims]
        if not claims:
            return skipped("the answer makes no claims")
        texts, documentation = [claim.text for claim in claims], "\n\n".join(sample.retrieved_contexts)
        context = {claim.text: claim.context for claim in claims}
        judged, usage = await judge_support(sample, texts, documentation, self.judge, BUNDLED, context=context)
        return scored(sum(claim.support for claim in judged) / len(judged), "the mean support", {}, usage)


def shuffle_ratings(samples: Sequence[Sample], seed: int) -> list[Sample]:
    """The samples with each other's ratings, at random."""
    order = np.random.default_rng(seed).permutation(len(samples))
    return [
        sample.model_copy(update={"rating": samples[int(place)].human_rating, "ratings": {}})
        for sample, place in zip(samples, order, strict=True)
    ]


def show_progress(name: str, count: Iterator[int]) -> None:
    """Says on standard error how many answers were judged."""
    print(f"\r{name}: {next(count)} answers judged   ", end="", file=sys.stderr, flush=True)


def describe(name: str, report: AlignmentReport) -> None:
    """Prints a set's table."""
    rows: list[list[object]] = []
    for row in report.result.rows:
        usage = report.usage.get(row.name)
        difference = "" if row.difference is None else str(Figure.from_estimate("correlation", row.difference))
        spent = ["", ""] if usage is None else [usage.calls, usage.tokens_in + usage.tokens_out]
        rows.append([row.name, str(Figure.from_estimate("rho", row.spearman)), difference, row.squared_error, *spent])
    rows += [
        [baseline.name, str(Figure.from_estimate("rho", baseline.spearman)), "", "", "", ""]
        for baseline in report.baselines
    ]
    title = f"{name}: {report.answers} answers, {report.groups} groups; {report.result.reason}"
    print_table(
        title, ["candidate", "Spearman out of fold", "more than as it is", "squared error", "calls", "tokens"], rows
    )


def main() -> None:
    """Aligns the judge on each set, prints the tables, and writes the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the rated sets")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--judge", default="qwen1.5b")
    parser.add_argument("--candidates", nargs="*", default=CANDIDATES)
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--decide", default="auto", help="how questions reach the judge: single, listed, auto")
    parser.add_argument("--context", default="with context", choices=("alone", "with context"))
    parser.add_argument("--mode", default="auto", choices=("auto", "replay"), help="replay asks nothing")
    parser.add_argument("--shuffled", type=int, default=0)
    parser.add_argument("--cassette", type=Path)
    options = parser.parse_args()
    print_machine()
    settings = load_settings(options.judge).with_changes(decide=options.decide)
    kept = options.cassette or user_cache_path("assay", ensure_exists=True) / f"align.{settings.identity}.jsonl"
    cassette = Cassette(kept, options.mode)
    judge = LiteLLMJudge(settings, cassette=cassette)
    figures = {}
    try:
        for name in options.sets:
            halves = choose(load_set(options.data / f"{name}.jsonl"), options.n, options.seed)
            samples = [sample for half in halves.values() for sample in half]
            count = itertools.count(1)
            aligner = Aligner(
                "supported_share",
                samples,
                judge,
                load_embedder("use", cassette),
                load=partial(SupportedShare, context=options.context),
                candidates=options.candidates,
                seed=options.seed,
                on_sample=partial(show_progress, name, count),
            )
            print(f"{name}: {aligner.estimate_cost()}", flush=True)
            report = aligner.align()
            describe(name, report)
            figures[name] = asdict(report)
            adopted = 0
            for seed in range(options.shuffled):
                shuffled = replace(
                    aligner,
                    samples=shuffle_ratings(samples, seed),
                    candidates=("calibrated",),
                    seed=seed,
                    permutations=400,
                )
                adopted += shuffled.align().result.is_adopted
            if options.shuffled:
                print(f"{name}: adopted on shuffled ratings {adopted} of {options.shuffled}", flush=True)
    finally:
        judge.close()
        cassette.close()
    kept.with_suffix(".figures.json").write_text(json.dumps(figures, default=str), encoding="utf-8")


if __name__ == "__main__":
    main()
