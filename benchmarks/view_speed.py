"""How quick the viewing pages are on a long run: searching, filtering, sorting and paging, over HTTP.

    python benchmarks/view_speed.py --n 100000

Makes a run of n answers in a folder that is removed afterwards (or in --store, whose last run is taken if it has n
answers), opens it as `assay view` does, and asks for pages of answers with a client on this machine. Needs the extra
`web` and httpx; no judge, no network.
"""

import argparse
import random
import statistics
import threading
import time
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import checkout  # noqa: F401
import httpx
import uvicorn
from benchmark_output import print_machine, print_table

from assay import Sample
from assay.metrics import Score
from assay.runs import Plan, RunWriter, Store
from assay.runs.answer_index import AnswerIndex
from assay.web.connections import Connections
from assay.web.set_folder import SetFolder
from assay.web.view_app import ViewApp

KINDS = 20_000  # of words; the n-th most frequent one is n times rarer than the first, as in real texts
WORDS = [f"w{number}" for number in range(KINDS)]
FREQUENCIES = list(accumulate(1 / (number + 10) for number in range(KINDS)))
METRICS = ("faithfulness", "weakest_claim", "token_overlap", "rouge_l_precision", "answer_length")


def text(draw: random.Random, count: int) -> str:
    """Words as often as in real texts."""
    return " ".join(draw.choices(WORDS, cum_weights=FREQUENCIES, k=count))


def write_run(store: Store, count: int) -> str:
    """A run of made-up answers, 20 to 80 words each with a context of 80."""
    draw = random.Random(0)
    run = store.begin(Plan(sets=("made_up.jsonl",), metrics=METRICS[:2], directions=dict.fromkeys(METRICS, True)))
    writer = RunWriter(store, run)
    samples = (
        Sample(
            id=f"a{number}", user_input=text(draw, 12), response=text(draw, draw.randint(20, 80)),
            retrieved_contexts=(text(draw, 80),), language=draw.choice(["en", "nl", "de"]), group=f"g{number // 4}",
            message_type=draw.choice(["binary", "instruction", "other"]), rating=draw.randint(1, 5),
        )
        for number in range(count)
    )  # fmt: skip
    for sample in writer.number_samples(samples):
        writer.add(sample, {metric: Score(round(draw.random(), 3), "scored", "made up") for metric in METRICS})
    writer.flush()
    store.end(run, "done")
    return run


def queries(draw: random.Random, pages: int) -> dict[str, Callable[[], dict[str, Any]]]:
    """Each kind of question, drawn anew each time."""

    def metric() -> str:
        return draw.choice(METRICS)

    return {
        "a rare word": lambda: {"q": f"w{draw.randrange(5000, KINDS)}"},
        "a common word": lambda: {"q": f"w{draw.randrange(50)}"},
        "two words, one begun": lambda: {"q": f"w{draw.randrange(50)} w{draw.randrange(10, 99)}"},
        "a common word, sorted by a metric": lambda: {"q": f"w{draw.randrange(50)}", "sort": metric()},
        "a common word, the highest rated first": lambda: {
            "q": f"w{draw.randrange(50)}",
            "sort": "rating",
            "order": "down",
        },
        "a common word in one group": lambda: {"q": f"w{draw.randrange(50)}", "group": f"g{draw.randrange(pages)}"},
        "sorted by a metric": lambda: {"sort": metric(), "order": draw.choice(["", "down"])},
        "sorted by a metric, any page": lambda: {"sort": metric(), "page": draw.randint(1, pages)},
        "in the set's order, any page": lambda: {"page": draw.randint(1, pages)},
        "one language, sorted by a metric": lambda: {"language": "nl", "sort": metric()},
        "language and message type": lambda: {"language": "nl", "type": "binary"},
        "a metric from 0.2 to 0.3": lambda: {"metric": metric(), "min": 0.2, "max": 0.3},
    }


def measure(client: httpx.Client, run: str, count: int, repeats: int) -> list[list[object]]:
    """Seconds per page of each kind, waited for and of the processor (client and server): median, 95th percentile."""
    rows: list[list[object]] = []
    for name, query in queries(random.Random(1), count // 50).items():
        seconds, processor = list[float](), list[float]()
        for _ in range(repeats):
            parameters = query()
            start, used = time.perf_counter(), time.process_time()
            client.get(f"/run/{run}", params=parameters, headers={"hx-target": "answers"}).raise_for_status()
            seconds.append(time.perf_counter() - start)
            processor.append(time.process_time() - used)
        p95 = [statistics.quantiles(times, n=20)[-1] for times in (seconds, processor)]
        rows.append([name, repeats, statistics.median(seconds), p95[0], statistics.median(processor), p95[1]])
    return rows


def main() -> None:
    """Makes the run, and measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=100_000, help="answers")
    parser.add_argument("--repeats", type=int, default=40, help="pages of each kind")
    parser.add_argument("--store", help="a folder, or the URL of a PostgreSQL database")
    options = parser.parse_args()
    print_machine()
    with TemporaryDirectory() as folder:
        where = options.store or folder
        store = Store(where)
        run = next(iter(store.run_ids(1)), "")
        if not run or store.count_samples(run) != options.n:
            run = write_run(store, options.n)
        start, used = time.perf_counter(), time.process_time()
        added = AnswerIndex(store.database).update(run)
        seconds, processor = time.perf_counter() - start, time.process_time() - used
        print(f"{added:,} answers indexed in {seconds:.1f} s, of the processor {processor:.1f} s")
        app = ViewApp(Connections(where), SetFolder(Path(folder)))
        server = uvicorn.Server(uvicorn.Config(app.asgi, port=0, log_level="warning", lifespan="off"))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.05)
        address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        with httpx.Client(base_url=address, follow_redirects=True, timeout=300) as client:
            client.get(app.link_path())
            title = f"seconds per page of 50 of {options.n:,} answers"
            print_table(
                title,
                ["", "n", "median", "p95", "processor", "processor, p95"],
                measure(client, run, options.n, options.repeats),
            )
            start = time.perf_counter()
            client.get(f"/run/{run}/figures").raise_for_status()
            print(f"the figures of the run, once: {time.perf_counter() - start:.1f} s")
        server.should_exit = True
        thread.join()
        store.close()


if __name__ == "__main__":
    main()
