"""Topics and folds as tables for people (Tables 1 and 2 of the Twente paper)."""

from collections import Counter
from statistics import median

from ...meta_eval.clustering import OUTLIER
from ...presentation.figure import Figure
from ...presentation.result_table import Column, Field, Paragraph, ReportBlock, ResultTable, Rows, tabulate
from ...text.wording import count_of, list_first
from ..topics import TopicDiscovery
from .fold_search import FoldPlan

_TOPICS_SHOWN = 40


def topics_block(topics: TopicDiscovery) -> ReportBlock:
    """Table 1 of the Twente paper, and the topics with their words, the largest first."""
    labels = {row.topic: row.label for row in topics.rows}
    sizes = sorted(Counter(row.topic for row in topics.rows if row.topic != OUTLIER).items())
    counts = [size for _, size in sizes] or [0]
    outliers = sum(row.topic == OUTLIER for row in topics.rows) / len(topics.rows)
    statistics = (
        ("min topic size", str(min(counts))),
        ("median topic size", f"{median(counts):g}"),
        ("max topic size", str(max(counts))),
        ("topics no", str(len(sizes))),
        ("outliers %", f"{outliers:.2%}"),
        ("silhouette", Figure("value", topics.measures.silhouette)),
        ("robustness %", Figure("predicted", topics.measures.robustness)),
        ("document match %", Figure("predicted", topics.measures.document_match)),
    )
    fields = (
        Field("topic", "text", lambda row: str(row[0])),
        Field("about", "text", lambda row: labels[row[0]]),
        Field("sections", "count", lambda row: str(row[1])),
    )
    hidden = len(sizes) - _TOPICS_SHOWN
    more = [Paragraph(f"and {count_of(hidden, 'smaller topic')}")] if hidden > 0 else []
    return ReportBlock(
        (
            ResultTable("Topics (Table 1)", (Column("statistic", "text"), Column("")), statistics),
            tabulate("", sizes[:_TOPICS_SHOWN], fields),
            *more,
        )
    )


def folds_block(plan: FoldPlan) -> ReportBlock:
    """Table 2 of the Twente paper, the folds' sizes, and what is left out."""
    shown = [candidate for candidate in plan.candidates if candidate.enough] or plan.candidates
    names = (f"{candidate.split.linkage}{' *' if candidate.chosen else ''}" for candidate in shown)
    rows: Rows = (
        ("distance type", *(candidate.split.distance for candidate in shown)),
        ("min dist topics", *(Figure("distance", plan.nearest_topics) for _ in shown)),
        ("min dist folds", *(Figure("distance", candidate.split.single) for candidate in shown)),
        ("mean of single and average", *(Figure("distance", candidate.split.score) for candidate in shown)),
        ("small fold ratio", *(Figure("distance", candidate.small_fold) for candidate in shown)),
        ("avg folds per doc", *(Figure("distance", candidate.folds_per_document) for candidate in shown)),
        ("valid sections %", *(f"{candidate.valid:.2%}" for candidate in shown)),
    )
    sizes = (
        Field("fold", "text", lambda part: str(part[0][0])),
        Field("split", "text", lambda part: part[0][1]),
        Field("sections", "count", lambda part: str(part[1][0])),
        Field("to ask about", "count", lambda part: str(part[1][1])),
    )
    too_small = len(plan.candidates) - len(shown)
    total = len(plan.before) + plan.outliers
    line = (
        f"{len(plan.folds)} of {count_of(total, 'section')} are in folds; left out: "
        f"{count_of(plan.outliers, 'outlier')}, "
        f"{len(plan.before) - len(plan.folds)} whose document or page is in more than one fold"
    )
    whole_first = sorted(plan.left_out.items(), key=lambda row: -row[1][0] / row[1][1])
    documents = list_first([f"{document} ({count} of {total})" for document, (count, total) in whole_first])
    cut = ""
    if plan.cut_by is not None:
        topic, label, count = plan.cut_by
        about = f" ({label})" if label else ""
        cut = f"; topic {topic}{about} is in another fold than most of {count_of(count, 'document')} of these"
    return ReportBlock(
        (
            ResultTable("Folds (Table 2)", (Column("", "text"), *map(Column, names)), rows),
            *(
                [Paragraph(f"left out: {count_of(too_small, 'setting')} whose folds are too small")]
                if too_small
                else []
            ),
            tabulate("", _parts(plan).items(), sizes),
            Paragraph(line),
            *(
                [Paragraph(f"left out, by document: {documents}{cut}; --folds 1 asks about them too")]
                if documents
                else []
            ),
        )
    )


def _parts(plan: FoldPlan) -> dict[tuple[int, str], tuple[int, int]]:
    """Returns the numbers of sections, and of sections to ask about, of each (fold, split)."""
    counts: Counter[tuple[int, str]] = Counter((fold.fold, fold.split) for fold in plan.folds)
    sampled: Counter[tuple[int, str]] = Counter((fold.fold, fold.split) for fold in plan.folds if fold.sampled)
    order = sorted(counts, key=lambda part: (part[1] != "validation", part[0]))
    return {part: (counts[part], sampled[part]) for part in order}
