"""`assay demo`: the main job on the bundled sets, replayed, without key or network."""

from importlib.resources import as_file, files
from pathlib import Path

import click

from .options import json_option, store_option
from .output import echo

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
_CONSTRUCTED = (
    "The ratings of the bundled sets are constructed from planted defects: this shows how Assay works, and says "
    "nothing about how far a metric agrees with people."
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
    """Judge the bundled helpdesk sets offline, from recorded replies, and say which metric agrees with the ratings."""
    from ..errors import UsageError
    from ..judges import load_settings
    from ..runs import Plan, RunOptions, Store
    from .exit_codes import DONE
    from .meta import print_brief_evaluation
    from .run import execute_plan, exit_code, print_outcome

    recorded = files("assay.cassettes").joinpath(f"helpdesk.{judge}.jsonl")
    if not recorded.is_file():
        raise UsageError(f"no replies of {judge!r} are bundled; there are those of {', '.join(_recorded_judges())}")
    plan = Plan(sets=SETS, metrics=DEMO_METRICS, judge=load_settings(judge))
    runs = Store(store)
    with as_file(recorded) as cassette:
        outcome = execute_plan(plan, runs, RunOptions(cassette=cassette, mode="replay"), quiet=as_json)
    print_outcome(runs, outcome, wide=False, as_json=as_json)
    code = exit_code(runs, outcome, max_failed=0)
    if code == DONE and not as_json:
        print_brief_evaluation(runs, runs.run(outcome.run))
        echo(_CONSTRUCTED)
    click.get_current_context().exit(code)
