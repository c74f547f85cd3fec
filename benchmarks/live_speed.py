"""Measures how fast samples are judged over HTTP, with requests and tokens per sample, beside Ragas on the same texts.

    python benchmarks/live_speed.py [--n 240] [--n-slow 480] [--latency 0.2] [--skip-ragas]
    python benchmarks/live_speed.py --file ../shared/data/rated/mtrag_faithfulness.jsonl --n 0 --n-slow 0

The judge is the tests' server, in its own process on this machine; it also speaks the protocols of decision models.
Both sides score faithfulness and answer relevance. Assay asks for the verdicts through each transport (the judge's
setting `decide`), on the answer's sentences, which is the default, and once on claims that the judge writes first, as
Ragas's pipeline does. A decision model writes no text: there a chat model beside it writes the questions of answer
relevance. Four tables:

1. Requests and tokens per sample. Tokens are counted in the same way for both sides (cl100k_base, over request and
   reply bodies; a json_schema beside the messages counts as sent; texts embedded over HTTP are counted separately).
2. With an instant judge: samples per second by the number of samples at once. It shows the cost of the client itself.
3. With a judge that takes 200 ms: Assay's calls per second as a share of the ideal, calls x latency / concurrency.
4. The processor's time of one faithfulness call with an instant judge, in this process; the server's beside it.

litellm reaches `openai/` models through OpenAI's SDK, and `hosted_vllm/` ones (any OpenAI-compatible server) with a
client of its own; Assay's fast path takes that client for both, and its `listed` is measured with both. Ragas runs as
its users run it: `ragas.metrics.collections` with an OpenAI client, and `ragas.evaluate` with LangChain's; each with
embeddings over HTTP, its default, and with Assay's embedder in the process.
"""

import argparse
import asyncio
import importlib.util
import random
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import checkout  # noqa: F401
from benchmark_output import print_machine, print_table
from local_judge import LocalJudge, Tokens, helpdesk, is_embedding, local_judge

from assay import Sample, aevaluate, load_set
from assay.judges import Embedder, LiteLLMJudge, load_embedder
from assay.metrics import AnswerRelevance, ClaimsBy, Faithfulness

VLLM, OPENAI = "hosted_vllm/local", "openai/local"
# scores samples, so many at once, and gives the share that became numbers or were rightly skipped
Pipeline = Callable[[Sequence[Sample], int], float]


def assay_pipelines(server: LocalJudge, embedder: Embedder) -> dict[str, Pipeline]:
    """Assay through each transport; `listed` also through OpenAI's SDK, and on claims that the judge writes."""
    ways: dict[str, tuple[str, str, ClaimsBy]] = {
        "Assay, single": (VLLM, "single", "sentences"),
        "Assay, listed": (VLLM, "listed", "sentences"),
        "Assay, listed, openai/": (OPENAI, "listed", "sentences"),
        "Assay, listed, the judge's claims": (VLLM, "listed", "judge"),
        "Assay, decisions": (OPENAI, "decisions", "sentences"),
        "Assay, systemone": (VLLM, "systemone", "sentences"),
    }
    return {name: assay_pipeline(server, embedder, *way) for name, way in ways.items()}


def assay_pipeline(server: LocalJudge, embedder: Embedder, model: str, decide: str, claims: ClaimsBy) -> Pipeline:
    """Assay, `concurrency` calls in flight of each model."""

    async def score(samples: Sequence[Sample], concurrency: int) -> float:
        settings = judge_settings(server, concurrency)
        async with (
            LiteLLMJudge(model, decide=decide, **settings) as judge,
            LiteLLMJudge(VLLM, **settings) as writer,
        ):
            chat = judge if decide in {"single", "listed"} else writer
            metrics = [Faithfulness(judge, claims=claims), AnswerRelevance(chat, embedder)]
            results = await aevaluate(samples, metrics, judge=judge)
        scores = [score for by_metric in results.scores.values() for score in by_metric.values()]
        return sum(score.status != "failed" for score in scores) / len(scores)

    return lambda samples, concurrency: asyncio.run(score(samples, concurrency))


