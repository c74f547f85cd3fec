"""The bad answers of one run or of several, grouped by why they are bad, with shares, examples and trends."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ...errors import UsageError
from ...eval_sets.opening_question import listed_question
from ...eval_sets.pair_ratings import describe_left_out_pair_ratings
from ...judges.embedders import Embedder, embed_texts
from ...meta_eval.clustering import OUTLIER, Stability, describe_stability
from ...meta_eval.estimate import TOO_FEW_GROUPS, Estimate
from ...meta_eval.groups import FEWEST_GROUPS
from ...text.lemmas import find_typical_words
from ...text.wording import count_of, verb_of
from ...worker_threads import compute_beside
from ..answers.pair_difference import adjust_p_values, paired_difference
from ..answers.pairing import pair_samples
from ..answers.rating_direction import rates_pair
from ..answers.table import AnswerTable
from .bad_answers import BadAnswers, count_others, select_bad_answers
from .failure_texts import FailureText, TextKind, embeddable_texts
from .text_clusters import TextClusters, cluster_texts

EXAMPLES = 3
_LEVEL = 0.95
_NAME_LENGTH = 60
_FEWEST_ANSWERS = 2  # the texts of one answer are no group of answers


class FailedAnswer(NamedTuple):
    """One bad answer: the run, and its id there."""

    run: str
    answer: str


@dataclass(frozen=True, slots=True)
class FailureExample:
    """One text of a group, and the answer that it is about."""

    run: str
    answer: str  # its id
    question: str
    text: str  # why the answer is bad
    kind: TextKind
    source: str  # the rater, field or metric that the text comes from
    verdict: str = ""  # the judge's; "" where there is none
    because: str = ""  # the judge's reason for its verdict


@dataclass(frozen=True, slots=True)
class FailureTrend:
    """How a group's share of all answers changed from the first run to the last.

    Attributes:
        before: Its share of the first run's answers.
        after: Its share of the last run's answers.
        change: After less before, with an interval that holds for all groups together (Bonferroni); `p` of a sign-flip
            test where the answers are paired.
        p_of_all: That p-value, adjusted for the number of groups (Holm, 1979); None where the answers are not paired.
    """

    before: Estimate
    after: Estimate
    change: Estimate
    p_of_all: float | None = None

    @property
    def direction(self) -> str:
        """`more`, `fewer`, or "" where nobody can tell."""
        low, high = self.change.low, self.change.high
        if low is None or high is None or low <= 0 <= high or (self.p_of_all or 0.0) >= 1 - _LEVEL:
            return ""
        return "more" if low > 0 else "fewer"


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Bad answers that are bad for one reason.

    Attributes:
        name: What a judge calls it, else its most typical words.
        words: Its most typical words.
        share: Its share of the last run's bad answers, with a 95% interval over groups of answers.
        share_of_all: Its share of all answers of the last run, rated or with a value, with an interval.
        answers: Its answers, of all runs.
        examples: Its most central texts, each of another answer.
        texts: How many texts it has by kind.
        stability: How much of it is there again when other answers are drawn, in [0, 1] (Hennig, 2007); None where
            nobody can tell.
        trend: The change from the first run to the last; None of one run.
    """

    name: str
    words: tuple[str, ...]
    share: Estimate
    share_of_all: Estimate
    answers: tuple[FailedAnswer, ...]
    examples: tuple[FailureExample, ...]
    texts: Mapping[TextKind, int]
    stability: float | None = None
    trend: FailureTrend | None = None

    @property
    def is_stable(self) -> Stability:
        """How stable the group is, in words."""
        return describe_stability(self.stability)


@dataclass(frozen=True, slots=True)
class RunCounts:
    """How many answers of a run are bad."""

    run: str  # its id
    answers: int  # how many count: the rated ones, or those with a value of the metric
    not_counted: int  # how many others the run has
    bad: int
    without_text: int  # how many bad ones have no text that says why
    share: Estimate  # of bad answers, with a 95% interval


