"""`assay cassettes merge` and `drift`: recordings together, and against the model as it is now."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..presentation.texts import one_line
from ..text.wording import count_of
from .cassettes import TypedRun, cassettes, with_typed_run
from .exit_codes import DONE, ERROR, GATE_FAILED
from .number_types import SEED, FiniteRange
from .options import with_budget
from .output import echo, echo_json, is_json, print_result
from .output_files import OUTPUT_FILE

if TYPE_CHECKING:
    from ..judges import Budget

_SHOWN = 10
_path = click.argument("path", type=click.Path(path_type=Path))


@cassettes.command()
@click.argument("out", type=OUTPUT_FILE)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--prefer", type=click.Choice(["first", "last"]), help="Whose reply stands where they differ.")
def merge(out: Path, paths: tuple[Path, ...], prefer: Any) -> None:
    """Bring the recordings of several cassettes into one.

    The recordings of PATHS go into OUT; what OUT holds already stays.
    """
    from ..judges.cassette import merge_cassettes

    count = merge_cassettes(paths, out, prefer)
    print_result(lambda: {"recordings": count}, lambda: echo(f"{out}: {count_of(count, 'recording')}"))


@cassettes.command()
@_path
@click.argument("sets", nargs=-1, required=True)
@with_typed_run
@click.option("--share", type=FiniteRange(0, 1, min_open=True), default=0.1, show_default=True)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Which questions are asked anew.")
@click.option("--at-most", type=FiniteRange(0, 1), help="Exit code 5 when surely more replies have changed.")
@with_budget
def drift(
    path: Path,
    *,
    run: TypedRun,
    share: float,
    seed: int,
    at_most: float | None,
    budget: "Budget",
) -> None:
    """Ask recorded questions anew: have the replies changed?

    A share of the questions of PATH is asked.

    The questions are those of a run over SETS with --judge and --metrics. PATH is not written to. A model that the
    provider has changed behind its name shows up here; one that never repeats itself does too.
    """
    from ..runs.judging.probe_findings import estimate_drift
    from ..runs.suite.cassette_check import repeat_questions

    repeated, missing = asyncio.run(repeat_questions(path, run.plan(), share=share, seed=seed, budget=budget))
    estimate = estimate_drift(repeated)
    changed = [question for question in repeated if not question.same_value]
    if is_json():
        summary = estimate.as_json() | {"missing": missing, "changed": [asdict(question) for question in changed]}
        echo_json(summary)
    else:
        for question in changed[:_SHOWN]:
            echo(one_line(f"{question.key[:12]} {question.prompt} {question.sample}"))
            echo(f"  recorded: {one_line(question.recorded, 120)}")
            echo(f"  now:      {one_line(question.now or question.problem, 120)}")
        share_changed = estimate.share
        interval = (
            ""
            if share_changed.value is None
            else f" ({share_changed.value:.1%} [{share_changed.low:.1%}, {share_changed.high:.1%}])"
        )
        moved = "" if estimate.moved is None else f"; the probability moved by {estimate.moved:.3f} on average"
        echo(
            f"{estimate.asked} asked anew: {estimate.other_value} with another value{interval}, {estimate.other_text} "
            f"with another text, {estimate.failed} failed; {count_of(missing, 'sample')} had a question that is not "
            f"recorded{moved}"
        )
    above = at_most is not None and (estimate.share.low is None or estimate.share.low > at_most)
    click.get_current_context().exit(GATE_FAILED if above else DONE if estimate.asked else ERROR)
