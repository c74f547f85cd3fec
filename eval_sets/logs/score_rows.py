"""Rows of scores, one per metric of an answer: the answers, each once, with its scores beside it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ...text.wording import count_of, list_first
from ..column_table import ID_ALIASES, NAMES, columns_by_usual_name
from ..number_rule import is_missing
from ..rows import BadRow, Repeatable, Row, Rows
from .row_groups import group_rows

_OF_SCORES = ("metric", "value", "reason", "status", "error")


def is_long_scores(columns: Iterable[str], mapping: Mapping[str, str]) -> bool:
    """Whether rows with these columns are scores: they name a metric and its value, and no rater."""
    named = _columns_of_scores(columns)
    by_name = columns_by_usual_name(columns)
    is_rated = any(name in by_name for name in ("rating", "rater", *NAMES["rater"])) or "rating" in mapping.values()
    return {"metric", "value"} <= named.keys() and not is_rated


def join_scores(opened: Rows, mapping: Mapping[str, str]) -> Rows:
    """Joins the rows of each answer; its scores are `scores` by metric, which are kept in the metadata."""
    if not isinstance(opened.rows, Repeatable):
        held = list(opened.rows)
        opened = replace(opened, rows=Repeatable(lambda: iter(held)))
    source = opened.rows
    metrics: dict[str, None] = {}
    counts = [0, 0]

    def rows() -> Iterator[Row | BadRow]:
        counts[:] = [0, 0]
        for group in group_rows(iter(source), lambda values: _key(values, mapping), lambda: iter(source)):
            if isinstance(group, BadRow):
                yield group
                continue
            named = _columns_of_scores(group[0].values)
            first, scores = group[0], dict[str, Any]()
            for row in group:
                if not is_missing(metric := row.values.get(named["metric"])):
                    scores[str(metric)] = row.values.get(named["value"])
            metrics.update(dict.fromkeys(scores))
            counts[0] += 1
            counts[1] += len(group)
            own = {column: value for column, value in first.values.items() if column not in named.values()}
            yield first._replace(values=own | {"scores": scores})

    def notes() -> list[str]:
        answers, rows_read = count_of(counts[0], "answer"), count_of(counts[1], "row")
        listed = list_first(list(metrics), 5)
        return [
            f"{opened.name}: {rows_read} with one score each, of {answers}: {listed} are the scores of metrics and not "
            "ratings, kept in the metadata; assay meta --scores compares them with ratings"
        ]

    columns = None
    if opened.columns is not None:
        named = _columns_of_scores(opened.columns).values()
        columns = (*(column for column in opened.columns if column not in named), "scores")
    return replace(opened, rows=Repeatable(rows), columns=columns, made=frozenset(["scores"]), late_notes=notes)


def _columns_of_scores(columns: Iterable[str]) -> dict[str, str]:
    by_name = columns_by_usual_name(columns)
    found = {role: next((by_name[name] for name in (role, *NAMES[role]) if name in by_name), "") for role in _OF_SCORES}
    return {role: column for role, column in found.items() if column}


def _key(values: Mapping[str, Any], mapping: Mapping[str, str]) -> str | None:
    """What the rows of one answer have in common: its id, else its texts."""
    theirs = {ours: column for column, ours in mapping.items()}
    by_name = columns_by_usual_name(values)

    def cell(field: str, names: Iterable[str]) -> str:
        column = theirs.get(field) or next((by_name[name] for name in (field, *names) if name in by_name), "")
        return "" if is_missing(values.get(column)) else str(values.get(column)).strip()

    texts = [cell("user_input", NAMES["user_input"]), cell("response", NAMES["response"])]
    name = cell("id", ("sample", *ID_ALIASES))
    return "\0".join([name, *texts]) if name or any(texts) else None
