"""Progress on standard error: a bar on a terminal, elsewhere one line every half minute."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .output import echo, open_console

if TYPE_CHECKING:
    from ..runs import Progress

SECONDS_PER_LINE = 30.0


@contextmanager
def live_progress(*, quiet: bool) -> "Iterator[Callable[[Progress], None]]":
    """Shows samples, calls, tokens, cost, retries, failures and the time left.

    Args:
        quiet: Whether nothing is shown.

    Yields:
        What is to be called whenever there is progress.
    """
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        with _bar() as show:
            yield show
    else:
        with _lines() as show:
            yield show


@contextmanager
def _bar() -> "Iterator[Callable[[Progress], None]]":
    from rich import progress as bar

    columns = (
        bar.BarColumn(bar_width=24),
        bar.MofNCompleteColumn(),
        bar.TextColumn("{task.fields[usage]}", markup=False),
        bar.TimeElapsedColumn(),
        bar.TextColumn("left"),
        bar.TimeRemainingColumn(),
    )
    with bar.Progress(*columns, console=open_console(err=True), transient=True, refresh_per_second=8) as live:
        task = live.add_task("", total=None, usage="")
        yield lambda progress: live.update(
            task, total=progress.total, completed=progress.samples, usage=_usage_line(progress)
        )


@contextmanager
def _lines() -> "Iterator[Callable[[Progress], None]]":
    """Prints from a thread of its own: also while a slow judge lets no sample end."""
    latest: list[Progress] = []
    ended = threading.Event()

    def show(progress: "Progress") -> None:
        latest[:] = [progress]

    def print_lines() -> None:
        while not ended.wait(SECONDS_PER_LINE):
            if latest:
                echo(progress_line(latest[0]), err=True)

    thread = threading.Thread(target=print_lines, daemon=True)
    thread.start()
    try:
        yield show
    finally:
        ended.set()
        thread.join()


def progress_line(progress: "Progress") -> str:
    """What a session has done so far, in one line, with the time left where it can be told."""
    total = "" if progress.total is None else f" of {progress.total}"
    line = f"assay: {progress.samples}{total} samples, {_usage_line(progress)}"
    if progress.total and progress.samples:
        left = (time.monotonic() - progress.started) / progress.samples * (progress.total - progress.samples)
        line += f", about {_duration(left)} left"
    return line


def _usage_line(progress: "Progress") -> str:
    from ..runs.report import format_cost

    usage = progress.usage
    line = f"{usage.calls} calls ({usage.from_cassette} replayed), {usage.tokens_in + usage.tokens_out:,} tokens, "
    line += f"{format_cost(usage)}, {progress.retries} retries"
    if failed := progress.scores["failed"]:
        line += f", {failed} failed"
    return line


def _duration(seconds: float) -> str:
    """A duration in the largest unit that it fills: 40 s, 12 min, 3.5 h.

    >>> _duration(40), _duration(700), _duration(12600)
    ('40 s', '12 min', '3.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
