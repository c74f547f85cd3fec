"""Measures the processor time that it takes to read each public set.

    ASSAY_PUBLIC_SETS=FOLDER python benchmarks/public_sets.py
    python benchmarks/public_sets.py --data ../shared/data

Without options it reads the sets that are on this machine: in the folder that ASSAY_PUBLIC_SETS names, or downloaded by
`assay sets get`. With `--data` it reads stand-ins for the whole files, where these cannot be had: the excerpts of
FOLDER/raw, copied under other ids until they are as large as the published file (`ragchecker`, whose size is not known,
until it has as many pairs), and the sets of FOLDER/rated written back into their original form. A stand-in has the
excerpt's texts again and again, so that its time is that of as many bytes and rows, not of the same texts.

Reading is all that `load_set` does: JSON or lines, the reader, and a validated sample per row; without the checksum and
the disk. The least of `--passes` runs counts, in processor time: neighbours make a run slower, never faster.
"""

import argparse
import copy
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import checkout  # noqa: F401
from benchmark_output import print_machine, print_table

from assay.eval_sets import public_sets
from assay.eval_sets.column_account import SetColumns
from assay.eval_sets.public.original_form import OriginalFile
from assay.eval_sets.public.set_facts import PublicSet, load_facts
from assay.eval_sets.public.set_files import is_downloaded, read_files
from assay.eval_sets.public.set_rows import read_rows
from assay.eval_sets.rows import BadRow, Rows
from assay.eval_sets.sample import Sample
from assay.eval_sets.sample_builder import SampleBuilder


def read_samples(facts: PublicSet, files: list[OriginalFile]) -> list[Sample]:
    """The samples of a set, as `load_set` makes them."""
    opened = Rows(facts.name, facts.name, read_rows(facts, files))
    builder = SampleBuilder(opened, {}, None, SetColumns())
    return [builder.sample(row) for row in opened.rows if not isinstance(row, BadRow)]


def measure(facts: PublicSet, files: list[OriginalFile], passes: int) -> list[object]:
    """One row of the table: rows, megabytes, the least processor time, and what that is per second."""
    seconds = []
    for _ in range(passes):
        begun = time.process_time()
        samples = read_samples(facts, files)
        seconds.append(time.process_time() - begun)
    megabytes = sum(len(file.text.encode()) for file in files) / 1e6
    least = min(seconds)
    return [facts.name, len(samples), megabytes, least, megabytes / least, len(samples) / least]