@dataclass(frozen=True)
class Failures:
    """Why answers are bad.

    Attributes:
        runs: The runs, the oldest first, as they were named.
        metric: The metric that says which answers are bad; "" for ratings.
        rule: Which answers are bad, in words.
        groups: The groups, the largest first.
        other: The answers with a text that fits in no group; None where there is none.
        texts: How many texts say why, by kind.
        paired: How many answers of the first and the last run are to the same questions, where the trend is theirs;
            None where the runs are compared as independent.
        notes: What a reader has to know: what is not used, and what the figures mean.
    """

    runs: tuple[RunCounts, ...]
    metric: str
    rule: str
    groups: tuple[FailureGroup, ...] = ()
    other: FailureGroup | None = None
    texts: Mapping[TextKind, int] = field(default_factory=dict)
    paired: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def last(self) -> RunCounts:
        """The counts of the last run."""
        return self.runs[-1]


class _Text(NamedTuple):
    """A text with the place of its run and the id of its answer.

    `question` is the same for the answers of several runs to one question: a text that they share is one text.
    """

    run: int
    answer: str
    text: FailureText
    question: FailedAnswer


@dataclass(frozen=True)
class _Grouping:
    """The texts of all runs in groups; `of_text` has the place of each text in the clustering."""

    selected: Sequence[BadAnswers]
    texts: Sequence[_Text]
    embeddable: Sequence[str]
    clusters: TextClusters
    of_text: Sequence[int]

    def members(self) -> dict[int, list[int]]:
        """The places of the texts by group; those of a single answer are no group of answers, and are in none.

        Answers of several runs to one question are as one.
        """
        members: dict[int, list[int]] = defaultdict(list)
        labels = self.clusters.labels.tolist()
        for place, number in enumerate(self.of_text):
            members[labels[number]].append(place)
        for label in [label for label in members if label != OUTLIER]:
            if len({self.texts[place].question for place in members[label]}) < _FEWEST_ANSWERS:
                members[OUTLIER] += members.pop(label)
        return members

    def words(self, members: Mapping[int, Sequence[int]]) -> dict[int, list[str]]:
        """The typical words of each group."""
        languages = [self.selected[one.run].answers[one.answer].language or "" for one in self.texts]
        texts = {label: "\n".join(self.embeddable[place] for place in places) for label, places in members.items()}
        return find_typical_words(texts, languages)

    def describe(self, label: int, places: Sequence[int], words: Sequence[str]) -> FailureGroup:
        """One group with its shares in the last run and its examples, the most central texts."""
        examples = dict[FailedAnswer, FailureExample]()
        distances = self.clusters.distances
        # the nearest first; of the same text in several runs that of the last
        for place in sorted(places, key=lambda place: (float(distances[self.of_text[place]]), -self.texts[place].run)):
            if len(examples) < EXAMPLES and (key := self.texts[place].question) not in examples:
                examples[key] = self._example(place)
        answers = tuple(dict.fromkeys(map(self._answer, sorted(places))))
        last = self.selected[-1]
        names = {answer.answer for answer in answers if answer.run == last.table.run}
        stability = self.clusters.stability
        first = next(iter(examples.values())).text
        return FailureGroup(
            name=", ".join(words) or (first if len(first) <= _NAME_LENGTH else first[: _NAME_LENGTH - 1] + "…"),
            words=tuple(words),
            share=_share(last, names, list(last.bad)),
            share_of_all=_share(last, names, list(last.answers)),
            answers=answers,
            examples=tuple(examples.values()),
            texts=Counter(self.texts[place].text.kind for place in places),
            stability=None if stability is None or label == OUTLIER else stability[label],
        )

    def _answer(self, place: int) -> FailedAnswer:
        one = self.texts[place]
        return FailedAnswer(self.selected[one.run].table.run or "", one.answer)

    def _example(self, place: int) -> FailureExample:
        one = self.texts[place]
        question, text = listed_question(self.selected[one.run].answers[one.answer]), one.text
        name = self._answer(place)
        return FailureExample(
            *name, question, text.text, text.kind, text.source, verdict=text.verdict, because=text.because
        )


