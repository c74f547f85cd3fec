"""Sections, topics and folds as tables for people, and as JSON for programs."""

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any

from ..presentation.figure import Figure
from ..presentation.result_table import Column, Content, Field, Paragraph, ReportBlock, ResultTable, Rows, tabulate
from ..presentation.texts import one_line
from ..text.wording import count_of, list_first
from .documents import Extraction
from .folds.fold_search import FoldPlan
from .folds.leaks import Leaks
from .topics import TopicDiscovery

_TOPICS_SHOWN = 40
_SETTINGS_SHOWN = 20
_LEAK_NOTE = (
    "nearest: cosine of a section with its nearest of the other fold; alike: 0.9 or more; "
    "8 words: sections that share eight words in a row with the other fold"
)
_CANDIDATE = ("valid", "enough", "chosen")
_SPLIT = ("linkage", "distance", "clusters", "single", "average", "score")


def _page_sizes(extractions: Sequence[Extraction]) -> list[int]:
    """The tokens of every emulated page."""
    sizes: Counter[tuple[str, int]] = Counter()
    for extraction in extractions:
        for section in extraction.sections:
            sizes[extraction.document, section.emulated_page] += section.tokens
    return list(sizes.values())


def sections_as_json(extractions: Sequence[Extraction]) -> dict[str, Any]:
    """Returns the object that `assay sets generate sections --json` prints."""
    sizes = _page_sizes(extractions)
    return {
        "documents": [
            {
                "document": extraction.document,
                "sections": len(extraction.sections),
                "tokens": sum(section.tokens for section in extraction.sections),
                "language": extraction.sections[0].language if extraction.sections else None,
                "error": str(extraction.error) if extraction.error else None,
            }
            for extraction in extractions
        ],
        "sections": sum(len(extraction.sections) for extraction in extractions),
        "emulated_pages": len(sizes),
        "median_page_tokens": median(sizes) if sizes else None,
    }


def sections_block(extractions: Sequence[Extraction], *, titles: bool) -> ReportBlock:
    """One line per document and the sums."""
    rows: list[tuple[Content, ...]] = []
    for extraction in extractions:
        if extraction.sections:
            tokens, pages = sum(s.tokens for s in extraction.sections), extraction.sections[-1].emulated_page
            counts = map(str, (len(extraction.sections), tokens, pages))
            rows.append((extraction.document, extraction.sections[0].language, *counts))
            for section in extraction.sections if titles else ():
                page = f"p. {section.page}" if section.page else ""
                indent = "  " * (1 + len(section.above))
                heading = f"{indent}{one_line(section.heading, 70) or '(no heading)'}"
                rows.append((heading, "", page, str(section.tokens), ""))
    columns = (
        *(Column(head, "text") for head in ("document", "language")),
        *map(Column, ("sections", "tokens", "emulated pages")),
    )
    sizes = _page_sizes(extractions)
    documents = sum(bool(extraction.sections) for extraction in extractions)
    count = sum(len(extraction.sections) for extraction in extractions)
    line = (
        f"{count_of(count, 'section')} of {count_of(documents, 'document')}; "
        f"{count_of(len(sizes), 'emulated page')} of {count_of(round(median(sizes)) if sizes else 0, 'token')} "
        "(median, estimated)"
    )
    return ReportBlock((ResultTable("", columns, tuple(rows)), Paragraph(line)))


def topics_as_json(topics: TopicDiscovery) -> dict[str, Any]:
    """Returns the object that `assay sets generate topics --json` prints."""
    return {
        "method": topics.method,
        "why": topics.why,
        "measures": topics.measures._asdict(),
        "median_size": topics.median_size,
        "topics": [
            {"topic": topic, "sections": size, "label": topics.labels.get(topic, "")}
            for topic, size in topics.sizes.items()
        ],
        "grid": [
            {
                "dimensions": cell.dimensions,
                _size_name(topics): cell.smallest,
                **cell.measures._asdict(),
                "chosen": cell.chosen,
            }
            for cell in topics.cells
        ],
    }


