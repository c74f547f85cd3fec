"""`assay demo`: the main job on the bundled sets, replayed, without key or network."""

from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import click

from .options import json_option, store_option

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
def demo(judge: str, store: str | Path, as_json: bool) -> None:
    """Judge the bundled helpdesk sets offline, from recorded replies, and say which measure agrees with the ratings.

    In between the numerical claims of the bundled kpi sets are computed, and judged with and without that; and the
    judges whose replies are bundled are compared. With --json only the helpdesk run is printed.
    """
    from ..errors import UsageError
    from ..judges import Budget, load_settings
    from ..runs import Plan, Store
    from .exit_codes import DONE
    from .meta import tell_briefly
    from .run import judge_plan

    recorded = files("assay.cassettes").joinpath(f"helpdesk.{judge}.jsonl")
    if not recorded.is_file():
        raise UsageError(f"no replies of {judge!r} are bundled; there are those of {', '.join(_recorded_judges())}")
    plan = Plan(sets=SETS, metrics=DEMO_METRICS, judge=load_settings(judge))
    runs = Store(store)
    with as_file(recorded) as cassette:
        code = judge_plan(plan, runs, Budget(), None, _options(as_json, cassette))
    if code == DONE and not as_json:
        click.echo()
        computed = Plan(sets=KPI_SETS, metrics=("numeric_claims",))
        code = judge_plan(computed, runs, Budget(), None, _options(as_json, None))
    tables = files("assay.cassettes").joinpath(f"kpi.{judge}.jsonl")
    if code == DONE and not as_json and tables.is_file():
        click.echo()
        judged = Plan(sets=KPI_SETS, metrics=TEXT_AND_NUMBERS, judge=load_settings(judge))
        with as_file(tables) as cassette:
            code = judge_plan(judged, runs, Budget(), None, _options(as_json, cassette))
    if code == DONE and not as_json:
        _tell_judges()
    done = runs.newest_with(plan.identity)
    if code == DONE and done is not None and not as_json:
        tell_briefly(runs, done)
        click.echo(_CONSTRUCTED)
    click.get_current_context().exit(code)


def _tell_judges() -> None:
    """All judges whose replies are bundled, compared."""
    from .judges import compare, compared, print_comparison

    with as_file(files("assay.cassettes")) as folder:
        typed = [*SETS, *(word for name in _recorded_judges() for word in ("--judge", name))]
        typed += ["--cassette", str(folder / "helpdesk.{judge}.jsonl"), "--mode", "replay"]
        options = compare.make_context("compare", typed).params
    click.echo()
    print_comparison(compared(options.pop("sets"), options.pop("names"), options))
    click.echo()


def _options(as_json: bool, cassette: Path | None) -> dict[str, Any]:
    return {
        "cassette": cassette,
        "mode": None if cassette is None else "replay",
        "concurrency": None,
        "skip_bad": False,
        "as_json": as_json,
        "out": None,
        "max_failed": 0,
    }