async def group_failures(
    tables: Sequence[AnswerTable],
    embedder: Embedder,
    *,
    metric: str | None = None,
    groups: int | None = None,
    seed: int = 0,
    on_progress: Callable[[int], None] = lambda _: None,
) -> Failures:
    """Groups the bad answers of runs by why they are bad; the groups are made of all runs' texts together.

    Args:
        tables: The answers of each run, the oldest first.
        embedder: Turns texts into vectors.
        metric: By which metric answers are bad; None for ratings where there are some (`select_bad_answers`).
        groups: The number of groups; None to choose it.
        seed: The same seed gives the same groups.
        on_progress: Called with the number of texts embedded so far.

    Raises:
        UsageError: One run is named twice, there is nothing to go by, or more groups are asked for than there are
            texts.
        JudgeError: There is no usable vector of a text.
    """
    names = [table.run or "" for table in tables]
    if len(set(names)) < len(names):
        raise UsageError(f"{', '.join(names)}: names one run twice; name each once, the oldest first")
    rule, selected = select_bad_answers(tables, metric)
    pairings = [_pair_with_first(selected, place) for place in range(len(selected))]
    texts = [
        _Text(place, name, text, pairings[place].get(name) or FailedAnswer(of_run.table.run or "", name))
        for place, of_run in enumerate(selected)
        for name, of_answer in of_run.bad.items()
        for text in of_answer
    ]
    failures = Failures(
        tuple(map(_count, selected)),
        rule.metric,
        rule.words,
        texts=Counter(text.text.kind for text in texts),
        notes=tuple(_first_notes(selected, rule.metric)),
    )
    if not texts:
        return failures
    embeddable = embeddable_texts([text.text for text in texts])
    first_places: dict[tuple[FailedAnswer, str], int] = {}
    for place, (one, text) in enumerate(zip(texts, embeddable, strict=True)):
        first_places.setdefault((one.question, text.casefold()), place)
    places = list(first_places.values())
    once = [embeddable[place] for place in places]
    sources = [selected[texts[place].run].answers[texts[place].answer].source for place in places]
    vectors = await embed_texts(once, embedder, on_progress)
    clusters = await compute_beside(cluster_texts, vectors, once, sources, groups, seed=seed)
    numbers = {key: number for number, key in enumerate(first_places)}
    of_text = [numbers[one.question, text.casefold()] for one, text in zip(texts, embeddable, strict=True)]
    grouping = _Grouping(selected, texts, embeddable, clusters, of_text)
    return await compute_beside(_describe_groups, failures, grouping, pairings[-1])


def _pair_with_first(selected: Sequence[BadAnswers], place: int) -> dict[str, FailedAnswer]:
    """The answers of a run -> those of the first run to the same questions; of the first run nothing."""
    if not place:
        return {}
    first, other = selected[0], selected[place]
    pairing = pair_samples(
        list(first.answers.values()), list(other.answers.values()), first.table.sets, other.table.sets
    )
    return {name: FailedAnswer(first.table.run or "", twin) for name, twin in pairing.ids.items()}


def _count(selected: BadAnswers) -> RunCounts:
    names, without = list(selected.answers), sum(not texts for texts in selected.bad.values())
    share = _share(selected, selected.bad.keys(), names)
    return RunCounts(selected.table.run or "", len(names), count_others(selected), len(selected.bad), without, share)


def _first_notes(selected: Sequence[BadAnswers], metric: str) -> Iterator[str]:
    yield from dict.fromkeys(one.table.rating_note for one in selected if one.table.rating_note)
    pairs = sum(rates_pair(sample) for one in selected for sample in one.table.samples.values())
    if pairs and not metric:
        yield describe_left_out_pair_ratings(pairs)
    if unused := sum(one.unused for one in selected):
        yield (
            f"{count_of(unused, 'bad verdict')} of judges {verb_of(unused, 'is', 'are')} not used, as a person says "
            "why the answer is bad"
        )


def _describe_groups(failures: Failures, grouping: _Grouping, pairing: Mapping[str, FailedAnswer]) -> Failures:
    selected, members = grouping.selected, grouping.members()
    words = grouping.words(members)
    groups = {label: grouping.describe(label, places, words[label]) for label, places in members.items()}
    if OUTLIER in groups:
        groups[OUTLIER] = replace(groups[OUTLIER], name="other", words=(), stability=None)
    pairs = None
    if len(selected) > 1:
        smaller = 2 * len(pairing) < max(len(selected[0].answers), len(selected[-1].answers))
        pairs = None if smaller else {name: twin.answer for name, twin in pairing.items()}
        groups = dict(zip(groups, _with_trends(list(groups.values()), selected, pairs), strict=True))
    other = groups.pop(OUTLIER, None)
    ordered = sorted(groups.values(), key=lambda group: (-len(group.answers), group.name))
    return replace(
        failures,
        groups=tuple(ordered),
        other=other,
        paired=None if pairs is None else len(pairs),
        notes=(*failures.notes, *_last_notes(failures, grouping, ordered)),
    )


