"""`assay watch`: estimates of a chatbot in production, and alarms that mean something."""

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..interruption import DONE, ERROR, GATE_FAILED
from ..presentation.figure import Figure
from ..presentation.texts import one_line
from ..text.wording import count_of
from .output import (
    echo,
    echo_json,
    echo_notice,
    is_json,
    print_blocks,
    print_result,
    typed_command,
    until_reader_leaves,
)

if TYPE_CHECKING:
    from ..runs import Store
    from ..traces.watch.watch_settings import WatchSettings
    from ..traces.watch.watch_state import StoredAlarm, StoredLook, WatchRow
    from ..traces.watch.watch_step import StepReport, StepTools

_MOST_SEGMENTS = 6  # that are printed


@click.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--once", is_flag=True, help="Take one step and end: for cron. Exit code 5 while an alarm stands.")
@click.option("--check", is_flag=True, help="Only check FILE: no server and no judge is asked, nothing is written.")
@click.option("--status", is_flag=True, help="Show what the watch says so far; also while it runs.")
@click.option("--draft", metavar="ADDRESS", help="Print a watch file for the traces at ADDRESS.")
def watch(
    file: Path | None,
    *,
    once: bool,
    check: bool,
    status: bool,
    draft: str | None,
    store: str | Path,
) -> None:
    """Watch a chatbot in production.

    FILE is YAML. Each interval: pull what is new, judge a sample, push the scores, estimate, raise alarms.

    All is kept in the store: a kill loses nothing, and the same command goes on. Two watchers of one file exclude each
    other.

    \b
    assay watch --draft phoenix://localhost:6006/support > watch.yaml
    assay watch watch.yaml
    assay watch watch.yaml --once       # for cron
    """
    if draft is not None:
        from ..languages.yaml_file import load_yaml
        from ..traces.watch.watch_settings import draft_watch

        content = draft_watch(draft)
        if is_json():  # a watch file too: YAML reads JSON
            echo_json(load_yaml(content, "the draft").value)
        else:
            echo(content.rstrip("\n"))
        return
    if file is None:
        raise UsageError("name the watch file; `assay watch --draft ADDRESS` prints one")
    from ..traces.watch.watch_settings import load_watch

    settings = load_watch(file)
    if check:
        _check(file, settings)
        return
    from ..runs import Store

    context = click.get_current_context()
    is_own_store = context.get_parameter_source("store") is click.core.ParameterSource.DEFAULT
    place = settings.store_place if is_own_store and settings.store is not None else store
    runs = Store(place, must_exist=status)
    own_place = settings.store if place is not store else None  # to be named in the commands that are printed
    try:
        if status:
            code = _show_status(runs, settings)
        elif once:
            code = _take_one(runs, settings, own_place)
        else:
            code = _take_all(runs, settings, own_place)
    finally:
        runs.close()
    context.exit(code)


def _check(file: Path, settings: "WatchSettings") -> None:
    if is_json():
        echo_json(settings.as_json())
        return
    bounds, target = count_of(len(settings.bounds), "bound"), settings.webhook_shown or "no webhook"
    echo(f"{file}: watches {one_line(settings.source)} by {settings.metric}, {bounds}, {one_line(target)}: no errors")
    if not settings.bounds:
        echo_notice(f"{file} has no bounds, so that no alarm can fire; add some under `bounds:`")
    if not settings.ratings.raters:
        echo_notice(
            f"{file}: nobody rates (`ratings.raters`), so that there is an estimate only where people annotate traces"
        )


def _take_one(store: "Store", settings: "WatchSettings", own_place: str | None) -> int:
    from ..traces.watch.watch_step import take_step

    report = take_step(settings, store, _tools())
    with until_reader_leaves():
        _show_report(report, own_place)
    return _exit_code(report)


def _take_all(store: "Store", settings: "WatchSettings", own_place: str | None) -> int:
    from ..traces.watch.watch_settings import format_duration
    from ..traces.watch.watch_step import take_steps

    if not is_json():
        echo_notice(f"a step every {format_duration(settings.every)}; Ctrl-C ends it, and the same command goes on")
    for report in take_steps(settings, store, _tools()):
        _show_report(report, own_place)
    return DONE


def _tools() -> "StepTools":
    """What a step uses, with the progress of the judge on standard error."""
    from ..traces.watch.watch_step import StepTools
    from .output import live_progress

    return StepTools(show_progress=live_progress, on_trouble=echo_notice)


def _exit_code(report: "StepReport") -> int:
    if report.standing:
        return GATE_FAILED
    return ERROR if report.problems else DONE


def _show_report(report: "StepReport", own_place: str | None) -> None:
    if is_json():
        values = _as_json(report.watch, report.stored, report.standing)
        echo_json(values | {"notes": report.notes, "problems": report.problems, "exit_code": _exit_code(report)})
        return
    stored = report.stored
    _show_look(report.watch, stored, report.standing, report.fired)
    for alarm in report.cleared:
        echo(f"  cleared: {one_line(alarm.bound)}: {one_line(alarm.cleared_sentence)}")
    said = stored.look.mean.problem if stored.look.mean.value is None else ""
    for note in (*stored.look.notes, *report.notes):
        if note != said:  # the verdict says it
            echo(f"  {one_line(note)}")
    _print_next_steps(report, own_place)
    for problem in report.problems:
        echo_notice(problem)