def judge_settings(server: LocalJudge, concurrency: int) -> dict[str, Any]:
    """What all of Assay's judges here have in common."""
    return {"structured": "schema", "api_base": server.api_base, "concurrency": concurrency, "logprobs": True}


def ragas_pipelines(server: LocalJudge, embedder: Embedder) -> dict[str, Pipeline]:
    """Ragas, each way; `concurrency` metrics of samples in flight, as its executor counts."""
    from ragas_pipelines import collections_metrics, score_collections, score_evaluate, scored_share

    def by_collections(own: Embedder | None) -> Pipeline:
        return lambda samples, concurrency: scored_share(
            asyncio.run(score_collections(collections_metrics(server.api_base, embedder=own), samples, concurrency))
        )

    def by_evaluate(own: Embedder | None) -> Pipeline:
        return lambda samples, concurrency: scored_share(
            score_evaluate(server.api_base, samples, concurrency, embedder=own)
        )

    return {
        "Ragas, collections": by_collections(None),
        "Ragas, collections, Assay's embedder": by_collections(embedder),
        "Ragas, evaluate": by_evaluate(None),
        "Ragas, evaluate, Assay's embedder": by_evaluate(embedder),
    }


def what_a_sample_takes(server: LocalJudge, pipelines: dict[str, Pipeline], file: Path | None) -> None:
    """Table 1: of the bundled set, or of 60 samples of a file (seed 0)."""
    samples, tokens = helpdesk(60), Tokens()
    if file is not None:
        loaded = load_set(file)
        samples = random.Random(0).sample(loaded, min(60, len(loaded)))
    rows: list[list[object]] = []
    for name, score in pipelines.items():
        server.forget()
        score(samples, 8)
        bodies = server.bodies()
        token_counts = [tokens.of_request(body) for body in bodies if not is_embedding(body)]
        embedded = [tokens.of_request(body)[0] for body in bodies if is_embedding(body)]
        sent, received = (sum(column) / len(samples) for column in zip(*token_counts, strict=True))
        per_sample = [len(bodies) / len(samples), len(token_counts) / len(samples)]
        rows.append([name, *per_sample, sent, received, sent + received, sum(embedded) / len(samples)])
    header = ("", "requests", "to the LLM", "tokens sent", "tokens said", "tokens", "tokens embedded")
    print_table(f"1. What a sample takes, n = {len(samples)} samples", header, rows)


def instant_judge(
    server: LocalJudge, pipelines: dict[str, Pipeline], count: int, at_once: Sequence[int], passes: int
) -> None:
    """Table 2."""
    samples = helpdesk(count)
    speeds: dict[str, dict[int, list[float]]] = {name: {count: [] for count in at_once} for name in pipelines}
    shares: dict[str, float] = {}
    for _ in range(passes):  # the ways take turns, so that other work on the machine slows all of them alike
        for concurrency in at_once:
            for name, score in pipelines.items():
                server.forget()
                begun = time.perf_counter()
                shares[name] = score(samples, concurrency)
                speeds[name][concurrency].append(len(samples) / (time.perf_counter() - begun))
    medians = {name: [statistics.median(own) for own in by.values()] for name, by in speeds.items()}
    best = {name: max(own) for name, own in medians.items()}
    rival = max((speed for name, speed in best.items() if name.startswith("Ragas")), default=None)
    rows = [
        [name, *own, best[name], rival and best[name] / rival, f"{shares[name]:.0%}"] for name, own in medians.items()
    ]
    header = ("samples/s at once:", *map(str, at_once), "best", "x Ragas's best", "scored")
    print_table(f"2. An instant judge, n = {count} samples, median of {passes}", header, rows)


