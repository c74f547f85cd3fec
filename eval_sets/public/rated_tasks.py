"""Tasks, what systems answered to them, and people's ratings from 1 to 4, in one file: MT-RAG and ClapNQ."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from ...value_messages import shorten
from ..rows import Row
from .original_form import OriginalFile, label, mean, parse_document, summarise_criteria
from .set_facts import PublicSet

_LABELS = (1, 2, 3, 4)
Entry = dict[str, Any]


def read_rated_tasks(
    facts: PublicSet,
    file: OriginalFile,
    kind: str,
    name_groups: Callable[[Mapping[str, Entry]], Mapping[str, str]],
    read_fields: Callable[[Entry, Entry], Entry],
) -> Iterator[Row]:
    """Reads one row per rated answer, with the task that it answers."""
    document = parse_document(file)
    tasks = {task["task_id"]: task for task in document["tasks"]}
    groups = name_groups(tasks)
    about_set = facts.describe_rating(file.path)
    for number, rated in enumerate(document[f"{kind}s"], 1):
        fields = read_fields(rated, tasks[rated["task_id"]])
        fields["metadata"] = about_set | {"group": groups[rated["task_id"]]} | fields["metadata"]
        yield Row(number, f"{kind} {number}", fields)


def rated_fields(annotations: Entry, criteria: Iterable[str], fields: Entry, metadata: Entry) -> Entry:
    """Adds what people rated to the fields of a sample; what is no rating stays in the metadata."""
    ratings: dict[str, dict[str, float]] = {}
    others: dict[str, dict[str, str]] = {}
    for criterion in criteria:
        ratings[criterion] = {}
        for rater, entry in sorted(annotations.get(criterion, {}).items()):
            with suppress(TypeError, ValueError):
                ratings[criterion][rater] = label(entry["value"], *_LABELS)
            if entry["value"] not in (None, "") and rater not in ratings[criterion]:
                others.setdefault(criterion, {})[rater] = shorten(str(entry["value"]))
    faithfulness = ratings["faithfulness"]
    summary = summarise_criteria(ratings, lambda criterion: ratings[criterion].values())
    about = {"rater_ids": list(faithfulness), "dims": summary, **metadata} | (
        {"other_values": others} if others else {}
    )
    rated = {"rating": mean(faithfulness.values()), "ratings": faithfulness} if faithfulness else {}
    return {**fields, "rating_min": _LABELS[0], "rating_max": _LABELS[-1], "metadata": about, **rated}


def merge_groups(sources: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Names the group of each item: items that share a source, also through other items, are one group.

    Returns:
        By item, the first in the alphabet of all items and sources of its group.

    Example:
        >>> merge_groups({"b": ["x"], "c": ["y", "x"], "d": ["z"]})
        {'b': 'b', 'c': 'b', 'd': 'd'}
    """
    names: dict[str, str] = {}

    def find(name: str) -> str:
        while names.setdefault(name, name) != name:
            names[name] = name = names[names[name]]
        return name

    for item, made_from in sources.items():
        for source in made_from:
            first, second = sorted((find(item), find(source)))
            names[second] = first
    return {item: find(item) for item in sources}
