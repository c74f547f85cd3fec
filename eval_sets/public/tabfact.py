"""TabFact: statements about tables of Wikipedia, written and verified by people as entailed or refuted."""

import csv
import re
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import PurePosixPath

from ...text.wording import count_of
from ..rows import Row
from .original_form import OriginalFile, OriginalValue, parse_document
from .set_facts import PublicSet

_TABLE_NAME = re.compile(r"[A-Za-z0-9][\w-]*(\.[\w-]+)*\.csv")  # names a file, and leads nowhere
_MOST_TABLES = 20_000  # the whole repository has 16,621


def list_tables(file: OriginalFile) -> list[str]:
    """The names of the tables that the statements are about, which are files of their own."""
    document = parse_document(file)
    names = [name for name, _ in document.fields()]
    if len(names) > _MOST_TABLES:
        raise document.error(f"names {count_of(len(names), 'table')}, more than {_MOST_TABLES:,}")
    for name in names:
        if not _TABLE_NAME.fullmatch(name):
            raise document.field(name).error("is no name of a table's file")
    return names


def read_tabfact(facts: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads one row per statement."""
    statements, *tables = files
    by_name = {PurePosixPath(table.path).name: table for table in tables}
    number = 0
    for name, entry in parse_document(statements).fields():
        parts = entry.entries()
        if len(parts) < 3:
            raise entry.error("has no statements, labels or title")
        texts, labels, title = parts[0].texts(), parts[1].entries(), parts[2].text()
        if len(texts) != len(labels):
            raise entry.error(f"has {count_of(len(texts), 'statement')} and {count_of(len(labels), 'label')}")
        if name not in by_name:
            raise entry.error("has no table among the files")
        header, *rows = _read_cells(by_name[name])
        context = _write_context(title, [header, *rows])
        metadata = facts.describe_rating(f"{statements.path} + {PurePosixPath(by_name[name].path).parent}") | {
            "group": f"tabfact:{name}",
            "title": title,
            "table": {"header": header, "rows": rows},
        }
        for place, (text, label) in enumerate(zip(texts, labels, strict=True)):
            number += 1
            fields = {
                "id": f"tabfact-val-{name}-{place}",
                "user_input": "",
                "retrieved_contexts": [context],
                "response": text,
                "rating": label.label(0, 1),
                "rating_min": 0,
                "rating_max": 1,
                "metadata": metadata,
            }
            yield Row(number, f"statement {number}", fields)


def _read_cells(table: OriginalFile) -> list[list[str]]:
    lines = table.text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    places = [OriginalValue(line, table.path, f"line {number}") for number, line in enumerate(lines, 1)]
    rows = [place.text().split("#") for place in places]
    if len(rows) < 2:
        raise places[0].error("is all that there is; a table has a line of headings and others below")
    for place, row in zip(places, rows, strict=True):
        if len(row) != len(rows[0]):
            raise place.error(f"has {count_of(len(row), 'cell')}, and the first line {len(rows[0])}")
    return rows


def _write_context(title: str, rows: list[list[str]]) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return f"title: {title}\n{text.getvalue().removesuffix(chr(10))}"
