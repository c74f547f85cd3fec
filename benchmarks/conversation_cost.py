"""What conversations take: seconds and memory of many, and the requests and tokens of each metric.

    python benchmarks/conversation_cost.py [--n 1000 10000] [--turns 20]
    python benchmarks/conversation_cost.py --judge qwen1.5b --cassette FILE

The first: made-up conversations (questions and answers of the bundled help desks with a seed, a tool called in every
fifth turn, a turn being a question and its answer) are read, scored by the metrics of a conversation that ask nobody,
kept in a store, and shown: on the terminal, and as pages of `assay view`. Every step is a process of its own; its
memory is the largest that it took. Memory is bounded where ten times as many conversations do not take more of it. The
pages need the extra `web` and httpx.

The second: what each metric of a conversation asks of a judge, from recorded replies on the bundled conversations; no
model is asked.
"""

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import checkout  # noqa: F401
from benchmark_output import print_machine, print_table
from rated_agreement import score_samples

from assay.eval_sets import load_set, read_samples
from assay.judges import LiteLLMJudge, Usage
from assay.metrics.catalogue import load_metric
from assay.runs import Store

RULES = ("effort", "handover", "tool_calls")
ASKING = ("resolved", "handover", "policy_kept", "effort", "consistent", "faithfulness", "weakest_claim")
SETS = ("conversations_en", "conversations_nl")
POLICY = """You answer customers of a shop.
- Ask for the order number before you look up an order.
- Hand over to a colleague when the customer asks for a person."""
CALL_EVERY = 5
_BEGIN = """
import json, resource, subprocess, sys, time
started = time.perf_counter()
code = subprocess.run(sys.argv[2:]).returncode
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as file:
    json.dump([time.perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss], file)
sys.exit(code)
"""


def make_conversations(count: int, turns: int, seed: int) -> Iterator[dict[str, Any]]:
    """Makes conversations as rows of JSON Lines, no two alike, each with the calls that it should make."""
    draw = random.Random(seed)
    pairs = [(sample.user_input, sample.response) for sample in load_set("helpdesk_en")]
    for number in range(count):
        messages: list[dict[str, Any]] = [{"role": "system", "content": POLICY}]
        calls: list[dict[str, Any]] = []
        for turn, (question, answer) in enumerate(draw.choices(pairs, k=turns)):
            order = draw.randrange(10_000, 100_000)
            messages.append({"role": "user", "content": f"{question} (order {order})"})
            if turn % CALL_EVERY == 0:
                calls.append({"name": "get_order", "kwargs": {"order": str(order)}})
                function = {"name": "get_order", "arguments": json.dumps({"order": str(order)})}
                call = {"id": f"call_{turn}", "type": "function", "function": function}
                result = {"order": order, "euros": draw.randrange(500), "days": draw.randrange(30)}
                messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(result)})
            messages.append({"role": "assistant", "content": f"{answer} It costs {draw.randrange(100)} euros."})
        yield {
            "id": f"c{number}",
            "language": "en",
            "messages": messages,
            "rating": draw.randint(1, 5),
            "metadata": {"expected_actions": calls},
        }


def write_conversations(file: Path, count: int, turns: int, seed: int = 0) -> None:
    """Writes them to a file, one per line."""
    with file.open("w", encoding="utf-8") as lines:
        for conversation in make_conversations(count, turns, seed):
            lines.write(json.dumps(conversation) + "\n")


