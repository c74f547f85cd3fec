"""`assay demo`: the main job on the bundled sets, replayed, without key or network."""

from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .options import json_option, store_option
from .output import echo_json, open_console, print_command

if TYPE_CHECKING:
    from ..meta_eval.results import MetaEvaluation
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
KPI_SETS = ("kpi_nl", "kpi_en")
TEXT_AND_NUMBERS = ("faithfulness", "faithfulness:numeric=false")  # with computed verdicts, and by the judge alone
_RESAMPLES = 500  # fewer than `assay meta` takes: the demo answers in seconds
_REPEATS = 2
_CONSTRUCTED = (
    "The ratings of these sets are constructed from planted defects: this shows how Assay works, and says nothing "
    "about how far a metric agrees with people."
)
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
@store_option
@json_option
def demo(judge: str, *, store: str | Path, as_json: bool) -> None:
    """See the main job on bundled answers, offline.

    Judges two bundled sets of a helpdesk chatbot's answers from recorded replies, and says which metric agrees with the
    ratings.
    """
    from ..errors import UsageError
    from ..judges import load_settings
    from ..runs import Plan, RunOptions, Store
    from ..runs.report import run_as_json
    from .exit_codes import DONE
    from .run import execute_plan, exit_code

    recorded = files("assay.cassettes").joinpath(f"helpdesk.{judge}.jsonl")
    if not recorded.is_file():
        raise UsageError(f"no replies of {judge!r} are bundled; there are those of {', '.join(_recorded_judges())}")
    runs = Store(store)
    plan = Plan(sets=SETS, metrics=DEMO_METRICS, judge=load_settings(judge))
    with as_file(recorded) as cassette:
        outcome = execute_plan(plan, runs, RunOptions(cassette=cassette, mode="replay"))
    code = exit_code(runs, outcome, max_failed=0)
    if as_json:
        echo_json(run_as_json(runs, outcome))
    elif code == DONE:
        _print_demo(runs, outcome, judge)
    click.get_current_context().exit(code)


def _print_demo(store: "Store", outcome: "Outcome", judge: str) -> None:
    from rich.text import Text

    from ..runs.summary import summarise
    from .run_tables import print_summaries, print_worst

    console, evaluation = open_console(), _evaluate(store, outcome.run)
    console.print(Text(evaluation.recommendation, style="bold"))
    console.print(Text(evaluation.explanation))
    console.print(Text(_CONSTRUCTED, style="dim"))
    directions = store.run(outcome.run).plan.all_directions
    title = f"{evaluation.settings.items} answers, {outcome.usage.calls} recorded replies of {judge}"
    print_summaries(console, title, summarise(store.values(outcome.run), directions))
    print_worst(console, store, outcome.run, 1)
    console.print(Text("\nNext:", style="bold"))
    for command, purpose in _NEXT:
        print_command(console, f"{command:<37}", purpose)


def _evaluate(store: "Store", run: str) -> "MetaEvaluation":
    from ..meta_eval.evaluation import evaluate_table
    from ..meta_eval.score_files import ReadOptions
    from ..runs.score_table import join_scores

    joined = join_scores(store, [store.run(run)], (), None, ReadOptions())
    return evaluate_table(joined.table, bootstrap=_RESAMPLES, permutations=_RESAMPLES, repeats=_REPEATS)
