"""The bad answers of a run, grouped by why they are bad, with shares and examples."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...eval_sets.conversation import listed_question
from ...eval_sets.items import describe_left_out_pair_ratings
from ...judges.embedders import Embedder, embed_texts
from ...meta_eval.clustering import OUTLIER, candidate_counts, choose_group_count, principal_components
from ...meta_eval.estimate import Estimate
from ...text.lemmas import find_typical_words
from ...text.wording import count_of, verb_of
from ...worker_threads import compute_beside
from ..answers.rating_direction import rates_pair
from ..answers.table import AnswerTable
from .bad_answers import BadAnswers, FailureText, TextKind, select_bad_answers

if TYPE_CHECKING:
    from ...meta_eval.clustering import Labels, Measures, Vectors

_EXAMPLES = 3
_MOST_TEXTS = 2000  # are grouped; the time grows with their square
_MOST_GROUPS = 12  # people read no more; `--groups` may ask for more
_NAME_LENGTH = 60


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
        bad: How many of those that count are bad.
        without_text: How many bad ones have no text that says why.
        share: The share of bad answers, with a 95% interval.
        metric: The metric that says which answers are bad; "" for ratings.
        rule: Which answers are bad, in words.
        texts: How many texts say why, by kind.
        groups: The groups, the largest first.
        other: The answers with a text that fits in no group; None where there is none.
        notes: What a reader has to know, as sentences: what is not used, and what the figures mean.
    """

    run: str
    answers: int
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
    failures = Failures(
        run=table.run or "",
        answers=len(selected.answers),
        bad=len(selected.bad),
        without_text=sum(not of_answer for of_answer in selected.bad.values()),
        share=_share(selected, selected.bad.keys(), list(selected.answers)),
        metric=selected.metric,
        rule=selected.rule,
        texts=Counter(text.kind for of_answer in selected.bad.values() for text in of_answer),
        notes=tuple(_first_notes(selected)),
    )
    if not failures.texts:
        return failures
    drawn = _draw_answers(selected.bad)
    texts = [(name, text) for name in drawn for text in selected.bad[name]]
    vectors = await embed_texts([text.text for _, text in texts], embedder)

    def describe() -> Failures:
        return _describe_groups(failures, selected, drawn, texts, _cluster(vectors, selected, texts, groups))

    return await compute_beside(describe)


def _draw_answers(bad: Mapping[str, Sequence[FailureText]]) -> list[str]:
    """The bad answers whose texts are grouped: all, or as many of them, drawn at random, as have so many texts."""
    import numpy as np

    names, drawn, texts = list(bad), set[str](), 0
    for place in np.random.default_rng(0).permutation(len(names)).tolist():
        texts += len(bad[names[place]])
        if drawn and texts > _MOST_TEXTS:
            break
        drawn.add(names[place])
    return [name for name in names if name in drawn]


def _cluster(
    vectors: "Vectors", selected: BadAnswers, texts: Sequence[tuple[str, FailureText]], count: int | None
) -> "tuple[Labels, Vectors]":
    """Clusters texts by Ward's criterion on principal components; without `count` silhouette chooses how many groups.

    Returns:
        The group of each text, numbered by size, -1 for one that is alone; and its distance to the middle of its group.
    """
    import numpy as np

    different, total = len({text.text.casefold() for _, text in texts}), len(texts)
    if count is not None and count > different:
        raise UsageError(
            f"{count_of(count, 'group is', 'groups are')} too many for {count_of(different, 'different text')}; ask "
            f"for {different} or fewer (--groups)"
        )
    if different == 1 or total < 3:
        return np.full(total, 0 if different == 1 and total > 1 else OUTLIER, dtype=np.int64), np.zeros(total)
    space = principal_components(vectors)
    counts = (
        [count] if count else [one for one in candidate_counts(total, total) if one <= min(_MOST_GROUPS, different)]
    )
    units = [selected.table.groups[answer] for answer, _ in texts]
    _, labels, _ = choose_group_count(space, counts, _quality, documents=units)
    distances: Vectors = np.linalg.norm(space - space.mean(axis=0), axis=1)
    for group in range(int(labels.max(initial=OUTLIER)) + 1):
        members = labels == group
        distances[members] = np.linalg.norm(space[members] - space[members].mean(axis=0), axis=1)
    return labels, distances


