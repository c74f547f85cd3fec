"""`assay judges align`: a judge learns from the team's ratings, if that helps."""

import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from ..presentation.figure import Figure, figures
from ..presentation.result_table import Column, Content, ResultTable, Tone
from ..presentation.texts import one_line
from ..shell_words import quote_word
from ..text.wording import count_of
from .judge_session import SessionOptions, open_judge_session, question_progress, with_judge_session
from .number_types import MOST_RESAMPLES, BoundedCount
from .options import SetOptions, embedder_option, seed_option, with_set_options
from .output import echo, echo_json, echo_notice, is_json, open_console, print_result, print_table

if TYPE_CHECKING:
    from ..eval_sets import Sample
    from ..meta_eval.estimate import Estimate
    from ..runs.judging.align import AlignmentCost, AlignmentReport

CANDIDATES = ("calibrated", "few-shot")  # as in judges.settings
_RUN = re.compile(r"last|\d{8}(-.*)?")


@click.command()
@click.argument("metric")
@click.argument("source", metavar="SET|RUN")
@with_judge_session
@click.option(
    "-o", "--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for the judge, if a candidate wins."
)
@click.option("--candidates", metavar="A,B", help=f"Only these of {', '.join(CANDIDATES)}.")
@click.option("--shown", type=click.IntRange(1, 20), default=3, show_default=True, help="Rated examples beside each.")
@seed_option
@click.option(
    "--permutations",
    type=BoundedCount(100, MOST_RESAMPLES),
    default=2000,
    show_default=True,
    help="How often candidates change places at random, for the test.",
)
@click.option("--dry-run", is_flag=True, help="Only say what it would take; no judge is asked.")
@embedder_option
@with_set_options
def align(
    metric: str,
    source: str,
    *,
    judge: str | None,
    session_options: SessionOptions,
    out: Path | None,
    candidates: str | None,
    shown: int,
    seed: int,
    permutations: int,
    dry_run: bool,
    embedder: str,
    set_options: SetOptions,
    store: str | Path,
) -> None:
    """Let a judge learn from your team's ratings, if that helps.

    Tries probabilities calibrated to the ratings, and rated examples beside what is judged, on answers that each did
    not learn from. What wins beyond noise becomes a folder that --judge takes everywhere; else nothing is written.

    \b
    assay judges align faithfulness rated.jsonl --judge qwen1.5b --dry-run
    assay judges align faithfulness last --judge qwen1.5b -o team_judge --cassette align.jsonl
    assay run answers.csv --judge team_judge
    """
    from ..runs.judging.align import Aligner

    if judge is None:
        raise UsageError("name the judge that is to learn (--judge MODEL)")
    if out is not None and out.exists() and any(out.iterdir()):
        raise UsageError(f"{out}: this folder is not empty; name a new one")
    chosen = tuple(name.strip() for name in candidates.split(",")) if candidates is not None else CANDIDATES
    if unknown := [name for name in chosen if name and name not in CANDIDATES]:
        raise UsageError(f"no candidate is called {unknown[0]!r}; there are {', '.join(CANDIDATES)}")
    samples = list(_samples(source, set_options, store))
    with open_judge_session(judge, session_options, out or Path("align")) as session:
        if session.judge is None:
            raise UsageError("name the judge that is to learn (--judge MODEL)")
        aligner = Aligner(
            metric=metric,
            samples=samples,
            judge=session.judge,
            embedder=session.embedder(embedder),
            candidates=chosen,
            shown=shown,
            seed=seed,
            permutations=permutations,
        )
        cost = aligner.estimate_cost()
        if dry_run:
            _print_cost(cost)
            return
        if not is_json():
            echo(_cost_line(cost), err=True)
        passes = 1 + ("few-shot" in chosen)
        with question_progress(session.judge, passes * len(aligner.samples)) as on_reply:
            done = 0

            def on_sample() -> None:
                nonlocal done
                done += 1
                if done <= passes * len(aligner.samples):  # calibrating goes over the same answers again
                    on_reply(True)

            aligner.on_sample = on_sample
            report = aligner.align()
        written = out if report.result.is_adopted and out is not None else None
        if written is not None:
            aligner.write(written, report)
        usage = session.usage_as_json()
        usage_line = session.usage_line()
    if is_json():
        echo_json(asdict(report) | {"usage_total": usage, "written": None if written is None else str(written)})
        return
    _print_report(report)
    echo(usage_line)
    if written is not None:
        echo(f"\nThe judge: {written}. Use it: assay run SET --judge {quote_word(written)}")
    elif report.result.is_adopted:
        echo("\nName a folder for it (-o FOLDER) with the same command; recorded replies cost nothing.")


