"""Two runs as a person reads them, with the differences over all answers and in parts; and as JSON for programs."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...metrics.specification import ALL_BASELINES
from ...presentation.figure import Figure
from ...presentation.result_table import Field, Paragraph, ReportBlock, ResultTable, TableCell, Tone, tabulate
from ...presentation.verdict import Verdict
from ...text.wording import count_of, phrase
from ..answers.table import AnswerTable
from ..show.results import score_as_json
from .compare import Difference, DifferenceKind, RunComparison

if TYPE_CHECKING:
    from ...meta_eval.decision import Decision
    from ..store.store import Store

_MOST_LEFT_OUT_APART = 0.05
_MOST_METRICS = 4  # in sentences; the table has all
_TONES: dict[DifferenceKind, Tone] = {"better": "better", "worse": "worse"}
_NOTE = (
    "What the metrics measure, not what raters like. Each row by itself: of 20 rows without any difference one has a p "
    "of .05 or less"
)


def comparison_block(store: "Store", comparison: RunComparison, decision: "Decision | str") -> ReportBlock:
    """The raters' verdict, which runs are compared, how their samples were paired, what metrics say, and the tables."""
    verdict = comparison_verdict(comparison, decision)
    why_not = decision if isinstance(decision, str) else None
    notes: tuple[str, ...] = ()
    if not isinstance(decision, str):
        from .tables import list_notes

        notes = list_notes(decision)
    return ReportBlock(
        (
            *verdict.paragraphs(),
            Paragraph(""),
            Paragraph(f"A: {_run_line(store, comparison.a)}"),
            Paragraph(f"B: {_run_line(store, comparison.b)}"),
            Paragraph(_pairing(comparison)),
            *(Paragraph(sentence, "strong") for sentence in comparison_sentences(comparison, why_not)),
            *(Paragraph(note, label="Note:") for note in notes),
            *comparison_tables(comparison),
        )
    )


def comparison_verdict(comparison: RunComparison, decision: "Decision | str") -> Verdict:
    """What the ratings decide; where they do not, that nobody can tell, and what the first metric says."""
    if not isinstance(decision, str):
        from ...meta_eval.decision import give_decision_verdict

        return give_decision_verdict(decision)
    first = _shown_metrics(comparison)[0]
    change = first.paired.value or 0.0
    better, other = ("B", "A") if change >= 0 else ("A", "B")
    amount = Figure("mean", abs(change))
    name = "scores_alike" if str(amount) == "0.00" else "scores_higher"
    by_metric = phrase(name, measure=first.metric, amount=amount, better=better, other=other, likely=phrase("nothing"))
    difference = [] if first.paired.value is None else [("difference", by_metric)]
    rate = phrase("try_rate", run=comparison.b)
    return Verdict((("decision", phrase("raters_unknown")), *difference, ("settle", rate)))


def _shown_metrics(comparison: RunComparison) -> list[Difference]:
    return [row for row in comparison.overall if row.metric not in ALL_BASELINES] or list(comparison.overall)


def comparison_sentences(comparison: RunComparison, decision: "Decision | str | None") -> list[str]:
    """What the metrics say of B beside A, one sentence each, and what the raters say."""
    return [
        *(row.describe() for row in _shown_metrics(comparison)[:_MOST_METRICS]),
        *_sentences_left_out(comparison),
        *_rater_sentences(decision),
    ]


def _sentences_left_out(comparison: RunComparison) -> Iterator[str]:
    """That more was left unjudged in one run than in the other, which may be all that a metric's difference is."""
    for metric, (in_a, in_b) in comparison.left_out.items():
        if in_a is not None and in_b is not None and abs(in_a - in_b) >= _MOST_LEFT_OUT_APART:
            shares = f"{Figure('share', in_a)} in A and {Figure('share', in_b)} in B"
            yield f"{metric} did not judge {shares} of the sentences (greetings, questions, refusals and the like)."


def _rater_sentences(decision: "Decision | str | None") -> Iterator[str]:
    """What the raters say: the decision of `assay decide`; why there is none."""
    if isinstance(decision, str):
        yield f"Whether your raters like B better is not known: {decision.rstrip('.')}."
    elif decision is not None:
        yield decision.sentence
        yield from decision.notes


def comparison_tables(comparison: RunComparison) -> tuple[ResultTable, ...]:
    """The differences over all answers, then by language and by message type where there is more than one."""
    tables = (
        ("All samples", "", comparison.overall),
        ("By language", "language", comparison.languages),
        ("By message type", "message type", comparison.message_types),
    )
    return tuple(difference_table(caption, part, rows) for caption, part, rows in tables if rows)


