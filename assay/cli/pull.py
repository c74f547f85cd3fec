"""`assay traces pull`: traces of a chatbot in production, as a file that `assay run` reads."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from ..interruption import DONE, ERROR
from ..presentation.texts import one_line
from ..text.wording import count_of, verb_of
from .options import OUTPUT_FILE, BoundedCount
from .output import echo, echo_notice, end_at_ctrl_c, print_result, typed_command

if TYPE_CHECKING:
    from ..traces.pull import PullRequest, PullResult, Unit


@click.group()
def traces() -> None:
    """Pull the traces of a chatbot in production, and push scores to them."""


def _check_address(_context: click.Context, _argument: click.Parameter, typed: str) -> str:
    """Refuses an address that no tool reads before anything else that is missing is named."""
    from ..traces.address import check_source

    check_source(typed)
    return typed


@click.command()
@click.argument("address", callback=_check_address)
@click.option("--since", metavar="TIME", help="Traces begun since: 30m, 24h, 7d, or 2026-01-31T08:00 (local time).")
@click.option("--until", metavar="TIME", help="Traces begun before: as --since. Default: now.")
@click.option("--new", is_flag=True, help="What was not pulled before. Default without --since.")
@click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="NAME=VALUE",
    help="Only traces with this field of their metadata, or `session`; repeatable.",
)
@click.option(
    "--by",
    "unit",
    type=click.Choice(("session", "trace")),
    default="session",
    show_default=True,
    help="One line per session, as a conversation, or per trace.",
)
@click.option("--limit", type=BoundedCount(), help="At most so many traces.")
@click.option("-o", "--out", type=OUTPUT_FILE, required=True, help="Where they are written: .jsonl.")
@click.option("--replace", is_flag=True, help="Write a file anew that is there. Default with --since.")
def pull(
    address: str,
    *,
    since: str | None,
    until: str | None,
    new: bool,
    filters: tuple[str, ...],
    unit: "Unit",
    limit: int | None,
    out: Path,
    replace: bool,
    store: str | Path,
) -> None:
    """Pull traces of a chatbot in production into a file for `assay run`.

    ADDRESS is phoenix://HOST:6006/PROJECT, mlflow://HOST:5000/EXPERIMENT, langfuse://HOST/PROJECT,
    or otel:FILE (OTLP JSON). Keys come from the tool's own environment variables.

    Without --since, a cursor in the store says what was pulled before: each trace is pulled once.

    \b
    assay traces pull phoenix://localhost:6006/support --since 24h -o traces.jsonl
    assay traces pull phoenix://localhost:6006/support --new -o today.jsonl
    assay run traces.jsonl --judge openai/gpt-4o-mini
    """
    from ..runs import Store
    from ..traces.address import TraceAddress
    from ..traces.pull import PullRequest, check_output, pull_traces
    from .output import count_progress

    now = datetime.now(UTC)
    request = PullRequest(
        TraceAddress.parse(address),
        since=_read_time(since, "--since", now),
        until=_read_time(until, "--until", now),
        filter=_read_filters(filters),
        unit=unit,
        limit=limit,
        is_new=new or since is None,
    )
    _check_times(request, now)
    may_replace = replace or not request.is_new
    check_output(out, may_replace=may_replace)  # before a store is made
    nothing = "nothing was written. The same command pulls the same traces"
    with end_at_ctrl_c(lambda: nothing), count_progress("traces", None) as on_progress:
        result = pull_traces(request, Store(store), out, may_replace=may_replace, on_progress=on_progress)
    print_result(lambda: _as_json(result, out), lambda: _print_result(result, request, out))
    if result.unread_files:
        files = count_of(result.unread_files, "file")
        echo_notice(f"{files} could not be read: mend what is named above, and pull again")
    for name in result.unknown_fields:
        echo_notice(f"--filter {one_line(name)}: no trace had this field")
    click.get_current_context().exit(ERROR if result.unread_files else DONE)


def _read_time(text: str | None, option: str, now: datetime) -> datetime | None:
    from ..traces.source import read_moment

    return None if text is None else read_moment(text, option, now)


def _check_times(request: "PullRequest", now: datetime) -> None:
    if request.since is not None and request.since >= now:
        raise UsageError("--since: is now or in the future, and no trace has begun since; name a time before now")
    if request.since is not None and request.until is not None and request.since >= request.until:
        raise UsageError("--until: is not after --since; name a later time")


def _read_filters(pairs: tuple[str, ...]) -> dict[str, str]:
    filters: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--filter {pair!r}: write NAME=VALUE, such as user=ann")
        if name.strip() in filters:
            raise UsageError(f"--filter {name.strip()}: stands twice; name each field once")
        filters[name.strip()] = value
    return filters


def _as_json(result: "PullResult", out: Path) -> dict[str, object]:
    cursor = None if result.cursor is None else result.cursor.isoformat()
    return {
        "pulled": result.pulled,
        "conversations": result.conversations,
        "unread": result.unread,
        "cursor": cursor,
        "file": str(out),
        "written": result.written,
        "again": result.again,
        "unjoined": result.unjoined,
        "open_sessions": result.open_sessions,
        "cut": result.is_cut,
        "unused_ratings": result.unused,
        "first_unread": [{"id": one.id, "time": one.time, "reason": one.reason} for one in result.first_unread],
    }


def _print_result(result: "PullResult", request: "PullRequest", out: Path) -> None:
    answers = result.written - result.conversations
    lines = [count_of(result.conversations, "conversation")] if result.conversations else []
    lines += [count_of(answers, "answer")] if answers or not lines else []
    echo(f"{out}: {count_of(result.pulled, 'trace')} pulled, written as {' and '.join(lines)}")
    if result.is_cut:
        echo(f"Stopped at --limit {result.pulled}: there may be more traces, also of the sessions in the file.")
    if result.again:
        echo(f"Left out: {count_of(result.again, 'trace')} that {verb_of(result.again, 'was', 'were')} pulled before.")
    if result.unjoined:
        echo(
            f"The traces of {count_of(result.unjoined, 'session')} make no conversation: each is an answer by itself, "
            "of one group."
        )
    if result.open_sessions and request.until is None:
        from ..traces.conversations import GAP

        minutes = GAP // timedelta(minutes=1)
        echo(
            f"{count_of(result.open_sessions, 'session has', 'sessions have')} a trace of the last "
            f"{count_of(minutes, 'minute')}: what follows will be a conversation of its own. --until {minutes}m waits."
        )
    if result.unused:
        echo(
            f"Ratings by people that are not used: of {count_of(result.unused, 'trace')}; they stand in the metadata, "
            f"with the reason. The first: {one_line(result.unused_problem)}"
        )
    if result.unread:
        unread = count_of(result.unread, *(("trace or file", "traces or files") if result.unread_files else ("trace",)))
        named = len(result.first_unread)
        echo(f"Not read: {unread}. The first{f' {named}' if 1 < named < result.unread else ''}:")
        for trace in result.first_unread:
            echo(f"  {one_line(trace.id)} {trace.time}: {one_line(trace.reason)}")
    if result.cursor is not None:
        echo(f"The next pull goes on from {result.cursor:%Y-%m-%d %H:%M:%S} UTC.")
    if result.written:
        echo(f"Judge them: {typed_command('run', out)} --judge JUDGE")
