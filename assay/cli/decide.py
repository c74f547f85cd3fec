"""`assay decide`: which of several versions raters like better, and whether that is sure."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..presentation.texts import one_line
from ..text.wording import count_of
from . import exit_codes
from .options import level_option, scale_option, with_file_options
from .output import is_json, open_console, print_blocks, print_command, print_result, typed_command
from .typed_values import OUTPUT_FILE, REPORT_FILE, SEED, FiniteRange

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..eval_sets import Sample
    from ..eval_sets.levels import RatedLevel
    from ..meta_eval.decision import Decision
    from ..runs import Store
    from ..runs.decision.decide import Looks
    from ..runs.decision.versions import VersionReading

_NEXT = 5  # questions to rate next that are named
_TO_RATE = 30  # questions that --next writes where nothing says how many ratings settle it
_FILE = click.Path(path_type=Path, dir_okay=False, exists=True)


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--by", default="", metavar="FIELD", help="Versions within one RUN: system, or system=A,B (A in use).")
@click.option(
    "--metric",
    metavar="NAME",
    help="The metric (or scorer:FILE) that decides. Default: the only one there is.",
)
@click.option(
    "--ratings",
    type=_FILE,
    multiple=True,
    help="A file of further ratings, or of preferences between two versions; repeatable.",
)
@scale_option
@with_file_options
@click.option(
    "--margin",
    type=FiniteRange(0, min_open=True),
    default=0.1,  # as in meta_eval.decision
    show_default=True,
    help="The largest difference that does not matter, in points of the rating scale.",
)
@click.option(
    "--looks",
    type=click.Choice(["counted", "any"]),
    default="counted",
    show_default=True,
    help="Count the looks at these answers, or hold at any number of looks while more answers come.",
)
@click.option("--gate", is_flag=True, help="Exit with 5 unless it is to ship, or nothing differs, without doubt.")
@click.option("--report", type=REPORT_FILE, help="Write the decision and the answers that decide to an .html file.")
@click.option("--next", "next_file", type=OUTPUT_FILE, help="Write what to rate next as a set: .jsonl or .csv.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of all that is drawn.")
@level_option
def decide(
    runs: tuple[str, ...],
    *,
    by: str,
    metric: str | None,
    ratings: tuple[Path, ...],
    scale: tuple[float, float] | None,
    reading: "Mapping[str, Any]",
    margin: float,
    looks: "Looks",
    gate: bool,
    report: Path | None,
    next_file: Path | None,
    seed: int,
    level: "RatedLevel | None",
    store: str | Path,
) -> int:
    """Say which version wins, and whether that is sure.

    The first RUN is what is in use today; each is an id, its beginning, `last`, `last~1` (the run before), a set, or
    NAME=RUN. Answers are paired by id, else by question. Ratings decide, with the help of one measure. It says: ship,
    keep, no difference that matters, or not settled and how many ratings would settle it.

    \b
    assay decide RUN_A RUN_B
    assay decide today=RUN_A new=RUN_B --metric scorer:team.yaml --ratings more.csv
    assay decide answers.jsonl --by system --margin 0.2
    """
    from ..meta_eval.decision import decision_as_json
    from ..runs.decision.decide import (
        decide_reading,
        keep_first_look,
        list_next,
        rating_set,
        read_versions,
    )
    from ..runs.decision.versions import VersionOptions

    opened = _open_store(store)
    options = VersionOptions(by, metric, ratings, scale, level, reading, not is_json())
    versions = read_versions(opened, runs, options)
    _check_outputs(next_file, report, versions.files)
    decision = keep_first_look(store, versions, decide_reading(versions, margin=margin, seed=seed, looks=looks))
    to_rate = list_next(versions, decision.needs.ratings or _TO_RATE, seed)
    if report is not None:
        from ..runs.decision import write_decision_report
        from ..runs.decision.page import find_deciding_questions, preferred_shares

        questions = find_deciding_questions(versions.answers, preferred_shares(versions.preferences))
        write_decision_report(report, decision, questions, versions.about)
    if next_file is not None and to_rate:
        from ..eval_sets import write_set

        write_set(rating_set(to_rate, seed), next_file)
    print_result(
        lambda: decision_as_json(decision) | {"next": [[sample.id for sample in answers] for answers in to_rate]},
        lambda: _print(decision, versions, to_rate, report=report, next_file=next_file),
    )
    return exit_codes.GATE_FAILED if gate and not decision.passes else exit_codes.DONE


def _check_outputs(next_file: Path | None, report: Path | None, inputs: "Sequence[Path]") -> None:
    """Refuses what cannot be written, or would take the place of what is read."""
    from ..atomic_files import check_writable

    if next_file is not None and next_file.suffix.lower() not in {".jsonl", ".csv"}:
        raise UsageError(f"--next {next_file}: name a .jsonl or .csv file")
    read = {place.expanduser().resolve() for place in inputs}
    for option, target in (("--report", report), ("--next", next_file)):
        if target is None:
            continue
        if target.resolve() in read:
            raise UsageError(f"{option} {target}: is one of the files that are read; name another file to write")
        check_writable(target)


def _open_store(place: str | Path) -> "Store | None":
    """The store; None where there is none yet, and only sets can be compared."""
    from ..runs import Store

    if isinstance(place, Path) and not (place / "runs.sqlite").exists():
        return None
    return Store(place, must_exist=True)


def _print(
    decision: "Decision",
    reading: "VersionReading",
    to_rate: "list[list[Sample]]",
    *,
    report: Path | None,
    next_file: Path | None,
) -> None:
    from rich.text import Text

    from ..runs.decision import decision_block

    console = open_console()
    print_blocks(decision_block(decision))
    for version in decision.versions:
        if version.name in reading.runs:
            in_use = ", in use today" if version.name == decision.in_use else ""
            console.print(Text(f"{one_line(version.name)}: run {one_line(reading.runs[version.name])}{in_use}"))
    if report is not None:
        console.print(Text(f"\nThe decision and the answers that decide: {report}"))
    if next_file is not None and not to_rate:
        console.print(Text("\nNothing is written: all answers that differ are rated or compared."))
    elif next_file is not None:
        answers = count_of(sum(map(len, to_rate)), "answer")
        console.print(Text(f"\n{next_file}: {answers} to {count_of(len(to_rate), 'question')}. To rate them:"))
        print_command(console, typed_command("rate", next_file, "--raters", "NAME,NAME", *_scale_of_page(decision)))
        print_command(console, typed_command("rate", "export", "last", "--out", "rated.jsonl"))
        console.print(Text("Then the same command again, with --ratings rated.jsonl in place of --next."))
    elif to_rate and decision.verdict == "unsettled" and decision.basis == "preferences":
        console.print(Text("\nTo go on choosing: the same versions and columns with assay rate --pairs."))
    elif to_rate and decision.verdict == "unsettled":
        names = ", ".join(unrated[0].id for unrated in to_rate[:_NEXT])
        console.print(Text(f"\nRate next, drawn at random of the questions whose answers differ: {names}."))
        console.print(Text("The same command with --next next.jsonl writes them as a set."))


def _scale_of_page(decision: "Decision") -> list[str]:
    """The scale on which further ratings are collected where it is not the page's own: that of the ratings so far."""
    low, high = decision.scale
    is_other = decision.basis in ("ratings", "ratings and scores") and (low, high) != (1, 5)
    return ["--scale", f"{low:g}-{high:g}"] if is_other and low.is_integer() and high.is_integer() else []
