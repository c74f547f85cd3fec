"""The bad answers of a run, grouped by why they are bad, with shares and examples."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...eval_sets.conversation import listed_question
from ...eval_sets.items import describe_left_out_pair_ratings
from ...judges.embedders import Embedder, embed_texts
from ...meta_eval.clustering import OUTLIER
from ...meta_eval.estimate import Estimate
from ...text.lemmas import find_typical_words
from ...text.wording import count_of, verb_of
from ...worker_threads import compute_beside
from ..answers.rating_direction import rates_pair
from ..answers.table import AnswerTable
from .bad_answers import BadAnswers, count_others, select_bad_answers
from .failure_texts import FailureText, TextKind
from .text_clusters import TextClusters, cluster_texts

EXAMPLES = 3
MOST_TEXTS = 2000
"""So many texts are grouped; the time grows with their square."""
_NAME_LENGTH = 60
_FEWEST_ANSWERS = 2  # the texts of one answer are no group of answers


@dataclass(frozen=True, slots=True)
class FailureExample:
    """One text of a group, and the answer that it is about."""

    answer: str  # its id
    question: str
    text: str  # why the answer is bad
    kind: TextKind
    source: str  # the rater, field or metric that the text comes from
    verdict: str = ""  # the judge's; "" where there is none
    because: str = ""  # the judge's reason for its verdict


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Bad answers that are bad for one reason.

    Attributes:
        name: Its most typical words, else its most central text.
        share: Its share of the bad answers, with a 95% interval over groups of answers.
        examples: Its most central texts, each of another answer.
    """

    name: str
    share: Estimate
    answers: tuple[str, ...]
    examples: tuple[FailureExample, ...]


@dataclass(frozen=True)
class Failures:
    """Why answers of a run are bad.

    Attributes:
        answers: How many answers count: the rated ones, or those with a value of the metric.
        not_counted: How many others the run has.
        bad: How many of those that count are bad.
        without_text: How many bad ones have no text that says why.
        share: The share of bad answers, with a 95% interval.
        metric: The metric that says which answers are bad; "" for ratings.
        rule: Which answers are bad, in words.
        texts: How many texts say why, by kind.
        groups: The groups, the largest first.
        other: The answers with a text that fits in no group; None where there is none.
        notes: What a reader has to know: what is not used, and what the figures mean.
    """

    run: str
    answers: int
    not_counted: int
    bad: int
    without_text: int
    share: Estimate
    metric: str
    rule: str
    texts: Mapping[TextKind, int] = field(default_factory=dict)
    groups: tuple[FailureGroup, ...] = ()
    other: FailureGroup | None = None
    notes: tuple[str, ...] = ()

    @property
    def listed(self) -> tuple[FailureGroup, ...]:
        """The groups, and the answers that are in none."""
        return (*self.groups, *([self.other] if self.other else []))


@dataclass(frozen=True)
class _Grouping:
    """The texts of a run in groups."""

    selected: BadAnswers
    drawn: Sequence[str]  # the bad answers whose texts these are
    texts: Sequence[tuple[str, FailureText]]  # each with the id of its answer
    clusters: TextClusters

    def members(self) -> dict[int, list[int]]:
        """The places of the texts by group; those of a single answer are no group of answers, and are in none."""
        members: dict[int, list[int]] = defaultdict(list)
        for place, label in enumerate(self.clusters.labels.tolist()):
            members[label].append(place)
        for label in [label for label in members if label != OUTLIER]:
            if len({self.texts[place][0] for place in members[label]}) < _FEWEST_ANSWERS:
                members[OUTLIER] += members.pop(label)
        return members

    def words(self, members: Mapping[int, Sequence[int]]) -> dict[int, list[str]]:
        """The typical words of each group."""
        languages = [self.selected.answers[answer].language or "" for answer, _ in self.texts]
        texts = {label: "\n".join(self.texts[place][1].text for place in places) for label, places in members.items()}
        return find_typical_words(texts, languages)

    def describe(self, label: int, places: Sequence[int], words: Sequence[str]) -> FailureGroup:
        """One group with its share and its examples, the most central texts."""
        examples = dict[str, FailureExample]()
        for place in sorted(places, key=lambda place: float(self.clusters.distances[place])):
            if len(examples) < EXAMPLES and (answer := self.texts[place][0]) not in examples:
                examples[answer] = self._example(place)
        answers = tuple(dict.fromkeys(self.texts[place][0] for place in sorted(places)))
        first = next(iter(examples.values())).text
        return FailureGroup(
            name=", ".join(words) or (first if len(first) <= _NAME_LENGTH else first[: _NAME_LENGTH - 1] + "…"),
            share=_share(self.selected, set(answers), self.drawn),
            answers=answers,
            examples=tuple(examples.values()),
        )

    def _example(self, place: int) -> FailureExample:
        answer, text = self.texts[place]
        question = listed_question(self.selected.answers[answer])
        return FailureExample(answer, question, text.text, text.kind, text.source, text.verdict, text.because)


