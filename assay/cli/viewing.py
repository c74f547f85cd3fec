"""Looking at runs: `assay show` prints one, `assay show changes` compares two, `assay view` serves pages."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from ..installation import require_extra
from ..text.wording import count_of, in_reader_language
from .options import BoundedCount, ServerOptions, level_option, server_options
from .output import (
    echo,
    echo_json,
    echo_notice,
    is_json,
    open_console,
    print_blocks,
    print_command,
    print_result,
    typed_command,
)

if TYPE_CHECKING:
    from rich.text import Text

    from ..eval_sets.levels import RatedLevel
    from ..meta_eval.decision import Decision
    from ..runs import Store
    from ..runs.decision.compare import RunComparison
    from ..runs.show.sample_audit import Line

_STYLES = {"title": "bold", "detail": "dim", "remark": "yellow"}
_STYLES |= {"supported": "green", "contradicted": "red", "not_found": "yellow", "unverifiable": "magenta"}


@click.command()
@click.argument("run", default="last")
@click.argument("sample", required=False)
def show(run: str, sample: str | None, *, store: str | Path) -> None:
    """Show a run, or how one sample came by its scores.

    RUN is an id, its beginning, or `last`. With SAMPLE: the question, the answer, the contexts, and for every metric
    the claims, verdicts and quotes behind its score.

    \b
    assay show last
    assay show last nl-017
    """
    from ..runs import Store
    from ..runs.show.run_report import scores_as_json
    from .run import print_run

    if Path(run).is_dir():
        raise UsageError(
            f"{run}: is a folder, and no run. What scores in Parquet files come to says assay meta --scores {run}, and "
            "what is behind one their column METRIC.evidence"
        )
    runs = Store(store, must_exist=True)
    if is_json():
        echo_json(scores_as_json(runs, runs.run(run), sample))
    elif sample is None:
        print_run(runs, run, each_sample=True)
    else:
        print_audit(runs, runs.run(run).id, sample)


@click.command()
@click.argument("run_a", required=False)
@click.argument("run_b", required=False)
@click.option("--metric", help="Whose most changed samples are shown. Default: the first that both runs have.")
@click.option("--changed", type=BoundedCount(0), default=3, show_default=True, help="How many of them.")
@level_option
def changes(
    run_a: str | None,
    run_b: str | None,
    *,
    metric: str | None,
    changed: int,
    level: "RatedLevel | None",
    store: str | Path,
) -> None:
    """Compare two runs: what the metrics say, and what your raters say.

    RUN_A and RUN_B are ids, their beginnings, `last`, or `last~1` for the run before it; without them the last two
    runs of the newest suite or set, by one judge. A difference is B minus A. Samples are paired by id, else by
    question. A metric that is higher in B does not say that your raters like B better; where answers of both runs are
    rated, the ratings say it. The samples that changed most are shown with both answers.

    \b
    assay show changes
    assay show changes 20261120 last
    assay show changes 20261120 last --metric faithfulness --changed 10
    """
    from ..runs import Ledger, Store
    from ..runs.decision.compare import compare as compare_runs
    from ..runs.decision.decide import decide_by_default
    from ..runs.decision.tables import comparison_as_json

    runs = Store(store, must_exist=True)
    if run_a is None:
        run_a, run_b = Ledger(runs).last_two_runs()
    elif run_b is None:
        raise UsageError(f"{run_a} is compared with what? Name two runs, or none for the last two of the same set")
    comparison = compare_runs(runs, runs.run(run_a).id, runs.run(run_b).id)
    if metric is not None and metric not in comparison.metrics:
        raise UsageError(f"{metric} is not in both runs; --metric is one of {', '.join(comparison.metrics)}")
    shown_metric = metric or comparison.metrics[0]
    decision, _ = decide_by_default(runs.database, comparison.table_a, comparison.table_b, level)
    print_result(
        lambda: comparison_as_json(runs, comparison, decision, shown_metric, changed),
        lambda: print_comparison(runs, comparison, decision, shown_metric, changed),
    )


def print_audit(store: "Store", run: str, name: str) -> None:
    """Prints question, answer, contexts, and every metric's evidence. Raises `UsageError` for an unknown sample."""
    from ..runs.answers.rating_join import find_rated_sample
    from ..runs.show.sample_audit import audit_lines

    console, sample = open_console(), find_rated_sample(store, run, name)
    for line in audit_lines(sample, ((metric, score) for _, metric, score in store.scores(run, name))):
        console.print(_style(line))