def slow_judge(server: LocalJudge, pipelines: dict[str, Pipeline], count: int, latency: float, passes: int) -> None:
    """Table 3. The shares are Assay's; Ragas's samples per second stand beside them."""
    samples = helpdesk(count)
    rows: list[list[object]] = []
    for name, score in pipelines.items():
        for concurrency in (16, 48):
            score(samples[:concurrency], concurrency)  # libraries loaded
            wall_seconds = []
            for _ in range(passes):
                server.forget()
                begun = time.perf_counter()
                score(samples, concurrency)
                wall_seconds.append(time.perf_counter() - begun)
            seconds, stats = statistics.median(wall_seconds), server.stats()
            calls = stats["requests"]
            ideal = calls * latency / concurrency
            at_most = stats["most_at_once"]
            rows.append([name, concurrency, calls, calls / seconds, f"{ideal / seconds:.1%}", count / seconds, at_most])
    header = ("", "at once", "calls", "calls/s", "share of the ideal", "samples/s", "seen at once")
    title = f"3. A judge that takes {1000 * latency:.0f} ms, n = {count} samples, median of {passes}"
    print_table(title, header, rows)


def processor_time(server: LocalJudge, count: int, passes: int) -> None:
    """Table 4. The ways take turns, and the least of the passes is what other work on the machine adds least to."""

    async def score(model: str) -> int:
        async with LiteLLMJudge(model, decide="listed", **judge_settings(server, 16)) as judge:
            await aevaluate(samples, [Faithfulness(judge)], judge=judge)
            return judge.usage.calls

    samples = helpdesk(count)
    ours: dict[str, list[float]] = {VLLM: [], OPENAI: []}
    servers: dict[str, list[float]] = {VLLM: [], OPENAI: []}
    for _ in range(passes + 1):
        for model, milliseconds in ours.items():
            begun, server_begun = time.process_time(), server.stats()["processor_ms"]
            calls = asyncio.run(score(model))
            milliseconds.append(1000 * (time.process_time() - begun) / calls)
            servers[model].append((server.stats()["processor_ms"] - server_begun) / calls)
    # the first pass loads libraries
    rows = [
        [model, min(ours[model][1:]), statistics.median(ours[model][1:]), statistics.median(servers[model][1:])]
        for model in ours
    ]
    title = f"4. Processor time per faithfulness call, ms, n = {count} samples, {passes} passes"
    print_table(title, ("", "least", "median", "the server's"), rows)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=Path, help="a set of yours for table 1")
    parser.add_argument("--n", type=int, default=240, help="samples for the instant judge; 0 leaves it out")
    parser.add_argument("--n-slow", type=int, default=480, help="samples for the slow judge; 0 leaves it out")
    parser.add_argument("--n-calls", type=int, default=240, help="samples for the processor's time; 0 leaves it out")
    parser.add_argument("--latency", type=float, default=0.2, help="seconds that the slow judge takes")
    parser.add_argument("--passes", type=int, default=3, help="timed passes, of which the median is shown")
    parser.add_argument("--at-once", type=int, nargs="+", default=[4, 16, 48])
    parser.add_argument("--skip-ragas", action="store_true")
    options = parser.parse_args()
    print_machine()
    embedder = load_embedder("use")
    with_ragas = not options.skip_ragas and importlib.util.find_spec("ragas") is not None
    with local_judge() as server:
        pipelines = assay_pipelines(server, embedder)
        pipelines |= ragas_pipelines(server, embedder) if with_ragas else {}
        what_a_sample_takes(server, pipelines, options.file)
        if options.n:
            instant_judge(server, pipelines, options.n, options.at_once, options.passes)
        if options.n_calls:
            processor_time(server, options.n_calls, options.passes)
    if not options.n_slow:
        return
    with local_judge(options.latency) as server:
        pipelines = assay_pipelines(server, embedder)
        if with_ragas:
            name = "Ragas, evaluate, Assay's embedder"
            pipelines[name] = ragas_pipelines(server, embedder)[name]
        slow_judge(server, pipelines, options.n_slow, options.latency, options.passes)


if __name__ == "__main__":
    main()
