"""Tables as text, for a judge."""

from collections.abc import Sequence

from ...eval_sets.sample import Cell
from ...eval_sets.sample import Table as GivenTable

_MOST_ROWS = 100


def tables_as_contexts(tables: Sequence[GivenTable]) -> tuple[str, ...]:
    """Each table as lines with pipes, its name above; of a longer one the first 100 rows, and a line that says so."""
    return tuple(_as_text(table) for table in tables)


def _as_text(table: GivenTable) -> str:
    heads = [f"{name} ({table.units[name]})" if name in table.units else name for name in table.columns]
    rows = list(zip(*table.columns.values(), strict=True))
    lines = [table.name, _line(heads), *(_line(row) for row in rows[:_MOST_ROWS])]
    if len(rows) > _MOST_ROWS:
        lines.append(f"({len(rows) - _MOST_ROWS} more rows)")
    return "\n".join(lines)


def _line(cells: Sequence[Cell]) -> str:
    return "| " + " | ".join("" if cell is None else " ".join(str(cell).split()) for cell in cells) + " |"
