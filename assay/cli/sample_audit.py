"""One sample's whole audit: how each number came about, for a person to check by hand."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..metrics import Score
from ..metrics.specification import BASELINES
from ..runs.sample_audit import Line, sample_lines, score_lines
from .output import open_console, terminal_text

if TYPE_CHECKING:
    from rich.text import Text

    from ..runs import Store

_STYLES = {"title": "bold", "detail": "dim", "remark": "yellow"}
_STYLES |= {"supported": "green", "contradicted": "red", "not_found": "yellow", "unverifiable": "magenta"}


def print_audit(store: "Store", run: str, name: str) -> None:
    """Prints question, answer, contexts, and every metric's evidence. Raises `UsageError` for an unknown sample."""
    console, sample = open_console(), store.sample(run, name)
    for line in sample_lines(sample):
        console.print(_style(line))
    for _, metric, score in store.scores(run, name):
        for text in audit_lines(metric, score, brief=metric in BASELINES):
            console.print(text)


def audit_lines(metric: str, score: Score, *, brief: bool = False) -> "Iterator[Text]":
    """One score line by line: value, reason, and unless `brief` its claims, questions, other evidence and usage."""
    yield from map(_style, score_lines(metric, score, is_brief=brief))


def _style(line: Line) -> "Text":
    from rich.text import Text

    return Text.assemble(*((terminal_text(part.text), _STYLES.get(part.kind, "")) for part in line))
