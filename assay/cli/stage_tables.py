"""Sections, topics and folds as tables for a terminal, and as JSON for programs."""

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any

from ..generation.documents import Extraction
from ..generation.folds.fold_search import FoldPlan
from ..generation.folds.leaks import Leaks
from ..generation.topics import Topics
from .output import Column, make_table, one_line, open_console

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


def print_sections(extractions: Sequence[Extraction], *, titles: bool) -> None:
    """Prints one line per document and the sums.

    Args:
        extractions: The outcome for each document.
        titles: Whether to print the heading of each section too.
    """
    from rich.text import Text

    rows: list[tuple[str | Text, ...]] = []
    for extraction in extractions:
        if extraction.sections:
            tokens, pages = sum(s.tokens for s in extraction.sections), extraction.sections[-1].emulated_page
            figures = map(str, (len(extraction.sections), tokens, pages))
            rows.append((extraction.document, extraction.sections[0].language, *figures))
            for section in extraction.sections if titles else ():
                page = f"p. {section.page}" if section.page else ""
                indent = "  " * (1 + len(section.above))
                heading = Text(f"{indent}{one_line(section.heading, 70) or '(no heading)'}")
                rows.append((heading, "", page, str(section.tokens), ""))
    columns = (
        Column("document", is_text=True),
        Column("language", is_text=True),
        *map(Column, ("sections", "tokens", "emulated pages")),
    )
    table = make_table("", columns, rows)
    console = open_console()
    console.print(table)
    sizes = page_sizes(extractions)
    documents = sum(bool(extraction.sections) for extraction in extractions)
    count = sum(len(extraction.sections) for extraction in extractions)
    console.print(
        f"{count} sections of {documents} document{'s' * (documents != 1)}; "
        f"{len(sizes)} emulated pages of {median(sizes) if sizes else 0:.0f} tokens (median, estimated)"
    )


def topics_as_json(topics: Topics) -> dict[str, Any]:
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


def print_topics(topics: Topics) -> None:
    """Prints the settings with their measures, the topics' statistics (Twente paper, Table 1) and the topics."""
    columns = (
        Column("dimensions"),
        Column(_size_name(topics).replace("_", " ")),
        Column("topics"),
        Column("outliers"),
        Column("silhouette"),
        Column("Calinski-H.", is_extra=True),
        Column("Davies-B.", is_extra=True),
        Column("robust %", is_extra=True),
        Column("documents %", is_extra=True),
        Column("", is_text=True),
    )
    shown = sorted(topics.cells, key=lambda cell: not cell.chosen)[:_SETTINGS_SHOWN]
    rows = []
    for cell in sorted(shown, key=lambda cell: (cell.dimensions, cell.smallest)):
        measures = cell.measures
        rows.append(
            (
                *(str(cell.dimensions), str(cell.smallest), str(measures.topics), f"{measures.outliers:.1%}"),
                *(_number(measures.silhouette, 3), _number(measures.calinski_harabasz, 0)),
                *(_number(measures.davies_bouldin, 3), _number(measures.robustness, 1)),
                *(_number(measures.document_match, 1), "chosen" if cell.chosen else ""),
            )
        )
    grid = make_table(f"Settings tried: {topics.method} ({topics.why})", columns, rows)
    figures = (
        ("min topic size", str(min(topics.sizes.values(), default=0))),
        ("median topic size", f"{topics.median_size:g}"),
        ("max topic size", str(max(topics.sizes.values(), default=0))),
        ("topics no", str(len(topics.sizes))),
        ("outliers %", f"{100 * topics.measures.outliers:.2f}%"),
        ("silhouette", _number(topics.measures.silhouette, 3)),
        ("robustness %", _number(topics.measures.robustness, 1)),
        ("document match %", _number(topics.measures.document_match, 1)),
    )
    statistics = make_table("Topics (Table 1)", (Column("statistic", is_text=True), Column("")), figures)
    topic_rows = [
        (str(topic), topics.labels.get(topic, ""), str(size))
        for topic, size in list(topics.sizes.items())[:_TOPICS_SHOWN]
    ]
    topic_columns = (Column("topic", is_text=True), Column("about", is_text=True), Column("sections"))
    topic_table = make_table("", topic_columns, topic_rows)
    console = open_console()
    for table in (grid, statistics, topic_table):
        console.print(table)
    if (hidden := len(topics.sizes) - _TOPICS_SHOWN) > 0:
        console.print(f"and {hidden} smaller topics (--json shows all)")
    if (hidden := len(topics.cells) - _SETTINGS_SHOWN) > 0:
        console.print(f"and {hidden} more settings (--json shows all)")


