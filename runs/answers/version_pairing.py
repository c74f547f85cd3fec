"""Which answers of several versions reply to one question: by id, else by question, else by group."""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from ...eval_sets import Sample
from ...eval_sets.conversation import asked_text
from ...eval_sets.opening_question import opening_question
from ...eval_sets.version_column import question_id
from ...text.wording import count_of, verb_of
from .sample_pairing import has_generated_id, pair_samples
from .table import AnswerTable
from .version_answers import pair_answers

_ENOUGH_PAIRED = 0.5
"""A way of pairing counts that pairs this share of the answers of the version with the fewest."""
Keys = Sequence[Mapping[str, Hashable]]
"""By version, the question of each answer."""


@dataclass(frozen=True, slots=True)
class PairedAnswer:
    """An answer that takes part."""

    version: int
    sample: Sample
    question: int  # its question as a number: answers with one number are paired
    text: int  # its text as a number: answers to one question with one number are the same answer


def pair_versions(
    versions: Sequence[AnswerTable], *, is_one_source: bool
) -> tuple[list[PairedAnswer], tuple[str, ...]]:
    """Pairs the answers of several versions.

    Each run is paired with the first as `show changes` pairs two (`pair_samples`), the versions of one run by the ids
    that their rows had in common (`versioned_id`); further answers to a question, of rows without ids, are of that
    question too. Where that pairs less than half of the answers of the version with the fewest, the first of these ways
    counts that pairs half of them: answers to the same question after the same conversation; conversations that begin
    with one question; answers of one group, such as several trials of one task. All answers take part: a question that
    one version lacks says nothing of its difference from others only. Versions that share no question are compared
    unpaired.

    Returns:
        The answers that take part, and notes on how they were paired and what is left out.
    """
    ways = [("id", _by_question_id(versions) if is_one_source else _by_id(versions))]
    ways += [("question", _by_text(versions, asked_text)), ("question", _by_text(versions, opening_question))]
    ways.append(("group", _by_group(versions)))
    shares = [_share_paired(versions, keys) for _, keys in ways]
    best = next((place for place, share in enumerate(shares) if share >= _ENOUGH_PAIRED), shares.index(max(shares)))
    way, keys = ways[best]
    if way == "id":
        keys = _join_repeated(versions, keys)
    notes = []
    shared = _shared(keys)
    if not shared:
        notes.append(
            "The versions answered other questions, and are compared unpaired: a difference between them may be one "
            "of their questions."
        )
    elif way == "group":
        notes.append(
            "The versions are compared by group: questions of one group are taken to be one task, which each version "
            "answered one or more times."
        )
    elif not is_one_source:
        notes += _describe_clashes(versions, keys)
    return _number(versions, keys), tuple(notes)


def _by_id(versions: Sequence[AnswerTable]) -> Keys:
    first, *others = versions
    keys: list[dict[str, Hashable]] = [{name: name for name in first.samples}]
    for number, other in enumerate(others, 1):
        samples, others_samples = (list((one.source_samples or one.samples).values()) for one in (first, other))
        pairing = pair_samples(samples, others_samples, first.sets, other.sets)
        pairs = pair_answers(pairing, first.samples.keys(), other.samples)
        keys.append({name: pairs.get(name, (number, name)) for name in other.samples})
    return keys


def _by_question_id(versions: Sequence[AnswerTable]) -> Keys:
    """By the id that several systems' rows had in a set, before each got its own."""
    return [{name: question_id(name, version.name) for name in version.samples} for version in versions]


def _join_repeated(versions: Sequence[AnswerTable], keys: Keys) -> Keys:
    """Adds further answers to questions that are paired: rows without an id of their own, as a set without ids has.

    Such a row is of the question whose text it has, where that is one question; answers that have ids are of no
    question but their own.
    """
    shared = _shared(keys)
    texts = _by_text(versions, asked_text)
    of_text: dict[Hashable, set[Hashable]] = {}
    for of_version, by_name in zip(keys, texts, strict=True):
        for name, key in of_version.items():
            if key in shared:
                of_text.setdefault(by_name[name], set()).add(key)
    every = set.intersection(*(set(of_version.values()) for of_version in texts))
    joined = []
    for version, of_version, by_name in zip(versions, keys, texts, strict=True):
        own = dict(of_version)
        for name, key in of_version.items():
            paired = of_text.get(by_name[name], {("text", by_name[name])})
            is_open = key not in shared and by_name[name] in every and len(paired) == 1
            if is_open and has_generated_id(version.samples[name], version.sets):
                own[name] = next(iter(paired))
        joined.append(own)
    return joined


def _by_text(versions: Sequence[AnswerTable], read: Callable[[Sample], str]) -> Keys:
    """By a text; one that a version answered several times is as many questions as it has groups."""
    texts = [{name: " ".join(read(sample).split()) for name, sample in version.samples.items()} for version in versions]
    repeated = {text for of_version in texts for text, count in Counter(of_version.values()).items() if count > 1}
    return [
        {
            name: (text, _group_of(version.samples[name]) if text in repeated else "")
            for name, text in of_version.items()
        }
        for version, of_version in zip(versions, texts, strict=True)
    ]


def _by_group(versions: Sequence[AnswerTable]) -> Keys:
    return [
        {name: _group_of(sample) or (number, name) for name, sample in version.samples.items()}
        for number, version in enumerate(versions)
    ]


def _group_of(sample: Sample) -> str:
    return str(sample.group or sample.metadata.get("group") or "")


def _shared(keys: Keys) -> set[Hashable]:
    """The questions that two versions or more answered."""
    counts = Counter(key for of_version in keys for key in set(of_version.values()))
    return {key for key, count in counts.items() if count > 1}


def _share_paired(versions: Sequence[AnswerTable], keys: Keys) -> float:
    """The share of the version with the fewest answers that has a partner in another."""
    shared = _shared(keys)
    fewest = min(range(len(versions)), key=lambda place: len(versions[place].samples))
    paired = sum(key in shared for key in keys[fewest].values())
    return paired / max(1, len(keys[fewest]))


def _describe_clashes(versions: Sequence[AnswerTable], keys: Keys) -> list[str]:
    """Says how many ids are of one question in the version in use, and of another one elsewhere."""
    own = keys[0]
    clashes = {name for of_version in keys[1:] for name, key in of_version.items() if own.get(name, key) != key}
    if not clashes:
        return []
    return [
        f"{count_of(len(clashes), 'id')} {verb_of(len(clashes), 'is', 'are')} of another question in another version: "
        "these answers are paired by question. A rating by id and version is of the answer that has the id in that "
        f"version, a preference by id of the question that has it in {versions[0].name}."
    ]


def _number(versions: Sequence[AnswerTable], keys: Keys) -> list[PairedAnswer]:
    questions: dict[Hashable, int] = {}
    texts: dict[int, list[tuple[str, Sample]]] = {}  # by question, the answers that differ
    answers = []
    for version, (of_version, by_name) in enumerate(zip(versions, keys, strict=True)):
        for name, sample in of_version.samples.items():
            question = questions.setdefault(by_name[name], len(questions))
            asked = " ".join(opening_question(sample).split())
            different = texts.setdefault(question, [])
            text = next(
                (
                    place
                    for place, (other_asked, other) in enumerate(different)
                    if asked == other_asked and sample.has_same_texts(other)
                ),
                len(different),
            )
            if text == len(different):
                different.append((asked, sample))
            answers.append(PairedAnswer(version, sample, question, text))
    return answers
