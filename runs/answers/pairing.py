"""Which answers reply to one question: of two runs, of several versions, and which runs hold the same answers."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...eval_sets import Sample
from ...eval_sets.conversation import asked_text, opening_question
from ...eval_sets.items import question_id
from ...eval_sets.message import turn_id
from ...meta_eval.groups import ENOUGH_PAIRED, merge_groups, named_group, question_text
from ...text.wording import count_of
from .table import AnswerTable

Keys = Sequence[Mapping[str, Hashable]]
"""By version, the question of each answer."""


def pair_samples(
    samples_a: Sequence[Sample], samples_b: Sequence[Sample], sets_a: Sequence[str], sets_b: Sequence[str]
) -> dict[str, str]:
    """Pairs the samples of two runs: the id in run B -> the id in run A.

    Samples with one id and one question (of a conversation the first) are paired first. Of the rest, those whose ids
    were made from the set's name and the row's number (because the set has no ids) are paired by question, where it
    occurs once in both runs.

    Examples:
        Two exports in another order, without ids:

        >>> def export(month, *questions):
        ...     rows = enumerate(questions, 1)
        ...     return [Sample(id=f"{month}-{row}", user_input=text, response="So.") for row, text in rows]
        >>> may, june = export("may", "How?", "Why?"), export("june", "Why?", "How?")
        >>> pair_samples(may, june, ["may.csv"], ["june.csv"])
        {'june-1': 'may-2', 'june-2': 'may-1'}
    """
    questions_a = {sample.id: opening_question(sample) for sample in samples_a}
    ids = {sample.id: sample.id for sample in samples_b if questions_a.get(sample.id) == opening_question(sample)}
    rest_a = [sample for sample in samples_a if sample.id not in ids and has_generated_id(sample, sets_a)]
    rest_b = [sample for sample in samples_b if sample.id not in ids and has_generated_id(sample, sets_b)]
    return ids | _match_questions(rest_a, rest_b)


def has_generated_id(sample: Sample, sets: Iterable[str]) -> bool:
    """Whether a sample's id is one that reading a set without ids makes: `<file stem>-<row number>`."""
    stem, dash, number = sample.id.rpartition("-")
    return bool(dash) and number.isdigit() and any(stem == Path(name).stem for name in sets)


def _match_questions(samples_a: Sequence[Sample], samples_b: Sequence[Sample]) -> dict[str, str]:
    """The id in B -> the id in A, of samples whose question occurs once in both."""
    texts_a, texts_b = ([_question(sample) for sample in samples] for samples in (samples_a, samples_b))
    counts_a, counts_b = Counter(texts_a), Counter(texts_b)
    by_text = dict(zip(texts_a, samples_a, strict=True))
    return {
        sample.id: by_text[text].id
        for text, sample in zip(texts_b, samples_b, strict=True)
        if counts_a[text] == counts_b[text] == 1
    }


def _question(sample: Sample) -> str:
    return " ".join(opening_question(sample).split())


@dataclass(frozen=True, slots=True)
class PairedAnswer:
    """An answer that takes part: a row of what versions are compared by."""

    version: int  # the place of its version
    sample: Sample
    question: int  # its question as a number: answers with one number are paired
    text: int  # its text as a number: answers to one question with one number are the same answer
    group: int = 0  # its group as a number; all answers to one question are of one
    rating: float | None = None  # its mean rating; None where no rating of it counts
    score: float | None = None  # its score by the measure that decides, more is better; None without one
    is_fitted: bool = False  # whether that measure was fitted on its rating


def pair_versions(
    versions: Sequence[AnswerTable], *, is_one_source: bool
) -> tuple[list[PairedAnswer], tuple[str, ...]]:
    """Pairs the answers of several versions.

    Each run is paired with the first as `show changes` pairs two (`pair_samples`), the versions of one run by the ids
    that their rows had in common (`versioned_id`). Where that pairs less than half of the answers of the version with
    the fewest, the first of these ways counts that pairs half of them: answers to the same question after the same
    conversation; conversations that begin with one question; answers of one group, such as several trials of one task.
    All answers take part: a question that one version lacks says nothing of its difference from others only. Versions
    that share no question are compared unpaired.

    Returns:
        The answers that take part, and notes on how they were paired and what is left out.
    """
    way, keys, share = _choose_way(versions, is_one_source=is_one_source)
    notes = []
    shared = _shared(keys)
    if share < ENOUGH_PAIRED:
        questions = len({key for of_version in keys for key in of_version.values()})
        which = (
            f"have {len(shared)} of {count_of(questions, 'question')} in common"
            if shared
            else "answered other questions"
        )
        notes.append(
            f"The versions {which}, and are compared unpaired, by the means of all their answers: a difference between "
            "them may be one of their questions."
        )
    elif way == "group":
        notes.append(
            "The versions are compared by group: questions of one group are taken to be one task, which each version "
            "answered one or more times."
        )
    return _number(versions, keys), tuple(notes)


