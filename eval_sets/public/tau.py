"""tau-bench: conversations of an agent with a simulated customer; whether it succeeded is computed, not a rating."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from ..rows import Row
from .original_form import OriginalFile, label, parse_document
from .set_facts import PublicSet

_KEYS = ("role", "content", "tool_calls", "tool_call_id", "name")


def read_tau(_: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads one row per conversation, its messages as they are."""
    number = 0
    for file in files:
        system, _, domain = PurePosixPath(file.path).stem.rpartition("-")  # gpt-4o-airline.json
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
                "messages": [{key: message[key] for key in _KEYS if key in message} for message in entry["traj"]],
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
