"""ClapNQ in InspectorRAGet's form: answers about one passage, each rated by three people for faithfulness, 1 to 4."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..rows import Row
from .original_form import OriginalFile, OriginalValue, parse_document
from .rated_tasks import merge_groups, rated_fields, read_rated_tasks
from .set_facts import PublicSet

_PREFIX = "clap:"
_CRITERIA = ("faithfulness", "answer_relevance", "fluency")


def read_clapnq(facts: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads one row per result: the answer of one system to one question."""
    yield from read_rated_tasks(facts, parse_document(files[0]), "result", _groups, _fields)


def _groups(tasks: Mapping[str, OriginalValue]) -> dict[str, str]:
    """The group of each task: questions about one article are not independent."""
    merged = merge_groups({_question(task_id): _titles(task) for task_id, task in tasks.items()})
    return {task_id: merged[_question(task_id)] for task_id in tasks}


def _question(task_id: str) -> str:
    return f"{_PREFIX}{task_id.rpartition('::')[2]}"


def _titles(task: OriginalValue) -> list[str]:
    return [f"title:{context.field('title').text()}" for context in task.field("contexts").entries()]


def _fields(result: OriginalValue, task: OriginalValue) -> dict[str, Any]:
    scores, question = result.field("scores"), _question(task.field("task_id").text())
    system = result.field("model_id").text()
    inputs, contexts, outputs = (
        holder.entries() for holder in (task.field("input"), task.field("contexts"), result.field("output"))
    )
    if not inputs or not contexts or not outputs:
        raise (task if outputs else result).error("has no question, no context or no answer")
    answer = outputs[-1].field("content").text()
    fields: dict[str, Any] = {
        "id": f"clapnqhum-{question.removeprefix(_PREFIX)}-{system}",
        "user_input": inputs[-1].field("text").text(),
        "retrieved_contexts": [context.field("text").text() for context in contexts],
        "response": answer,
    }
    targets = task.field("targets").entries() if task.has("targets") else []
    if targets and (reference := targets[0].field("value").text()):
        fields["reference"] = reference
    metadata = {
        "reasons": _reasons(scores),
        "system": system,
        "answer_empty": not answer.strip(),
        "answerability": task.field("answerability").text(),
        "doc_title": contexts[0].field("title").text(),
    }
    return rated_fields(scores, _CRITERIA, fields, metadata)


def _reasons(scores: OriginalValue) -> list[str]:
    """Why raters found an answer unfaithful, each reason once."""
    if not scores.has("faithfulness_reason"):
        return []
    values = [entry.field("value") for _, entry in scores.field("faithfulness_reason").fields()]
    return sorted({value.text() for value in values if value.value not in (None, "")})
