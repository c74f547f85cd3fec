"""MT-RAG: answers in conversations about documents, each rated by two or three people for faithfulness, 1 to 4."""

import math
from collections.abc import Iterator, Sequence
from hashlib import sha1
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

_CRITERIA = ("faithfulness", "appropriateness", "completeness", "naturalness")
_PUBLISHED = ("RougeL", "Bert-KPrec", "Bert-Rec", "rl_f", "rb_llm", "rb_agg", "conditional_idk")
_COLLECTION = "mt-rag-"


def read_mtrag(facts: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads one row per evaluation: the answer of one system at one turn of a conversation.

    Args:
        facts: What is known of the set.
        files: The evaluations with their tasks and documents.

    Yields:
        The fields of the samples.

    Raises:
        InputError: The file is not in the original form; the message has the place.
    """
    document = parse_document(files[0])
    tasks = index_by(document.field("tasks").entries(), "task_id")
    texts = {
        key: entry.field("text").text()
        for key, entry in index_by(document.field("documents").entries(), "document_id").items()
    }
    groups = _groups(tasks)
    for number, evaluation in enumerate(document.field("evaluations").entries(), 1):
        task_id = evaluation.field("task_id").text()
        if task_id not in tasks:
            raise evaluation.error("has a task_id that no task has")
        fields = _fields(evaluation, task_id, tasks[task_id], texts)
        group = {"group": groups[_conversation(task_id)]}
        fields["metadata"] = facts.describe_rating(files[0].path) | group | fields["metadata"]
        yield Row(number, f"evaluation {number}", fields)


def _conversation(task_id: str) -> str:
    return f"conv:{task_id.partition('<::>')[0]}"


def _groups(tasks: dict[str, OriginalValue]) -> dict[str, str]:
    """The group of each conversation: those about the same documents are one.

    A passage is named after its document: `ibmcld_03704-7-1958`, `864952571_9169-9336-0-167`, `51873-0-862`.
    """
    sources: dict[str, list[str]] = {}
    for task_id, task in tasks.items():
        documents = sources.setdefault(_conversation(task_id), [])
        for context in task.field("contexts").entries():
            name = context.field("document_id").text().partition("-")[0]
            is_cloud = name.startswith("ibmcld_")
            documents.append(f"cloud:{name}" if is_cloud else f"document:{name.partition('_')[0]}")
    return merge_groups(sources)


def _fields(evaluation: OriginalValue, task_id: str, task: OriginalValue, texts: dict[str, str]) -> dict[str, Any]:
    annotations = evaluation.field("annotations")
    system = evaluation.field("model_id").text()
    turns = [
        {"speaker": turn.field("speaker").text(), "text": turn.field("text").text()}
        for turn in task.field("input").entries()
    ]
    if not turns:
        raise task.field("input").error("is empty")
    contexts = []
    for context in task.field("contexts").entries():
        key = context.field("document_id").text()
        if key not in texts:
            raise context.error("names a document that is not in the file")
        contexts.append(texts[key])
    ratings = ratings_of(annotations, "faithfulness")
    fields: dict[str, Any] = {
        # the ids of the set hold marks that no file name can, so that a hash names the task
        "id": f"mtrag-{sha1(task_id.encode(), usedforsecurity=False).hexdigest()[:12].lstrip('0')}-{system}",
        "user_input": turns[-1]["text"],
        "retrieved_contexts": contexts,
        "response": evaluation.field("model_response").text(),
        "rating_min": 1,
        "rating_max": 4,
        "metadata": {
            "rater_ids": list(ratings),
            "dims": summarise_criteria(_CRITERIA, lambda criterion: ratings_of(annotations, criterion).values()),
            "history": turns[:-1],
            "system": system,
            "answerability": _first_text(task.field("Answerability")),
            "collection": task.field("Collection").text().removeprefix(_COLLECTION).partition("-")[0],
            "published_metrics": _published_metrics(annotations),
        },
    }
    if others := other_values(annotations, _CRITERIA):
        fields["metadata"]["other_values"] = others
    if ratings:
        fields |= {"rating": mean(ratings.values()), "ratings": ratings}
    if targets := task.field("targets").entries():
        fields["reference"] = targets[0].field("text").text()
    return fields


def _first_text(labels: OriginalValue) -> str:
    listed = labels.texts()
    return listed[0] if listed else ""


def _published_metrics(annotations: OriginalValue) -> dict[str, Any]:
    """The scores of other tools that were published with the ratings."""
    published = {}
    for name in _PUBLISHED:
        if annotations.has(name):
            for _, score in annotations.field(name).fields():
                value = score.field("value").value
                if isinstance(value, int | float) and math.isfinite(value):
                    published[name] = value
    return published
