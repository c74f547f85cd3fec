"""Sections, topics and folds as tables for people, and as JSON for programs."""

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any

from ..presentation.figure import Figure
from ..presentation.result_table import Column, Content, Paragraph, ReportBlock, ResultTable, Rows
from ..presentation.texts import one_line
from .documents import Extraction
from .folds.fold_search import FoldPlan
from .folds.leaks import Leaks
from .topics import TopicDiscovery

_TOPICS_SHOWN = 40
_SETTINGS_SHOWN = 20


def page_sizes(extractions: Sequence[Extraction]) -> list[int]:
    """Returns the tokens of every emulated page.

    Args:
        extractions: The outcome for each document.

    Returns:
        One number per page.
    """
    sizes: Counter[tuple[str, int]] = Counter()
    for extraction in extractions:
        for section in extraction.sections:
            sizes[extraction.document, section.emulated_page] += section.tokens
    return list(sizes.values())


def sections_as_json(extractions: Sequence[Extraction]) -> dict[str, Any]:
    """Returns the object that `assay generate sections --json` prints."""
    sizes = page_sizes(extractions)
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
    """One line per document and the sums.

    Args:
        extractions: The outcome for each document.
        titles: Whether the heading of each section is there too.
    """
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
    sizes = page_sizes(extractions)
    documents = sum(bool(extraction.sections) for extraction in extractions)
    count = sum(len(extraction.sections) for extraction in extractions)
    line = (
        f"{count} sections of {documents} document{'s' * (documents != 1)}; "
        f"{len(sizes)} emulated pages of {median(sizes) if sizes else 0:.0f} tokens (median, estimated)"
    )
    return ReportBlock((ResultTable("", columns, tuple(rows)), Paragraph(line)))


def topics_as_json(topics: TopicDiscovery) -> dict[str, Any]:
    """Returns the object that `assay generate topics --json` prints."""
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
    rows: Rows = tuple(
        (str(topic), topics.labels.get(topic, ""), str(size))
        for topic, size in list(topics.sizes.items())[:_TOPICS_SHOWN]
    )
    hidden = (
        (len(topics.sizes) - _TOPICS_SHOWN, "smaller topics"),
        (len(topics.cells) - _SETTINGS_SHOWN, "more settings"),
    )
    return ReportBlock(
        (
            _settings_table(topics),
            ResultTable("Topics (Table 1)", (Column("statistic", "text"), Column("")), statistics),
            ResultTable("", (Column("topic", "text"), Column("about", "text"), Column("sections")), rows),
            *(Paragraph(f"and {count} {what} (--json shows all)") for count, what in hidden if count > 0),
        )
    )


def _settings_table(topics: TopicDiscovery) -> ResultTable:
    columns = (
        Column("dimensions"),
        Column(_size_name(topics).replace("_", " ")),
        Column("topics"),
        Column("outliers"),
        Column("silhouette"),
        Column("Calinski-H.", detail="wide"),
        Column("Davies-B.", detail="wide"),
        Column("robust %", detail="wide"),
        Column("documents %", detail="wide"),
        Column("", "text"),
    )
    shown = sorted(topics.cells, key=lambda cell: not cell.chosen)[:_SETTINGS_SHOWN]
    rows = []
    for cell in sorted(shown, key=lambda cell: (cell.dimensions, cell.smallest)):
        measures = cell.measures
        rows.append(
            (
                *(str(cell.dimensions), str(cell.smallest), str(measures.topics)),
                Figure("rate", measures.outliers),
                Figure("value", measures.silhouette),
                Figure("index", measures.calinski_harabasz),
                Figure("value", measures.davies_bouldin),
                Figure("predicted", measures.robustness),
                Figure("predicted", measures.document_match),
                "chosen" if cell.chosen else "",
            )
        )
    return ResultTable(f"Settings tried: {topics.method} ({topics.why})", columns, tuple(rows))