def _show_status(store: "Store", settings: "WatchSettings") -> int:
    from ..traces.watch.watch_state import WatchState

    state = WatchState(store)
    row = state.watch(settings.name)
    newest, standing = state.newest_look(row.id), state.alarms(row.id, standing=True)
    if newest is None:
        problem = f": its last step failed: {row.problem}" if row.problem else ""
        raise UsageError(f"the watch {row.name} has had no look yet{problem}")

    def show() -> None:
        _show_look(row, newest, standing)
        who = "a process is" if row.is_running else "no process is"
        echo(f"  {who} at work on it; the last step ended at {row.stepped_at}")
        if row.problem:
            echo_notice(f"what failed at the last step: {one_line(row.problem)}")

    print_result(lambda: _as_json(row, newest, standing) | {"running": row.is_running, "problem": row.problem}, show)
    return GATE_FAILED if standing else DONE


def _show_look(
    row: "WatchRow", stored: "StoredLook", standing: list["StoredAlarm"], fired: Collection[int] = ()
) -> None:
    """Prints the verdict, what the step did, the alarms as they are today, and the first segments."""
    from ..presentation.result_table import ReportBlock
    from ..traces.watch.watch_look import give_watch_verdict
    from ..traces.watch.watch_settings import describe_bound

    look = stored.look
    print_blocks(ReportBlock(give_watch_verdict(row, stored, standing).paragraphs()))
    if look.mean.problem and look.mean.value is not None and look.mean.problem not in look.notes:
        echo(f"  no interval: {one_line(look.mean.problem)}")
    echo(f"  {_counts_line(stored)}")
    today = {describe_bound(state.bound): state.sentence for state in look.bounds if state.broken}
    for alarm in standing:
        is_new, sentence = alarm.number in fired, today.get(alarm.bound, alarm.sentence)
        echo(f"  {'ALARM' if is_new else 'alarm stands'} ({one_line(alarm.bound)}): {one_line(sentence)}")
        for answer in alarm.answers if is_new else ():
            score, question = "" if answer.score is None else f" {answer.score:.2f}", one_line(answer.question, 60)
            echo(f"    {one_line(answer.id, 40)}{score}  {question} -> {one_line(answer.answer, 80)}")
    for state in look.bounds:
        if not state.broken:
            echo(f"  {one_line(state.sentence)}")
    known = [segment for segment in look.segments if segment.mean.value is not None]
    for segment in known[:_MOST_SEGMENTS]:
        mean = Figure.from_estimate("mean", segment.mean).describe()
        name = f"{segment.field} {one_line(segment.value, 40)}"
        echo(f"  {name}: {count_of(segment.answers, 'answer')}, mean rating {mean}")
    if len(known) > _MOST_SEGMENTS:
        echo(f"  {count_of(len(known) - _MOST_SEGMENTS, 'more segment')}: --json has all")


def _counts_line(stored: "StoredLook") -> str:
    counts = stored.counts
    parts = [
        f"{counts.pulled:,} pulled",
        f"{counts.drawn:,} drawn",
        f"{counts.judged:,} judged",
        f"{counts.pushed:,} pushed",
        f"{counts.queued:,} queued for raters",
        f"{counts.rated:,} newly rated",
    ]
    left = [(counts.failed, "without a score"), (counts.waiting, "waiting for the judge")]
    left += [(counts.undrawn, "not drawn yet"), (counts.push_failed, "not pushed")]
    left += [(counts.unread, f"{'trace' if counts.unread == 1 else 'traces'} that cannot be read")]
    parts += [f"{count:,} {what}" for count, what in left if count]
    return f"this step: {', '.join(parts)}"


def _print_next_steps(report: "StepReport", own_place: str | None) -> None:
    """The commands that people type next: to rate what waits, and to see what bad answers have in common."""
    if report.queue:
        asked = count_of(report.to_rate, "rating is", "ratings are")
        echo(f"  {asked} asked for: {typed_command('rate', report.queue, store=own_place)}")
    if report.run:
        command = typed_command("show", "failures", report.run, store=own_place)
        echo(f"  what bad answers have in common: {command}")


def _as_json(row: "WatchRow", stored: "StoredLook", standing: list["StoredAlarm"]) -> dict[str, Any]:
    from dataclasses import asdict

    from ..traces.watch.watch_look import give_watch_verdict

    look = stored.look
    return {
        "watch": row.name,
        "verdict": give_watch_verdict(row, stored, standing).as_json(),
        "mean": look.mean.value,
        "low": look.mean.low,
        "high": look.mean.high,
        "bad_share": look.bad_share.value,
        "bad_low": look.bad_share.low,
        "bad_high": look.bad_share.high,
        "answers": look.answers,
        "rated": look.rated,
        "judged": look.judged,
        "looks": stored.number,
        "at": stored.at,
        "step": asdict(stored.counts),
        "bounds": [asdict(state) for state in look.bounds],
        "segments": [asdict(segment) for segment in look.segments],
        "alarms": [asdict(alarm) for alarm in standing],
    }