def measure_process(words: list[str]) -> tuple[float, float, float, str]:
    """Runs a command: its seconds, its processor seconds, the most MB that it took, and what it printed.

    A small process begins it: a child counts the memory of the process that it was split off from as its own, and this
    one has all of Assay in memory.

    Raises:
        SystemExit: The command failed.
    """
    with tempfile.NamedTemporaryFile("r", suffix=".json") as usage:
        begin = [sys.executable, "-S", "-c", _BEGIN, usage.name, *words]
        done = subprocess.run(begin, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
        seconds, processor, kilobytes = json.load(usage)
    return seconds, processor, kilobytes / 1024, done.stdout


def measure_scale(counts: list[int], turns: int) -> list[list[object]]:
    """One row per step and number of conversations."""
    rows: list[list[object]] = []
    assay, own = [sys.executable, "-m", "assay"], [sys.executable, __file__]
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            file, store = Path(folder) / "made_up.jsonl", str(Path(folder) / "store")
            write_conversations(file, count, turns)
            steps = {
                "read": [*own, "--read", str(file)],
                "scored and kept": [
                    *(*assay, "run", str(file), "--metrics", ",".join(RULES), "--turns", "none"),
                    *("--store", store, "--quiet"),
                ],
                "the run shown": [*assay, "show", "last", "--store", store],
                "one shown": [*assay, "show", "last", f"c{count // 2}", "--store", store],
                "pages": [*own, "--pages", store, f"c{count // 2}"],
            }
            for step, words in steps.items():
                seconds, processor, megabytes, _ = measure_process(words)
                rows.append([step, count, file.stat().st_size / 2**20, seconds, processor, megabytes])
    return sorted(rows, key=lambda row: list(steps).index(str(row[0])))


def read_all(file: Path) -> int:
    """Reads a set, a conversation at a time, and counts its messages."""
    return sum(len(sample.messages) for sample in read_samples(str(file)))


async def open_pages(store: str, item: str) -> list[int]:
    """Opens the pages of a store's last run, and of one of its conversations, as `assay view` serves them.

    Returns:
        The length of each page in bytes.
    """
    import httpx

    from assay.web.connections import Connections
    from assay.web.set_folder import SetFolder
    from assay.web.view_app import ViewApp

    with tempfile.TemporaryDirectory() as folder:
        opened = Store(store)
        run = next(iter(opened.run_ids(1)))
        opened.close()
        app = ViewApp(Connections(store), SetFolder(Path(folder)))
        transport = httpx.ASGITransport(app=app.asgi)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", follow_redirects=True) as client:
            await client.get(app.link_path())
            paths = ("", "/figures", f"/answer?id={item}")
            pages = [await client.get(f"/run/{run}{path}") for path in paths]
    return [len(page.raise_for_status().content) for page in pages]


async def count_requests(judge: str, cassette: Path, sets: list[str], metrics: list[str]) -> list[list[object]]:
    """One row per set and metric: conversations, how many were scored and failed, requests and tokens of one."""
    rows: list[list[object]] = []
    for name in sets:
        samples = load_set(name)
        for metric in metrics:
            async with LiteLLMJudge(judge, cassette=cassette, mode="replay") as asked:
                scores = (await score_samples(samples, load_metric(metric, asked), 1)).values()
            usage = Usage.total([score.usage for score in scores])
            statuses = [score.status for score in scores]
            counts = [len(samples), statuses.count("scored"), statuses.count("failed")]
            taken = [usage.calls, usage.tokens_in, usage.tokens_out]
            rows.append([name, metric, *counts, *(number / len(samples) for number in taken)])
    return rows


def main() -> None:
    """Prints the table of the scale, or with a judge that of the requests."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, nargs="+", default=[1_000, 10_000], help="numbers of conversations")
    parser.add_argument("--turns", type=int, default=20, help="questions with answers in each")
    parser.add_argument("--judge")
    parser.add_argument("--cassette", type=Path, help="with --judge: recorded replies; nothing is asked")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--metrics", nargs="+", default=ASKING, help="with --judge: those that were recorded")
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--pages", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        print(read_all(options.read))
    elif options.pages:
        print(*asyncio.run(open_pages(*options.pages)))
    elif options.judge:
        print_machine()
        if options.cassette is None:
            parser.error("--judge needs --cassette FILE: this only replays")
        rows = asyncio.run(count_requests(options.judge, options.cassette, options.sets, options.metrics))
        header = ["set", "metric", "n", "scored", "failed", "requests", "tokens in", "tokens out"]
        print_table(f"per conversation, {options.judge}", header, rows)
    else:
        print_machine()
        rows = measure_scale(options.n, options.turns)
        header = ["step", "conversations", "file, MB", "seconds", "processor", "most MB"]
        print_table(f"conversations of {options.turns} turns", header, rows)


if __name__ == "__main__":
    main()
