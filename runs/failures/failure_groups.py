"""The bad answers of a run, grouped by why they are bad, with shares and examples: in a terminal, a page and JSON."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...judges.embedders import Embedder, embed_texts
from ...meta_eval.clustering import OUTLIER, candidate_counts, choose_group_count, principal_components
from ...meta_eval.estimate import Estimate
from ...presentation.figure import Figure
from ...presentation.page import render_page, write_page
from ...presentation.result_table import Field, Paragraph, ReportBlock, ResultTable, tabulate
from ...presentation.texts import one_line
from ...text.lemmas import find_typical_words
from ...text.wording import Phrase, count_of, verb_of
from ...worker_threads import compute_beside
from ..answers.table import AnswerTable
from .bad_answers import BadAnswers, FailureText, TextKind, select_bad_answers

if TYPE_CHECKING:
    from ...meta_eval.clustering import Labels, Measures, Vectors

_EXAMPLES = 3
_MOST_TEXTS = 2000  # are grouped; the time grows with their square
_MOST_GROUPS = 12  # people read no more; `--groups` may ask for more
_NAME_LENGTH = 60


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
    examples: tuple[FailureText, ...]


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
        notes=(f"{table.rating_note}.",) if table.rating_note else (),
    )
    if not failures.texts:
        return failures
    drawn = _draw_answers(selected.bad)
    texts = [text for name in drawn for text in selected.bad[name]]
    vectors = await embed_texts([text.text for text in texts], embedder)

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
    vectors: "Vectors", selected: BadAnswers, texts: Sequence[FailureText], count: int | None
) -> "tuple[Labels, Vectors]":
    """Clusters texts by Ward's criterion on principal components; without `count` silhouette chooses how many groups.

    Returns:
        The group of each text, numbered by size, -1 for one that is alone; and its distance to the middle of its group.
    """
    import numpy as np

    different, total = len({text.text.casefold() for text in texts}), len(texts)
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
    units = [selected.table.groups[text.answer] for text in texts]
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
    texts: Sequence[FailureText],
    clusters: "tuple[Labels, Vectors]",
) -> Failures:
    """The groups with their shares and their examples, the most central texts."""
    labels, distances = clusters
    members: dict[int, list[int]] = defaultdict(list)  # the places of the texts by group
    for place, label in enumerate(labels.tolist()):
        members[label].append(place)
    for label in [label for label in members if label != OUTLIER]:
        if (
            len({texts[place].answer for place in members[label]}) < 2
        ):  # the texts of one answer are no group of answers
            members[OUTLIER] += members.pop(label)
    languages = [selected.answers[text.answer].language or "" for text in texts]
    joined = {label: "\n".join(texts[place].text for place in places) for label, places in members.items()}
    words = find_typical_words(joined, languages)

    def describe(label: int) -> FailureGroup:
        examples = dict[str, FailureText]()
        for place in sorted(members[label], key=lambda place: float(distances[place])):
            if len(examples) < _EXAMPLES:
                examples.setdefault(texts[place].answer, texts[place])
        answers = tuple(dict.fromkeys(texts[place].answer for place in sorted(members[label])))
        first = next(iter(examples.values())).text
        name = ", ".join(words[label]) or (first if len(first) <= _NAME_LENGTH else first[: _NAME_LENGTH - 1] + "…")
        share = _share(selected, set(answers), drawn)
        return FailureGroup("other" if label == OUTLIER else name, share, answers, tuple(examples.values()))

    groups = {label: describe(label) for label in members}
    other = groups.pop(OUTLIER, None)
    ordered = tuple(sorted(groups.values(), key=lambda group: (-len(group.answers), group.name)))
    notes = (*failures.notes, *_last_notes(failures, len(drawn), ordered))
    return replace(failures, groups=ordered, other=other, notes=notes)


def _last_notes(failures: Failures, drawn: int, groups: Sequence[FailureGroup]) -> Iterator[str]:
    if groups:
        yield "Other answers might give other groups: read their examples before you name a cause."
    if sum(len(group.answers) for group in groups) > len({answer for group in groups for answer in group.answers}):
        yield "Answers with several texts may be in several groups: shares may add up to more than 100%."
    if drawn < failures.bad:
        yield f"the groups and their shares are of {drawn:,} of the {failures.bad:,} bad answers, drawn at random."
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


_KINDS: dict[TextKind, tuple[str, str]] = {
    "reason": ("reason of a person", "reasons of people"),
    "sentence": ("sentence marked as wrong", "sentences marked as wrong"),
    "verdict": ("bad verdict of a judge", "bad verdicts of judges"),
}


def failure_sentences(failures: Failures) -> list[str]:
    """Says how many answers of the run are bad, which ones these are, and what says why."""
    share = Figure("rate", failures.share.value, failures.share.low, failures.share.high)
    place = f"Run {failures.run}: " if failures.run else ""
    counted = "answer with a value" if failures.metric else "rated answer"
    counted = count_of(failures.answers, counted, counted.replace("answer", "answers"))
    sentences = [
        f"{place}{failures.bad:,} of {counted} {verb_of(failures.bad, 'is', 'are')} bad, {share}.",
        f"Bad: {failures.rule}.",
    ]
    if failures.texts:
        listed = ", ".join(count_of(count, *_KINDS[kind]) for kind, count in failures.texts.items())
        sentences.append(f"What says why: {listed}.")
    elif failures.bad:
        sentences.append(
            "No text says why: of the bad answers none has a reason, a sentence marked as wrong or a bad verdict on "
            "the answer. Rate with reasons, or name the column that has them: --map COLUMN=reason."
        )
    return sentences


def group_table(failures: Failures) -> ResultTable:
    """Per group its answers and its share of the bad ones."""
    fields = (
        Field("group", "text", lambda group: group.name),
        Field("answers", "count", lambda group: len(group.answers)),
        Field("of the bad [95% interval]", "share", lambda group: group.share, is_left=True),
    )
    return tabulate("", failures.listed, fields)


def failures_block(failures: Failures) -> ReportBlock:
    """Groups of bad answers for a terminal: the counts, the table, examples of each group, and the notes."""
    sentences = failure_sentences(failures)
    parts: list[Paragraph | ResultTable] = [Paragraph(sentence, "strong") for sentence in sentences[:-1]]
    parts.append(Paragraph(sentences[-1]))
    if failures.listed:
        parts.append(group_table(failures))
    for group in failures.listed:
        parts.append(Paragraph(count_of(len(group.answers), "answer"), "strong", label=f"{one_line(group.name, 100)}:"))
        parts += (
            Paragraph(one_line(describe_example(example), 240), label=one_line(example.answer, 80), indent=2)
            for example in group.examples
        )
    parts += [Paragraph(f"Note: {note[:1].lower()}{note[1:]}", "quiet") for note in failures.notes]
    return ReportBlock(tuple(parts))


def describe_example(example: FailureText) -> str:
    """A text of a group with its verdict, and who says so.

    Example:
        >>> example = FailureText("verdict", "It is free.", "faithfulness", "not found")
        >>> describe_example(example)
        '"It is free." (not found, faithfulness)'
    """
    if example.kind == "reason":
        return f"{example.text} ({example.source})"
    of = f"{example.verdict}, {example.source}" if example.verdict else example.source
    marked = f"marked as wrong by {example.source}" if example.kind == "sentence" else of
    return f'"{example.text}" ({marked})'


def failures_as_json(failures: Failures) -> dict[str, Any]:
    """The object of `assay show failures --json`."""
    return asdict(failures) | {"metric": failures.metric or None, "texts": dict(failures.texts)}


def write_failure_report(path: Path, failures: Failures, about: Phrase | None = None) -> None:
    """Writes the groups to a file; `about` says of what. Raises `InputError` when it cannot be written."""
    write_page(path, render_failure_report(failures, about))


def render_failure_report(failures: Failures, about: Phrase | None = None) -> str:
    """Renders the groups as HTML: no script, no network; names, questions and reasons are escaped."""
    return render_page(__package__, "failures.html", {"view": view_failures(failures), "about": about})


def view_failures(failures: Failures, answer_url: Callable[[str], str] = lambda _: "") -> dict[str, Any]:
    """Returns what a page shows of the groups, by the names that the templates know."""
    return {
        "failures": failures,
        "sentences": failure_sentences(failures),
        "table": group_table(failures) if failures.listed else None,
        "answer_url": answer_url,
        "describe_example": describe_example,
    }
