"""`assay demo`: the main job on the bundled sets, replayed, without key or network."""

from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
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
_CONSTRUCTED = (
    "The ratings of the bundled sets are constructed from planted defects: this shows how Assay works, and says "
    "nothing about how far a metric agrees with people."
)


def _recordings() -> list[Traversable]:
    return [entry for entry in files("assay.cassettes").iterdir() if entry.name.startswith("helpdesk.")]


@click.command()
@click.option("--judge", default="qwen1.5b", show_default=True, help="Whose recorded replies.")
@store_option
@json_option
def demo(judge: str, store: str | Path, as_json: bool) -> None:
    """Judge the bundled helpdesk sets offline, from recorded replies, and say which measure agrees with the ratings.

    The numerical claims of the bundled kpi sets are computed in between. With --json only the helpdesk run is printed.
    """
    from ..errors import UsageError
    from ..judges import Budget, load_settings
    from ..runs import Plan, Store
    from .exit_codes import DONE
    from .meta import tell_briefly
    from .run import judge_plan

    recorded = files("assay.cassettes").joinpath(f"helpdesk.{judge}.jsonl")
    if not recorded.is_file():
        bundled = [entry.name.split(".", 1)[1][: -len(".jsonl")] for entry in _recordings()]
        raise UsageError(f"no replies of {judge!r} are bundled; there are those of {', '.join(bundled)}")
    plan = Plan(sets=("helpdesk_nl", "helpdesk_en"), metrics=DEMO_METRICS, judge=load_settings(judge))
    runs = Store(store)
    with as_file(recorded) as cassette:
        code = judge_plan(plan, runs, Budget(), None, _options(as_json, cassette))
    if code == DONE and not as_json:
        click.echo()
        computed = Plan(sets=("kpi_nl", "kpi_en"), metrics=("numeric_claims",))
        code = judge_plan(computed, runs, Budget(), None, _options(as_json, None))
    done = runs.newest_with(plan.identity)
    if code == DONE and done is not None and not as_json:
        tell_briefly(runs, done)
        click.echo(_CONSTRUCTED)
    click.get_current_context().exit(code)


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
