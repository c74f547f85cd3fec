"""`assay run`: judge sets, keep everything, print the results, as `assay show` does."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import AssayError, InputError, UsageError
from ..interruption import BUDGET, DONE, ERROR, TOO_MANY_FAILED
from ..text.wording import count_of
from .batch import batch_cassette, batch_option, batch_size_option, resumable_batch_run
from .options import (
    SetOptions,
    embedder_option,
    hide_advanced,
    judge_option,
    max_failed_option,
    option_group,
    read_metrics,
    skip_bad_option,
    with_asking,
    with_budget,
    with_set_options,
)
from .output import (
    echo,
    echo_notice,
    end_at_ctrl_c,
    is_wide,
    open_console,
    print_blocks,
    print_command,
    print_result,
    print_table,
    typed_command,
)

if TYPE_CHECKING:
    from ..eval_sets.levels import Turns
    from ..runs import Outcome, Plan, RunOptions, Store
    from ..runs.score.batch_run import BatchOptions
    from ..runs.score.parquet_run import ParquetOutcome

_METRICS_THAT_FIT = 3  # beside the ids and the ratings of samples, in 80 columns
_UNBOUNDED = "without a budget; add --budget to bound all sessions of the run together"


with_plan_options = option_group(
    "planned",
    dict,
    judge_option,
    click.option(
        "--metrics",
        show_default="weakest_claim,faithfulness,token_overlap; without --judge token_overlap",
        help="Names, with commas; options after colons (faithfulness:claims=judge:numeric=no). The baselines are "
        "always added.",
    ),
    click.option(
        "--turns",
        type=click.Choice(("last", "each", "none")),  # as in eval_sets.levels
        default="last",
        show_default=True,
        help="On which turns of a conversation metrics of an answer run. Metrics of a conversation run once on each.",
    ),
    embedder_option,
    click.option(
        "--prompts",
        "prompts_folder",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        help="Folder with your own prompts. Default: the bundled prompts.",
    ),
)


def make_plan(
    sets: Iterable[str],
    set_options: SetOptions,
    *,
    judge: str | None,
    metrics: str | None,
    embedder: str,
    turns: "Turns",
    prompts_folder: Path | None = None,
) -> "Plan":
    """The plan of a run as typed. Raises `UsageError` for an unknown judge or metric."""
    from ..judges import load_settings
    from ..runs import Plan

    return Plan(
        **asdict(set_options),
        sets=tuple(sets),
        metrics=read_metrics(metrics, has_judge=judge is not None),
        judge=load_settings(judge) if judge else None,
        embedder=embedder,
        turns=turns,
        has_default_metrics=metrics is None,
        prompts=None if prompts_folder is None else str(prompts_folder.resolve()),
    )


@hide_advanced(
    *("--embedder", "--language", "--sheet", "--header-row"),
    *("--batch-size", "--skip-bad"),
)
@click.command()
@click.argument("sets", nargs=-1, metavar="[SET]...")
@with_plan_options
@with_set_options
@with_budget
@with_asking
@batch_option
@batch_size_option
@click.option(
    "--resume",
    help="Resume a run: its id, or `last`. SETs and options may be left out, but not --out, --budget and --max-failed, "
    "which no run keeps, nor --judge where its settings (an api_base) may be secret.",
)
@max_failed_option
@skip_bad_option
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE|FOLDER",
    help="Write every score to a file (.jsonl or .csv); of Parquet files the folder of their scores.",
)
def run(
    sets: tuple[str, ...],
    *,
    planned: Mapping[str, Any],
    set_options: SetOptions,
    asking: "RunOptions",
    batch: bool,
    batch_size: int | None,
    resume: str | None,
    max_failed: int,
    skip_bad: bool,
    out: Path | None,
    store: Path | str,
) -> None:
    """Judge sets and print how metrics agree with the ratings.

    SET is a file (.jsonl, .csv, .xlsx, .parquet, ...), a bundled set (helpdesk_nl, helpdesk_en) or a public rated set
    (public:mtrag; `assay sets` lists them).

    \b
    assay run answers.csv --judge openai/gpt-4o-mini --map question=user_input
    assay run helpdesk_nl --judge qwen1.5b --cassette replies.jsonl
    assay run answers/*.parquet --metrics heuristic --out scores
    """
    from ..atomic_files import check_replaceable
    from ..judges import load_settings
    from ..runs import Store
    from ..runs.score.batch_run import BatchOptions
    from ..runs.score.session import find_run_to_resume
    from ..runs.show.results import check_scores_file
    from ..runs.show.run_report import run_as_json
    from ..runs.store.plan import absolute_source

    if not sets and not resume:
        raise UsageError("name a SET, or a run to go on with (--resume last)")
    folder = out if out is not None and not out.suffix and _are_parquet(sets) else None  # of parts
    if out is not None and folder is None:
        check_replaceable(out, "--out")
        check_scores_file(out)  # before anything is paid for

    typed_plan = partial(make_plan, [absolute_source(source) for source in sets], set_options, **planned)
    batches = None

    if sets and planned["judge"] is None and planned["metrics"] is None:
        echo_notice(
            "no judge is named: only metrics that ask none are scored (--judge MODEL adds weakest_claim and "
            "faithfulness)"
        )
    if folder is not None:
        if resume or skip_bad or batch:
            raise UsageError(
                "--out FOLDER scores Parquet files without --resume (the same command goes on where it ended), "
                "--skip-bad and --batch"
            )
        _run_parts(typed_plan(), folder, asking, max_failed=max_failed)
    runs = Store(store)
    plan = typed_plan() if sets else None
    judge = load_settings(planned["judge"]) if planned["judge"] and not sets else None
    resumed = find_run_to_resume(runs, resume, plan, judge) if resume else None
    plan = plan or (resumed.plan if resumed else typed_plan())
    if batch:
        batches = BatchOptions(batch_size, echo_notice)
        cassette = asking.cassette_file(lambda: plan.judge) or batch_cassette(store, plan)
        asking = replace(asking, cassette=cassette)
        resumed = resumed or resumable_batch_run(runs, plan, cassette)
    run_id = resumed.id if resumed else None
    outcome = execute_plan(plan, runs, asking, resume=run_id, skip_bad=skip_bad, batches=batches)
    for skipped in outcome.skipped_rows:
        echo_notice(f"left out: {skipped}")
    print_result(lambda: run_as_json(runs, outcome), lambda: print_run(runs, outcome.run, outcome))
    if out is not None:
        write_out(runs, plan, outcome.run, out)
    click.get_current_context().exit(exit_code(runs, plan, outcome, max_failed, is_resumed=bool(resume)))


def write_out(store: "Store", plan: "Plan", run: str, out: Path) -> None:
    """Writes the scores of a run to a file."""
    from ..runs.show.results import write_scores

    try:
        write_scores(store, run, out)
    except AssayError as error:
        raise InputError(
            f"{error}. The scores are kept, and this writes them without asking anybody: "
            f"{typed_command(*_resume_words(plan, run))}"
        ) from error


def _resume_words(plan: "Plan", run: str) -> list[str]:
    """The words of the command that goes on with a run: with what was typed and the run does not keep whole."""
    typed = click.get_current_context().params
    judge, out = typed.get("judge") if plan.withholds_judge else None, typed.get("out")
    return ["run", "--resume", run, *(["--judge", judge] if judge else []), *(["--out", str(out)] if out else [])]


def execute_plan(
    plan: "Plan",
    store: "Store",
    options: "RunOptions",
    *,
    resume: str | None = None,
    skip_bad: bool = False,
    batches: "BatchOptions | None" = None,
) -> "Outcome":
    """Scores a plan with its progress shown. At Ctrl-C says how to go on, and exits."""
    from ..runs import run_plan
    from .output import live_progress

    def explain() -> str:
        again = typed_command(*_resume_words(plan, "last"))
        how = again if batches is None else "the same command; the batches go on at the provider"
        unbounded = f" ({_UNBOUNDED})" if options.budget.is_bounded and batches is None else ""
        return f"all replies are kept. Go on with: {how}{unbounded}"

    with end_at_ctrl_c(explain), live_progress() as on_progress:
        return run_plan(
            plan,
            store,
            options,
            resume=resume,
            skip_bad=skip_bad,
            batches=batches,
            on_progress=on_progress,
            on_note=echo_notice,
        )


def _are_parquet(sets: tuple[str, ...]) -> bool:
    return bool(sets) and all(source.endswith(".parquet") for source in sets)


def _run_parts(plan: "Plan", out: Path, options: "RunOptions", *, max_failed: int) -> None:
    """Scores Parquet files into a folder with the progress shown, prints the results, and exits."""
    from ..runs.score.parquet_run import run_parquet
    from .output import live_progress

    go_on = "go on with the same command"
    with end_at_ctrl_c(lambda: f"what was scored is kept: {go_on}"), live_progress() as on_progress:
        outcome = run_parquet(plan, out, options, on_progress=on_progress, on_note=echo_notice)
    print_result(lambda: outcome_as_json(outcome, out), lambda: print_outcome_of_parts(outcome, out))
    failed, problem, summary = outcome.scores["failed"], "", outcome.summary
    if failed > max_failed:
        problem = (
            f"{count_of(failed, 'score')} failed, {max_failed} allowed (--max-failed). The first: {summary.failure}. "
            "To score them again, remove the files of their parts"
        )
    reason = "" if failed else summary.reason_of_no_value(_asked_metrics(plan))
    click.get_current_context().exit(_explain_end(outcome, go_on, problem, reason))


def exit_code(store: "Store", plan: "Plan", outcome: "Outcome", max_failed: int, *, is_resumed: bool = False) -> int:
    """The exit code of a session. Says on standard error why it is not 0."""
    if outcome.ending == "budget":
        echo_notice(f"the command below goes on {_UNBOUNDED}")
    failed, problem = store.failures(outcome.run), ""
    if len(failed) > max_failed:
        names = ", ".join([*failed][:5]) + (", ..." if len(failed) > 5 else "")
        option = "--max-failed; a resumed run keeps no earlier one" if is_resumed else "--max-failed"
        problem = (
            f"{count_of(len(failed), 'sample')} failed ({names}), {max_failed} allowed ({option}). The first: "
            f"{next(iter(failed.values()))}"
        )
    reason = "" if failed else store.reason_of_no_value(outcome.run, _asked_metrics(plan))
    return _explain_end(outcome, f"go on with: {typed_command(*_resume_words(plan, outcome.run))}", problem, reason)


def _explain_end(outcome: "Outcome", go_on: str, problem: str, reason: str) -> int:
    """The exit code, said why: the budget is out, too much failed (`problem`), or nothing has a value (`reason`)."""
    if outcome.ending == "budget":
        echo_notice(f"{outcome.message}; {go_on}")
        return BUDGET
    if problem:
        echo_notice(problem)
        return TOO_MANY_FAILED
    if reason:
        echo_notice(f"nothing was scored. {reason}. What each metric takes from an answer: assay metrics describe NAME")
        return ERROR
    return DONE


def _asked_metrics(plan: "Plan") -> tuple[str, ...]:
    return plan.all_metrics if plan.has_default_metrics else plan.metrics


def print_run(store: "Store", run: str, outcome: "Outcome | None" = None, *, each_sample: bool = False) -> None:
    """Prints a run's table, why scores are missing, and the worst answers."""
    from ..runs.show.results import read_results
    from ..runs.show.run_report import name_run, run_block, sample_block, worst_block

    row = store.run(run)
    results = read_results(store, row, has_evidence=False)
    summaries, place = results.summary(), name_run(store, row.id)
    first = run_block(results, row, summaries, outcome, place=place, is_detailed=is_wide())
    worst, worst_answers = worst_block(results, row, summaries)
    print_blocks(first, *([worst_answers] if worst else []))
    if worst:
        echo("How one of them came by its scores:")
        print_command(open_console(), typed_command("show", row.id, ids=[worst]))
    if each_sample:
        print_blocks(sample_block(results, row, None if is_wide() else _METRICS_THAT_FIT))


def outcome_as_json(outcome: "ParquetOutcome", out: Path) -> dict[str, Any]:
    """The object of `assay run --json` for Parquet files."""
    from ..runs.show.results import usage_as_json

    metrics = {metric.name: metric.as_json() for metric in outcome.summary.summaries()}
    shown = ("n", "scored", "skipped", "failed", "mean")
    return {
        "scores": str(out),
        "written": outcome.written,
        "skipped": outcome.skipped,
        "answers": outcome.summary.answers,
        "metrics": {metric: {key: values[key] for key in shown} for metric, values in metrics.items()},
        "usage": usage_as_json(outcome.usage),
        "lost": asdict(outcome.lost),
        "seconds": round(outcome.seconds, 3),
    }


def print_outcome_of_parts(outcome: "ParquetOutcome", out: Path) -> None:
    """Prints what a session did, what its folder holds by metric, and which command tells more."""
    from ..runs.answers.summary import summary_table
    from ..runs.show.run_report import session_line

    parts = f"{count_of(outcome.written, 'part')} written, {outcome.skipped} there already"
    session = "in this session " if outcome.skipped else ""  # what the parts there already took is not known here
    echo(f"{out}: {parts}; {session}{session_line(outcome.usage)}; {outcome.seconds:.1f} s")
    if outcome.lost:
        from ..judges.budget import describe_lost

        echo(f"{describe_lost(outcome.lost)}, not in the line above")
    summary = outcome.summary
    print_table(summary_table(count_of(summary.answers, "answer"), summary.summaries(), is_detailed=True))
    if summary.failure:
        echo(f"The first score that failed: {summary.failure}")
    echo("Which metric agrees with the ratings, where there are some:")
    print_command(open_console(), typed_command("meta", "--scores", out))