def _last_notes(failures: Failures, grouping: _Grouping, groups: Sequence[FailureGroup]) -> Iterator[str]:
    overlapping = sum(count > 1 for count in Counter(answer for group in groups for answer in group.answers).values())
    if overlapping:
        yield (
            f"{count_of(overlapping, 'answer is', 'answers are')} in several groups, as there are several texts: "
            "shares may add up to more than 100%"
        )
    clustered, texts = grouping.clusters.clustered, len(grouping.clusters.labels)
    if clustered < texts:
        yield (
            f"{clustered:,} of {count_of(texts, 'text')} were clustered, drawn at random; the others are in the group "
            "of the nearest of them"
        )
    if groups:
        yield (
            "An interval takes its group as it is and says how the share varies with other answers like these; whether "
            "other answers would give the same group is what the stability says"
        )
    if groups and 2 * failures.texts.get("verdict", 0) > texts:
        yield (
            "Most texts are verdicts of judges: they say what a wrong sentence is about, not what kind of mistake it "
            "is. Reasons of raters say that (assay rate)"
        )
    if without := sum(run.without_text for run in failures.runs):
        yield f"{count_of(without, 'bad answer has', 'bad answers have')} no text that says why"


def _share(selected: BadAnswers, names: Any, among: Sequence[str], level: float = _LEVEL) -> Estimate:
    """The share of answers among some, with an interval over their groups."""
    import numpy as np

    from ...meta_eval.estimate import estimate_share

    holds = np.array([name in names for name in among], dtype=bool)
    sources = [selected.answers[name].source for name in among]
    numbers = np.unique(np.asarray(sources), return_inverse=True)[1] if among else np.empty(0, dtype=np.intp)
    share = estimate_share(holds, numbers, level)
    if share.groups is not None and share.groups < FEWEST_GROUPS and share.value is not None:
        return replace(share, low=None, high=None, problem=TOO_FEW_GROUPS)
    return share


def _with_trends(
    groups: Sequence[FailureGroup], selected: Sequence[BadAnswers], pairs: Mapping[str, str] | None
) -> list[FailureGroup]:
    trends = [_trend(group, selected, pairs, level=1 - (1 - _LEVEL) / len(groups)) for group in groups]
    adjusted = adjust_p_values([trend.change.p for trend in trends])
    return [
        replace(group, trend=replace(trend, p_of_all=p))
        for group, trend, p in zip(groups, trends, adjusted, strict=True)
    ]


def _trend(
    group: FailureGroup, selected: Sequence[BadAnswers], pairs: Mapping[str, str] | None, *, level: float
) -> FailureTrend:
    first, last = selected[0], selected[-1]
    was = {answer.answer for answer in group.answers if answer.run == first.table.run}
    now = {answer.answer for answer in group.answers if answer.run == last.table.run}
    before, after = _share(first, was, list(first.answers)), group.share_of_all
    if pairs is None:
        change = _difference_of_shares(
            _share(first, was, list(first.answers), level), _share(last, now, list(last.answers), level)
        )
    else:
        differences = [float(name in now) - float(other in was) for name, other in pairs.items()]
        sources = [last.answers[name].source for name in pairs]
        change = paired_difference(differences, sources, level=level)
    return FailureTrend(before, after, change)


def _difference_of_shares(before: Estimate, after: Estimate) -> Estimate:
    """The second share less the first, of other answers, from end to end of their intervals.

    Example:
        >>> change = _difference_of_shares(Estimate(0.2, 0.1, 0.3), Estimate(0.6, 0.4, 0.7))
        >>> round(change.value, 3), round(change.low, 3), round(change.high, 3)
        (0.4, 0.1, 0.6)
    """
    if before.value is None or after.value is None:
        return before if before.value is None else after
    change = Estimate(after.value - before.value, n=(before.n or 0) + (after.n or 0))
    if before.low is None or before.high is None or after.low is None or after.high is None:
        return replace(change, problem=before.problem or after.problem)
    return replace(change, low=after.low - before.high, high=after.high - before.low)
