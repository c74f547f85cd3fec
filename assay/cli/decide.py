"""`assay decide`: which of several versions raters like better, and whether that is sure."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..atomic_files import check_writable
from ..interruption import DONE, GATE_FAILED
from ..presentation.texts import one_line
from .options import REPORT_FILE, SEED, FiniteRange, level_option, scale_option, with_file_options
from .output import echo, open_console, print_blocks, print_command, print_result, typed_command

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..eval_sets.levels import RatedLevel
    from ..meta_eval.decision import Decision
    from ..runs import Store
    from ..runs.decision.decide import Looks
    from ..runs.decision.versions import VersionReading

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
    from ..runs.decision.decide import decide_reading, keep_first_look, read_versions
    from ..runs.decision.versions import VersionOptions

    opened = _open_store(store)
    options = VersionOptions(by, metric, ratings, scale, level, reading, has_letters=True)
    versions = read_versions(opened, runs, options)
    if report is not None:
        check_writable(report)
    decision = keep_first_look(store, versions, decide_reading(versions, margin=margin, seed=seed, looks=looks))
    if report is not None:
        from ..runs.decision import write_decision_report
        from ..runs.decision.page import find_deciding_questions, preferred_shares

        questions = find_deciding_questions(versions.answers, preferred_shares(versions.preferences))
        write_decision_report(report, decision, questions, versions.about)
    print_result(
        lambda: decision_as_json(decision, versions.lettered), lambda: _print(decision, versions, runs, report)
    )
    return GATE_FAILED if gate and not decision.passes else DONE


def _open_store(place: str | Path) -> "Store | None":
    """The store; None where there is none yet, and only sets can be compared."""
    from ..runs import Store

    if isinstance(place, Path) and not (place / "runs.sqlite").exists():
        return None
    return Store(place, must_exist=True)


def _print(decision: "Decision", reading: "VersionReading", runs: tuple[str, ...], report: Path | None) -> None:
    from ..runs.decision import decision_block

    print_blocks(decision_block(decision))
    for version in decision.versions:
        if version.name in reading.runs:
            in_use = ", in use today" if version.name == decision.in_use else ""
            echo(f"{one_line(version.name)}: run {one_line(reading.runs[version.name])}{in_use}")
    if report is not None:
        echo(f"\nThe decision and the answers that decide: {report}")
    further = _further_ratings(decision, reading, runs) if decision.verdict == "unsettled" else []
    if further:
        echo("\nTo ask people, who see nothing of whose answer is whose:")
    for words in further:
        print_command(open_console(), typed_command("rate", *words, "--raters", "NAME,NAME"))


def _further_ratings(
    decision: "Decision", reading: "VersionReading", runs: tuple[str, ...]
) -> "list[Sequence[str | Path]]":
    """What is to be rated next, as `assay rate` takes it: pairs where choices decide, else what has unrated answers.

    Nothing where a look has no error left, so that only new answers can settle it.
    """
    if decision.look is not None and not decision.look.error and not decision.needs.ratings:
        return []
    if decision.basis == "preferences":
        return [(*runs, "--pairs", *(["--by", reading.options.by] if reading.options.by else []))]
    is_by_others = decision.has_other_raters or not reading.raters  # then the same people are to rate each version
    unrated = {version.name for version in decision.versions if version.rated < version.n or is_by_others}
    sources = [source for source in reading.sources if source.name in unrated]
    places = dict.fromkeys(source.run or next(iter(source.sets), "") for source in sources)
    return [(place, *_scale_of_page(decision)) for place in places if place]


def _scale_of_page(decision: "Decision") -> list[str]:
    """The scale on which further ratings are collected where it is not the page's own: that of the ratings so far."""
    low, high = decision.scale
    is_rated = any(one.rated for one in decision.versions)
    is_other = is_rated and decision.basis in ("ratings", "ratings and scores") and (low, high) != (1, 5)
    return ["--scale", f"{low:g}-{high:g}"] if is_other and low.is_integer() and high.is_integer() else []
