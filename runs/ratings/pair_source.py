"""Which answers are compared: the questions that two versions answered differently, in the order of a draw."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from ...errors import UsageError
from ...eval_sets import Sample
from ...eval_sets.opening_question import opening_question
from ...text.wording import count_of, list_first, verb_of
from ..sample_pairing import pair_samples
from ..store import Store
from .answer_pair import AnswerPair, PairedQuestion
from .item_queue import QueueSettings, RatedTurns, queue_ids
from .pair_queue import ComparedVersion, PairComparison, PairQueue
from .rating_source import find_run, find_source

FEWEST_VERSIONS = 2


@dataclass(frozen=True, slots=True)
class PairSource:
    """The answers of versions to the same questions.

    Attributes:
        versions: The versions; the first is the one in use today.
        questions: By the id of the question in the first version, its sample by the place of the version.
        notes: What is left out, each in a sentence.
    """

    versions: tuple[ComparedVersion, ...]
    questions: Mapping[str, Mapping[int, Sample]]
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The versions, for people."""
        return " against ".join(version.name for version in self.versions)

    def draw(self, seed: int, limit: int | None) -> tuple[list[AnswerPair], list[tuple[int, PairedQuestion]]]:
        """Draws the order in which pairs are compared.

        The questions are in random order. Of more than two versions each question first gets one pair of them, drawn at
        random, then all questions a second one, and so on: the first pairs are spread over the questions.

        Args:
            seed: Seed of the draw.
            limit: The most pairs; all if None.

        Returns:
            The pairs whose answers differ; and the questions with the same answer twice that the draw came across, each
            with the number of pairs before it.
        """
        draw = random.Random(f"pairs {seed}")
        of_questions = []
        for question, samples in self.questions.items():
            versions = list(combinations(sorted(samples), 2))
            draw.shuffle(versions)
            of_questions.append((question, samples, versions))
        draw.shuffle(of_questions)
        pairs, same = list[AnswerPair](), list[tuple[int, PairedQuestion]]()
        for turn in range(max((len(versions) for _, _, versions in of_questions), default=0)):
            for question, samples, versions in of_questions:
                if turn >= len(versions):
                    continue
                if len(pairs) == limit:
                    return pairs, same
                pair = self._pair(question, samples, versions[turn])
                if _is_same(*pair.answers):
                    same.append((len(pairs), PairedQuestion.model_validate(pair.model_dump(exclude={"answers"}))))
                else:
                    pairs.append(pair)
        return pairs, same

    def _pair(self, question: str, samples: Mapping[int, Sample], versions: tuple[int, int]) -> AnswerPair:
        one, other = versions
        return AnswerPair(
            question=question,
            group=_group_of(samples[min(samples)]),
            first=self.versions[one].name,
            second=self.versions[other].name,
            ids=(samples[one].id, samples[other].id),
            answers=(samples[one], samples[other]),
        )


def _group_of(sample: Sample) -> str:
    return "" if sample.source == sample.id else sample.source


def _is_same(one: Sample, other: Sample) -> bool:
    if one.messages or other.messages:
        return one.has_same_texts(other)
    return one.response.strip() == other.response.strip()


def find_pairs(store: Store, names: Sequence[str], field: str | None, turns: RatedTurns = "none") -> PairSource:
    """Finds the questions that versions answered.

    Two sources are paired by id, else by question (see `pair_samples`); the versions of one source by question.

    Args:
        store: Where the runs are.
        names: Runs or sets, the first the one in use today; each may be written as `NAME=RUN`.
        field: Of one source, the field of metadata that tells its versions apart; else None.
        turns: What of a conversation is compared (see `select_rated`).

    Raises:
        UsageError: There are fewer than two versions, two have one name, or no source has a name.
    """
    if field is not None:
        if len(names) != 1:
            raise UsageError(f"--by {field} takes the versions from one run; name one, or leave out --by")
        return _split_source(store, names[0], field, turns)
    if len(names) < FEWEST_VERSIONS:
        raise UsageError("--pairs compares two runs or more: name them, or one run and --by FIELD of its metadata")
    versions, samples, sets = list[ComparedVersion](), list[list[Sample]](), list[tuple[str, ...]]()
    for typed in names:
        name, source = _read_name(typed)
        run = find_run(store, source)
        loaded = find_source(store, source, turns)
        versions.append(ComparedVersion(name=name or loaded.name, source=loaded.name))
        samples.append(list(loaded.samples))
        sets.append((source,) if run is None else run.plan.sets)
    _check_versions(versions)
    questions: dict[str, dict[int, Sample]] = {sample.id: {0: sample} for sample in samples[0] if _is_answered(sample)}
    notes = _note_unanswered(versions, samples)
    for place in range(1, len(versions)):
        ids = pair_samples(samples[0], samples[place], sets[0], sets[place]).ids
        unpaired = 0
        for sample in samples[place]:
            question = ids.get(sample.id)
            unpaired += question is None
            if question in questions and _is_answered(sample):
                questions[question][place] = sample
        if unpaired:
            whose = f"of {versions[place].name} {verb_of(unpaired, 'is', 'are')} of no question that"
            notes.append(f"{count_of(unpaired, 'answer')} {whose} {versions[0].name} has, and left out")
    return PairSource(tuple(versions), questions, tuple(notes))


