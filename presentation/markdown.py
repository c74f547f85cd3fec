"""Result tables and texts as Markdown, for a pull-request comment; texts under test do nothing in it."""

import re
from collections.abc import Iterable

from .figure import Figure
from .result_table import Content, ResultTable, TableCell
from .texts import one_line

# what Markdown or HTML would take for a mark of its own: `_` beside a word, `:` and `.` in an address, lists
_MARK = re.compile(
    r"""[\\`*\[\]<>#|~&@$]|(?<![^\W_])_|_(?![^\W_])|:(?=/)|(?<=www)\.|^[-+](?=[-\s]|$)|^\d(?=\d*[.)](?:\s|$))""",
    re.IGNORECASE,
)
# GitHub links these in the rendered text too; an invisible word joiner after the first part prevents it
_REFERENCE = re.compile(r"@(?=\w)|#(?=\d)|\bGH-(?=\d)", re.IGNORECASE)
_WORD_JOINER = "\N{WORD JOINER}"
_LONGEST = {"prose": 160, "markdown": 100, "text": 400}  # characters of a cell


def as_text(text: str, length: int = 120) -> str:
    """Returns text that Markdown shows as it is, on one line: it formats, links and mentions nothing.

    Marks become character references, which neither Markdown nor HTML takes for its own.

    Example:
        >>> as_text("*Stop* at http://a.example, @bob")
        '&#42;Stop&#42; at http&#58;//a.example, &#64;\\u2060bob'
    """
    line = one_line(text, length)
    marked = _REFERENCE.sub(lambda match: match[0] + _WORD_JOINER, line)
    return _MARK.sub(lambda match: f"&#{ord(match[0])};", marked)


def as_code(text: str, length: int = 300) -> str:
    """Returns text as code: for commands and ids, which are copied from the page.

    Example:
        >>> as_code("assay suite accept last")
        '<code>assay suite accept last</code>'
    """
    marks = re.compile(r"[^\w\s]|_", re.ASCII)
    line = one_line(text, length)
    return f"<code>{marks.sub(lambda m: f'&#{ord(m[0])};' if ord(m[0]) < 128 else m[0], line)}</code>"


def table_lines(table: ResultTable) -> Iterable[str]:
    """The lines of a table: its columns, but for those that only pages have.

    Example:
        >>> from .result_table import Column
        >>> columns = (Column("metric", "name"), Column("n"))
        >>> print("\\n".join(table_lines(ResultTable("", columns, (("a|b", "3"),)))))
        | metric | n |
        |---|---:|
        | a&#124;b | 3 |
    """
    shown = [number for number, column in enumerate(table.columns) if column.detail != "page"]
    columns = [table.columns[number] for number in shown]
    yield f"| {' | '.join(as_text(column.head) for column in columns)} |"
    yield f"|{'|'.join('---:' if column.kind == 'figure' else '---' for column in columns)}|"
    for row in table.rows:
        yield f"| {' | '.join(_cell(row[number], table.columns[number].kind) for number in shown)} |"


def _cell(content: Content, kind: str) -> str:
    inner = content.content if isinstance(content, TableCell) else content
    is_number = isinstance(inner, Figure) and not inner.problem  # its brackets and signs are no marks
    return str(inner) if is_number else as_text(str(inner), _LONGEST.get(kind, 120))
