"""Which column of a set names its rows, where none is called `id`: found by its name and all its values."""

from ..value_messages import shorten
from .rows import Row
from .sample_columns import ID_ALIASES, columns_by_usual_name


class IdSearch:
    """Finds the column that is read as `id` among the usual names, from all rows of a set.

    A column counts when its filled cells are texts or whole numbers, and no two are the same; of several the first in
    the list of names. Rows with an `id` do not count.

    Attributes:
        unused: Why a column with an id's name is read as none, by its name.

    Examples:
        >>> search = IdSearch()
        >>> search.add(Row(1, "line 2", {"Case": "a", "nr": "7"}))
        >>> search.add(Row(2, "line 3", {"Case": "a", "nr": "8"}))
        >>> search.result(), search.unused
        ('nr', {'Case': 'it names line 2 and line 3 "a"'})
    """

    def __init__(self) -> None:
        self.unused: dict[str, str] = {}
        self._columns: dict[str, str] = {}
        self._places: dict[str, dict[int, str]] = {}

    def add(self, row: Row) -> None:
        """Looks at a row."""
        if row.values.get("id") not in (None, ""):
            return
        by_name = columns_by_usual_name(row.values)
        for name in ID_ALIASES:
            column = by_name.get(name, name)
            value = row.values.get(column)
            if column in self.unused or value is None or (isinstance(value, str) and not value.strip()):
                continue
            if not isinstance(value, str | int) or isinstance(value, bool):
                self.unused[column] = "it holds neither texts nor whole numbers"
                continue
            self._columns.setdefault(name, column)
            # the hash in place of the text keeps this small for very large sets
            first = self._places.setdefault(name, {}).setdefault(hash(str(value).strip()), row.place)
            if first != row.place:
                self.unused[column] = f'it names {first} and {row.place} "{shorten(str(value), 30)}"'

    def result(self) -> str:
        """The column, from the rows that were added; empty where none counts."""
        names = (self._columns[name] for name in ID_ALIASES if name in self._columns)
        return next((column for column in names if column not in self.unused), "")
