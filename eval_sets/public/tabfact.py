"""TabFact: statements about tables of Wikipedia, written and verified by people as entailed or refuted."""

import csv
import re
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import PurePosixPath

from ...value_messages import shorten
from ..rows import Row
from .original_form import OriginalFile, OriginalFormError, label, parse_document
from .set_facts import PublicSet

_TABLE_NAME = re.compile(r"[A-Za-z0-9][\w-]*(\.[\w-]+)*\.csv")  # names a file, and leads nowhere
_MOST_TABLES = 20_000  # the whole repository has 16,621


def list_tables(file: OriginalFile) -> list[str]:
    """The names of the tables that the statements are about, which are files of their own."""
    document = parse_document(file)
    if len(document) > _MOST_TABLES:
        raise OriginalFormError(file.path, f"{file.path}: names more than {_MOST_TABLES:,} tables")
    if wrong := next((name for name in document if not _TABLE_NAME.fullmatch(name)), None):
        raise OriginalFormError(file.path, f"{file.path}, {shorten(wrong)}: is no name of a table's file")
    return [*document]


def read_tabfact(facts: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads one row per statement."""
    statements, *tables = files
    by_name = {PurePosixPath(table.path).name: table for table in tables}
    number = 0
    for name, (texts, labels, title, *_) in parse_document(statements).items():
        header, *rows = _read_cells(by_name[name])
        context = _write_context(title, [header, *rows])
        metadata = facts.describe_rating(f"{statements.path} + {PurePosixPath(by_name[name].path).parent}") | {
            "group": f"tabfact:{name}",
            "title": title,
            "table": {"header": header, "rows": rows},
        }
        for place, (text, verdict) in enumerate(zip(texts, labels, strict=True)):
            number += 1
            fields = {
                "id": f"tabfact-val-{name}-{place}",
                "user_input": "",
                "retrieved_contexts": [context],
                "response": text,
                "rating": label(verdict, 0, 1),
                "rating_min": 0,
                "rating_max": 1,
                "metadata": metadata,
            }
            yield Row(number, f"statement {number}", fields)


def _read_cells(table: OriginalFile) -> list[list[str]]:
    lines = table.text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    rows = [line.split("#") for line in lines]
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        problem = "is no table: a line of headings, and others below with as many cells"
        raise OriginalFormError(table.path, f"{table.path}: {problem}")
    return rows


def _write_context(title: str, rows: list[list[str]]) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return f"title: {title}\n{text.getvalue().removesuffix(chr(10))}"
