"""Measures how many answers per second the heuristic scores, and the share of the time that is spent inside spaCy.

    python benchmarks/heuristic_speed.py --data ../shared/data/rated [--answers 2000] [--whole-pipeline]

Scores English answers (all message types) of the rated sets, 16 samples at once as a run does. The sets have some 900
answers; after that an answer is used again with its sentences in another order: a new text with a context that was
parsed before, as when several answers share a help page. Seconds are processor time, so that other work on the machine
has little effect. Assay switches off the components of the pipeline that no heuristic reads (tagger, attribute ruler,
lemmatizer, names), which take half of spaCy's time; --whole-pipeline switches all but the names on again. Time inside
spaCy is that of its `pipe`; for the rest the most expensive functions are listed, from a profile of other answers,
because a profile slows what it measures. Needs the extra `heuristic` and an English pipeline.
"""

import argparse
import asyncio
import cProfile
import pstats
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import checkout  # noqa: F401
import spacy
from benchmark_output import print_machine, print_table

from assay import Sample, load_set
from assay.languages import load_language
from assay.metrics.heuristic import Heuristic
from assay.metrics.heuristic.parse_cache import ParsedTexts
from assay.metrics.heuristic.pipelines import Pipeline, find_pipeline
from assay.runs.execute import execute

SETS = ("mtrag_faithfulness", "clapnq_human", "begin_wow", "ragchecker_pairwise")
PROFILED = 100


class TimedPipe:
    """A pipeline of which the seconds in `pipe` are counted."""

    def __init__(self, nlp: Any) -> None:
        self._nlp = nlp
        self.seconds = 0.0
        self.texts = 0

    def pipe(self, texts: Any, **options: Any) -> Iterator[Any]:
        """As spaCy's."""
        docs = iter(self._nlp.pipe(texts, **options))
        while True:
            start = time.process_time()
            doc = next(docs, None)
            self.seconds += time.process_time() - start
            if doc is None:
                return
            self.texts += 1
            yield doc


class TimedTexts(ParsedTexts):
    """Parsed texts of one timed pipeline."""

    def __init__(self, timed: TimedPipe, name: str) -> None:
        super().__init__({})
        self._timed = Pipeline(name, timed)

    def pipeline(self, language: str) -> Pipeline:
        """The timed pipeline, whatever the language."""
        return self._timed


def main() -> None:
    """Prints answers per second, the share inside spaCy, and what is left."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the rated sets")
    parser.add_argument("--answers", type=int, default=2000)
    parser.add_argument("--whole-pipeline", action="store_true", help="with the components that nothing reads")
    options = parser.parse_args()
    pipeline = find_pipeline(load_language("en"))
    if pipeline.nlp is None:
        parser.exit(1, f"{pipeline.lacking}\n")
    pool = [sample for name in SETS for sample in load_set(str(options.data / f"{name}.jsonl"))]
    whole = [sample for sample in pool if sample.response.strip() and sample.retrieved_contexts]
    samples = [_turned(whole[n % len(whole)], n // len(whole)) for n in range(options.answers + PROFILED)]
    print_machine()
    timed = TimedPipe(spacy.load(pipeline.name, exclude=["ner"]) if options.whole_pipeline else pipeline.nlp)
    metric = Heuristic(all_types=True)
    metric.texts = TimedTexts(timed, pipeline.name)
    asyncio.run(_score(whole[:5], metric))  # loads the lemmas and the word list
    timed.seconds, timed.texts = 0.0, 0
    start = time.process_time()
    asyncio.run(_score(samples[: options.answers], metric))
    seconds = time.process_time() - start
    words = sum(len(text.split()) for text in {t for s in samples[: options.answers] for t in _texts(s)})
    print_table(
        f"{pipeline.name}, {options.answers} answers, {timed.texts} different texts, {words} words",
        ["seconds", "in spaCy", "share", "answers/s", "words/s"],
        [
            [
                f"{seconds:.1f}",
                f"{timed.seconds:.1f}",
                f"{timed.seconds / seconds:.0%}",
                options.answers / seconds,
                words / seconds,
            ]
        ],
    )
    profile = cProfile.Profile(time.process_time)
    profile.runcall(asyncio.run, _score(samples[options.answers :], metric))
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    ours = [
        (cost[2], cost[0], place) for place, cost in stats.items() if "assay" in place[0] or "/metrics/" in place[0]
    ]
    rows = [[f"{Path(p[0]).name}:{p[2]}", calls, own] for own, calls, p in sorted(ours, reverse=True)[:10]]
    print_table(f"What is left: our own functions by own seconds, {PROFILED} answers", ["function", "calls", "s"], rows)


async def _score(samples: Sequence[Sample], metric: Heuristic) -> None:
    await execute(samples, [metric], lambda sample, scores: None, concurrency=16)


def _texts(sample: Sample) -> tuple[str, ...]:
    return (sample.user_input, sample.response, *sample.retrieved_contexts)


def _turned(sample: Sample, by: int) -> Sample:
    """The sample with its answer's sentences turned round by so many places."""
    parts = sample.response.split(". ")
    place = by % max(1, len(parts))
    response = ". ".join(parts[place:] + parts[:place]) + " " * (by // max(1, len(parts)))
    return sample.model_copy(update={"id": f"{sample.id}-{by}", "response": response})


if __name__ == "__main__":
    main()
