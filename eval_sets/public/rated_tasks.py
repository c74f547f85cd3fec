"""Tasks, what systems answered to them, and people's ratings from 1 to 4, in one file: MT-RAG and ClapNQ."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ...value_messages import shorten
from ..rows import Row
from .original_form import OriginalValue, index_by, mean, summarise_criteria
from .set_facts import PublicSet

_LABELS = (1, 2, 3, 4)


def read_rated_tasks(
    facts: PublicSet,
    document: OriginalValue,
    kind: str,
    name_groups: Callable[[Mapping[str, OriginalValue]], Mapping[str, str]],
    read_fields: Callable[[OriginalValue, OriginalValue], dict[str, Any]],
) -> Iterator[Row]:
    """Reads one row per rated answer, with the task that it answers."""
    tasks = index_by(document.field("tasks").entries(), "task_id")
    groups = name_groups(tasks)
    about_set = facts.describe_rating(document.file)
    for number, rated in enumerate(document.field(f"{kind}s").entries(), 1):
        task_id = rated.field("task_id").text()
        if task_id not in tasks:
            raise rated.error("has a task_id that no task has")
        fields = read_fields(rated, tasks[task_id])
        fields["metadata"] = about_set | {"group": groups[task_id]} | fields["metadata"]
        yield Row(number, f"{kind} {number}", fields)


def rated_fields(
    annotations: OriginalValue, criteria: Iterable[str], fields: Mapping[str, Any], metadata: Mapping[str, Any]
) -> dict[str, Any]:
    """Adds what people rated to the fields of a sample."""
    ratings = {criterion: _ratings(annotations, criterion) for criterion in criteria}
    faithfulness = ratings["faithfulness"]
    summary = summarise_criteria(ratings, lambda criterion: ratings[criterion].values())
    about = {"rater_ids": list(faithfulness), "dims": summary, **metadata}
    if others := _other_values(annotations, criteria):
        about["other_values"] = others
    made = {**fields, "rating_min": _LABELS[0], "rating_max": _LABELS[-1], "metadata": about}
    if faithfulness:
        made |= {"rating": mean(faithfulness.values()), "ratings": faithfulness}
    return made


def _ratings(annotations: OriginalValue, criterion: str) -> dict[str, float]:
    """The ratings of one criterion by rater, in the order of the raters' names."""
    values = _values_by_rater(annotations, criterion)
    return {rater: value.number() for rater, value in sorted(values.items()) if value.is_label(*_LABELS)}


def _other_values(annotations: OriginalValue, criteria: Iterable[str]) -> dict[str, dict[str, str]]:
    """What raters entered that is no rating, by criterion and rater, so that nothing is lost in silence."""
    others: dict[str, dict[str, str]] = {}
    for criterion in criteria:
        for rater, value in sorted(_values_by_rater(annotations, criterion).items()):
            if value.value not in (None, "") and not value.is_label(*_LABELS):
                others.setdefault(criterion, {})[rater] = shorten(str(value.whole()))
    return others


def _values_by_rater(annotations: OriginalValue, criterion: str) -> dict[str, OriginalValue]:
    if not annotations.has(criterion):
        return {}
    return {rater: entry.field("value") for rater, entry in annotations.field(criterion).fields()}


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