def _split_source(store: Store, typed: str, field: str, turns: RatedTurns) -> PairSource:
    """The versions of one source, by a field of metadata."""
    source = find_source(store, typed, turns)
    by_version: dict[str, list[Sample]] = {}
    without = 0
    for sample in source.samples:
        value = sample.metadata.get(field)
        if value is None or value == "":
            without += 1
        else:
            by_version.setdefault(str(value), []).append(sample)
    if len(by_version) < FEWEST_VERSIONS:
        values = f"only {next(iter(by_version))!r}" if by_version else "no value"
        known = sorted({key for sample in source.samples for key in sample.metadata})
        fields = f"; its metadata has {list_first(known)}" if known else ""
        raise UsageError(f"{source.name}: metadata.{field} has {values}; --pairs needs two versions{fields}")
    versions = [ComparedVersion(name=name, source=source.name, field=field) for name in by_version]
    notes = _note_unanswered(versions, list(by_version.values()))
    if without:
        notes.append(f"{count_of(without, 'answer has', 'answers have')} no metadata.{field}, and left out")
    answers = [_by_question(samples) for samples in by_version.values()]
    repeated = sum(len(samples) for by_text in answers for samples in by_text.values() if len(samples) > 1)
    if repeated:
        notes.append(
            f"{count_of(repeated, 'answer is', 'answers are')} to a question that a version answered more than once, "
            "and left out"
        )
    questions: dict[str, dict[int, Sample]] = {}
    for text in dict.fromkeys(text for by_text in answers for text in by_text):
        samples = {place: by_text[text][0] for place, by_text in enumerate(answers) if len(by_text.get(text, ())) == 1}
        if samples:
            questions[samples[min(samples)].id] = samples
    return PairSource(tuple(versions), questions, tuple(notes))


def _by_question(samples: Sequence[Sample]) -> dict[str, list[Sample]]:
    by_text: dict[str, list[Sample]] = {}
    for sample in filter(_is_answered, samples):
        by_text.setdefault(" ".join(opening_question(sample).split()), []).append(sample)
    return by_text


def _is_answered(sample: Sample) -> bool:
    return bool(sample.messages or sample.response.strip())


def _note_unanswered(versions: Sequence[ComparedVersion], samples: Sequence[Sequence[Sample]]) -> list[str]:
    notes = []
    for version, listed in zip(versions, samples, strict=True):
        if empty := sum(not _is_answered(sample) for sample in listed):
            notes.append(
                f"{count_of(empty, 'answer')} of {version.name} {verb_of(empty, 'is', 'are')} empty, and left out"
            )
    return notes


def _read_name(typed: str) -> tuple[str, str]:
    """The name and the source of `NAME=SOURCE`; no name where there is none."""
    name, equals, source = typed.partition("=")
    if not equals or Path(typed).exists():
        return "", typed
    if not name.strip() or not source.strip():
        raise UsageError(f"{typed!r}: write NAME=RUN, such as today=20261123-101500-1a2b")
    return name.strip(), source.strip()


def _check_versions(versions: Sequence[ComparedVersion]) -> None:
    for one, other in combinations(versions, 2):
        if one.source == other.source:
            raise UsageError(f"{one.source} is named twice; a version is compared with another one")
        if one.name == other.name:
            raise UsageError(f"two versions are called {one.name!r}; give each its own name: NAME=RUN")


def open_pair_queue(
    store: Store, source: PairSource, settings: QueueSettings, *, guideline: str | None, limit: int | None = None
) -> PairQueue:
    """The newest queue of these versions with these settings, else a new one; its guideline brought up to date.

    Args:
        store: Where queues are kept.
        source: What is compared.
        settings: Raters, repeats and seed.
        guideline: The raters' guideline; None keeps the present one.
        limit: The most pairs of a new queue; all if None.

    Raises:
        UsageError: No question has two different answers, or the queue has another number of pairs than the limit.
    """
    pairs, same = source.draw(settings.seed, limit)
    for name in queue_ids(store.database, "pairs"):
        queue = PairQueue(store.database, name)
        if queue.comparison.versions == source.versions and queue.settings == settings:
            break
    else:
        comparison = PairComparison(versions=source.versions, same=tuple(same))
        return PairQueue.create(
            store.database, pairs, settings, comparison=comparison, source=source.name, guideline=guideline or ""
        )
    if limit is not None and queue.size() != len(pairs):
        raise UsageError(
            f"{queue.id} has {count_of(queue.size(), 'pair')} of {source.name} already, and --limit {limit} does not "
            f"change that; go on with it (assay rate {queue.id}), or draw another (--seed {settings.seed + 1})"
        )
    if guideline is not None:
        queue.change_guideline(guideline)
    return queue
