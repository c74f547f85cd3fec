"""ClapNQ in InspectorRAGet's form: answers about one passage, each rated by three people for faithfulness, 1 to 4."""

from collections.abc import Iterator, Mapping, Sequence

from ..rows import Row
from .original_form import OriginalFile
from .rated_tasks import Entry, merge_groups, rated_fields, read_rated_tasks
from .set_facts import PublicSet

_PREFIX = "clap:"
_CRITERIA = ("faithfulness", "answer_relevance", "fluency")


def read_clapnq(facts: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads one row per result: the answer of one system to one question."""
    yield from read_rated_tasks(facts, files[0], "result", _groups, _fields)


def _groups(tasks: Mapping[str, Entry]) -> dict[str, str]:
    """The group of each task: questions about one article are not independent."""
    titles = {task_id: [f"title:{context['title']}" for context in task["contexts"]] for task_id, task in tasks.items()}
    merged = merge_groups({_question(task_id): listed for task_id, listed in titles.items()})
    return {task_id: merged[_question(task_id)] for task_id in tasks}


def _question(task_id: str) -> str:
    return f"{_PREFIX}{task_id.rpartition('::')[2]}"


def _fields(result: Entry, task: Entry) -> Entry:
    scores, question, system = result["scores"], _question(task["task_id"]), result["model_id"]
    answer = result["output"][-1]["content"]
    fields = {
        "id": f"clapnqhum-{question.removeprefix(_PREFIX)}-{system}",
        "user_input": task["input"][-1]["text"],
        "retrieved_contexts": [context["text"] for context in task["contexts"]],
        "response": answer,
    }
    targets = task.get("targets")
    if targets and targets[0]["value"]:
        fields["reference"] = targets[0]["value"]
    reasons = {entry["value"] for entry in scores.get("faithfulness_reason", {}).values()}
    metadata = {
        "reasons": sorted(reasons - {None, ""}),  # why raters found an answer unfaithful
        "system": system,
        "answer_empty": not answer.strip(),
        "answerability": task["answerability"],
        "doc_title": task["contexts"][0]["title"],
    }
    return rated_fields(scores, _CRITERIA, fields, metadata)