def _samples(source: str, set_options: SetOptions, store: str | Path) -> "Iterator[Sample]":
    if not _RUN.fullmatch(source) or Path(source).exists():
        yield from set_options.samples([source])
        return
    from ..runs import Store
    from ..runs.answers.rating_join import join_ratings

    opened = Store(store, must_exist=True)
    run = opened.run(source)
    joined = join_ratings(opened.database, {sample.id: sample for sample in opened.samples(run.id)})
    if joined.note:
        echo_notice(joined.note)
    yield from joined.samples.values()


def _cost_line(cost: "AlignmentCost") -> str:
    return (
        f"This takes at most {count_of(cost.requests, 'request')} and about {count_of(cost.tokens, 'token')}; what "
        "is recorded costs "
        "nothing. A bound: --budget 1usd, 2000tokens or 50calls."
    )


def _print_cost(cost: "AlignmentCost") -> None:
    print_result(lambda: asdict(cost), lambda: echo(_cost_line(cost)))


def _describe_gain(gain: "Estimate | None") -> str:
    """How much more the adopted judge agrees with the ratings than the judge as it is, in a sentence."""
    if gain is None or gain.value is None:
        return ""
    figure = Figure.from_estimate("correlation", gain).describe()
    return f" On answers that it did not learn from it agrees more than the judge as it is: {figure}."


def _print_report(report: "AlignmentReport") -> None:
    from rich.text import Text

    console, result = open_console(), report.result
    verdict = "adopted" if result.is_adopted else "nothing is adopted"
    console.print(Text(one_line(f"{report.metric} by {report.judge}: {verdict}: {result.reason}."), style="bold"))
    console.print(
        Text(
            f"{count_of(report.answers, 'rated answer')} in {count_of(report.groups, 'group')}."
            f"{_describe_gain(result.gain)}"
        )
    )
    if report.raters is not None:
        if report.raters.problem:
            console.print(Text(one_line(f"Note: {report.raters.problem}.", 600)))
        console.print(Text(report.raters.ceiling_sentence))
    if report.rater_groups is not None:
        console.print(Text(one_line(f"{report.rater_groups.sentence}.", 600), style="yellow"))
    columns = (
        Column("candidate", "text"),
        *(Column(head, is_whole=True) for head in ("Spearman [95%]", "more than as it is")),
        *(Column(head, detail="wide") for head in ("squared error", "calls")),
        Column("tokens"),
    )
    rows: list[tuple[Content, ...]] = []
    tones: list[Tone] = []
    for row in result.rows:
        usage = report.usage.get(row.name)
        spent = (None, None) if usage is None else (usage.calls, usage.tokens_in + usage.tokens_out)
        difference = "" if row.difference is None else Figure.from_estimate("correlation", row.difference)
        spearman, error = Figure.from_estimate("correlation", row.spearman), Figure("mean", row.squared_error)
        rows.append((row.name, spearman, difference, error, *map(figures("count"), spent)))
        tones.append("strong" if row.name == result.chosen else "")
    for baseline in report.baselines:
        rows.append((baseline.name, Figure.from_estimate("correlation", baseline.spearman), "", "", "", ""))
        tones.append("baseline")
    print_table(ResultTable("Out of fold, not corrected for the choice", columns, tuple(rows), tuple(tones)))