def folds_as_json(plan: FoldPlan, leaks: dict[str, Leaks]) -> dict[str, Any]:
    """Returns the object that `assay generate folds --json` prints."""
    return {
        "nearest_topics": plan.nearest_topics,
        "candidates": [
            {
                "linkage": each.split.linkage,
                "distance": each.split.distance,
                "clusters": each.split.clusters,
                "single": each.split.single,
                "average": each.split.average,
                "score": each.split.score,
                "small_fold": each.small_fold,
                "folds_a_document": each.folds_per_document,
                "valid": each.valid,
                "enough": each.enough,
                "chosen": each.chosen,
            }
            for each in plan.candidates
        ],
        "folds": [
            {"fold": fold, "split": part, "sections": count, "sampled": sampled}
            for (fold, part), (count, sampled) in _parts(plan).items()
        ],
        "outliers": plan.outliers,
        "dropped": len(plan.before) - len(plan.folds),
        "leaks": {name: each._asdict() for name, each in leaks.items()},
    }


def print_folds(plan: FoldPlan, leaks: dict[str, Leaks]) -> None:
    """Prints Table 2 of the Twente paper, the folds' sizes and what they share.

    Args:
        plan: The folds and their candidates.
        leaks: What folds share, by the way they were made; may be empty.
    """
    shown = [c for c in plan.candidates if c.enough] or plan.candidates
    fold_rows = [
        ("distance type", *(c.split.distance for c in shown)),
        ("min dist topics", *(f"{plan.nearest_topics:.4f}" for _ in shown)),
        ("min dist folds", *(f"{c.split.single:.4f}" for c in shown)),
        ("mean of single and average", *(f"{c.split.score:.4f}" for c in shown)),
        ("small fold ratio", *(f"{c.small_fold:.4f}" for c in shown)),
        ("avg folds per doc", *(f"{c.folds_per_document:.4f}" for c in shown)),
        ("valid sections %", *(f"{c.valid:.2%}" for c in shown)),
    ]
    columns = [Column("", is_text=True), *(Column(f"{c.split.linkage}{' *' if c.chosen else ''}") for c in shown)]
    table = make_table("Folds (Table 2)", columns, fold_rows)
    size_columns = (
        Column("fold", is_text=True),
        Column("split", is_text=True),
        *map(Column, ("sections", "to ask about")),
    )
    sizes = make_table(
        "",
        size_columns,
        [(str(fold), part, str(count), str(sampled)) for (fold, part), (count, sampled) in _parts(plan).items()],
    )
    console = open_console()
    console.print(table)
    if len(shown) < len(plan.candidates):
        console.print(f"left out: {len(plan.candidates) - len(shown)} settings whose folds are too small")
    console.print(sizes)
    total = len(plan.before) + plan.outliers
    console.print(
        f"{len(plan.folds)} of {total} sections are in folds; left out: {plan.outliers} outliers, "
        f"{len(plan.before) - len(plan.folds)} whose document or page is in more than one fold"
    )
    if leaks:
        leak_columns = (
            Column("", is_text=True),
            Column("sections", is_extra=True),
            Column("nearest, mean"),
            Column("95%", is_extra=True),
            Column("highest"),
            Column("alike"),
            Column("8 words"),
        )
        leak_rows = [
            (
                *(name, str(each.sections), f"{each.mean:.3f}", f"{each.p95:.3f}", f"{each.highest:.3f}"),
                *(f"{each.alike:.1%}", f"{each.sharing:.1%} ({each.runs} runs)"),
            )
            for name, each in leaks.items()
        ]
        shared = make_table("What the folds share", leak_columns, leak_rows)
        console.print(shared)
        console.print(
            "nearest: cosine of a section with its nearest of the other fold; alike: 0.9 or more; "
            "8 words: sections that share eight words in a row with the other fold"
        )


def _parts(plan: FoldPlan) -> dict[tuple[int, str], tuple[int, int]]:
    """Returns the numbers of sections, and of sections to ask about, of each (fold, split)."""
    counts: Counter[tuple[int, str]] = Counter((fold.fold, fold.split) for fold in plan.folds)
    sampled: Counter[tuple[int, str]] = Counter((fold.fold, fold.split) for fold in plan.folds if fold.sampled)
    order = sorted(counts, key=lambda part: (part[1] != "validation", part[0]))
    return {part: (counts[part], sampled[part]) for part in order}


def _size_name(topics: Topics) -> str:
    return "smallest_topic" if topics.method == "bertopic" else "topics_asked"


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