def difference_table(caption: str, part: str, differences: Sequence[Difference]) -> ResultTable:
    """The differences between two runs, B minus A."""
    fields = (
        Field(
            "metric",
            "name",
            lambda row: TableCell(row.metric, note="lower is better" if row.higher_is_better is False else ""),
        ),
        *([Field(part, "text", lambda row: row.part)] if part else []),
        Field("pairs", "count", lambda row: row.paired.n, "wide"),
        Field("A", "mean", lambda row: row.mean_a, "wide"),
        Field("B", "mean", lambda row: row.mean_b, "wide"),
        Field("B - A [95% interval]", "change", lambda row: row.paired, is_left=True),
        Field("p", "p", lambda row: row.paired.p),
        Field("remark", "text", _remark),
    )
    return tabulate(
        caption, differences, fields, tone=lambda row: "baseline" if row.metric in ALL_BASELINES else "", note=_NOTE
    )


def change_line(comparison: RunComparison, sample: str, metric: str, change: float | None) -> Paragraph:
    """How much a sample's score changed, and whether its answer did; without a change, that none has."""
    if change is None:
        return Paragraph(f"No sample's {metric} changed.")
    same = "" if sample in comparison.changed_answers else " (the same answer)"
    return Paragraph(f"{sample}: {metric} {Figure('change', change)}{same}", "strong")


def _run_line(store: "Store", run: str) -> str:
    row = store.run(run)
    return f"run {row.id} ({row.status}), judge: {row.plan.judge.label if row.plan.judge else 'no judge'}"


def _pairing(comparison: RunComparison) -> str:
    changed = len(comparison.changed_answers)
    line = f"{count_of(len(comparison.samples), 'sample')} in both, {changed} of them with another answer"
    for count, what in [
        (len(comparison.only_a), "only in A"),
        (len(comparison.only_b), "only in B"),
        (len(comparison.other_question), "with another question (not compared)"),
        (comparison.pairing.by_question, "without ids of their own paired by question"),
        (comparison.pairing.by_content, "paired by question and content, because the question occurs more often"),
    ]:
        line += f"; {count} {what}" if count else ""
    return line


def _remark(row: Difference) -> TableCell:
    remarks = [row.side] if row.side else []
    for count, what in [(row.lost, "scored in A only"), (row.gained, "scored in B only")]:
        if count:
            remarks.append(f"{count} {what}")
    return TableCell(", ".join(remarks), _TONES.get(row.kind, ""))


def comparison_as_json(
    store: "Store", comparison: "RunComparison", decision: "Decision | str", metric: str, count: int
) -> dict[str, Any]:
    """The object of `assay show changes --json`."""

    def score_in(table: AnswerTable, name: str) -> dict[str, Any]:
        score = next(score for _, scored, score in store.scores(table.run or "", name) if scored == metric)
        return score_as_json(table.samples[name], metric, score)

    from ...meta_eval.decision import decision_as_json  # late: a run's report needs no statistics

    most_changed = comparison.most_changed(metric, count)
    rated = (table.with_ratings(store.database) for table in (comparison.table_a, comparison.table_b))
    table_a, table_b = rated if most_changed else (comparison.table_a, comparison.table_b)
    changed = [
        {
            "sample": sample,
            "metric": metric,
            "difference": difference,
            "answer_changed": sample in comparison.changed_answers,
            "a": score_in(table_a, comparison.id_in_a(sample)),
            "b": score_in(table_b, sample),
        }
        for sample, difference in most_changed
    ]
    return {
        "a": comparison.a,
        "b": comparison.b,
        "samples": len(comparison.samples),
        "answers_changed": len(comparison.changed_answers),
        "only_a": comparison.only_a,
        "only_b": comparison.only_b,
        "other_question": comparison.other_question,
        "paired_by_question": comparison.pairing.by_question,
        "paired_by_content": comparison.pairing.by_content,
        "verdict_lines": comparison_verdict(comparison, decision).as_json(),
        "sentences": comparison_sentences(comparison, decision),
        "raters": None if isinstance(decision, str) else decision_as_json(decision),
        "metrics": [row.as_json() for row in comparison.overall],
        "languages": [row.as_json() for row in comparison.languages],
        "message_types": [row.as_json() for row in comparison.message_types],
        "changed": changed,
    }
