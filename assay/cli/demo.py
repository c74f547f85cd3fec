"""`assay demo`: the main job on the bundled sets, replayed, without key or network."""

from dataclasses import asdict
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..presentation.figure import Figure
from ..presentation.result_table import ReportBlock
from ..text.wording import count_of
from .output import echo_json, is_json, open_console, print_blocks, print_command, print_table, typed_command

if TYPE_CHECKING:
    from rich.console import Console

    from ..meta_eval.score_join import JoinedScores
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
CONVERSATION_METRICS = ("handover", "policy_kept", "tool_calls")  # those that need no extra
CONVERSATION_SETS = ("conversations_nl", "conversations_en")
_CONVERSATION = "telecom-en-04"  # its planted fault is in a call of a tool
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
    from ..judges import load_settings
    from ..meta_eval.evaluation import evaluate_table
    from ..runs import Plan, RunOptions, Store
    from ..runs.show.run_report import run_as_json
    from .exit_codes import DONE
    from .run import execute_plan, exit_code

    recorded = files("assay.cassettes").joinpath(f"helpdesk.{judge}.jsonl")
    if not recorded.is_file():
        raise UsageError(f"no replies of {judge!r} are bundled; there are those of {', '.join(_recorded_judges())}")
    runs = Store(store)
    conversations = _judge_conversations(judge, runs)  # first: the last run is that of the answers
    plan = Plan(sets=SETS, metrics=DEMO_METRICS, judge=load_settings(judge))
    with as_file(recorded) as cassette:
        outcome = execute_plan(plan, runs, RunOptions(cassette=cassette, mode="replay"))
    code = exit_code(runs, plan, outcome, max_failed=0)
    if is_json():
        evaluation = evaluate_table(_join_scores(runs, outcome.run).table, commands=_next_commands())
        agreement = None if evaluation.selection is None else asdict(evaluation.selection.agreement)
        verdict = {"verdict": evaluation.verdict.as_json(), "recommendation": evaluation.recommendation}
        further = {} if conversations is None else {"conversations": run_as_json(runs, conversations)}
        echo_json(run_as_json(runs, outcome) | verdict | {"agreement": agreement} | further)
    elif code == DONE:
        _print_demo(runs, outcome, conversations, judge)
    click.get_current_context().exit(code)


def _next_commands() -> "NextCommands":
    from ..meta_eval.verdict import NextCommands

    return NextCommands(typed_command("rate", "last"), typed_command("run", *SETS))


def _judge_conversations(judge: str, store: "Store") -> "Outcome | None":
    """Judges the bundled conversations from recorded replies; None where the judge's are not bundled."""
    from ..judges import load_settings
    from ..runs import Plan, RunOptions, run_plan

    recorded = files("assay.cassettes").joinpath(f"conversations.{judge}.jsonl")
    if not recorded.is_file():
        return None
    plan = Plan(sets=CONVERSATION_SETS, metrics=CONVERSATION_METRICS, judge=load_settings(judge), turns="none")
    with as_file(recorded) as cassette:
        return run_plan(plan, store, RunOptions(cassette=cassette, mode="replay"), on_note=lambda _: None)


def _print_demo(store: "Store", outcome: "Outcome", conversations: "Outcome | None", judge: str) -> None:
    from rich.text import Text

    from ..meta_eval.evaluation import evaluate_table
    from ..runs import Results
    from ..runs.answers.summary import summary_table

    joined = _join_scores(store, outcome.run)
    console = open_console()
    evaluation = evaluate_table(joined.table, commands=_next_commands())  # as `assay meta` does: one figure, one value
    print_blocks(ReportBlock(evaluation.verdict.paragraphs()))
    console.print(Text(_CONSTRUCTED, style="dim"))
    title = (
        f"{count_of(evaluation.settings.items, 'answer')}, {count_of(outcome.usage.calls, 'recorded reply')} of {judge}"
    )
    print_table(summary_table(title, Results.from_store(store, outcome.run).summary()))
    if conversations is not None:
        _print_conversations(console, store, conversations, judge)
    console.print(Text("\nNext:", style="bold"))
    for command, purpose in _NEXT:
        print_command(console, f"{typed_command(*command.split()[1:]):<37}", purpose)


def _print_conversations(console: "Console", store: "Store", outcome: "Outcome", judge: str) -> None:
    """The means of the metrics of a conversation, and what one of them found in one conversation."""
    from rich.padding import Padding
    from rich.text import Text

    from ..runs import Results

    summaries = Results.from_store(store, outcome.run).summary(has_agreement=False)
    own = [one for one in summaries if one.name in CONVERSATION_METRICS]
    means = ", ".join(f"{one.name} {Figure('mean', one.mean)}" for one in own)
    console.print(Text(f"\n{count_of(own[0].n, 'conversation')}, on average: {means}."))
    console.print(Text(f"What a judge decides there needs a larger one than {judge}. One of them:"))
    scores = {metric: score for _, metric, score in store.scores(outcome.run, _CONVERSATION)}
    console.print(Padding(Text(f"{_CONVERSATION}, tool_calls: {scores['tool_calls'].reason}"), (0, 0, 0, 2)))
    print_command(console, typed_command("show", outcome.run, _CONVERSATION), "with its turns")


def _join_scores(store: "Store", run: str) -> "JoinedScores":
    from ..eval_sets.score_columns import ReadOptions
    from ..runs.answers.score_table import join_scores, read_runs

    return join_scores(store.database, read_runs(store, [run]), (), None, ReadOptions())
