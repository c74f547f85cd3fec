"""A comparison of two runs as a person reads it in a terminal, and as JSON for programs."""

from typing import TYPE_CHECKING, Any

from ..metrics import Score
from ..metrics.catalogue import BASELINES
from ..text.untrusted import without_unseen
from .audit import score_audit
from .compare import Comparison, Difference
from .report import plain, report_console, score_as_json, with_interval

if TYPE_CHECKING:
    from rich.console import Console

    from .store import Store

SURE = 0.05


def comparison_as_json(store: "Store", found: Comparison, metric: str, count: int) -> dict[str, Any]:
    """The object of `assay compare --json`; `changed` has the scores of `metric` in both runs, evidence included."""
    changed = [
        {"sample": sample, "metric": metric, "difference": by}
        | {side: _score_as_json(store, run, sample, metric) for side, run in (("a", found.a), ("b", found.b))}
        for sample, by in found.most_changed(metric, count)
    ]
    return {
        "a": found.a,
        "b": found.b,
        "samples": len(found.samples),
        "answers_changed": found.changed_answers,
        "only_a": found.only_a,
        "only_b": found.only_b,
        "other_question": found.other_question,
        "metrics": [each.as_json() for each in found.overall],
        "languages": [each.as_json() for each in found.languages],
        "message_types": [each.as_json() for each in found.message_types],
        "changed": changed,
    }


def print_comparison(store: "Store", found: Comparison, metric: str, count: int) -> None:
    """Prints the tables, then the samples whose `metric` changed most with both audits side by side."""
    from rich.text import Text

    console = report_console()
    console.print(Text(f"A: {_named(store, found.a)}\nB: {_named(store, found.b)}"))
    console.print(_paired_samples(found), highlight=False)
    _print_table(console, "All samples", "", found.overall)
    _print_table(console, "By language", "language", found.languages)
    _print_table(console, "By message type", "message type", found.message_types)
    changed = found.most_changed(metric, count)
    if not changed:
        console.print(Text(f"\nNo sample's {metric} changed."))
    for sample, by in changed:
        console.print(Text(f"\n{plain(sample)}: {metric} {by:+.3f}", style="bold"))
        _print_side_by_side(console, store, found, sample, metric)


def _named(store: "Store", run: str) -> str:
    row = store.run(run)
    return plain(f"run {row.id} ({row.status}), judge: {row.plan.judge.identity if row.plan.judge else 'no judge'}")


def _paired_samples(found: Comparison) -> str:
    told = f"{len(found.samples)} samples in both, {found.changed_answers} of them with another answer"
    for count, what in [
        (len(found.only_a), "only in A"),
        (len(found.only_b), "only in B"),
        (len(found.other_question), "with another question (not compared)"),
    ]:
        told += f"; {count} {what}" if count else ""
    return told


def _print_table(console: "Console", title: str, part: str, rows: tuple[Difference, ...]) -> None:
    from rich.table import Table
    from rich.text import Text

    if not rows:
        return
    table = Table(title=title, title_justify="left", title_style="bold")
    for heading in ("metric", *([part] if part else []), "pairs", "A", "B", "B - A [95% interval]", "p", "remark"):
        table.add_column(heading, justify="right" if heading in {"pairs", "A", "B", "p"} else "left")
    for row in rows:
        cells = [Text(row.metric)] + ([Text(plain(row.part))] if part else [])
        numbers = [str(row.paired.n), _mean(row.mean_a), _mean(row.mean_b), _change(row), _p(row.p_of_all)]
        table.add_row(*cells, *numbers, Text(_remark(row)), style="dim" if row.metric in BASELINES else "")
    console.print(table)
    console.print("p: sign-flip test over groups, the rows of the table counted (Holm)", style="dim", highlight=False)


def _mean(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _change(row: Difference) -> str:
    if row.paired.value is None:
        return row.paired.problem
    told = with_interval(row.paired.value, row.paired.low, row.paired.high, "+.3f")
    return told if row.paired.low is not None else f"{told} ({row.paired.problem})"


def _p(p: float | None) -> str:
    return "-" if p is None else f"{p:.4f}" if p < 0.01 else f"{p:.2f}"


def _remark(row: Difference) -> str:
    remarks = []
    if row.p_of_all is not None and row.p_of_all < SURE and row.paired.value:
        remarks.append("better in B" if row.is_improvement else "worse in B")
    for count, what in [(row.lost, "scored in A only"), (row.gained, "scored in B only")]:
        if count:
            remarks.append(f"{count} {what}")
    return ", ".join(remarks)


def _print_side_by_side(console: "Console", store: "Store", found: Comparison, sample: str, metric: str) -> None:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    before, after = store.sample(found.a, sample), store.sample(found.b, sample)
    console.print(Text(plain(before.user_input)))
    table = Table(show_lines=True)
    for side in ("A", "B"):
        table.add_column(side, ratio=1, overflow="fold")
    cells = []
    for run, judged in ((found.a, before), (found.b, after)):
        lines = [Text(without_unseen(judged.response))]
        lines += [
            line for name, score in _scores(store, run, sample) if name == metric for line in score_audit(name, score)
        ]
        cells.append(Group(*lines))
    table.add_row(*cells)
    console.print(table)


def _scores(store: "Store", run: str, sample: str) -> list[tuple[str, Score]]:
    return [(metric, score) for _, metric, score in store.scores(run, sample)]


def _score_as_json(store: "Store", run: str, sample: str, metric: str) -> dict[str, Any]:
    answer = store.sample(run, sample).response
    score = next(score for name, score in _scores(store, run, sample) if name == metric)
    return score_as_json(sample, metric, score) | {"response": answer}
