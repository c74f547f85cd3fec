"""Tasks, what systems answered to them, and people's ratings from 1 to 4, in one file: MT-RAG and ClapNQ."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha1
from typing import Any

from ..rows import Row
from .set_facts import PublicSet
from .set_files import OriginalFile, label, mean, parse_document, summarise_criteria

_LABELS = (1, 2, 3, 4)
_MTRAG_CRITERIA = ("faithfulness", "appropriateness", "completeness", "naturalness")
_PUBLISHED = ("RougeL", "Bert-KPrec", "Bert-Rec", "rl_f", "rb_llm", "rb_agg", "conditional_idk")
_PREFIX = "clap:"
_CLAPNQ_CRITERIA = ("faithfulness", "answer_relevance", "fluency")
Entry = dict[str, Any]


def rated_fields(annotations: Entry, criteria: Iterable[str], fields: Entry, metadata: Entry) -> Entry:
    """Adds what people rated to the fields of a sample; what is no rating, such as an empty text, is left out."""
    ratings: dict[str, dict[str, float]] = {}
    for criterion in criteria:
        ratings[criterion] = {}
        for rater, entry in sorted(annotations.get(criterion, {}).items()):
            with suppress(TypeError, ValueError):
                ratings[criterion][rater] = label(entry["value"], *_LABELS)
    faithfulness = ratings["faithfulness"]
    summary = summarise_criteria({criterion: given.values() for criterion, given in ratings.items()})
    rated = {"rating": mean(faithfulness.values()), "ratings": faithfulness} if faithfulness else {}
    scale = {"rating_min": _LABELS[0], "rating_max": _LABELS[-1]}
    return {**fields, **scale, "metadata": {"dims": summary, **metadata}, **rated}


def merge_groups(sources: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Names the group of each item: items that share a source, also through other items, are one group.
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


def read_mtrag(facts: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads one row per evaluation: the answer of one system at one turn of a conversation.

    A group is a conversation, and conversations about the same documents are one. A passage is named after its
    document: `ibmcld_03704-7-1958`, `864952571_9169-9336-0-167`, `51873-0-862`.
    """
    document = parse_document(files[0])
    tasks = {task["task_id"]: task for task in document["tasks"]}
    texts = {entry["document_id"]: entry["text"] for entry in document["documents"]}
    sources: dict[str, list[str]] = {}
    for task_id, task in tasks.items():
        names = [context["document_id"].partition("-")[0] for context in task["contexts"]]
        sources.setdefault(_conversation(task_id), []).extend(
            f"cloud:{name}" if name.startswith("ibmcld_") else f"document:{name.partition('_')[0]}" for name in names
        )
    groups = merge_groups(sources)
    for number, rated in enumerate(document["evaluations"], 1):
        task = tasks[rated["task_id"]]
        fields = _mtrag_fields(texts, rated, task)
        fields["metadata"] |= facts.describe_rating(files[0].path) | {"group": groups[_conversation(task["task_id"])]}
        yield Row(number, f"evaluation {number}", fields)


def _conversation(task_id: str) -> str:
    return f"conv:{task_id.partition('<::>')[0]}"


def _mtrag_fields(texts: Mapping[str, str], evaluation: Entry, task: Entry) -> Entry:
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
        "published_metrics": _published_metrics(annotations),
    }
    return rated_fields(annotations, _MTRAG_CRITERIA, fields, metadata)


def _published_metrics(annotations: Entry) -> dict[str, Any]:
    """The scores of other tools that were published with the ratings."""
    scores = ((name, score["value"]) for name in _PUBLISHED for score in annotations.get(name, {}).values())
    return {name: value for name, value in scores if isinstance(value, int | float) and math.isfinite(value)}


def read_clapnq(facts: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads one row per result: the answer of one system to one question. Questions about one article are a group."""
    document = parse_document(files[0])
    tasks = {task["task_id"]: task for task in document["tasks"]}
    titles = {name: [f"title:{context['title']}" for context in task["contexts"]] for name, task in tasks.items()}
    groups = merge_groups({_question(name): listed for name, listed in titles.items()})
    for number, rated in enumerate(document["results"], 1):
        task = tasks[rated["task_id"]]
        fields = _clapnq_fields(rated, task)
        fields["metadata"] |= facts.describe_rating(files[0].path) | {"group": groups[_question(task["task_id"])]}
        yield Row(number, f"result {number}", fields)


def _question(task_id: str) -> str:
    return f"{_PREFIX}{task_id.rpartition('::')[2]}"


def _clapnq_fields(result: Entry, task: Entry) -> Entry:
    scores, question, system = result["scores"], _question(task["task_id"]), result["model_id"]
    fields = {
        "id": f"clapnqhum-{question.removeprefix(_PREFIX)}-{system}",
        "user_input": task["input"][-1]["text"],
        "retrieved_contexts": [context["text"] for context in task["contexts"]],
        "response": result["output"][-1]["content"],
    }
    targets = task.get("targets")
    if targets and targets[0]["value"]:
        fields["reference"] = targets[0]["value"]
    return rated_fields(scores, _CLAPNQ_CRITERIA, fields, {"system": system})