def _choose_way(versions: Sequence[AnswerTable], *, is_one_source: bool) -> tuple[str, Keys, float]:
    """How answers are paired, the question of each, and the share of the questions that is paired so.

    Unpaired versions have questions, and a group is none: it is one task only where most of them pair by it.
    """
    ways: list[tuple[str, Callable[[], Keys]]] = [
        ("id", lambda: _by_question_id(versions) if is_one_source else _by_id(versions)),
        ("question", lambda: _by_text(versions, asked_text)),
        ("question", lambda: _by_text(versions, opening_question)),
        ("group", lambda: _by_group(versions)),
    ]
    tried = []
    for way, find_keys in ways:
        keys = find_keys()
        tried.append((way, keys, _share_paired(keys)))
        if tried[-1][-1] >= ENOUGH_PAIRED:
            return tried[-1]
    return max(tried[:-1], key=lambda one: one[-1])


def pair_runs(a: AnswerTable, b: AnswerTable, answers: Sequence[PairedAnswer] = ()) -> dict[str, str]:
    """Pairs the samples of two runs, one with one, as `pair_versions` does: the id in run B -> the id in run A.

    `answers` is what `pair_versions` gave, if it was asked.
    """
    keys: Keys = [{}, {}]
    if answers:
        keys = [{one.sample.id: one.question for one in answers if one.version == version} for version in (0, 1)]
    else:
        _, keys, _ = _choose_way([a, b], is_one_source=False)
    in_a = {question: name for name, question in reversed(list(keys[0].items()))}
    return {name: in_a.pop(question) for name, question in keys[1].items() if question in in_a}


def list_values(answers: Sequence[PairedAnswer], values: Sequence[Mapping[str, float]]) -> list[float]:
    """The value of each answer, of values by version and answer; NaN where it has none."""
    return [values[answer.version].get(answer.sample.id, math.nan) for answer in answers]


def _by_id(versions: Sequence[AnswerTable]) -> Keys:
    first, *others = versions
    keys: list[dict[str, Hashable]] = [{name: name for name in first.samples}]
    for number, other in enumerate(others, 1):
        samples, others_samples = (list((one.source_samples or one.samples).values()) for one in (first, other))
        ids = pair_samples(samples, others_samples, first.sets, other.sets)
        pairs = _pair_answers(ids, first.samples.keys(), other.samples)
        keys.append({name: pairs.get(name, (number, name)) for name in other.samples})
    return keys


def _by_question_id(versions: Sequence[AnswerTable]) -> Keys:
    """By the id that several systems' rows had in a set, before each got its own."""
    return [{name: question_id(name, version.name) for name in version.samples} for version in versions]


def _by_text(versions: Sequence[AnswerTable], read: Callable[[Sample], str]) -> Keys:
    """By a text; one that a version answered several times is as many questions as it has groups."""
    texts = [{name: " ".join(read(sample).split()) for name, sample in version.samples.items()} for version in versions]
    repeated = {text for of_version in texts for text, count in Counter(of_version.values()).items() if count > 1}
    return [
        {
            name: (text, named_group(version.samples[name]) if text in repeated else "")
            for name, text in of_version.items()
        }
        for version, of_version in zip(versions, texts, strict=True)
    ]


def _by_group(versions: Sequence[AnswerTable]) -> Keys:
    return [
        {name: named_group(sample) or (number, name) for name, sample in version.samples.items()}
        for number, version in enumerate(versions)
    ]


def _shared(keys: Keys) -> set[Hashable]:
    """The questions that two versions or more answered."""
    counts = Counter(key for of_version in keys for key in set(of_version.values()))
    return {key for key, count in counts.items() if count > 1}


def _share_paired(keys: Keys) -> float:
    """The share of the questions of the version with the fewest that another version answered too."""
    shared = _shared(keys)
    fewest = min((set(of_version.values()) for of_version in keys), key=len)
    return len(fewest & shared) / max(1, len(fewest))