def topics_block(topics: TopicDiscovery) -> ReportBlock:
    """The settings with their measures, the topics' statistics (Twente paper, Table 1) and the topics."""
    statistics = (
        ("min topic size", str(min(topics.sizes.values(), default=0))),
        ("median topic size", f"{topics.median_size:g}"),
        ("max topic size", str(max(topics.sizes.values(), default=0))),
        ("topics no", str(len(topics.sizes))),
        ("outliers %", f"{100 * topics.measures.outliers:.2f}%"),
        ("silhouette", Figure("value", topics.measures.silhouette)),
        ("robustness %", Figure("predicted", topics.measures.robustness)),
        ("document match %", Figure("predicted", topics.measures.document_match)),
    )
    fields = (
        Field("topic", "text", lambda row: str(row[0])),
        Field("about", "text", lambda row: topics.labels.get(row[0], "")),
        Field("sections", "count", lambda row: str(row[1])),
    )
    hidden = (
        (len(topics.sizes) - _TOPICS_SHOWN, "smaller topic"),
        (len(topics.cells) - _SETTINGS_SHOWN, "more setting"),
    )
    return ReportBlock(
        (
            _settings_table(topics),
            ResultTable("Topics (Table 1)", (Column("statistic", "text"), Column("")), statistics),
            tabulate("", list(topics.sizes.items())[:_TOPICS_SHOWN], fields),
            *(Paragraph(f"and {count_of(count, what)} (--json shows all)") for count, what in hidden if count > 0),
        )
    )


def _settings_table(topics: TopicDiscovery) -> ResultTable:
    fields = (
        Field("dimensions", "count", lambda cell: str(cell.dimensions)),
        Field(_size_name(topics).replace("_", " "), "count", lambda cell: str(cell.smallest)),
        Field("topics", "count", lambda cell: str(cell.measures.topics)),
        Field("outliers", "rate", lambda cell: cell.measures.outliers),
        Field("silhouette", "value", lambda cell: cell.measures.silhouette),
        Field("Calinski-H.", "index", lambda cell: cell.measures.calinski_harabasz, "wide"),
        Field("Davies-B.", "value", lambda cell: cell.measures.davies_bouldin, "wide"),
        Field("robust %", "predicted", lambda cell: cell.measures.robustness, "wide"),
        Field("documents %", "predicted", lambda cell: cell.measures.document_match, "wide"),
        Field("", "text", lambda cell: "chosen" if cell.chosen else ""),
    )
    shown = sorted(topics.cells, key=lambda cell: not cell.chosen)[:_SETTINGS_SHOWN]
    cells = sorted(shown, key=lambda cell: (cell.dimensions, cell.smallest))
    return tabulate(f"Settings tried: {topics.method} ({topics.why})", cells, fields)


def folds_as_json(plan: FoldPlan, leaks: dict[str, Leaks]) -> dict[str, Any]:
    """Returns the object that `assay sets generate folds --json` prints."""
    return {
        "nearest_topics": plan.nearest_topics,
        "candidates": [
            {name: getattr(candidate.split, name) for name in _SPLIT}
            | {"small_fold": candidate.small_fold, "folds_a_document": candidate.folds_per_document}
            | {name: getattr(candidate, name) for name in _CANDIDATE}
            for candidate in plan.candidates
        ],
        "folds": [
            {"fold": fold, "split": part, "sections": count, "sampled": sampled}
            for (fold, part), (count, sampled) in _parts(plan).items()
        ],
        "outliers": plan.outliers,
        "dropped": len(plan.before) - len(plan.folds),
        "left_out": {
            document: {"left_out": count, "sections": total} for document, (count, total) in plan.left_out.items()
        },
        "leaks": {name: leak._asdict() for name, leak in leaks.items()},
    }


def folds_block(plan: FoldPlan, leaks: dict[str, Leaks]) -> ReportBlock:
    """Table 2 of the Twente paper, the folds' sizes and what they share."""
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
            *([Paragraph(f"left out, by document: {documents}")] if documents else []),
            *((_leak_table(leaks), Paragraph(_LEAK_NOTE)) if leaks else ()),
        )
    )


def _leak_table(leaks: dict[str, Leaks]) -> ResultTable:
    fields = (
        Field("", "text", lambda row: row[0]),
        Field("sections", "count", lambda row: str(row[1].sections), "wide"),
        Field("nearest, mean", "value", lambda row: row[1].mean),
        Field("95%", "value", lambda row: row[1].p95, "wide"),
        Field("highest", "value", lambda row: row[1].highest),
        Field("alike", "rate", lambda row: row[1].alike),
        Field("8 words", "rate", lambda row: f"{Figure('rate', row[1].sharing)} ({count_of(row[1].runs, 'run')})"),
    )
    return tabulate("What the folds share", leaks.items(), fields)


def _parts(plan: FoldPlan) -> dict[tuple[int, str], tuple[int, int]]:
    """Returns the numbers of sections, and of sections to ask about, of each (fold, split)."""
    counts: Counter[tuple[int, str]] = Counter((fold.fold, fold.split) for fold in plan.folds)
    sampled: Counter[tuple[int, str]] = Counter((fold.fold, fold.split) for fold in plan.folds if fold.sampled)
    order = sorted(counts, key=lambda part: (part[1] != "validation", part[0]))
    return {part: (counts[part], sampled[part]) for part in order}


def _size_name(topics: TopicDiscovery) -> str:
    return "smallest_topic" if topics.method == "bertopic" else "topics_asked"
