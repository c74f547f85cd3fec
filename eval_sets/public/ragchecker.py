"""RAGChecker: two answers to one question, compared by two people each, from -2 to 2."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..rows import Row
from .original_form import OriginalFile, label, mean, parse_document, summarise_criteria
from .set_facts import PublicSet

_CRITERIA = ("correctness", "completeness", "overall")
_LABELS = (-2, -1, 0, 1, 2)


def read_ragchecker(facts: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads one row per pair of answers; the file has one entry per pair and rater.

    A rating above 0 prefers the second answer (`other_response`), one below 0 the first (`response`). The file has no
    retrieved text: the context is the reference answer, which the raters compared with.
    """
    pairs: dict[int, list[dict[str, Any]]] = {}
    for entry in parse_document(files[0], list):
        pairs.setdefault(int(entry["instance_id"]), []).append(entry)
    for number, (instance, entries) in enumerate(pairs.items(), 1):
        fields = _fields(instance, entries)
        fields["metadata"] = facts.describe_rating(files[0].path) | fields["metadata"]
        yield Row(number, f"pair {number}", fields)


def _fields(instance: int, entries: list[dict[str, Any]]) -> dict[str, Any]:
    first = entries[0]
    for name in ("query", "gt_answer", "model1", "model2"):
        if any(entry[name] != first[name] for entry in entries):
            raise ValueError(f"the entries of instance {instance} differ in {name}")
    answers = [first[name]["response"] for name in ("model1", "model2")]
    ratings = {
        criterion: [label(entry[f"{criterion}_label"], *_LABELS) for entry in entries] for criterion in _CRITERIA
    }
    return {
        "id": f"ragchecker-{instance}",
        "user_input": first["query"],
        "retrieved_contexts": [first["gt_answer"]],
        "response": answers[0],
        "other_response": answers[1],
        "rating": mean(ratings["overall"]),
        "rating_min": -2,
        "rating_max": 2,
        "ratings": {f"r{number}": rating for number, rating in enumerate(ratings["overall"], 1)},
        "metadata": {
            "group": f"ragchecker:{first['dataset']}:{first['query_id']}",
            "dims": summarise_criteria(_CRITERIA, lambda criterion: ratings[criterion]),
            "answer_b": answers[1],
            "system": first["model1"]["model_name"],
            "system_b": first["model2"]["model_name"],
            "domain": first["dataset"],
        },
    }
