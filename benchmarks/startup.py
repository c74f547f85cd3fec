"""Measures what `import assay` and the commands that only look take, and the memory of a long run in replay.

    python benchmarks/startup.py [--repeats 10] [--samples 10000 20000]

Each figure is of a separate process: processor time (user and system) and the modules that it imported, beside those of
the bare interpreter; the largest resident memory as the system reports it. `assay runs` and `assay show` read a store
with one run of helpdesk_en, replayed. The long runs are `assay run` with faithfulness and answer relevance on generated
samples, all different, from a cassette with all of their replies (the benchmark writes it, with the replies of the
tests' server).
"""

import argparse
import asyncio
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table
from local_judge import helpdesk, reply_text
from numpy.typing import NDArray
from pydantic import BaseModel

from assay import Sample, write_set
from assay.judges import Answers, JudgeSettings, Question, RawReply, Reply, Request, Usage
from assay.judges.deciding import decide
from assay.judges.embedders import Embedder
from assay.judges.key import QuestionKeys, strict_schema
from assay.judges.recording import format_line, make_recording
from assay.judges.structured import parse_reply
from assay.metrics import AnswerRelevance, Faithfulness

T = TypeVar("T", bound=BaseModel)

SETTINGS = JudgeSettings(model="openai/local", structured="schema")
ASSAY = [sys.executable, "-m", "assay"]
ROOT = Path(__file__).resolve().parents[1]


class WritingJudge:
    """Replies as the tests' server does, without HTTP, and keeps each reply as a line of a cassette."""

    name = SETTINGS.identity
    logprobs = False

    def __init__(self) -> None:
        self.lines: dict[str, bytes] = {}
        self._keys = QuestionKeys(SETTINGS)

    async def decide(self, request: Request) -> Answers:
        """The answers, kept."""
        return await decide(request, self.ask, SETTINGS)

    async def ask(self, question: Question[T]) -> Reply[T]:
        """The reply, kept."""
        shape = {"name": question.schema.__name__, "schema": strict_schema(question.schema)}
        body = {"messages": question.messages, "response_format": {"type": "json_schema", "json_schema": shape}}
        raw = RawReply(self.name, reply_text(body), tokens_in=100, tokens_out=20, seconds=0.1)
        key = self._keys.compute(question)
        self.lines[key] = format_line(make_recording(key, question, SETTINGS.parameters, raw))
        return Reply(parse_reply(question, raw), raw, Usage(), False)


class NoEmbedder(Embedder):
    """No vectors: only the judge's replies are wanted."""

    name = "none"

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Zeros."""
        return np.zeros((len(texts), 1), dtype=np.float32)


async def cassette_lines(samples: Iterable[Sample]) -> list[bytes]:
    """A cassette of all that the two metrics ask for these samples."""
    judge = WritingJudge()
    metrics = [Faithfulness(judge), AnswerRelevance(judge, NoEmbedder())]
    for sample in samples:
        for metric in metrics:
            await metric.assess(sample)
    return [judge.lines[key] for key in sorted(judge.lines)]


def processor_seconds(command: Sequence[str], folder: Path, repeats: int) -> list[float]:
    """Processor seconds of `repeats` processes, sorted; one before them fills the caches."""
    usages = [measured(command, folder)[1] for _ in range(repeats + 1)]
    return sorted(usage.ru_utime + usage.ru_stime for usage in usages[1:])


def count_modules(command: Sequence[str], folder: Path) -> tuple[int, int]:
    """Counts the modules that a command imports, and those of them that are Assay's."""
    timed = [command[0], "-X", "importtime", *command[1:]]
    report = subprocess.run(timed, cwd=folder, capture_output=True, text=True, check=True).stderr
    names = [line.rpartition("|")[2].strip() for line in report.splitlines() if line.startswith("import time:")][1:]
    return len(names), sum(name.partition(".")[0] == "assay" for name in names)


def measured(command: Sequence[str], folder: Path) -> tuple[float, resource.struct_rusage]:
    """Seconds, and what the system counted for this one process. Raises when it fails."""
    begun = time.perf_counter()
    with (folder / "out").open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out, cwd=folder) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begun
    if process.returncode:
        output = (folder / "out").read_text()[-2000:]
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}:\n{output}")
    return seconds, usage


def start_up(repeats: int) -> None:
    """The first table."""
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import assay": [sys.executable, "-c", "import assay"],
        "assay --help": [*ASSAY, "--help"],
        "assay runs": [*ASSAY, "runs"],
        "assay show last": [*ASSAY, "show", "last"],
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cassette = ["--cassette", str(ROOT / "cassettes" / "helpdesk.qwen1.5b.jsonl"), "--mode", "replay"]
        measured([*ASSAY, "run", "helpdesk_en", "--judge", "qwen1.5b", *cassette], folder)
        rows = []
        for label, command in commands.items():
            seconds = processor_seconds(command, folder, repeats)
            figures = (statistics.median(seconds), seconds[0], seconds[-1])
            rows.append((label, *(f"{1000 * figure:.0f}" for figure in figures), *count_modules(command, folder)))
    header = ("", "median", "lowest", "highest", "modules", "of Assay")
    print_table(f"Start, ms of the processor, n = {repeats} processes each", header, rows)


def long_runs(counts: Sequence[int]) -> None:
    """The second table."""
    rows: list[tuple[Any, ...]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "judge.yaml").write_text(SETTINGS.model_dump_json(exclude_none=True))  # JSON is YAML
        for count in counts:
            samples = helpdesk(count)
            write_set(samples, folder / f"{count}.jsonl")
            cassette = folder / f"{count}.cassette.jsonl"
            cassette.write_bytes(b"".join(asyncio.run(cassette_lines(samples))))
            command = [*ASSAY, "run", f"{count}.jsonl", "--judge", "judge.yaml", "--cassette", cassette.name]
            command += ["--mode", "replay", "--store", f"store-{count}", "--json"]
            seconds, usage = measured(command, folder)
            megabytes = cassette.stat().st_size / 1e6
            rows.append((f"{count:,} samples", usage.ru_maxrss / 1024, megabytes, seconds, count / seconds))
    header = ("assay run, replay", "highest MiB", "cassette MB", "seconds", "samples/s")
    print_table("Memory of a long run (faithfulness, answer relevance, three baselines)", header, rows)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--samples", type=int, nargs="*", default=[10_000, 20_000])
    options = parser.parse_args()
    print_machine()
    start_up(options.repeats)
    long_runs(options.samples)


if __name__ == "__main__":
    main()
