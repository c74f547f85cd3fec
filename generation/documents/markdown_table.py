"""Rows of cells as a Markdown table."""

from collections.abc import Sequence


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    r"""Formats rows as a Markdown table whose head is the first row.

    Args:
        rows: The cells of each row, at least one row; shorter rows are filled up with empty cells.

    Returns:
        One line per row, with the line that Markdown requires below the head.

    Example:
        >>> print(markdown_table([["Week", "Visits"], ["1", "4 | 5"], ["2"]]))
        | Week | Visits |
        | --- | --- |
        | 1 | 4 \| 5 |
        | 2 |  |
    """
    width = max(len(row) for row in rows)
    filled = [[*row, *[""] * (width - len(row))] for row in rows]
    lines = [f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in row)} |" for row in filled]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])
