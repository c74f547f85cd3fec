"""`assay demo`: the main job on the bundled sets, replayed, without key or network."""

from dataclasses import asdict
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..presentation.result_table import ReportBlock
from ..text.wording import count_of
from .output import echo, echo_json, is_json, open_console, print_blocks, print_command, print_table, typed_command

if TYPE_CHECKING:
    from ..meta_eval.meta_evaluation import MetaEvaluation
    from ..meta_eval.verdict import NextCommands
    from ..runs import Outcome, Store

DEMO_METRICS = (
    "faithfulness",
    "weakest_claim",
    "answer_relevance",
    "judge_truthfulness",
    "judge_relatedness",
    "judge_completeness",
)
SETS = ("helpdesk_nl", "helpdesk_en")
_CONSTRUCTED = "The ratings are constructed: they show how Assay works, and no metric's worth."
_SAMPLE = "en-029"  # its one false claim is easy to see
_NEXT = (
    (f"assay show last {_SAMPLE}", "how one answer came by its scores"),
    ("assay view", "runs and answers on a page"),
    ("assay rate last --raters ada,bob", "your own ratings of these answers"),
    ("assay meta last --report report.html", "all the figures, as a page"),
    ("assay run answers.csv --judge MODEL", "your own answers"),
)


def _recorded_judges() -> list[str]:
    """The judges whose replies are bundled."""
    names = [entry.name for entry in files("assay.cassettes").iterdir()]
    return sorted(name[len("helpdesk.") : -len(".jsonl")] for name in names if name.startswith("helpdesk."))


@click.command()
@click.option("--judge", default="qwen1.5b", show_default=True, help="Whose recorded replies.")
def demo(judge: str, *, store: str | Path) -> None:
    """See the main job on bundled answers, offline.

    Judges two bundled sets of a helpdesk chatbot's answers from recorded replies, and says which metric agrees with the
    ratings.
    """
    from ..errors import UsageError
    from ..eval_sets.score_columns import ReadOptions
    from ..interruption import DONE
    from ..judges import load_settings
    from ..meta_eval.evaluation import evaluate_table
    from ..runs import Plan, RunOptions, Store
    from ..runs.answers.score_table import join_scores, read_runs
    from ..runs.show.run_report import run_as_json
    from .run import execute_plan, exit_code

    recorded = files("assay.cassettes").joinpath(f"helpdesk.{judge}.jsonl")
    if not recorded.is_file():
        raise UsageError(f"no replies of {judge!r} are bundled; there are those of {', '.join(_recorded_judges())}")
    runs = Store(store)
    plan = Plan(sets=SETS, metrics=DEMO_METRICS, judge=load_settings(judge))
    with as_file(recorded) as cassette:
        outcome = execute_plan(plan, runs, RunOptions(cassette=cassette, mode="replay"))
    code = exit_code(runs, plan, outcome, max_failed=0)
    joined = join_scores(runs.database, read_runs(runs, [outcome.run]), (), None, ReadOptions())
    evaluation = evaluate_table(joined.table, commands=_next_commands())  # as `assay meta` does: one figure, one value
    if is_json():
        agreement = None if evaluation.selection is None else asdict(evaluation.selection.agreement)
        verdict = {"verdict": evaluation.verdict.as_json(), "recommendation": evaluation.recommendation}
        echo_json(run_as_json(runs, outcome) | verdict | {"agreement": agreement})
    elif code == DONE:
        _print_demo(runs, outcome, evaluation, judge)
    click.get_current_context().exit(code)


def _next_commands() -> "NextCommands":
    from ..meta_eval.verdict import NextCommands

    return NextCommands(typed_command("rate", "last"), typed_command("run", *SETS))


def _print_demo(store: "Store", outcome: "Outcome", evaluation: "MetaEvaluation", judge: str) -> None:
    from ..runs import Results
    from ..runs.answers.summary import summary_table

    console = open_console()
    print_blocks(ReportBlock(evaluation.verdict.paragraphs()))
    echo(_CONSTRUCTED)
    answers, replies = count_of(evaluation.settings.items, "answer"), count_of(outcome.usage.calls, "recorded reply")
    summary = Results.from_store(store, outcome.run).summary()
    print_table(summary_table(f"{answers}, {replies} of {judge}", summary))
    echo("\nNext:")
    for command, purpose in _NEXT:
        print_command(console, f"{typed_command(*command.split()[1:]):<37}", purpose)
