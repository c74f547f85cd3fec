"""ClapNQ in InspectorRAGet's form: answers about one passage, each rated by three people for faithfulness, 1 to 4."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..rows import Row
from .original_form import (
    OriginalFile,
    OriginalValue,
    index_by,
    mean,
    merge_groups,
    other_values,
    parse_document,
    ratings_of,
    summarise_criteria,
)
from .set_facts import PublicSet

_CRITERIA = ("faithfulness", "answer_relevance", "fluency")


def read_clapnq(facts: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads one row per result: the answer of one system to one question.

    Args:
        facts: What is known of the set.
        files: The results with their tasks.

    Yields:
        The fields of the samples.

    Raises:
        InputError: The file is not in the original form; the message has the place.
    """
    document = parse_document(files[0])
    tasks = index_by(document.field("tasks").entries(), "task_id")
    groups = merge_groups({_question(task_id): _titles(task) for task_id, task in tasks.items()})
    for number, result in enumerate(document.field("results").entries(), 1):
        task_id = result.field("task_id").text()
        if task_id not in tasks:
            raise result.error("has a task_id that no task has")
        fields = _fields(result, task_id.rpartition("::")[2], tasks[task_id])
        group = {"group": groups[_question(task_id)]}  # questions about one article are not independent
        fields["metadata"] = facts.describe_rating(files[0].path) | group | fields["metadata"]
        yield Row(number, f"result {number}", fields)


def _question(task_id: str) -> str:
    return f"clap:{task_id.rpartition('::')[2]}"


def _titles(task: OriginalValue) -> list[str]:
    return [f"title:{context.field('title').text()}" for context in task.field("contexts").entries()]


def _fields(result: OriginalValue, question_id: str, task: OriginalValue) -> dict[str, Any]:
    scores = result.field("scores")
    system = result.field("model_id").text()
    inputs, contexts, outputs = (
        holder.entries() for holder in (task.field("input"), task.field("contexts"), result.field("output"))
    )
    if not inputs or not contexts or not outputs:
        raise (task if outputs else result).error("has no question, no context or no answer")
    answer = outputs[-1].field("content").text()
    ratings = ratings_of(scores, "faithfulness")
    fields: dict[str, Any] = {
        "id": f"clapnqhum-{question_id}-{system}",
        "user_input": inputs[-1].field("text").text(),
        "retrieved_contexts": [context.field("text").text() for context in contexts],
        "response": answer,
        "rating_min": 1,
        "rating_max": 4,
        "metadata": {
            "rater_ids": list(ratings),
            "dims": summarise_criteria(_CRITERIA, lambda criterion: ratings_of(scores, criterion).values()),
            "reasons": _reasons(scores),
            "system": system,
            "answer_empty": not answer.strip(),
            "answerability": task.field("answerability").text(),
            "doc_title": contexts[0].field("title").text(),
        },
    }
    if others := other_values(scores, _CRITERIA):
        fields["metadata"]["other_values"] = others
    if ratings:
        fields |= {"rating": mean(ratings.values()), "ratings": ratings}
    targets = task.field("targets").entries() if task.has("targets") else []
    if targets and (reference := targets[0].field("value").text()):
        fields["reference"] = reference
    return fields


def _reasons(scores: OriginalValue) -> list[str]:
    """Why raters found an answer unfaithful, each reason once."""
    if not scores.has("faithfulness_reason"):
        return []
    values = [entry.field("value") for _, entry in scores.field("faithfulness_reason").fields()]
    return sorted({value.text() for value in values if value.value not in (None, "")})
