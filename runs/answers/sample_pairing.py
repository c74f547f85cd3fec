"""Which sample of one run is which of another: by id, and where ids were made from row numbers, by question."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...eval_sets import Sample
from ...eval_sets.opening_question import opening_question


@dataclass(frozen=True, slots=True)
class Pairing:
    """The samples of two runs that belong together."""

    ids: Mapping[str, str] = field(default_factory=dict)  # the id in run B -> the id in run A
    by_question: int = 0  # how many pairs share a question, and not an id
    # how many share question and answer, or question and contexts, as the question occurs more often
    by_content: int = 0
    # ids that both runs have with different questions, and that nothing else pairs
    other_question: tuple[str, ...] = ()


def pair_samples(
    samples_a: Sequence[Sample], samples_b: Sequence[Sample], sets_a: Sequence[str], sets_b: Sequence[str]
) -> Pairing:
    """Pairs the samples of two runs.

    Samples with one id and one question (of a conversation the first) are paired first. Of the rest, those whose ids
    were made from the set's name and the row's number (because the set has no ids) are paired by question, where it
    occurs once in both runs, and then by question and answer or question and contexts.

    Examples:
        Two exports in another order, without ids:

        >>> def export(month, *questions):
        ...     rows = enumerate(questions, 1)
        ...     return [Sample(id=f"{month}-{row}", user_input=text, response="So.") for row, text in rows]
        >>> may, june = export("may", "How?", "Why?"), export("june", "Why?", "How?")
        >>> pairing = pair_samples(may, june, ["may.csv"], ["june.csv"])
        >>> pairing.ids, pairing.by_question
        ({'june-1': 'may-2', 'june-2': 'may-1'}, 2)
    """
    questions_a = {sample.id: opening_question(sample) for sample in samples_a}
    ids = {sample.id: sample.id for sample in samples_b if questions_a.get(sample.id) == opening_question(sample)}
    rest_a = [sample for sample in samples_a if sample.id not in ids and has_generated_id(sample, sets_a)]
    rest_b = [sample for sample in samples_b if sample.id not in ids and has_generated_id(sample, sets_b)]
    counts = []
    for key in (_question, _question_and_answer, _question_and_contexts):
        matches = _match_unique(rest_a, rest_b, key)
        ids |= matches
        counts.append(len(matches))
        rest_a = [sample for sample in rest_a if sample.id not in matches.values()]
        rest_b = [sample for sample in rest_b if sample.id not in matches]
    paired_a = set(ids.values())
    other = (sample.id for sample in samples_b if sample.id not in ids and sample.id in questions_a.keys() - paired_a)
    return Pairing(ids, counts[0], counts[1] + counts[2], tuple(other))


def has_generated_id(sample: Sample, sets: Iterable[str]) -> bool:
    """Whether a sample's id is one that reading a set without ids makes: `<file stem>-<row number>`."""
    stem, dash, number = sample.id.rpartition("-")
    return bool(dash) and number.isdigit() and any(stem == Path(name).stem for name in sets)


def _match_unique(
    samples_a: Sequence[Sample], samples_b: Sequence[Sample], key: Callable[[Sample], Hashable]
) -> dict[str, str]:
    """The id in B -> the id in A, of samples whose key occurs once in both."""
    by_key_a, by_key_b = _ids_by_key(samples_a, key), _ids_by_key(samples_b, key)
    return {
        ids[0]: by_key_a[value][0]
        for value, ids in by_key_b.items()
        if len(ids) == 1 and len(by_key_a.get(value, ())) == 1
    }


def _ids_by_key(samples: Sequence[Sample], key: Callable[[Sample], Hashable]) -> dict[Hashable, list[str]]:
    ids: dict[Hashable, list[str]] = defaultdict(list)
    for sample in samples:
        ids[key(sample)].append(sample.id)
    return dict(ids)


def _question(sample: Sample) -> Hashable:
    return " ".join(opening_question(sample).split())


def _question_and_answer(sample: Sample) -> Hashable:
    return _question(sample), " ".join(sample.response.split())


def _question_and_contexts(sample: Sample) -> Hashable:
    return _question(sample), sample.retrieved_contexts