def _style(line: "Line") -> "Text":
    from rich.text import Text

    from ..presentation.texts import terminal_text

    texts = (in_reader_language(part.text) if part.kind == "title" else part.text for part in line)
    return Text.assemble(
        *((terminal_text(text), _STYLES.get(part.kind, "")) for text, part in zip(texts, line, strict=True))
    )


def print_comparison(
    store: "Store", comparison: "RunComparison", decision: "Decision | str", metric: str, count: int
) -> None:
    """Prints sentences and tables, then the samples whose `metric` changed most, with both answers and scores."""
    from ..eval_sets.conversation import listed_question
    from ..presentation.figure import Figure
    from ..presentation.result_table import Paragraph, ReportBlock
    from ..presentation.texts import one_line
    from ..runs.decision.tables import comparison_block

    print_blocks(comparison_block(store, comparison, decision))
    changes = comparison.most_changed(metric, count)
    if not changes and count:
        print_blocks(ReportBlock(()), ReportBlock((Paragraph(f"No sample's {metric} changed."),)))
    outcomes = {change.sample: change for change in comparison.outcome_changes(metric)} if changes else {}
    for sample, change in changes:
        in_a, text = comparison.ids[sample], metric if change is None else f"{metric} {Figure('change', change)}"
        if outcome := outcomes.get(sample):
            why = f": {outcome.reason}" if outcome.reason else ""
            text += f", {outcome.before} in A and {outcome.after} in B{why}"
        same = "" if sample in comparison.changed_answers else " (the same answer)"
        parts = [Paragraph(f"{sample}: {text}{same}", "strong")]
        parts.append(Paragraph(one_line(listed_question(comparison.table_a.samples[in_a]))))
        for label, table, name in (("A", comparison.table_a, in_a), ("B", comparison.table_b, sample)):
            parts.append(Paragraph(one_line(table.samples[name].response, 500), label=f"{label}:", indent=2))
            if score := table.scores[name].get(metric):
                parts.append(Paragraph(one_line(score.reason, 240), "quiet", indent=6))
        print_blocks(ReportBlock(()), ReportBlock(tuple(parts)))
    if changes:
        echo("How one of them came by its scores in B:")
        print_command(open_console(), typed_command("show", comparison.b, ids=[changes[0][0]]))


@click.command()
@server_options(port=8322)
def view(*, store: str | Path, server: ServerOptions) -> None:
    """Look at runs, answers and nightly runs in the browser.

    Prints a link.

    \b
    assay view
    assay view --store postgresql://ann@db.example.org/assay
    """
    from ..runs import Store

    with require_extra("web", "assay view"):
        from ..web.connections import Connections
        from ..web.server import serve
        from ..web.view_app import ViewApp

    site = server.read_site()
    opened = Store(store, must_exist=True)
    if opened.database.is_read_only:
        echo_notice(f"{opened.path} cannot be written to: it is shown as it is now")
    app = ViewApp(Connections(store), site)

    def print_link(address: str) -> None:
        if server.new_links:  # not before it listens: without new links the earlier ones had ended for nothing
            app.end_links()
        runs = count_of(len(opened.run_ids()), "run")
        echo(f"{opened.path}: {runs}. Open this link:\n\n  {address}{app.link_path()}\n")
        echo("Ctrl-C ends it. An answer's page has a link of its own that can be sent to a colleague.")

    serve(app.asgi, site, server.port, print_link)
