"""Groups of bad answers as a person reads them, in a terminal and on a page, and as JSON for programs."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...presentation.figure import Figure
from ...presentation.page import render_page, write_page
from ...presentation.result_table import Field, Paragraph, ReportBlock, ResultTable, tabulate
from ...presentation.texts import one_line
from ...text.wording import Phrase, count_of, verb_of
from .bad_answers import TextKind
from .failure_groups import FailureExample, Failures

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


def describe_example(example: FailureExample) -> str:
    """A text of a group with its verdict, and who says so.

    Example:
        >>> example = FailureExample("a", "Free?", "It is free.", "verdict", "faithfulness", "not found")
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
