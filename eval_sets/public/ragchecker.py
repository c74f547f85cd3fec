"""RAGChecker: two answers to one question, compared by two people each, from -2 to 2."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..rows import Row
from .original_form import OriginalFile, OriginalValue, mean, parse_document, summarise_criteria
from .set_facts import PublicSet

_CRITERIA = ("correctness", "completeness", "overall")
_LABELS = (-2, -1, 0, 1, 2)


def read_ragchecker(facts: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads one row per pair of answers; the file has one entry per pair and rater.

    A rating above 0 prefers the second answer (`other_response`), one below 0 the first (`response`). The file has no
    retrieved text: the context is the reference answer, which the raters compared with.
    """
    pairs: dict[int, list[OriginalValue]] = {}
    for entry in parse_document(files[0]).entries():
        pairs.setdefault(entry.field("instance_id").whole_number(), []).append(entry)
    for number, (instance, entries) in enumerate(pairs.items(), 1):
        for entry in entries[1:]:
            _check_same(entries[0], entry)
        fields = _fields(instance, entries)
        fields["metadata"] = facts.describe_rating(files[0].path) | fields["metadata"]
        yield Row(number, f"pair {number}", fields)


def _check_same(first: OriginalValue, other: OriginalValue) -> None:
    for name in ("query", "gt_answer", "model1", "model2"):
        if first.field(name).value != other.field(name).value:
            raise other.error(f"has another `{name}` than the entry before it with the same instance_id")


def _fields(instance: int, entries: list[OriginalValue]) -> dict[str, Any]:
    first = entries[0]
    systems = [first.field(name) for name in ("model1", "model2")]
    answers = [system.field("response").text() for system in systems]
    names = [system.field("model_name").text() for system in systems]
    domain, query_id = first.field("dataset").text(), first.field("query_id").text()
    ratings = {
        criterion: [entry.field(f"{criterion}_label").label(*_LABELS) for entry in entries] for criterion in _CRITERIA
    }
    return {
        "id": f"ragchecker-{instance}",
        "user_input": first.field("query").text(),
        "retrieved_contexts": [first.field("gt_answer").text()],
        "response": answers[0],
        "other_response": answers[1],
        "rating": mean(ratings["overall"]),
        "rating_min": -2,
        "rating_max": 2,
        "ratings": {f"r{number}": rating for number, rating in enumerate(ratings["overall"], 1)},
        "metadata": {
            "group": f"ragchecker:{domain}:{query_id}",
            "dims": summarise_criteria(_CRITERIA, lambda criterion: ratings[criterion]),
            "answer_b": answers[1],
            "system": names[0],
            "system_b": names[1],
            "domain": domain,
        },
    }