async def group_failures(
    table: AnswerTable,
    embedder: Embedder,
    *,
    metric: str | None = None,
    groups: int | None = None,
) -> Failures:
    """Groups the bad answers of a run by why they are bad.

    Raises:
        UsageError: There is nothing to go by, or more groups are asked for than there are texts.
        JudgeError: There is no usable vector of a text.
    """
    selected = select_bad_answers(table, metric)
    failures = _count(selected, Counter(text.kind for of_answer in selected.bad.values() for text in of_answer))
    if not failures.texts:
        return failures
    drawn = _draw_answers(selected.bad)
    texts = [(name, text) for name in drawn for text in selected.bad[name]]
    plain = [text.text for _, text in texts]
    sources = [selected.table.groups[answer] for answer, _ in texts]
    vectors = await embed_texts(plain, embedder)
    clusters = await compute_beside(cluster_texts, vectors, plain, sources, groups)
    return await compute_beside(_describe_groups, failures, _Grouping(selected, drawn, texts, clusters))


def _draw_answers(bad: Mapping[str, Sequence[FailureText]]) -> list[str]:
    """The bad answers whose texts are grouped: all, or as many of them, drawn at random, as have so many texts."""
    import numpy as np

    names, drawn, texts = list(bad), set[str](), 0
    for place in np.random.default_rng(0).permutation(len(names)).tolist():
        texts += len(bad[names[place]])
        if drawn and texts > MOST_TEXTS:
            break
        drawn.add(names[place])
    return [name for name in names if name in drawn]


def _count(selected: BadAnswers, texts: Mapping[TextKind, int]) -> Failures:
    """What is known before the texts are in groups."""
    pairs = sum(map(rates_pair, selected.table.samples.values()))
    notes = [selected.table.rating_note] if selected.table.rating_note else []
    if pairs and not selected.metric:
        notes.append(describe_left_out_pair_ratings(pairs))
    return Failures(
        run=selected.table.run or "",
        answers=len(selected.answers),
        not_counted=count_others(selected),
        bad=len(selected.bad),
        without_text=sum(not of_answer for of_answer in selected.bad.values()),
        share=_share(selected, selected.bad.keys(), list(selected.answers)),
        metric=selected.metric,
        rule=selected.rule,
        texts=texts,
        notes=tuple(notes),
    )


def _describe_groups(failures: Failures, grouping: _Grouping) -> Failures:
    members = grouping.members()
    words = grouping.words(members)
    groups = {label: grouping.describe(label, places, words[label]) for label, places in members.items()}
    other = groups.pop(OUTLIER, None)
    ordered = sorted(groups.values(), key=lambda group: (-len(group.answers), group.name))
    return replace(
        failures,
        groups=tuple(ordered),
        other=None if other is None else replace(other, name="other"),
        notes=(*failures.notes, *_last_notes(failures, grouping, ordered)),
    )


def _last_notes(failures: Failures, grouping: _Grouping, groups: Sequence[FailureGroup]) -> Iterator[str]:
    if groups:
        yield "Other answers might give other groups: read their examples before you name a cause"
    overlapping = sum(count > 1 for count in Counter(answer for group in groups for answer in group.answers).values())
    if overlapping:
        yield (
            f"{count_of(overlapping, 'answer is', 'answers are')} in several groups, as there are several texts: "
            "shares may add up to more than 100%"
        )
    if len(grouping.drawn) < failures.bad:
        yield (
            f"the groups and their shares are of {len(grouping.drawn):,} of the {failures.bad:,} bad answers, drawn at "
            "random"
        )
    if groups and 2 * failures.texts.get("verdict", 0) > sum(failures.texts.values()):
        yield (
            "Most texts are verdicts of judges: they say what a wrong sentence is about, not what kind of mistake it "
            "is. Reasons of raters say that (assay rate)"
        )
    if failures.without_text:
        without = failures.without_text
        yield f"{count_of(without, 'bad answer')} {verb_of(without, 'has', 'have')} no text that says why"


def _share(selected: BadAnswers, names: Collection[str], among: Sequence[str]) -> Estimate:
    """The share of answers among some, as `assay meta` has that of bad ones."""
    import numpy as np

    from ...meta_eval.prediction_powered import share_of_rated

    holds = np.array([name in names for name in among], dtype=bool)
    sources = [selected.table.groups[name] for name in among]
    numbers = np.unique(np.asarray(sources), return_inverse=True)[1] if among else np.empty(0, dtype=np.intp)
    return share_of_rated(holds, numbers) if among else Estimate(None, n=0, groups=0, problem="there is no answer")