def repeat_until(size: int, make: Callable[[int], str]) -> str:
    """The text of the fewest copies that is not smaller than `size` bytes."""
    one, two = (len(make(copies).encode()) for copies in (1, 2))
    return make(max(1, -(-(size - 2 * one + two) // (two - one))))


def renamed(entries: list[dict[str, Any]], number: int, *keys: str) -> Iterator[dict[str, Any]]:
    """Entries of a JSON file as another copy: their keys have the copy's number."""
    for entry in copy.deepcopy(entries):
        for key in keys:
            entry[key] = f"{entry[key]}-{number}" if isinstance(entry[key], str) else entry[key] + 100_000 * number
        yield entry


def copy_document(document: dict[str, Any], results: str, copies: int) -> str:
    """The tasks and results of a JSON file several times; documents stay, since no id of theirs becomes a sample's."""
    changed = {
        "tasks": [entry for n in range(copies) for entry in renamed(document["tasks"], n, "task_id")],
        results: [entry for n in range(copies) for entry in renamed(document[results], n, "task_id")],
    }
    return json.dumps(document | changed)


def stand_ins(data: Path) -> dict[str, list[OriginalFile]]:
    """A stand-in for the files of each set that the folder has something of."""
    raw, rated = data / "raw", data / "rated"
    texts: dict[str, str] = {}
    for name, file, results in (
        ("mtrag", "mtrag_excerpt.json", "evaluations"),
        ("clapnq", "clapnq_inspectorraget_excerpt.json", "results"),
    ):
        document = json.loads((raw / file).read_text(encoding="utf-8"))

        def make(copies: int, document: dict[str, Any] = document, results: str = results) -> str:
            return copy_document(document, results, copies)

        texts[name] = repeat_until(load_facts(name).files[0].size or 0, make)
    head, _, lines = (raw / "begin_dev_wow_excerpt.tsv").read_text(encoding="utf-8").partition("\n")
    texts["begin"] = repeat_until(load_facts("begin").files[0].size or 0, lambda copies: f"{head}\n{lines * copies}")
    entries = json.loads((raw / "ragchecker_excerpt.json").read_text(encoding="utf-8"))
    pairs = len({entry["instance_id"] for entry in entries})
    copies = (load_facts("ragchecker").answers or 0) // pairs
    texts["ragchecker"] = json.dumps([e for n in range(copies) for e in renamed(entries, n, "instance_id")])
    texts["tatqa"] = json.dumps([report_of(row) for row in rows_of(rated / "tatqa_numeric.jsonl")])
    texts["tau"] = json.dumps([trajectory_of(row) for row in rows_of(rated / "tau_airline.jsonl")])
    files = {name: [OriginalFile(load_facts(name).files[0].path, text)] for name, text in texts.items()}
    return files | {"tabfact": table_files(rows_of(rated / "tabfact_numeric.jsonl"))}


def rows_of(file: Path) -> list[dict[str, Any]]:
    """The rows of a JSON Lines file."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def report_of(row: dict[str, Any]) -> dict[str, Any]:
    """A rated row of TAT-QA as a report with one question."""
    metadata = row["metadata"]
    question = {"uid": row["id"].removeprefix("tatqa-"), "question": row["user_input"], "answer_type": "arithmetic"}
    question |= {"answer": metadata["gold_answer"], "derivation": metadata["derivation"], "scale": metadata["scale"]}
    paragraphs = [{"order": number, "text": text} for number, text in enumerate(row["retrieved_contexts"][1:])]
    table = {"uid": metadata["group"].removeprefix("tatqa:"), "table": metadata["table"]["rows"]}
    return {"table": table, "paragraphs": paragraphs, "questions": [question]}


def trajectory_of(row: dict[str, Any]) -> dict[str, Any]:
    """A rated conversation of tau-bench as a trajectory."""
    metadata = row["metadata"]
    task = {"actions": metadata["expected_actions"], "outputs": metadata["expected_outputs"]}
    task["instruction"] = metadata["customer_goal"]
    task_id = int(metadata["group"].rpartition("-")[2])
    about = {"task_id": task_id, "trial": metadata["trial"], "reward": row["rating"], "info": {"task": task}}
    return about | {"traj": row["messages"]}


def table_files(rows: list[dict[str, Any]]) -> list[OriginalFile]:
    """Rated statements of TabFact as the file of statements and those of the tables."""
    statements: dict[str, Any] = {}
    tables: dict[str, str] = {}
    for row in rows:
        metadata = row["metadata"]
        name = metadata["group"].removeprefix("tabfact:")
        texts, labels, _ = statements.setdefault(name, [[], [], metadata["title"]])
        texts.append(row["response"])
        labels.append(row["rating"])
        lines = [metadata["table"]["header"], *metadata["table"]["rows"]]
        tables[name] = "".join(f"{'#'.join(cells)}\n" for cells in lines)
    facts = load_facts("tabfact")
    files = [OriginalFile(facts.files[0].path, json.dumps(statements))]
    return files + [OriginalFile(f"{facts.tables}/{name}", text) for name, text in tables.items()]


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with `raw` and `rated`, for stand-ins")
    parser.add_argument("--passes", type=int, default=5)
    options = parser.parse_args()
    print_machine()
    if options.data:
        title, sources = "stand-ins: excerpts repeated, and rated rows written back", stand_ins(options.data)
    else:
        title = "the sets on this machine"
        here = {name: read_files(load_facts(name)) for name in public_sets() if is_downloaded(load_facts(name))}
        sources = {name: files for name, files in here.items() if files is not None}
        if not sources:
            parser.error("no public set is on this machine: assay sets get NAME, or --data FOLDER for stand-ins")
    table = [measure(load_facts(name), files, options.passes) for name, files in sorted(sources.items())]
    print_table(f"{title}, least of {options.passes} runs", ["set", "rows", "MB", "s", "MB/s", "rows/s"], table)


if __name__ == "__main__":
    main()
