"""Progress on standard error: one line of text, live on a terminal, elsewhere printed every half minute."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ...presentation.figure import format_cost
from ...text.wording import count_of
from ..store.plan import Progress

SECONDS_PER_LINE = 30.0
FIRST_LINE_SECONDS = 10.0  # a start-up says nothing about the pace


@contextmanager
def live_progress(*, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Shows samples, calls, tokens, cost, retries, failures and the time left."""
    with _display(quiet=quiet) as show:
        yield lambda progress: show(lambda: progress_line(progress))


@contextmanager
def count_progress(things: str, total: int | None, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Shows how many of `total` things are done, None for unknown; yields what is called with the number."""
    of_total = "" if total is None else f" of {total}"
    with _display(quiet=quiet) as show:
        yield lambda done: show(lambda: f"{things}: {done}{of_total}")


@contextmanager
def show_status(work: str, *, quiet: bool) -> Iterator[None]:
    """Shows what is being done while it takes long."""
    with _display(quiet=quiet) as show:
        show(lambda: work)
        yield


@contextmanager
def _display(*, quiet: bool) -> Iterator[Callable[[Callable[[], str]], None]]:
    """Yields what is called with the function that makes the line."""
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        from rich.console import Console

        console = Console(stderr=True, markup=False, emoji=False, highlight=False)
        with console.status("") as status:
            yield lambda line: status.update(line())
    else:
        with _lines() as show:
            yield show


@contextmanager
def _lines() -> Iterator[Callable[[Callable[[], str]], None]]:
    """Prints from a thread of its own: also while a slow judge lets no sample end."""
    latest: list[Callable[[], str]] = []
    ended = threading.Event()

    def set_line(line: Callable[[], str]) -> None:
        latest[:] = [line]

    def print_lines() -> None:
        seconds = min(FIRST_LINE_SECONDS, SECONDS_PER_LINE)
        while not ended.wait(seconds):
            seconds = SECONDS_PER_LINE
            if latest:
                print(f"assay: {latest[0]()}", file=sys.stderr, flush=True)

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
    line = f"{done}{count_of(total, 'sample')}, {_usage_line(progress)}"
    left = _seconds_left(progress)
    return line if left is None else f"{line}, about {_duration(left)} left"


def _seconds_left(progress: Progress) -> float | None:
    """How long the rest takes at the pace so far; None before the first sample, or where the total is unknown."""
    if not progress.total or not progress.samples:
        return None
    return (progress.seconds - progress.waited) / progress.samples * (progress.total - progress.samples)


def _usage_line(progress: Progress) -> str:
    usage = progress.usage
    line = (
        f"{count_of(usage.calls, 'call')} ({usage.from_cassette} replayed), "
        f"{usage.bound}{count_of(usage.tokens_in + usage.tokens_out, 'token')}, "
    )
    prices = " at recorded prices" if usage.from_cassette and usage.usd else ""
    line += f"{format_cost(usage.usd, usage.bound)}{prices}, {count_of(progress.retries, 'retry')}"
    if lost := progress.lost:
        line += f", {lost.calls} lost (at most {count_of(lost.tokens, 'token')}, {format_cost(lost.usd)})"
    if failed := progress.scores["failed"]:
        line += f", {count_of(failed, 'score')} failed"
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
