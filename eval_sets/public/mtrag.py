"""MT-RAG: answers in conversations about documents, each rated by two or three people for faithfulness, 1 to 4."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha1
from typing import Any

from ..rows import Row
from .original_form import OriginalFile, parse_document
from .rated_tasks import Entry, merge_groups, rated_fields, read_rated_tasks
from .set_facts import PublicSet

_CRITERIA = ("faithfulness", "appropriateness", "completeness", "naturalness")
_PUBLISHED = ("RougeL", "Bert-KPrec", "Bert-Rec", "rl_f", "rb_llm", "rb_agg", "conditional_idk")
_COLLECTION = "mt-rag-"


def read_mtrag(facts: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads one row per evaluation: the answer of one system at one turn of a conversation."""
    texts = {entry["document_id"]: entry["text"] for entry in parse_document(files[0])["documents"]}
    yield from read_rated_tasks(facts, files[0], "evaluation", _groups, partial(_fields, texts))


def _conversation(task_id: str) -> str:
    return f"conv:{task_id.partition('<::>')[0]}"


def _groups(tasks: Mapping[str, Entry]) -> dict[str, str]:
    """The group of each task: that of its conversation, and conversations about the same documents are one.

    A passage is named after its document: `ibmcld_03704-7-1958`, `864952571_9169-9336-0-167`, `51873-0-862`.
    """
    sources: dict[str, list[str]] = {}
    for task_id, task in tasks.items():
        documents = sources.setdefault(_conversation(task_id), [])
        for context in task["contexts"]:
            name = context["document_id"].partition("-")[0]
            is_cloud = name.startswith("ibmcld_")
            documents.append(f"cloud:{name}" if is_cloud else f"document:{name.partition('_')[0]}")
    merged = merge_groups(sources)
    return {task_id: merged[_conversation(task_id)] for task_id in tasks}


def _fields(texts: Mapping[str, str], evaluation: Entry, task: Entry) -> Entry:
    annotations, system = evaluation["annotations"], evaluation["model_id"]
    turns = [{"speaker": turn["speaker"], "text": turn["text"]} for turn in task["input"]]
    fields: Entry = {
        # the ids of the set hold marks that no file name can, so that a hash names the task
        "id": f"mtrag-{sha1(task['task_id'].encode(), usedforsecurity=False).hexdigest()[:12].lstrip('0')}-{system}",
        "user_input": turns[-1]["text"],
        "retrieved_contexts": [texts[context["document_id"]] for context in task["contexts"]],
        "response": evaluation["model_response"],
    }
    if task["targets"]:
        fields["reference"] = task["targets"][0]["text"]
    metadata = {
        "history": turns[:-1],
        "system": system,
        "answerability": next(iter(task["Answerability"]), ""),
        "collection": task["Collection"].removeprefix(_COLLECTION).partition("-")[0],
        "published_metrics": _published_metrics(annotations),
    }
    return rated_fields(annotations, _CRITERIA, fields, metadata)


def _published_metrics(annotations: Entry) -> dict[str, Any]:
    """The scores of other tools that were published with the ratings."""
    scores = ((name, score["value"]) for name in _PUBLISHED for score in annotations.get(name, {}).values())
    return {name: value for name, value in scores if isinstance(value, int | float) and math.isfinite(value)}
