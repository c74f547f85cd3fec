"""The progress of commands: as `runs.progress_display` shows it; nothing with `--quiet`."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from .output import is_quiet

if TYPE_CHECKING:
    from ..runs import Progress


def live_progress() -> "AbstractContextManager[Callable[[Progress], None]]":
    """Shows samples, calls, tokens, cost, retries, failures and the time left, whenever what it yields is called."""
    from ..runs.score import progress_display

    return progress_display.live_progress(quiet=is_quiet())


def count_progress(things: str, total: int | None) -> AbstractContextManager[Callable[[int], None]]:
    """Shows how many of `total` things are done, None for unknown; yields what is called with the number."""
    from ..runs.score import progress_display

    return progress_display.count_progress(things, total, quiet=is_quiet())


def show_status(work: str) -> AbstractContextManager[None]:
    """Shows what is being done while it takes long."""
    from ..runs.score import progress_display

    return progress_display.show_status(work, quiet=is_quiet())