def _quality(measures: "Measures") -> float:
    """Silhouette, times the share of texts that are in a group: many texts alone are no good grouping."""
    return -1.0 if measures.silhouette is None else (1 + measures.silhouette) * (1 - measures.outliers) - 1


def _describe_groups(
    failures: Failures,
    selected: BadAnswers,
    drawn: Sequence[str],
    texts: Sequence[tuple[str, FailureText]],
    clusters: "tuple[Labels, Vectors]",
) -> Failures:
    """The groups with their shares and their examples, the most central texts."""
    labels, distances = clusters
    members: dict[int, list[int]] = defaultdict(list)  # the places of the texts by group
    for place, label in enumerate(labels.tolist()):
        members[label].append(place)
    for label in [label for label in members if label != OUTLIER]:
        if len({texts[place][0] for place in members[label]}) < 2:  # the texts of one answer are no group of answers
            members[OUTLIER] += members.pop(label)
    languages = [selected.answers[answer].language or "" for answer, _ in texts]
    joined = {label: "\n".join(texts[place][1].text for place in places) for label, places in members.items()}
    words = find_typical_words(joined, languages)

    def describe(label: int) -> FailureGroup:
        examples = dict[str, FailureExample]()
        for place in sorted(members[label], key=lambda place: float(distances[place])):
            answer, text = texts[place]
            if len(examples) < _EXAMPLES and answer not in examples:
                question = listed_question(selected.answers[answer])
                examples[answer] = FailureExample(
                    answer, question, text.text, text.kind, text.source, text.verdict, text.because
                )
        answers = tuple(dict.fromkeys(texts[place][0] for place in sorted(members[label])))
        first = next(iter(examples.values())).text
        name = ", ".join(words[label]) or (first if len(first) <= _NAME_LENGTH else first[: _NAME_LENGTH - 1] + "…")
        share = _share(selected, set(answers), drawn)
        return FailureGroup("other" if label == OUTLIER else name, share, answers, tuple(examples.values()))

    groups = {label: describe(label) for label in members}
    other = groups.pop(OUTLIER, None)
    ordered = tuple(sorted(groups.values(), key=lambda group: (-len(group.answers), group.name)))
    notes = (*failures.notes, *_last_notes(failures, len(drawn), ordered))
    return replace(failures, groups=ordered, other=other, notes=notes)


def _first_notes(selected: BadAnswers) -> Iterator[str]:
    if selected.table.rating_note:
        yield f"{selected.table.rating_note}."
    pairs = sum(map(rates_pair, selected.table.samples.values()))
    if pairs and not selected.metric:
        yield f"{describe_left_out_pair_ratings(pairs)}."


def _last_notes(failures: Failures, drawn: int, groups: Sequence[FailureGroup]) -> Iterator[str]:
    if groups:
        yield "Other answers might give other groups: read their examples before you name a cause."
    overlapping = sum(count > 1 for count in Counter(answer for group in groups for answer in group.answers).values())
    if overlapping:
        yield (
            f"{count_of(overlapping, 'answer is', 'answers are')} in several groups, as there are several texts: "
            "shares may add up to more than 100%."
        )
    if drawn < failures.bad:
        yield f"the groups and their shares are of {drawn:,} of the {failures.bad:,} bad answers, drawn at random."
    if groups and 2 * failures.texts.get("verdict", 0) > sum(failures.texts.values()):
        yield (
            "Most texts are verdicts of judges: they say what a wrong sentence is about, not what kind of mistake it "
            "is. Reasons of raters say that (assay rate)."
        )
    if failures.without_text:
        without = failures.without_text
        yield f"{count_of(without, 'bad answer')} {verb_of(without, 'has', 'have')} no text that says why."


def _share(selected: BadAnswers, names: Collection[str], among: Sequence[str]) -> Estimate:
    """The share of answers among some, as `assay meta` has that of bad ones."""
    import numpy as np

    from ...meta_eval.prediction_powered import share_of_rated

    if not among:
        return Estimate(None, n=0, groups=0, problem="there is no answer")
    holds = np.array([name in names for name in among], dtype=bool)
    sources = np.asarray([selected.table.groups[name] for name in among])
    return share_of_rated(holds, np.unique(sources, return_inverse=True)[1])
