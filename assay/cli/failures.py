"""`assay show failures`: the bad answers of runs, grouped by why they are bad."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..atomic_files import check_writable
from .judge_session import JudgeSession, SessionOptions, open_judge_session, question_progress, with_judge_session
from .options import embedder_option, path_in_store, prompts_option
from .output import echo, open_console, print_command, print_result, typed_command
from .progress import show_status
from .typed_values import REPORT_FILE, SEED, BoundedCount

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..prompts import Prompts
    from ..runs import AnswerTable
    from ..runs.failures.failure_groups import Failures

_MOST_GROUPS = 100


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN [RUN]...")
@click.option("--metric", help="Which answers are bad, by this metric. Default: the ratings, where there are some.")
@click.option("--groups", type=BoundedCount(1, _MOST_GROUPS), help="How many groups. Default: chosen by silhouette.")
@click.option("--report", type=REPORT_FILE, help="An HTML file to write.")
@embedder_option
@click.option("--seed", type=SEED, default=0, show_default=True, help="Of the draws of texts and answers.")
@with_judge_session
@prompts_option
def failures(
    runs: tuple[str, ...],
    *,
    metric: str | None,
    groups: int | None,
    report: Path | None,
    embedder: str,
    seed: int,
    judge: str | None,
    session_options: SessionOptions,
    prompts_folder: Path | None,
    store: str | Path,
) -> None:
    """Group the bad answers of runs by why they are bad.

    RUN is an id, its beginning, or `last`; of several, name the oldest first: the same groups are counted in all, and
    the change is from the first to the last. Bad is what raters rate below the middle of the scale; without ratings
    what a metric finds bad. What says why: raters' reasons, the sentences that they marked, and judges' verdicts.

    \b
    assay show failures last
    assay show failures 20261120 last --judge qwen1.5b --report why.html
    """
    from ..judges.embedders import load_embedder
    from ..prompts import BUNDLED, Prompts
    from ..runs import Store
    from ..runs.failures.failure_blocks import failures_as_json, failures_block
    from ..runs.failures.failure_groups import group_failures
    from ..runs.failures.failure_page import write_failure_report
    from ..runs.show.results import read_results

    opened = Store(store, must_exist=True)
    rows = [opened.run(run) for run in runs]
    if report is not None:
        check_writable(report)  # before a judge is paid
    prompts = Prompts.from_folder(prompts_folder) if prompts_folder and judge else BUNDLED
    tables = [read_results(opened, row) for row in rows]
    with show_status("Embedding what says why"):
        result = asyncio.run(group_failures(tables, load_embedder(embedder), metric=metric, groups=groups, seed=seed))
    if judge is not None and result.groups:
        replies = path_in_store(store, "failures", "name a file with --cassette")
        with open_judge_session(judge, session_options, replies) as session:
            result = _name(result, session, tables, prompts)
    if report is not None:
        write_failure_report(report, result)

    def show_more() -> None:
        if example := next((example for group in result.groups for example in group.examples), None):
            command = typed_command("show", example.run, ids=[example.answer])
            print_command(open_console(), command, "one of them in full")
        if report is not None:
            echo(f"Written: {report}")

    print_result(lambda: failures_as_json(result), failures_block(result), show_more)


def _name(result: "Failures", session: JudgeSession, tables: "Sequence[AnswerTable]", prompts: "Prompts") -> "Failures":
    """Has the session's judge name the groups; a progress bar shows it."""
    from ..runs.failures.failure_groups import FailedAnswer
    from ..runs.failures.group_names import name_groups

    assert session.judge is not None
    languages = {
        FailedAnswer(table.run or "", name): sample.language
        for table in tables
        for name, sample in table.samples.items()
    }
    concurrency = session.judge.settings.concurrency
    with question_progress(session.judge, len(result.groups)) as on_reply:
        work = name_groups(
            result, session.judge, languages, prompts=prompts, concurrency=concurrency, on_reply=on_reply
        )
        return asyncio.run(work)
