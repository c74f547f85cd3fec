"""`assay estimate`: the mean rating of very many answers from a cheap score, a judged sample and a few ratings."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from ..errors import AssayError, UsageError
from ..presentation.figure import Figure
from ..presentation.result_table import Field, tabulate
from ..text.wording import count_of
from .meta import scores_option, with_read_options
from .number_types import MOST_REPEATS, SEED, BoundedCount, FiniteRange
from .options import json_option, store_option
from .output import echo, echo_json, open_console, print_table, typed_command
from .output_files import OUTPUT_FILE

if TYPE_CHECKING:
    from ..meta_eval.score_files import ReadOptions
    from ..meta_eval.score_files.read_options import RatedLevel
    from ..meta_eval.three_level import LevelEstimates, SamplePlan
    from ..runs.store import RunRow, Store


class _Draw(NamedTuple):
    """The answers that were drawn, as `--json` prints it: the file, how many of how many answers, and how."""

    file: str
    run: str
    drawn: int
    answers: int
    cheap: str
    strata: int
    seed: int
    level: str | None


_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@scores_option
@click.option("--ratings", "ratings_file", type=_FILE, help="File of ratings. Default: those in the runs or --scores.")
@click.option("--cheap", required=True, metavar="METRIC", help="The metric that scored all answers.")
@click.option("--judged", metavar="METRIC", help="The metric that scored a random part of them.")
@click.option("--draw", type=BoundedCount(), help="Draw so many answers of the first RUN to judge, into --out.")
@click.option("--out", type=OUTPUT_FILE, help="Where --draw writes the set: .jsonl or .csv.")
@click.option("--width", type=FiniteRange(0, min_open=True), help="Plan for an interval of this width.")
@click.option("--budget", type=FiniteRange(0, min_open=True), help="Plan for at most this cost.")
@click.option(
    "--judge-cost", type=FiniteRange(0, min_open=True), default=0.002, show_default=True, help="Per judged answer."
)
@click.option(
    "--rating-cost", type=FiniteRange(0, min_open=True), default=1.0, show_default=True, help="Per rated answer."
)
@click.option(
    "--strata", type=BoundedCount(most=MOST_REPEATS), default=5, show_default=True, help="Strata of the cheap score."
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of --draw.")
@with_read_options
@store_option
@json_option
def estimate(
    runs: tuple[str, ...],
    *,
    scores: tuple[Path, ...],
    ratings_file: Path | None,
    cheap: str,
    judged: str | None,
    draw: int | None,
    out: Path | None,
    width: float | None,
    budget: float | None,
    judge_cost: float,
    rating_cost: float,
    strata: int,
    seed: int,
    read_options: "ReadOptions",
    store: str | Path,
    as_json: bool,
) -> None:
    """Estimate the mean rating of very many answers.

    From a cheap score of all, a judge's score of a random part, and ratings of a few.

    Score all answers with a metric that asks no judge, draw some (--draw), judge those, and have some of the judged
    ones rated at random. The same costs, with --width or --budget, say how many to judge and to rate next time.

    \b
    assay run answers.csv --metrics token_overlap
    assay estimate last --cheap token_overlap --draw 2000 --out to_judge.jsonl
    assay estimate ALL JUDGED --cheap token_overlap --judged weakest_claim --budget 200
    """
    from ..meta_eval.three_level import estimate_levels, plan_sample_sizes
    from ..runs import Store
    from ..runs.score_table import find_runs, join_scores

    opened = Store(store, must_exist=True) if runs or not scores else None
    chosen_runs = find_runs(opened, runs) if opened else []
    if draw is not None:
        if out is None or opened is None:
            raise UsageError("--draw needs a RUN with scores of all answers, and --out FILE for the set")
        written, note = _write_draw(
            opened, chosen_runs[0], cheap, draw, out, strata=strata, seed=seed, read_options=read_options
        )
        _print_draw(written, note, as_json=as_json)
        return
    if judged is None:
        raise UsageError("--judged: name the metric that scored a part of the answers (or draw that part with --draw)")
    joined = join_scores(opened, chosen_runs, scores, ratings_file, read_options)
    if joined.run_versions:
        named = ", ".join(dict.fromkeys(joined.run_versions.values()))
        raise UsageError(
            f"these runs hold other answers to the same questions: {named}; estimate one version at a time"
        )
    try:
        levels = estimate_levels(joined.table, cheap, judged, strata=strata)
    except UsageError as error:
        if joined.level is None:
            raise
        other: RatedLevel = "turn" if joined.level == "conversation" else "conversation"
        try:
            rejoined = join_scores(opened, chosen_runs, scores, ratings_file, replace(read_options, level=other))
            estimate_levels(rejoined.table, cheap, judged, strata=strata)
        except AssayError:
            raise error from None
        raise UsageError(f"{error}; these are {joined.level}s, and the {other}s suffice: --level {other}") from None
    plan = None
    if width is not None or budget is not None:
        plan = plan_sample_sizes(
            levels.mean_rating.variances,
            answers=len(joined.table.items),
            judge_cost=judge_cost,
            rating_cost=rating_cost,
            width=width,
            budget=budget,
        )
    if as_json:
        echo_json(asdict(levels) | {"plan": None if plan is None else asdict(plan), "notes": joined.notes})
        return
    _print_levels(levels, plan, (joined.table.rating_min, joined.table.rating_max))
    for note in joined.notes:
        echo(f"Note: {note}")


def _write_draw(
    store: "Store",
    run: "RunRow",
    cheap: str,
    count: int,
    out: Path,
    *,
    strata: int,
    seed: int,
    read_options: "ReadOptions",
) -> tuple[_Draw, str]:
    """Writes the answers, conversations or turns that a judge should score; and says which of these they are."""
    import numpy as np

    from ..eval_sets import write_set
    from ..meta_eval.three_level import draw_stratified
    from ..runs.score_table import read_drawable

    samples, options, note = read_drawable(store, run, cheap, read_options)
    values = [value for _, value in samples]
    if missing := values.count(None):
        what = options.level or "answer"
        counted = f"all {what}s have" if missing == len(values) else count_of(missing, f"{what} has", f"{what}s have")
        raise UsageError(f"run {run.id}: {counted} no score of {cheap}; score every {what} with it first")
    drawn = draw_stratified(np.array(values, dtype=float), count, strata=strata, seed=seed)
    written = write_set((samples[place][0] for place in drawn), out)
    return _Draw(str(out), run.id, written, len(values), cheap, strata, seed, options.level), note


def _print_draw(draw: _Draw, note: str, *, as_json: bool) -> None:
    if as_json:
        echo_json(draw._asdict())
        return
    judge_it, rate_it = f"{typed_command('run', draw.file)} --judge JUDGE", typed_command("rate", "last")
    echo(
        f"{draw.file}: {draw.drawn} of {count_of(draw.answers, draw.level or 'answer')}, at random within "
        f"{count_of(draw.strata, 'stratum', 'strata')} of {draw.cheap} (seed {draw.seed})\n"
        f"Judge them ({judge_it}) and have some rated at random ({rate_it})."
    )
    if note:
        echo(f"Note: {note}; estimate with --level {draw.level}")


def _print_levels(levels: "LevelEstimates", plan: "SamplePlan | None", scale: tuple[float, float]) -> None:
    from rich.text import Text

    mean, console = levels.mean_rating, open_console()
    console.print(
        Text(
            f"Mean rating of all {count_of(mean.answers, 'answer')}: {Figure.from_estimate('mean', mean.mean)} "
            f"on {scale[0]:g}-{scale[1]:g}",
            "bold",
        )
    )
    if mean.rated == mean.answers:
        own = Figure("mean", mean.ratings_alone.value)
        console.print(Text(f"All are rated: {own} is their own mean. The interval is for more answers like these."))
    console.print(Text(f"Bad answers (rated below the middle): {Figure.from_estimate('rate', levels.bad_share.mean)}"))
    levels_of_measurement = (
        ("ratings alone", mean.rated, mean.ratings_alone),
        ("and the judged sample", mean.judged, mean.two_levels),
        ("and the cheap score of all", mean.answers, mean.mean),
    )
    fields = (
        Field("from", "text", lambda row: row[0]),
        Field("answers", "count", lambda row: str(row[1])),
        Field("mean rating", "mean", lambda row: row[2], is_whole=True),
        Field("width", "mean", lambda row: None if row[2].low is None else row[2].high - row[2].low),
    )
    print_table(tabulate("", levels_of_measurement, fields))
    if levels.to_judge is not None:
        console.print(
            Text(
                f"To send or hold back answers one by one, judge {levels.to_judge} of them: the cheap score decides "
                "the rest."
            )
        )
    if plan is not None:
        console.print(
            Text(
                f"Plan: judge {plan.judged} and rate {plan.rated}; cost {plan.cost:g}, expected width "
                f"{Figure('mean', plan.width)}"
            )
        )
