"""MT-RAG: answers in conversations about documents, each rated by two or three people for faithfulness, 1 to 4."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha1
from typing import Any

from ..rows import Row
from .original_form import OriginalFile, OriginalValue, index_by, parse_document
from .rated_tasks import merge_groups, rated_fields, read_rated_tasks
from .set_facts import PublicSet

_CRITERIA = ("faithfulness", "appropriateness", "completeness", "naturalness")
_PUBLISHED = ("RougeL", "Bert-KPrec", "Bert-Rec", "rl_f", "rb_llm", "rb_agg", "conditional_idk")
_COLLECTION = "mt-rag-"


def read_mtrag(facts: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads one row per evaluation: the answer of one system at one turn of a conversation."""
    document = parse_document(files[0])
    texts = {
        key: entry.field("text").text()
        for key, entry in index_by(document.field("documents").entries(), "document_id").items()
    }
    yield from read_rated_tasks(facts, document, "evaluation", _groups, partial(_fields, texts))


def _conversation(task_id: str) -> str:
    return f"conv:{task_id.partition('<::>')[0]}"


def _groups(tasks: Mapping[str, OriginalValue]) -> dict[str, str]:
    """The group of each task: that of its conversation, and conversations about the same documents are one.

    A passage is named after its document: `ibmcld_03704-7-1958`, `864952571_9169-9336-0-167`, `51873-0-862`.
    """
    sources: dict[str, list[str]] = {}
    for task_id, task in tasks.items():
        documents = sources.setdefault(_conversation(task_id), [])
        for context in task.field("contexts").entries():
            name = context.field("document_id").text().partition("-")[0]
            is_cloud = name.startswith("ibmcld_")
            documents.append(f"cloud:{name}" if is_cloud else f"document:{name.partition('_')[0]}")
    merged = merge_groups(sources)
    return {task_id: merged[_conversation(task_id)] for task_id in tasks}


def _fields(texts: Mapping[str, str], evaluation: OriginalValue, task: OriginalValue) -> dict[str, Any]:
    annotations, task_id = evaluation.field("annotations"), task.field("task_id").text()
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
    fields: dict[str, Any] = {
        # the ids of the set hold marks that no file name can, so that a hash names the task
        "id": f"mtrag-{sha1(task_id.encode(), usedforsecurity=False).hexdigest()[:12].lstrip('0')}-{system}",
        "user_input": turns[-1]["text"],
        "retrieved_contexts": contexts,
        "response": evaluation.field("model_response").text(),
    }
    if targets := task.field("targets").entries():
        fields["reference"] = targets[0].field("text").text()
    metadata = {
        "history": turns[:-1],
        "system": system,
        "answerability": _first_text(task.field("Answerability")),
        "collection": task.field("Collection").text().removeprefix(_COLLECTION).partition("-")[0],
        "published_metrics": _published_metrics(annotations),
    }
    return rated_fields(annotations, _CRITERIA, fields, metadata)


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
