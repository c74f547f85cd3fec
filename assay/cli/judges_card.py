"""`assay judges card`: what one judge is worth, on sets that people rated."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..atomic_files import check_writable
from ..errors import UsageError
from ..text.wording import count_of
from .exit_codes import DONE, TOO_MANY_FAILED
from .judges import judges
from .options import JudgeCassetteOptions, SetOptions, with_budget, with_judge_cassettes, with_set_options
from .output import echo_notice, print_blocks, print_result, show_status
from .typed_values import OUTPUT_FILE, SEED, BoundedCount

if TYPE_CHECKING:
    from ..judges import Budget
    from ..runs.judging import CardSet, JudgeCard

BUNDLED_SETS = ("helpdesk_en", "helpdesk_nl")


@judges.command()
@click.argument("model", metavar="MODEL")
@click.option("--on", "sets", multiple=True, metavar="SET", help="A rated set; repeatable. [default: bundled ones]")
@click.option("--metric", help="What the judge is asked for. [default: by what the set rates]")
@click.option(
    "--most",
    type=BoundedCount(),
    default=100,
    show_default=True,
    help="Answers per set, the first by hash of the id.",
)
@click.option(
    "--probed",
    type=BoundedCount(0),
    default=20,
    show_default=True,
    help="How many of them are also asked again, and changed by probes.",
)
@with_judge_cassettes
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of what is asked again and of the probes.")
@click.option("-o", "--out", type=OUTPUT_FILE, help="Also write it as one HTML file; --json prints its figures.")
@with_budget
@with_set_options
def card(
    *,
    model: str,
    sets: tuple[str, ...],
    metric: str | None,
    most: int,
    probed: int,
    judge_cassettes: JudgeCassetteOptions,
    seed: int,
    out: Path | None,
    budget: "Budget",
    set_options: SetOptions,
    store: str | Path,
) -> None:
    """Say what one judge is worth, on sets that people rated.

    For each set: agreement with people beside token overlap, the raters' ceiling, pass and fail, verdicts that flip,
    injections that work, and what 1,000 answers take. Which of several judges to buy says `assay judges compare`.

    \b
    assay judges card openai/gpt-4o-mini --on public:mtrag:dev --budget 2usd -o card.html
    """
    from ..judges.judge import open_model
    from ..runs.judging import card_report, make_card
    from ..runs.judging.experiment import short_name

    if out is not None:
        if out.suffix.lower() != ".html":
            raise UsageError(f"{out}: a card is written as .html; as JSON --json prints it")
        check_writable(out)
    judge = open_model(model)  # it is known before a set is read
    made = make_card(
        judge,
        _read_sets(sets, set_options, most, metric),
        name=short_name(model),
        cassette=judge_cassettes.file(store),
        mode=judge_cassettes.mode,
        budget=budget,
        probed=probed,
        seed=seed,
        show=show_status,
    )
    report = card_report(made)
    if out is not None:
        report.write(out)
    print_result(
        lambda: _as_json(made),
        lambda: print_blocks(*report.blocks),
        *([] if out is None else [f"The card: {out}"]),
    )
    click.get_current_context().exit(_report_failures(made))


def _read_sets(sets: Sequence[str], set_options: SetOptions, most: int, metric: str | None) -> "list[CardSet]":
    from ..runs.judging import make_card_set

    if not sets:
        echo_notice(
            f"no --on: the bundled sets {', '.join(BUNDLED_SETS)}, whose ratings are constructed and say little of a "
            "judge; for people's ratings name --on public:mtrag:dev (`assay sets` lists them), or your own file"
        )
    return [  # a file by its name, since a card is shown to people of other machines
        make_card_set(Path(name).name if Path(name).exists() else name, [*set_options.samples([name])], most, metric)
        for name in sets or BUNDLED_SETS
    ]


def _as_json(card: "JudgeCard") -> dict[str, Any]:
    """The card's JSON form with a verdict in each set."""
    from ..runs.judging.card_report import give_card_verdict

    values = card.model_dump(mode="json")
    for of_set, made in zip(values["sets"], card.sets, strict=True):
        of_set["verdict"] = give_card_verdict(card.judge, made).as_json()
    return values


def _report_failures(card: "JudgeCard") -> int:
    """Says why answers of a set have no score; returns the exit code."""
    for of_set in card.sets:
        if of_set.failed:
            echo_notice(
                f"{card.judge} on {of_set.set_name} failed on {of_set.failed} of {of_set.answers}; the first: "
                f"{of_set.failure}"
            )
        elif of_set.failure:
            skipped = count_of(of_set.skipped, "answer")
            echo_notice(f"{card.judge} on {of_set.set_name} skipped {skipped}; the first: {of_set.failure}")
    return TOO_MANY_FAILED if any(of_set.failed and not of_set.scored for of_set in card.sets) else DONE
