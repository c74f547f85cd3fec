"""The live progress bar: on a terminal, never in a pipe."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..runs import Progress


@contextmanager
def live_progress(progress: "Progress", *, silent: bool) -> "Iterator[Callable[[Progress], None]]":
    """Shows samples, calls, tokens, cost, retries, failures and the time left on standard error."""
    from rich import progress as bar
    from rich.console import Console

    console = Console(stderr=True)
    if silent or not console.is_terminal:
        yield lambda _: None
        return
    columns = (
        bar.BarColumn(bar_width=24),
        bar.MofNCompleteColumn(),
        bar.TextColumn("{task.fields[told]}"),
        bar.TimeElapsedColumn(),
        bar.TextColumn("left"),
        bar.TimeRemainingColumn(),
    )
    with bar.Progress(*columns, console=console, transient=True, refresh_per_second=8) as live:
        task = live.add_task("", total=progress.total, told=_told(progress))
        yield lambda now: live.update(task, completed=now.samples, told=_told(now))


def _told(progress: "Progress") -> str:
    from ..runs.report import cost

    usage = progress.usage
    told = f"{usage.calls} calls ({usage.from_cassette} replayed), {usage.tokens_in + usage.tokens_out:,} tokens, "
    told += f"{cost(usage)}, {progress.retries} retries"
    if failed := progress.scores["failed"]:
        told += f", {failed} failed"
    return told
