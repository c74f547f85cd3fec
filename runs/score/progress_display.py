"""Progress on standard error: a bar on a terminal, elsewhere one line every half minute."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...presentation.figure import format_cost
from ...text.wording import count_of
from .session import Progress

if TYPE_CHECKING:
    from rich.console import Console

SECONDS_PER_LINE = 30.0
FIRST_LINE_SECONDS = 10.0  # a start-up says nothing about the pace
_FIRST_SAMPLES = 3  # before so many the time left is not said
_WORTH_SAYING = 60.0  # seconds left from which it is said at once


@contextmanager
def live_progress(*, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Shows samples, calls, tokens, cost, retries, failures and the time left."""
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        with _sample_bar() as show:
            yield show
    else:
        with _lines() as print_later:
            has_said_time = False

            def show_line(progress: Progress) -> None:
                nonlocal has_said_time
                print_later(lambda: progress_line(progress))
                is_known = progress.samples >= _first_samples(progress) and progress.seconds >= FIRST_LINE_SECONDS
                if is_known and not has_said_time:
                    has_said_time = True
                    if (_seconds_left(progress) or 0.0) >= _WORTH_SAYING:
                        print(progress_line(progress), file=sys.stderr, flush=True)

            yield show_line


@contextmanager
def count_progress(things: str, total: int | None, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Shows how many of `total` things are done, None for unknown; yields what is called with the number."""
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        with _count_bar(things, total) as show:
            yield show
    else:
        with _lines() as print_later:
            of_total = "" if total is None else f" of {total}"
            yield lambda done: print_later(lambda: f"assay: {things}: {done}{of_total}")


@contextmanager
def show_status(work: str, *, quiet: bool) -> Iterator[None]:
    """Shows what is being done while it takes long."""
    if quiet:
        yield
    elif sys.stderr.isatty():
        with _console().status(work):
            yield
    else:
        with _lines() as print_later:
            print_later(lambda: f"assay: {work}")
            yield


@contextmanager
def _sample_bar() -> Iterator[Callable[[Progress], None]]:
    from rich import progress as bar

    columns = (
        bar.BarColumn(bar_width=24),
        bar.MofNCompleteColumn(),
        bar.TextColumn("{task.fields[usage]}", markup=False),
        bar.TimeElapsedColumn(),
        bar.TextColumn("{task.fields[left]}", markup=False),
    )
    with bar.Progress(*columns, console=_console(), transient=True, refresh_per_second=8) as live:
        task = live.add_task("", total=None, usage="", left="")

        def show(progress: Progress) -> None:
            left = _seconds_left(progress)
            live.update(
                task,
                total=progress.total,
                completed=progress.samples,
                usage=_usage_line(progress),
                left="" if left is None else f"about {_duration(left)} left",
            )

        yield show


@contextmanager
def _count_bar(things: str, total: int | None) -> Iterator[Callable[[int], None]]:
    from rich import progress as bar

    columns = (bar.BarColumn(bar_width=24), bar.MofNCompleteColumn(), bar.TextColumn(things), bar.TimeElapsedColumn())
    with bar.Progress(*columns, console=_console(), transient=True) as live:
        task = live.add_task("", total=total)
        yield lambda done: live.update(task, completed=done)


@contextmanager
def _lines() -> Iterator[Callable[[Callable[[], str]], None]]:
    """Prints from a thread of its own: also while a slow judge lets no sample end."""
    latest: list[Callable[[], str]] = []
    ended = threading.Event()

    def set_line(line: Callable[[], str]) -> None:
        latest[:] = [line]

    def print_lines() -> None:
        while not ended.wait(SECONDS_PER_LINE):
            if latest:
                print(latest[0](), file=sys.stderr, flush=True)

    thread = threading.Thread(target=print_lines, daemon=True)
    thread.start()
    try:
        yield set_line
    finally:
        ended.set()
        thread.join()


def progress_line(progress: Progress) -> str:
    """What a session has done so far, in one line, with the time left where it can be told."""
    total = progress.samples if progress.total is None else progress.total
    done = "" if progress.total is None else f"{progress.samples:,} of "
    line = f"assay: {done}{count_of(total, 'sample')}, {_usage_line(progress)}"
    left = _seconds_left(progress)
    return line if left is None else f"{line}, about {_duration(left)} left"


def _seconds_left(progress: Progress) -> float | None:
    """How long the rest takes at the pace so far; None before the first sample, or where the total is unknown."""
    if not progress.total or not progress.samples:
        return None
    return (progress.seconds - progress.waited) / progress.samples * (progress.total - progress.samples)


def _first_samples(progress: Progress) -> int:
    """After how many samples the pace can be told: as many as are judged at once end together."""
    return max(_FIRST_SAMPLES, progress.judge.settings.concurrency if progress.judge else 0)


def _usage_line(progress: Progress) -> str:
    usage = progress.usage
    line = (
        f"{count_of(usage.calls, 'call')} ({usage.from_cassette} replayed), "
        f"{usage.bound}{count_of(usage.tokens_in + usage.tokens_out, 'token')}, "
    )
    line += f"{format_cost(usage.usd, usage.bound)}, {count_of(progress.retries, 'retry')}"
    if lost := progress.lost:
        line += f", {lost.calls} lost (at most {count_of(lost.tokens, 'token')}, {format_cost(lost.usd)})"
    if failed := progress.scores["failed"]:
        line += f", {failed} failed"
    return line


def _duration(seconds: float) -> str:
    """A duration in the largest unit that it fills: 40 seconds, 12 minutes, 3.5 hours.

    Example:
        >>> _duration(40), _duration(700), _duration(12600)
        ('40 seconds', '12 minutes', '3.5 hours')
    """
    if seconds < 90:
        return count_of(round(seconds), "second")
    return count_of(round(seconds / 60), "minute") if seconds < 5400 else count_of(round(seconds / 3600, 1), "hour")


def _console() -> "Console":
    from rich.console import Console

    return Console(stderr=True, markup=False, emoji=False, highlight=False)
