"""`assay run`: judge sets, keep everything, print what came out."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from .exit_codes import BUDGET, DONE, ERROR, INTERRUPTED, TOO_MANY_FAILED
from .options import (
    budget_options,
    chosen_prompts,
    embedder_option,
    json_option,
    judge_option,
    metrics_option,
    prompts_option,
    read_mapping,
    read_metrics,
    set_options,
    store_option,
    translate_option,
)

if TYPE_CHECKING:
    from ..judges import Budget, Mode
    from ..runs import Outcome, Plan, Store


@click.command()
@click.argument("sets", nargs=-1, metavar="[SET]...")
@judge_option
@metrics_option
@click.option("--cassette", type=click.Path(path_type=Path), help="File of recorded replies.")
@click.option(
    "--mode",
    type=click.Choice(["replay", "record", "auto", "off"]),
    help="With --cassette: replay (no model is asked), record (all anew), auto (what is missing). Default: auto.",
)
@embedder_option
@translate_option
@prompts_option
@set_options
@click.option("--concurrency", type=click.IntRange(min=1), help="Calls at once; if not given, as the judge says.")
@budget_options
@click.option("--resume", help="Go on with a run: its id, or `last`. SETs and options may be left out.")
@click.option("--max-failed", type=click.IntRange(min=0), default=0, show_default=True, help="Failed samples allowed.")
@click.option("--skip-bad", is_flag=True, help="Leave out rows that cannot be read, and list them.")
@click.option("--out", type=click.Path(path_type=Path), help="Write every score to a file (.jsonl or .csv).")
@store_option
@json_option
def run(sets: tuple[str, ...], **options: Any) -> None:
    """Judge SETs and print how each metric agrees with the ratings.

    SET is a file (.jsonl, .csv, .parquet, ...), a folder saved by `datasets`, a bundled set (helpdesk_nl, helpdesk_en)
    or a set on the Hub (owner/name).

    \b
    assay run answers.csv --judge openai/gpt-4o-mini --map question=user_input
    assay run helpdesk_nl --judge qwen1.5b --cassette replies.jsonl
    """
    from ..judges import Budget
    from ..runs import Store
    from ..runs.export import check_writable

    if options["mode"] and options["mode"] != "off" and options["cassette"] is None:
        raise UsageError(f"--mode {options['mode']} needs a --cassette")
    if not sets and not options["resume"]:
        raise UsageError("name a SET, or a run to go on with (--resume last)")
    if options["out"] is not None:
        check_writable(options["out"])  # before anything is paid for
    store = Store(options["store"])
    plan, resumed = _plan(sets, options, store)
    budget = Budget(options["budget_usd"], options["budget_tokens"], options["budget_calls"])
    click.get_current_context().exit(judge_plan(plan, store, budget, resumed, options))


def _plan(sets: tuple[str, ...], options: dict[str, Any], store: "Store") -> "tuple[Plan, str | None]":
    """The plan that was typed, or that of the run to resume; and that run's id."""
    from ..judges import load_settings
    from ..runs.plan import Plan, settled

    if not sets:
        found = store.run(options["resume"])
        return found.plan, found.id
    prompts = chosen_prompts(options["prompts_folder"], options["store"])
    plan = Plan(
        sets=tuple(settled(source) for source in sets),
        metrics=read_metrics(options["metrics"], options["translate"]),
        judge=load_settings(options["judge"]) if options["judge"] else None,
        embedder=options["embedder"],
        mapping=read_mapping(options["mapping"]),
        language=options["language"],
        split=options["split"],
        limit=options["limit"],
        prompts=None if prompts is None else str(prompts.resolve()),
    )
    if not options["resume"]:
        return plan, None
    found_run = store.newest_with(plan.identity) if options["resume"] == "last" else store.run(options["resume"])
    if found_run is None or found_run.plan.identity != plan.identity:
        raise UsageError(
            f"no run to resume has these sets, metrics and judge ({store.path}); leave --resume out to begin one, or "
            "name only the run (--resume RUN) to go on with its own"
        )
    return plan, found_run.id


def judge_plan(plan: "Plan", store: "Store", budget: "Budget", resumed: str | None, options: dict[str, Any]) -> int:
    """Runs a plan with the options of `assay run`, prints what came out, and gives the exit code."""
    from ..judges import Cassette, LiteLLMJudge
    from ..judges.embedders import load_embedder
    from ..metrics.catalogue import needs_judge
    from ..runs import Progress, run_session
    from .progress import live_progress

    mode: Mode = options["mode"] or "auto"
    cassette = None if options["cassette"] is None or mode == "off" else Cassette(options["cassette"], mode)
    judge = None
    if plan.judge is not None:
        overrides = {"concurrency": options["concurrency"]} if options["concurrency"] else {}
        judge = LiteLLMJudge(plan.judge, cassette=cassette, budget=budget, **overrides)
    elif asking := [metric for metric in plan.metrics if needs_judge(metric)]:
        ask = "asks" if len(asking) == 1 else "ask"
        raise UsageError(f"{', '.join(asking)} {ask} a judge; name one with --judge")
    skipped_rows: list[Any] | None = [] if options["skip_bad"] else None
    total = sum(1 for _ in plan.samples(skipped_rows))  # every row is read before any call is paid for
    embedder = load_embedder(plan.embedder, cassette, budget)
    progress = Progress(total)
    concurrency = judge.settings.concurrent_samples if judge else options["concurrency"] or 16
    interrupted = False
    outcome: Outcome | None = None
    try:
        with live_progress(progress, silent=options["as_json"]) as on_progress:
            outcome = asyncio.run(
                run_session(
                    plan,
                    store,
                    judge=judge,
                    embedder=embedder,
                    resume=resumed,
                    concurrency=concurrency,
                    skip_bad=options["skip_bad"],
                    progress=progress,
                    on_progress=on_progress,
                )
            )
    except KeyboardInterrupt:
        interrupted = True
    finally:
        if judge is not None:
            judge.close()
        elif cassette is not None:
            cassette.close()
    if interrupted or outcome is None:
        click.echo("assay: interrupted; all replies are kept. Go on with: assay run --resume last", err=True)
        return INTERRUPTED
    return _report(plan, store, outcome, progress, options)


def _report(plan: "Plan", store: "Store", outcome: "Outcome", progress: Any, options: dict[str, Any]) -> int:
    from ..runs.export import write_scores
    from ..runs.report import plain, print_run, run_as_json

    for error in outcome.skipped_rows:
        click.echo(f"assay: left out: {plain(str(error))}", err=True)
    if options["out"] is not None:
        write_scores(store, outcome.run, options["out"])
    if options["as_json"]:
        click.echo(json.dumps(run_as_json(store, outcome.run, progress), ensure_ascii=False))
    else:
        print_run(store, outcome.run, progress)
    if outcome.ending == "budget":
        click.echo(f"assay: {plain(outcome.message)}; go on with: assay run --resume {outcome.run}", err=True)
        return BUDGET
    failed = store.failed_samples(outcome.run)
    if len(failed) > options["max_failed"]:
        named = ", ".join(failed[:5]) + (", ..." if len(failed) > 5 else "")
        click.echo(
            f"assay: {len(failed)} samples failed ({plain(named)}), {options['max_failed']} allowed (--max-failed). "
            f"The first: {plain(store.first_failure(outcome.run))}",
            err=True,
        )
        return TOO_MANY_FAILED
    return DONE if outcome.ending == "done" else ERROR
