"""tau-bench: conversations of an agent with a simulated customer; whether it succeeded is computed, not a rating."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from ..rows import Row
from .original_form import OriginalFile, OriginalValue, parse_document
from .set_facts import PublicSet

_NAME = re.compile(r"(.+)-(airline|retail)")  # gpt-4o-airline.json
_KEYS = ("role", "content", "tool_calls", "tool_call_id", "name")


def read_tau(_: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads one row per conversation, its messages as they are."""
    number = 0
    for file in files:
        document = parse_document(file)
        match = _NAME.fullmatch(PurePosixPath(file.path).stem)
        if match is None:
            raise document.error("is not named after an agent and a domain")
        system, domain = match.groups()
        trials: Counter[int] = Counter()
        for entry in document.entries():
            number += 1
            task_id = entry.field("task_id").whole_number()
            # where the file does not count the attempts at a task, their order does
            trial = entry.field("trial").whole_number() if entry.has("trial") else trials[task_id]
            trials[task_id] += 1
            task = entry.field("info").field("task")
            for action in task.field("actions").entries():
                action.field("name").text()
            fields = {
                "id": f"tau-{domain}-{task_id}-{system}-{trial}",
                "messages": [_read_message(message) for message in entry.field("traj").entries()],
                "rating": entry.field("reward").label(0, 1),
                "rating_min": 0,
                "rating_max": 1,
                "metadata": {
                    "group": f"{domain}-{task_id}",
                    "system": system,
                    "trial": trial,
                    "customer_goal": task.field("instruction").text(),
                    "expected_actions": task.field("actions").whole(),
                    "expected_outputs": task.field("outputs").texts(),
                    "rating_is": "computed from the final database, not a person's",
                },
            }
            yield Row(number, f"conversation {number}", fields)


def _read_message(message: OriginalValue) -> dict[str, object]:
    message.field("role").text()
    return {key: message.field(key).whole() for key in _KEYS if key in message.value}