def _number(versions: Sequence[AnswerTable], keys: Keys) -> list[PairedAnswer]:
    questions: dict[Hashable, int] = {}
    texts: dict[int, list[tuple[str, Sample]]] = {}  # by question, the answers that differ
    answers = []
    for version, (of_version, by_name) in enumerate(zip(versions, keys, strict=True)):
        for name, sample in of_version.samples.items():
            question = questions.setdefault(by_name[name], len(questions))
            asked = _question(sample)
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
    return [replace(answer, group=group) for answer, group in zip(answers, _number_groups(answers), strict=True)]


def _number_groups(answers: Sequence[PairedAnswer]) -> list[int]:
    """The group of each answer; all answers to one question are of the group of the first that has a group.

    Questions of no group that have one text, under several ids, are one group (`group_answers`).
    """
    labels: dict[int, str] = {}
    for answer in answers:
        if named_group(answer.sample):
            labels.setdefault(answer.question, f"group {answer.sample.source}")
    names = [labels.get(answer.question, f"question {answer.question}") for answer in answers]
    asked = ["" if answer.question in labels else question_text(answer.sample) for answer in answers]
    numbers: dict[str, int] = {}
    return [numbers.setdefault(group, len(numbers)) for group in merge_groups(names, asked)]


def _pair_answers(ids: Mapping[str, str], first: Collection[str], second: Mapping[str, Sample]) -> dict[str, str]:
    """The id in the second run -> that in the first: of samples that are paired, and of turns at one place of them."""
    pairs = {}
    for name, sample in second.items():
        turn, conversation = sample.metadata.get("turn"), str(sample.metadata.get("conversation"))
        in_first = ids.get(name)
        if in_first is None and isinstance(turn, int) and conversation in ids:
            in_first = turn_id(ids[conversation], turn)
        if in_first is not None and in_first in first:
            pairs[name] = in_first
    return pairs


@dataclass(frozen=True)
class RunVersions:
    """The version that each of several runs is of."""

    # the name of the version of each run: the first run that has its answers. Empty where all runs are of one.
    names: Mapping[str, str] = field(default_factory=dict)
    # run -> sample -> what is the same of all samples of one question
    questions: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def item(self, run: str, sample: str) -> str:
        """The id of an answer among all runs: where runs are of several versions, it names the version."""
        return f"{sample}@{self.names[run]}" if self.names else sample

    def question(self, run: str, sample: str) -> str:
        """What is the same of the answers to a sample's question; "" where runs are of one version."""
        own = self.questions.get(run, {})
        conversation, mark, turn = sample.rpartition("#")
        return own.get(sample) or (f"{own[conversation]}{mark}{turn}" if conversation in own else "")

    def join(self, tables: Sequence[AnswerTable]) -> list[AnswerTable]:
        """One table per version, with the answers that any of its runs has; all runs together where they are of one."""
        joined: dict[str, AnswerTable] = {}
        for table in tables:
            name = self.names.get(table.run or "", "")
            first = joined.get(name, table)
            joined[name] = replace(first, samples={**first.samples, **table.samples})
        return list(joined.values())


ONE_VERSION = RunVersions()


def find_versions(tables: Sequence[AnswerTable]) -> RunVersions:
    """Finds the versions that runs are of.

    Two runs are of one version where the samples that both have (`pair_samples`) hold the same answers. Where no pair
    of runs differs in any answer, there are no versions.
    """
    names: dict[str, str] = {}
    questions: dict[str, dict[str, str]] = {}
    differs = False
    by_run = {table.run or "": table for table in tables}
    for run, table in by_run.items():
        own: dict[str, str] = {}
        for first in dict.fromkeys(names.values()):
            other = by_run[first]
            pairs = pair_samples(list(other.samples.values()), list(table.samples.values()), other.sets, table.sets)
            for name, in_first in pairs.items():
                own.setdefault(name, questions[first][in_first])
            is_same = all(table.samples[name].has_same_texts(other.samples[twin]) for name, twin in pairs.items())
            differs |= not is_same
            if pairs and is_same and run not in names:
                names[run] = first
        names.setdefault(run, run)
        questions[run] = {name: own.get(name, f"{name}@{run}") for name in table.samples}
    return RunVersions(names, questions) if differs else RunVersions()
