"""Groups of bad answers as a person reads them, and as JSON for programs."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from ...presentation.figure import Figure
from ...presentation.result_table import Field, Paragraph, ReportBlock, ResultTable, TableCell, Tone, tabulate
from ...presentation.texts import one_line
from ...text.wording import count_of, verb_of
from .failure_groups import FailureExample, FailureGroup, Failures
from .failure_texts import TextKind

_KINDS: dict[TextKind, tuple[str, str]] = {
    "reason": ("reason of a person", "reasons of people"),
    "sentence": ("sentence marked as wrong", "sentences marked as wrong"),
    "verdict": ("bad verdict of a judge", "bad verdicts of judges"),
    "metric": ("reason of a metric", "reasons of a metric"),
}
_STABILITY_TONES: dict[str, Tone] = {"stable": "good", "not stable": "warning"}
_TREND_TONES: dict[str, Tone] = {"more": "worse", "fewer": "better"}
STABILITY_NOTE = (
    "stable: the group is there again when other answers are drawn (bootstrap, mean Jaccard of .75 or more; below .6 "
    "not stable: read it as examples, not as a cause)"
)


def failure_sentences(failures: Failures) -> list[str]:
    """Says how many answers of each run are bad, which ones these are, and what says why."""
    sentences = []
    for run in failures.runs:
        others = f" ({count_of(run.not_counted, 'other')} not counted)" if run.not_counted else ""
        share = Figure("rate", run.share.value, run.share.low, run.share.high)
        sentences.append(
            f"Run {run.run}: {run.bad:,} of {count_of(run.answers, 'answer')} {verb_of(run.bad, 'is', 'are')} bad, "
            f"{share}{others}."
        )
    sentences.append(f"Bad: {failures.rule}.")
    if failures.texts:
        listed = ", ".join(count_of(count, *_KINDS[kind]) for kind, count in failures.texts.items())
        sentences.append(f"What says why: {listed}.")
    elif any(run.bad for run in failures.runs):
        sentences.append(
            "No text says why: of the bad answers none has a reason, a sentence marked as wrong or a bad verdict on "
            "the answer. Rate with reasons."
        )
    return sentences


def failure_notes(failures: Failures) -> list[str]:
    """Says what a reader has to know beside the table."""
    notes = [f"{note}." for note in failures.notes]
    if len(failures.runs) > 1 and failures.groups:
        count = count_of(len(failures.groups) + (failures.other is not None), "group")
        how = (
            "from two independent samples of answers, as few questions are the same"
            if failures.paired is None
            else f"from the {count_of(failures.paired, 'answer')} to the same questions (sign-flip test, Holm)"
        )
        notes.append(f"Changes are of the share of all answers, {how}; their intervals hold for {count} together.")
    return notes


def group_table(failures: Failures, link: Callable[[FailureGroup], str] | None = None) -> ResultTable:
    """Per group its share of the bad answers and of all, how stable it is, and the change between runs."""

    def name(group: FailureGroup) -> TableCell:
        return TableCell(group.name, link=link(group) if link else "")

    has_trend = any(group.trend for group in failures.groups)
    shares = (
        (
            Field("before", "rate", lambda group: group.trend and group.trend.before.value),
            Field("after", "rate", lambda group: group.share_of_all.value),
            Field("change [95%, all groups]", "rate", _change, is_left=True),
        )
        if has_trend
        else (
            Field("answers", "count", lambda group: len(group.answers)),
            Field("of the bad [95% interval]", "share", lambda group: group.share, is_left=True),
            Field("of all [95% interval]", "rate", lambda group: group.share_of_all, "wide", is_left=True),
        )
    )
    fields = (
        Field("group", "text", name),
        *shares,
        Field("stability", "text", _stability),
    )
    rows = [*failures.groups, *([failures.other] if failures.other else [])]
    return tabulate("", rows, fields, note=STABILITY_NOTE if failures.groups else "")


def _stability(group: FailureGroup) -> TableCell:
    words = group.is_stable if group.words or group.stability is not None else ""
    return TableCell(words, _STABILITY_TONES.get(words, ""))


def _change(group: FailureGroup) -> TableCell:
    if group.trend is None:
        return TableCell("")
    change, direction = group.trend.change, group.trend.direction
    if change.value == 0 and change.p is not None and change.low is None:
        return TableCell(f"{_points(0.0)} (no answer changed)", "quiet")
    if change.value is None or change.low is None or change.high is None:
        return TableCell(f"{_points(change.value)} ({change.problem})" if change.problem else _points(change.value))
    text = f"{_points(change.value)} [{_points(change.low)}, {_points(change.high)}]"
    return TableCell(f"{text} {direction}".rstrip(), _TREND_TONES.get(direction, ""))


def _points(value: float | None) -> str:
    return "-" if value is None else f"{value:+.1%}".replace("-0.0%", "+0.0%")


def failures_block(failures: Failures) -> ReportBlock:
    """Groups of bad answers for a terminal: the counts, the table, examples of each group, and the notes."""
    sentences = failure_sentences(failures)
    parts: list[Paragraph | ResultTable] = [Paragraph(sentence, "strong") for sentence in sentences[:-1]]
    parts.append(Paragraph(sentences[-1]))
    if failures.groups or failures.other:
        parts.append(group_table(failures))
    for group in [*failures.groups, *([failures.other] if failures.other else [])]:
        of_runs = f" of {count_of(len(failures.runs), 'run')}" if len(failures.runs) > 1 else ""
        count = f"{count_of(len(group.answers), 'answer')}{of_runs}"
        if group.words and group.name != ", ".join(group.words):  # named by a judge, who may be wrong
            count += f" ({', '.join(group.words)})"
        parts.append(Paragraph(count, "strong", label=f"{one_line(group.name, 100)}:"))
        parts += _example_lines(failures, group)
    parts += [Paragraph(f"Note: {note[:1].lower()}{note[1:]}", "quiet") for note in failure_notes(failures)]
    return ReportBlock(tuple(parts))


def _example_lines(failures: Failures, group: FailureGroup) -> Iterator[Paragraph]:
    for example in group.examples:
        run = "" if example.run == failures.last.run else f"{example.run} "
        yield Paragraph(
            one_line(describe_example(example), 240), label=f"{run}{one_line(example.answer, 80)}", indent=2
        )


def describe_example(example: FailureExample) -> str:
    """A text of a group with its verdict, and who says so.

    Example:
        >>> example = FailureExample("r", "a", "Free?", "It is free.", "verdict", "faithfulness", "not found")
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
    return {
        "runs": [asdict(run) for run in failures.runs],
        "metric": failures.metric or None,
        "rule": failures.rule,
        "texts": dict(failures.texts),
        "groups": [_group_as_json(group) for group in failures.groups],
        "other": None if failures.other is None else _group_as_json(failures.other),
        "paired": failures.paired,
        "notes": [*failure_notes(failures)],
    }


def _group_as_json(group: FailureGroup) -> dict[str, Any]:
    trend = group.trend
    return {
        "name": group.name,
        "words": list(group.words),
        "share": asdict(group.share),
        "share_of_all": asdict(group.share_of_all),
        "answers": [answer._asdict() for answer in group.answers],
        "examples": [asdict(example) for example in group.examples],
        "texts": dict(group.texts),
        "stability": group.stability,
        "stable": group.is_stable,
        "trend": None if trend is None else asdict(trend) | {"direction": trend.direction or None},
    }
