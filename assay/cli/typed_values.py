"""What is typed on the command line: numbers with a bound, and files to write that take the place of no device."""

import math
from pathlib import Path
from typing import Any

import click

from ..errors import UsageError

MOST = 1_000_000_000
MOST_CALLS_AT_ONCE = 10_000
"""As the settings of a judge allow."""
MOST_TOKENS = 10**15
MOST_RESAMPLES = 1_000_000
MOST_REPEATS = 1000


class BoundedCount(click.IntRange):
    """A whole number; the help names the least one, and only the error the largest."""

    def __init__(self, least: int = 1, most: int = MOST) -> None:
        super().__init__(min=least)
        self._most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; fails where it is out of bounds."""
        number: int = super().convert(value, param, ctx)
        if number > self._most:
            self.fail(f"{number} is too large; write {self._most:,} or less.", param, ctx)
        return number


class FiniteRange(click.FloatRange):
    """A number in a range, neither NaN nor infinite."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; fails where it is none to reckon with."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a number that can be reckoned with; write 4 or 4.5.", param, ctx)
        return number


SEED = BoundedCount(0, 2**32 - 1)


class OutputFile(click.Path):
    """A file to write, as a path."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; fails where something is there that no file may take the place of."""
        from ..atomic_files import check_replaceable

        path = Path(str(super().convert(value, param, ctx)))
        is_optional = isinstance(param, click.Option) and not param.required
        try:
            check_replaceable(path, param.opts[-1] if param is not None and is_optional else "")
        except UsageError as error:
            self.fail(f"{error}.", param, ctx)
        return path


class _ReportFile(OutputFile):
    """An .html file to write, in a folder that exists."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; refused before anything is done."""
        path: Path = super().convert(value, param, ctx)
        if path.suffix not in {".html", ".htm"} or not path.parent.is_dir():
            raise UsageError(f"{path}: name an .html file in a folder that exists")
        return path


OUTPUT_FILE = OutputFile()
REPORT_FILE = _ReportFile()
