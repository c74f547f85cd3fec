"""What people are asked on the rating page: the answers of a set or run, or pairs of versions' answers, as drawn."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...errors import UsageError
from ...eval_sets import Sample
from ...eval_sets.conversation import is_turn, opening_question, turn_samples
from ...text.wording import count_of, verb_of
from ..answers.pairing import PairedAnswer, pair_versions
from ..answers.rating_join import join_ratings
from ..answers.table import AnswerTable, read_source, read_sources, version_field
from ..ratings.answer_pair import AnswerPair, ComparedVersion, PairComparison, PairedQuestion
from ..ratings.judgement import QueueSettings, RatedTurns, queue_ids
from ..ratings.rating_queue import RatingQueue
from ..store.store import Store
from .version_ratings import name_versions
from .versions import check_names


def find_source(
    store: Store, name: str, turns: RatedTurns = "none", reading: Mapping[str, Any] | None = None
) -> AnswerTable:
    """The answers to rate of a run (its id, the beginning of one, or `last`), else those of a set."""
    table = read_source(store, name, reading)
    rated = {sample.id: sample for sample in select_rated(table.samples.values(), turns)}
    return replace(table, samples=rated, source_samples=table.samples)


def select_rated(samples: Iterable[Sample], turns: RatedTurns) -> list[Sample]:
    """Selects what is rated of samples: answers without messages, and of conversations the whole or each answer.

    Example:
        >>> chat = [{"role": "user", "content": "Free?"}, {"role": "assistant", "content": "Yes."}]
        >>> [sample.id for sample in select_rated([Sample(id="chat-7", messages=chat)], "each")]
        ['chat-7#1']
    """
    listed = list(samples)
    whole = {sample.id for sample in listed if sample.messages and not is_turn(sample)}
    if turns == "none":
        return [sample for sample in listed if not is_turn(sample) or sample.metadata["conversation"] not in whole]
    scored = {sample.id: sample for sample in listed if is_turn(sample)}
    selected: dict[str, Sample] = {}
    for sample in listed:
        parts = turn_samples(sample) if sample.id in whole else [sample]
        selected |= {part.id: scored.get(part.id, part) for part in parts}
    return list(selected.values())


def open_queue(
    store: Store,
    table: AnswerTable,
    settings: QueueSettings,
    *,
    guideline: str | None,
    limit: int | None = None,
) -> RatingQueue:
    """The newest queue of this source with these settings, else a new one; its guideline brought up to date.

    The answers are drawn at random, as every estimate takes them for, those that nobody rated first: of them alone a
    rating says something new of the source. A limit then takes the first that were drawn.
    """
    source = table.run or ", ".join(table.sets)
    for name in queue_ids(store.database, has_pairs=False, source=source):
        queue = RatingQueue(store.database, name)
        if queue.settings == settings:
            return _go_on(queue, len(table.samples), limit, guideline)
    import numpy as np

    samples = list(table.samples.values())
    joined = join_ratings(store.database, table.samples).samples
    order = np.random.default_rng(settings.seed).permutation(len(samples)).tolist()
    order.sort(key=lambda place: joined[samples[place].id].human_rating is not None)
    samples = [samples[place] for place in order[:limit]]
    conversations = (table.source_samples or {}).values()
    return RatingQueue.create(
        store.database, samples, settings, source=source, guideline=guideline or "", conversations=conversations
    )


def _go_on(queue: RatingQueue, most: int, limit: int | None, guideline: str | None) -> RatingQueue:
    """Brings the guideline of a queue that there is up to date; raises where it has not as many items as asked for."""
    count, item = len(queue.names()), "pair" if queue.has_pairs else "answer"
    if limit is not None and count != min(limit, most):
        raise UsageError(
            f"{queue.id} has {count_of(count, item)} of {queue.source} already, and --limit {limit} does not change "
            f"that; go on with it (assay rate {queue.id}), or draw another (--seed {queue.settings.seed + 1})"
        )
    if guideline is not None:
        queue.change_guideline(guideline)
    return queue


@dataclass(frozen=True, slots=True)
class PairSource:
    """The answers of versions to the same questions."""

    versions: tuple[ComparedVersion, ...]  # the versions; the first is the one in use today
    questions: Sequence[Mapping[int, PairedAnswer]]  # each question's answers by the place of the version
    notes: tuple[str, ...] = ()  # how they were paired and what is left out, each in a sentence
    conversations: Sequence[Sample] = ()  # those that compared turns are of

    @property
    def name(self) -> str:
        """The versions, for people."""
        return " against ".join(version.name for version in self.versions)

    def draw(self, seed: int, limit: int | None) -> tuple[list[AnswerPair], list[tuple[int, PairedQuestion]]]:
        """Draws the order in which pairs are compared.

        Each version is compared with the one in use, which a decision is about. The questions are in random order. Of
        more than two versions each question first gets one pair, drawn at random, then all questions a second one, and
        so on: the first pairs are spread over the questions.

        Returns:
            The pairs whose answers differ; and the questions with the same answer twice that the draw came across, each
            with the number of pairs before it.
        """
        draw = random.Random(f"pairs {seed}")
        of_questions = []
        for answers in self.questions:
            in_use, *others = sorted(answers)
            versions = [(in_use, other) for other in others]
            draw.shuffle(versions)
            of_questions.append((answers, versions))
        draw.shuffle(of_questions)
        pairs, same = list[AnswerPair](), list[tuple[int, PairedQuestion]]()
        for turn in range(max((len(versions) for _, versions in of_questions), default=0)):
            for answers, versions in of_questions:
                if len(pairs) == limit:
                    return pairs, same
                if turn >= len(versions):
                    continue
                pair = self._pair(answers, *versions[turn])
                if _is_same(*(answers[version] for version in versions[turn])):
                    same.append((len(pairs), PairedQuestion.model_validate(pair.model_dump(exclude={"answers"}))))
                else:
                    pairs.append(pair)
        return pairs, same

    def _pair(self, answers: Mapping[int, PairedAnswer], one: int, other: int) -> AnswerPair:
        samples = answers[one].sample, answers[other].sample
        of_first = answers[min(answers)].sample
        return AnswerPair(
            question=of_first.id,
            group="" if of_first.source == of_first.id else of_first.source,
            first=self.versions[one].name,
            second=self.versions[other].name,
            ids=(samples[0].id, samples[1].id),
            answers=samples,
        )


def _is_same(one: PairedAnswer, other: PairedAnswer) -> bool:
    if one.text == other.text:
        return True
    samples = one.sample, other.sample
    return not any(sample.messages for sample in samples) and samples[0].response.strip() == samples[1].response.strip()


def find_pairs(
    store: Store,
    names: Sequence[str],
    by: str | None,
    turns: RatedTurns = "none",
    reading: Mapping[str, Any] | None = None,
) -> PairSource:
    """Finds the questions that all versions answered, paired as for a decision between them (`pair_versions`)."""
    sources, notes = read_sources(store, names, by or "", reading)
    versions = name_versions(sources, version_field(by or ""))
    check_names([source.name for source in sources])
    answers = [_select_answers(source, turns, notes) for source in sources]
    if not all(version.samples for version in answers):
        return PairSource(versions, (), tuple(notes))
    paired, pairing_notes = pair_versions(answers, is_one_source=by is not None)
    questions, left_out = _list_questions(paired, len(versions))
    if left_out:
        whose = f"{verb_of(left_out, 'has', 'have')} no single answer of each version to the same words"
        pairing_notes += (f"{count_of(left_out, 'question')} {whose}, and {verb_of(left_out, 'is', 'are')} left out.",)
    conversations = [sample for source in sources for sample in source.samples.values() if sample.messages]
    return PairSource(versions, questions, (*notes, *pairing_notes), conversations)


def _select_answers(source: AnswerTable, turns: RatedTurns, notes: list[str]) -> AnswerTable:
    """What is compared of a version; what is empty is noted."""
    selected = select_rated(source.samples.values(), turns)
    answered = {sample.id: sample for sample in selected if sample.messages or sample.response.strip()}
    if empty := len(selected) - len(answered):
        notes.append(f"{count_of(empty, 'answer')} of {source.name} {verb_of(empty, 'is', 'are')} empty, and left out.")
    return replace(source, samples=answered, source_samples=source.samples)


def _list_questions(paired: Sequence[PairedAnswer], versions: int) -> tuple[list[dict[int, PairedAnswer]], int]:
    """The questions with one answer of each version, and how many have not.

    Where answers were paired by group, a group may have several questions and several answers of one version.
    """
    by_question: dict[int, dict[int, list[PairedAnswer]]] = {}
    for answer in paired:
        by_question.setdefault(answer.question, {}).setdefault(answer.version, []).append(answer)
    questions = [
        {version: answers[0] for version, answers in of_versions.items()}
        for of_versions in by_question.values()
        if len(of_versions) == versions
        and all(len(answers) == 1 for answers in of_versions.values())
        and len({_asked(answers[0]) for answers in of_versions.values()}) == 1
    ]
    return questions, len(by_question) - len(questions)


def _asked(answer: PairedAnswer) -> str:
    return " ".join(opening_question(answer.sample).split())


def open_pair_queue(
    store: Store, source: PairSource, settings: QueueSettings, *, guideline: str | None, limit: int | None = None
) -> RatingQueue:
    """The newest queue of these versions with these settings, else a new one; its guideline brought up to date."""
    pairs, same = source.draw(settings.seed, limit)
    for name in queue_ids(store.database, has_pairs=True):
        queue = RatingQueue(store.database, name)
        if queue.comparison.versions == source.versions and queue.settings == settings:
            return _go_on(queue, len(pairs), limit, guideline)
    return RatingQueue.create(
        store.database,
        pairs,
        settings,
        comparison=PairComparison(versions=source.versions, same=tuple(same)),
        source=source.name,
        guideline=guideline or "",
        conversations=source.conversations,
    )
