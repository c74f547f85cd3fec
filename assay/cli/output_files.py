"""Options that name a file to write: what is there and is no file, as a device, is refused before anything is done."""

from pathlib import Path
from typing import Any

import click

from ..errors import UsageError


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
