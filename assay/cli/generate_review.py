"""`assay generate review`: sheets for annotators, and what they make of the set."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from .generate import generate
from .options import json_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..eval_sets import Sample
    from ..generation.review import ReviewSummary

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@generate.command()
@click.argument("set_", metavar="SET", type=FILE)
@click.argument("sheets", nargs=-1, type=FILE)
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), required=True, help="Sheet (.xlsx, .csv) or set (.jsonl)."
)
@click.option("--annotators", help="Names, with commas: a sheet for each, called OUT-NAME.")
@click.option(
    "--double-share",
    type=click.FloatRange(0, 1),
    default=0.2,
    show_default=True,
    help="Share of pairs that go to two annotators, so that their agreement can be told.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of who gets which pairs.")
@json_option
def review(set_: Path, sheets: tuple[Path, ...], out: Path, **options: Any) -> None:
    """Export SET as sheets for annotators; with their SHEETS, write the set of what they marked correct.

    An annotator puts an x under one or more of: irrelevant, too specific, wrong, incomplete, correct; and may comment.

    \b
    assay generate review set.jsonl -o sheet.xlsx --annotators an,bo
    assay generate review set.jsonl sheet-an.xlsx sheet-bo.xlsx -o set.reviewed.jsonl
    """
    from ..eval_sets import load_set

    samples = load_set(set_)
    if not out.parent.is_dir():
        raise UsageError(f"{out}: there is no folder {out.parent}; make it first")
    if sheets:
        _import(samples, sheets, out, as_json=options["as_json"])
    else:
        _export(samples, out, options)


def _export(samples: "Sequence[Sample]", out: Path, options: dict[str, Any]) -> None:
    from ..generation.review import assign
    from ..generation.review_sheet import write_sheet

    names = [name.strip() for name in (options["annotators"] or "").split(",") if name.strip()]
    if strange := [name for name in names if not name.replace("-", "").isalnum()]:
        raise UsageError(f"{strange[0]!r} cannot be part of a file's name; write names of letters and digits")
    given = assign(samples, names, options["double_share"], options["seed"]) if names else {"": list(samples)}
    written = {}
    for name, chosen in given.items():
        path = out.with_name(f"{out.stem}-{name}{out.suffix}") if name else out
        write_sheet(chosen, path)
        written[str(path)] = len(chosen)
    if options["as_json"]:
        click.echo(json.dumps({"sheets": written}, ensure_ascii=False))
    else:
        for path_name, count in written.items():
            click.echo(f"{count} pairs are in {path_name}")


def _import(samples: "Sequence[Sample]", sheets: tuple[Path, ...], out: Path, *, as_json: bool) -> None:
    from ..eval_sets import write_set
    from ..generation.review import summarise_reviews
    from ..generation.review_sheet import read_sheet

    if len({sheet.stem for sheet in sheets}) < len(sheets):
        raise UsageError("an annotator is called as the sheet is: give the sheets different names")
    found = summarise_reviews(samples, [review for sheet in sheets for review in read_sheet(sheet, samples)])
    if found.kept:
        write_set(found.kept, out)
    if as_json:
        click.echo(json.dumps(_as_json(found), ensure_ascii=False))
    else:
        _print(found, out)
    if not found.kept:
        raise UsageError("nobody marked a pair correct, so no set is written")


def _as_json(found: "ReviewSummary") -> dict[str, Any]:
    agreed = found.agreement
    return {
        "kept": len(found.kept),
        "judged": found.judged,
        "not_reviewed": found.not_reviewed,
        "disagreed": found.disagreed,
        "other": found.other,
        "shares": {
            name: {"share": share, "low": low, "high": high} for name, (share, low, high) in found.shares.items()
        },
        "agreement": {
            "samples": agreed.samples,
            "full": agreed.full,
            "partial": agreed.partial,
            "none": agreed.none,
            "alpha": dict(agreed.alpha),
        },
    }


def _print(found: "ReviewSummary", out: Path) -> None:
    from rich.table import Table

    from ..runs.report import report_console

    console = report_console()
    table = Table("annotation", title=f"{found.judged} pairs judged", title_justify="left", title_style="bold")
    for heading in ("pairs", "share [95% interval]", "Krippendorff's alpha"):
        table.add_column(heading, justify="right")
    alpha = {str(option): value for option, value in found.agreement.alpha.items()}
    for name, (share, low, high) in found.shares.items():
        likeness = alpha.get(name)
        table.add_row(
            name.replace("_", " "),
            str(round(share * found.judged)),
            f"{share:.1%} [{low:.1%}, {high:.1%}]",
            "-" if likeness is None else f"{likeness:.2f}",
        )
    console.print(table)
    agreed = found.agreement
    if compared := agreed.full + agreed.partial + agreed.none:
        full, partial, none = (count / compared for count in (agreed.full, agreed.partial, agreed.none))
        console.print(
            f"{agreed.samples} pairs were judged twice or more: annotators agree in {full:.1%}, in part in "
            f"{partial:.1%}, not in {none:.1%}"
        )
    console.print(f"{found.not_reviewed} not reviewed, {found.disagreed} left out by disagreement")
    console.print(f"{len(found.kept)} pairs marked correct are in {out}")
