"""Answers and conversations with their ratings, one after another: BEGIN and tau-bench.

BEGIN has replies that people labelled as attributable to one sentence of knowledge or not. tau-bench has
conversations of an agent with a simulated customer, of which a program computed whether they succeeded.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from ..rows import Row
from .set_facts import PublicSet
from .set_files import OriginalFile, label, parse_document

_BEGIN_COLUMNS = ["model_name", "data_source", "knowledge", "message", "response", "begin_label"]
_BEGIN_RATINGS = {"Fully attributable": 1, "Not fully attributable": 0, "Generic": 0}
_LETTERS = re.compile(r"[^a-z0-9]")
_LONGEST_GROUP = 80  # the sentences that differ after so many letters differ in their ends only
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