def folds_as_json(plan: FoldPlan, leaks: dict[str, Leaks]) -> dict[str, Any]:
    """Returns the object that `assay generate folds --json` prints."""
    return {
        "nearest_topics": plan.nearest_topics,
        "candidates": [
            {
                "linkage": candidate.split.linkage,
                "distance": candidate.split.distance,
                "clusters": candidate.split.clusters,
                "single": candidate.split.single,
                "average": candidate.split.average,
                "score": candidate.split.score,
                "small_fold": candidate.small_fold,
                "folds_a_document": candidate.folds_per_document,
                "valid": candidate.valid,
                "enough": candidate.enough,
                "chosen": candidate.chosen,
            }
            for candidate in plan.candidates
        ],
        "folds": [
            {"fold": fold, "split": part, "sections": count, "sampled": sampled}
            for (fold, part), (count, sampled) in _parts(plan).items()
        ],
        "outliers": plan.outliers,
        "dropped": len(plan.before) - len(plan.folds),
        "leaks": {name: leak._asdict() for name, leak in leaks.items()},
    }


def folds_block(plan: FoldPlan, leaks: dict[str, Leaks]) -> ReportBlock:
    """Table 2 of the Twente paper, the folds' sizes and what they share.

    Args:
        plan: The folds and their candidates.
        leaks: What folds share, by the way they were made; may be empty.
    """
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
    sizes = tuple(
        (str(fold), part, str(count), str(sampled)) for (fold, part), (count, sampled) in _parts(plan).items()
    )
    size_columns = (Column("fold", "text"), Column("split", "text"), Column("sections"), Column("to ask about"))
    too_small = len(plan.candidates) - len(shown)
    total = len(plan.before) + plan.outliers
    line = (
        f"{len(plan.folds)} of {total} sections are in folds; left out: {plan.outliers} outliers, "
        f"{len(plan.before) - len(plan.folds)} whose document or page is in more than one fold"
    )
    return ReportBlock(
        (
            ResultTable("Folds (Table 2)", (Column("", "text"), *map(Column, names)), rows),
            *([Paragraph(f"left out: {too_small} settings whose folds are too small")] if too_small else []),
            ResultTable("", size_columns, sizes),
            Paragraph(line),
            *(_leak_parts(leaks) if leaks else ()),
        )
    )


def _leak_parts(leaks: dict[str, Leaks]) -> tuple[ResultTable, Paragraph]:
    columns = (
        Column("", "text"),
        Column("sections", detail="wide"),
        Column("nearest, mean"),
        Column("95%", detail="wide"),
        Column("highest"),
        Column("alike"),
        Column("8 words"),
    )
    rows: Rows = tuple(
        (
            name,
            str(leak.sections),
            *(Figure("value", cosine) for cosine in (leak.mean, leak.p95, leak.highest)),
            Figure("rate", leak.alike),
            f"{Figure('rate', leak.sharing)} ({leak.runs} runs)",
        )
        for name, leak in leaks.items()
    )
    note = (
        "nearest: cosine of a section with its nearest of the other fold; alike: 0.9 or more; "
        "8 words: sections that share eight words in a row with the other fold"
    )
    return ResultTable("What the folds share", columns, rows), Paragraph(note)


def _parts(plan: FoldPlan) -> dict[tuple[int, str], tuple[int, int]]:
    """Returns the numbers of sections, and of sections to ask about, of each (fold, split)."""
    counts: Counter[tuple[int, str]] = Counter((fold.fold, fold.split) for fold in plan.folds)
    sampled: Counter[tuple[int, str]] = Counter((fold.fold, fold.split) for fold in plan.folds if fold.sampled)
    order = sorted(counts, key=lambda part: (part[1] != "validation", part[0]))
    return {part: (counts[part], sampled[part]) for part in order}


def _size_name(topics: TopicDiscovery) -> str:
    return "smallest_topic" if topics.method == "bertopic" else "topics_asked"
