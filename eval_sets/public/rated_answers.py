"""Answers and conversations with their ratings, one after another: BEGIN, RAGChecker and tau-bench.

BEGIN has replies that people labelled as attributable to one sentence of knowledge or not. RAGChecker has two answers
to one question, compared by two people each, from -2 to 2. tau-bench has conversations of an agent with a simulated
customer, of which a program computed whether they succeeded.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from ..rows import Row
from .set_facts import PublicSet
from .set_files import OriginalFile, label, mean, parse_document, summarise_criteria

_BEGIN_COLUMNS = ["model_name", "data_source", "knowledge", "message", "response", "begin_label"]
_BEGIN_RATINGS = {"Fully attributable": 1, "Not fully attributable": 0, "Generic": 0}
_LETTERS = re.compile(r"[^a-z0-9]")
_LONGEST_GROUP = 80  # the sentences that differ after so many letters differ in their ends only
_PAIR_CRITERIA = ("correctness", "completeness", "overall")
_PAIR_LABELS = (-2, -1, 0, 1, 2)
_MESSAGE_KEYS = ("role", "content", "tool_calls", "tool_call_id", "name")


def read_begin(facts: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads one row per reply."""
    number = 0
    for file in files:
        part = PurePosixPath(file.path).stem.split("_")[1]  # begin_dev_wow.tsv
        lines = file.text.removesuffix("\n").split("\n")
        if lines[0].rstrip("\r").split("\t") != _BEGIN_COLUMNS:
            raise ValueError(f"line 1 does not name the columns {', '.join(_BEGIN_COLUMNS)}")
        for index, line in enumerate(lines[1:]):
            number += 1
            system, _, knowledge, message, response, label = line.rstrip("\r").split("\t")
            yield Row(
                number,
                f"reply {number}",
                {
                    "id": f"begin-{part}-{index}",
                    "user_input": message,
                    "retrieved_contexts": [knowledge],
                    "response": response,
                    "rating": _BEGIN_RATINGS[label],
                    "rating_min": 0,
                    "rating_max": 1,
                    "metadata": facts.describe_rating(file.path)
                    | {"group": f"begin:{_LETTERS.sub('', knowledge.lower())[:_LONGEST_GROUP]}", "system": system},
                },
            )


def read_ragchecker(facts: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads one row per pair of answers; the file has one entry per pair and rater.

    A rating above 0 prefers the second answer (`other_response`), one below 0 the first (`response`). The file has no
    retrieved text: the context is the reference answer, which the raters compared with.
    """
    pairs: dict[int, list[dict[str, Any]]] = {}
    for entry in parse_document(files[0], list):
        pairs.setdefault(int(entry["instance_id"]), []).append(entry)
    for number, (instance, entries) in enumerate(pairs.items(), 1):
        fields = _pair_fields(instance, entries)
        fields["metadata"] = facts.describe_rating(files[0].path) | fields["metadata"]
        yield Row(number, f"pair {number}", fields)


def _pair_fields(instance: int, entries: list[dict[str, Any]]) -> dict[str, Any]:
    first = entries[0]
    for name in ("query", "gt_answer", "model1", "model2"):
        if any(entry[name] != first[name] for entry in entries):
            raise ValueError(f"the entries of instance {instance} differ in {name}")
    answers = [first[name]["response"] for name in ("model1", "model2")]
    ratings = {
        criterion: [label(entry[f"{criterion}_label"], *_PAIR_LABELS) for entry in entries]
        for criterion in _PAIR_CRITERIA
    }
    return {
        "id": f"ragchecker-{instance}",
        "user_input": first["query"],
        "retrieved_contexts": [first["gt_answer"]],
        "response": answers[0],
        "other_response": answers[1],
        "rating": mean(ratings["overall"]),
        "rating_min": -2,
        "rating_max": 2,
        "ratings": {f"r{number}": rating for number, rating in enumerate(ratings["overall"], 1)},
        "metadata": {
            "group": f"ragchecker:{first['dataset']}:{first['query_id']}",
            "dims": summarise_criteria(ratings),
            "system": first["model1"]["model_name"],
            "system_b": first["model2"]["model_name"],
        },
    }


def read_tau(_: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads one row per conversation, its messages as they are."""
    number = 0
    for file in files:
        system, _dash, domain = PurePosixPath(file.path).stem.rpartition("-")  # gpt-4o-airline.json
        trials: Counter[int] = Counter()
        for entry in parse_document(file, list):
            number += 1
            task_id = int(entry["task_id"])
            # where the file does not count the attempts at a task, their order does
            trial = int(entry.get("trial", trials[task_id]))
            trials[task_id] += 1
            task = entry["info"]["task"]
            fields = {
                "id": f"tau-{domain}-{task_id}-{system}-{trial}",
                "messages": [
                    {key: message[key] for key in _MESSAGE_KEYS if key in message} for message in entry["traj"]
                ],
                "rating": label(entry["reward"], 0, 1),
                "rating_min": 0,
                "rating_max": 1,
                "metadata": {
                    "group": f"{domain}-{task_id}",
                    "system": system,
                    "trial": trial,
                    "customer_goal": task["instruction"],
                    "expected_actions": task["actions"],
                    "expected_outputs": task["outputs"],
                    "rating_is": "computed from the final database, not a person's",
                },
            }
            yield Row(number, f"conversation {number}", fields)
