"""`assay sets generate review`: sheets for annotators, and the set that results from them."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..presentation.figure import Figure
from ..presentation.result_table import Field, Paragraph, ReportBlock, tabulate
from ..text.wording import count_of, verb_of
from .generate import generate
from .output import print_result
from .typed_values import OUTPUT_FILE, SEED, FiniteRange

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..eval_sets import Sample
    from ..generation.review import ReviewSummary

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@generate.command()
@click.argument("set_file", metavar="SET", type=_FILE)
@click.argument("sheets", nargs=-1, type=_FILE)
@click.option("-o", "--out", type=OUTPUT_FILE, required=True, help="Sheet (.xlsx, .csv) or set (.jsonl).")
@click.option("--annotators", help="Names, with commas: one sheet per name, called OUT-NAME.")
@click.option(
    "--double-share",
    type=FiniteRange(0, 1),
    default=0.2,
    show_default=True,
    help="Share of pairs that go to two annotators, to measure their agreement.",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of the assignment of pairs.")
def review(
    *,
    set_file: Path,
    sheets: tuple[Path, ...],
    out: Path,
    annotators: str | None,
    double_share: float,
    seed: int,
) -> None:
    """Export sheets for annotators, or import what they marked.

    Without SHEETS, SET is exported; with them, what they marked correct is written as a set.

    An annotator puts an x under one or more of: irrelevant, too specific, wrong, incomplete, correct; and may comment.

    \b
    assay sets generate review set.jsonl -o sheet.xlsx --annotators an,bo
    assay sets generate review set.jsonl sheet-an.xlsx sheet-bo.xlsx -o set.reviewed.jsonl
    """
    from ..eval_sets import load_set

    samples = load_set(set_file)
    if not out.parent.is_dir():
        raise UsageError(f"{out}: there is no folder {out.parent}; make it first")
    if sheets:
        _import_sheets(samples, sheets, out)
    else:
        _export_sheets(samples, out, annotators or "", double_share, seed)


def _export_sheets(samples: "Sequence[Sample]", out: Path, annotators: str, double_share: float, seed: int) -> None:
    from ..generation.review import assign_samples
    from ..generation.review_sheet import write_sheet

    names = [name.strip() for name in annotators.split(",") if name.strip()]
    if invalid := [name for name in names if not name.replace("-", "").isalnum()]:
        raise UsageError(f"{invalid[0]!r} cannot be part of a file's name; write names of letters and digits")
    assigned = assign_samples(samples, names, double_share, seed) if names else {"": list(samples)}
    counts = {}
    for name, chosen in assigned.items():
        path = out.with_name(f"{out.stem}-{name}{out.suffix}") if name else out
        write_sheet(chosen, path)
        counts[str(path)] = len(chosen)
    lines = [f"{count_of(count, 'pair is', 'pairs are')} in {place}" for place, count in counts.items()]
    print_result(lambda: {"sheets": counts}, *lines)


def _import_sheets(samples: "Sequence[Sample]", sheets: tuple[Path, ...], out: Path) -> None:
    from ..eval_sets import write_set
    from ..generation.review import summarise_reviews
    from ..generation.review_sheet import read_sheet

    if len({sheet.stem for sheet in sheets}) < len(sheets):
        raise UsageError("two sheets have the same name, which is the annotator's: rename one")
    summary = summarise_reviews(samples, [review for sheet in sheets for review in read_sheet(sheet, samples)])
    if summary.accepted:
        write_set(summary.accepted, out)
    print_result(lambda: _as_json(summary), _review_block(summary, out))
    if not summary.accepted:
        raise UsageError("nobody marked a pair correct, so no set is written")


def _as_json(summary: "ReviewSummary") -> dict[str, Any]:
    agreement = summary.agreement
    return {
        "kept": len(summary.accepted),
        "judged": summary.judged,
        "not_reviewed": summary.not_reviewed,
        "disagreed": summary.disagreed,
        "disagreed_wrong": summary.disagreed_wrong,
        "other": summary.other,
        "shares": {
            name: {"share": share.value, "low": share.low, "high": share.high} for name, share in summary.shares.items()
        },
        "agreement": {
            **{name: getattr(agreement, name) for name in ("samples", "full", "partial", "none")},
            "alpha": dict(agreement.alpha),
        },
    }


def _review_block(summary: "ReviewSummary", out: Path) -> ReportBlock:
    alpha = {str(option): value for option, value in summary.agreement.alpha.items()}
    fields = (
        Field("annotation", "text", lambda row: row[0].replace("_", " ")),
        Field("pairs", "count", lambda row: str(round((row[1].value or 0) * summary.judged))),
        Field("share [95% interval]", "rate", lambda row: row[1]),
        Field("Krippendorff's alpha", "coefficient", lambda row: alpha.get(row[0])),
    )
    lines = []
    agreement = summary.agreement
    if compared := agreement.full + agreement.partial + agreement.none:
        counts = (agreement.full, agreement.partial, agreement.none)
        full, partial, none = (Figure("rate", count / compared) for count in counts)
        twice = count_of(agreement.samples, "pair was", "pairs were")
        lines.append(f"{twice} judged twice or more: annotators agree in {full}, in part in {partial}, not in {none}")
    accepted = len(summary.accepted)
    if disagreed := summary.disagreed:
        lines.append(
            f"the shares leave out {count_of(disagreed, 'pair')} whose annotators have no option in common; somebody "
            f"marked {summary.disagreed_wrong} of them wrong"
        )
    lines += [
        f"{count_of(summary.not_reviewed, 'pair')} not reviewed",
        f"{count_of(accepted, 'pair')} marked correct {verb_of(accepted, 'is', 'are')} in {out}",
    ]
    judged = count_of(summary.judged + summary.disagreed, "pair")
    title = f"{judged} judged" + (f", shares of {summary.judged}" if summary.disagreed else "")
    table = tabulate(title, summary.shares.items(), fields)
    return ReportBlock((table, *map(Paragraph, lines)))
