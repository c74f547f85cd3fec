"""`assay judges align`: a judge learns from the team's ratings, if that helps."""

import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from ..presentation.figure import Figure
from ..presentation.result_table import Field, Paragraph, ReportBlock, Tone, tabulate
from ..presentation.texts import one_line
from ..text.wording import count_of
from ..value_messages import quote_word
from .judge_session import open_judge_session, question_progress, with_judge_session
from .options import SetOptions, embedder_option, seed_option, with_set_options
from .output import echo_notice, print_result

if TYPE_CHECKING:
    from ..eval_sets import Sample
    from ..meta_eval.alignment import CandidateRow
    from ..meta_eval.estimate import Estimate
    from ..runs import RunOptions
    from ..runs.judging.align import AlignmentReport

_RUN = re.compile(r"last|\d{8}(-.*)?")


@click.command()
@click.argument("metric")
@click.argument("source", metavar="SET|RUN")
@with_judge_session
@click.option("-o", "--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for the judge, if it wins.")
@seed_option
@embedder_option
@with_set_options
def align(
    metric: str,
    source: str,
    *,
    judge: str | None,
    asking: "RunOptions",
    out: Path | None,
    seed: int,
    embedder: str,
    set_options: SetOptions,
    store: str | Path,
) -> None:
    """Let a judge learn from your team's ratings, if that helps.

    Tries probabilities calibrated to the ratings, on answers that it did not learn from. What wins beyond noise becomes
    a folder that --judge takes everywhere; else nothing is written.

    \b
    assay judges align faithfulness last --judge qwen1.5b -o team_judge --cassette align.jsonl
    assay run answers.csv --judge team_judge
    """
    from ..runs.judging.align import Aligner

    if judge is None:
        raise UsageError("name the judge that is to learn (--judge MODEL)")
    if out is not None and out.exists() and any(out.iterdir()):
        raise UsageError(f"{out}: this folder is not empty; name a new one")
    samples = list(_samples(source, set_options, store))
    with open_judge_session(judge, asking, out or Path("align")) as session:
        if session.judge is None:
            raise UsageError("name the judge that is to learn (--judge MODEL)")
        judged_by, embedding = session.judge, session.embedder(embedder)
        aligner = Aligner(metric=metric, samples=samples, judge=judged_by, embedder=embedding, seed=seed)
        total = len(aligner.samples)
        with question_progress(session.judge, total) as on_reply:
            done = iter(range(total))  # calibrating goes over the same answers again
            aligner.on_sample = lambda: on_reply(True) if next(done, None) is not None else None
            report = aligner.align()
        written = out if report.result.is_adopted and out is not None else None
        if written is not None:
            aligner.write(written, report)
        usage, usage_line = session.usage_as_json(), session.usage_line()
    further = [usage_line]
    if written is not None:
        further.append(f"\nThe judge: {written}. Use it: assay run SET --judge {quote_word(written)}")
    elif report.result.is_adopted:
        further.append("\nName a folder for it (-o FOLDER) with the same command; recorded replies cost nothing.")
    print_result(
        lambda: asdict(report) | {"usage_total": usage, "written": None if written is None else str(written)},
        _report_block(report),
        *further,
    )


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


def _report_block(report: "AlignmentReport") -> ReportBlock:
    result = report.result
    verdict = "adopted" if result.is_adopted else "nothing is adopted"
    answers = f"{count_of(report.answers, 'rated answer')} in {count_of(report.groups, 'group')}."
    if result.gain is not None and result.gain.value is not None:
        gain = Figure.from_estimate("correlation", result.gain).describe()
        answers += (
            " How much more it agrees than the judge as it is, on answers that it did not learn from and corrected for "
            f"having won: {gain}."
        )
    paragraphs = [
        Paragraph(one_line(f"{report.metric} by {report.judge}: {verdict}: {result.reason}."), "strong"),
        Paragraph(answers),
    ]
    if report.raters is not None:
        if report.raters.problem:
            paragraphs.append(Paragraph(one_line(f"Note: {report.raters.problem}.", 600)))
        paragraphs.append(Paragraph(report.raters.ceiling_sentence))
    problems = [row.spearman.problem for row in (*result.rows, *report.baselines) if row.spearman.problem]
    fields = (
        Field("candidate", "text", lambda row: row.name),
        Field("Spearman [95%]", "correlation", lambda row: _interval(row.spearman), is_left=True),
        Field("more than as it is", "correlation", lambda row: _interval(row.difference), is_left=True),
        Field("squared error", "mean", lambda row: row.squared_error, "wide"),
    )

    def tone(row: "CandidateRow") -> Tone:
        return "baseline" if row in report.baselines else "strong" if row.name == result.chosen else ""

    # why there is no interval stands under the table, where it has room
    note = f"Without an interval: {'; '.join(dict.fromkeys(problems))}" if problems else ""
    caption = "Out of fold, not corrected for the choice"
    return ReportBlock(
        (*paragraphs, tabulate(caption, [*result.rows, *report.baselines], fields, tone=tone, note=note))
    )


def _interval(estimate: "Estimate | None") -> Figure | str:
    if estimate is None:
        return ""
    return Figure("correlation", estimate.value, estimate.low, estimate.high)
