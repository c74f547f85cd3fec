"""`assay judges card`: what one judge is worth, on sets that people rated."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..atomic_files import check_writable
from ..errors import UsageError
from ..text.wording import count_of, list_first, verb_of
from .exit_codes import DONE, TOO_MANY_FAILED
from .judges import judges
from .options import (
    JudgeCassetteOptions,
    SetOptions,
    typed_options,
    with_budget,
    with_judge_cassettes,
    with_set_options,
)
from .output import echo_notice, print_blocks, print_result
from .progress import show_status
from .typed_values import OUTPUT_FILE, SEED, BoundedCount

if TYPE_CHECKING:
    from ..judges import Budget
    from ..runs.judging import CardSet, JudgeCard
    from ..runs.judging.card_request import CardRequest

BUNDLED_SETS = ("helpdesk_en", "helpdesk_nl")
_FORMS = (".html", ".md", ".json")
_SHOWING = {"models", "-o", "--wide", "-q", "--json"}  # what goes with files of cards: how they are shown


@judges.command()
@click.argument("models", nargs=-1, required=True, metavar="MODEL|CARD.json...")
@click.option("--on", "sets", multiple=True, metavar="SET", help="A rated set; repeatable. [default: bundled ones]")
@click.option("--metric", help="What the judge is asked for. [default: by what the set rates]")
@click.option(
    "--most",
    type=BoundedCount(),
    multiple=True,
    default=(100,),
    show_default=True,
    help="Answers per set, the first by hash of the id; one number for all sets, or one per --on in their order.",
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
@click.option("--yes", is_flag=True, help="Ask without a bound on the price.")
@click.option("-o", "--out", type=OUTPUT_FILE, help="Write the card: card.html, card.md or card.json.")
@with_budget
@with_set_options
def card(
    *,
    models: tuple[str, ...],
    sets: tuple[str, ...],
    metric: str | None,
    most: tuple[int, ...],
    probed: int,
    judge_cassettes: JudgeCassetteOptions,
    seed: int,
    yes: bool,
    out: Path | None,
    budget: "Budget",
    set_options: SetOptions,
    store: str | Path,
) -> None:
    """Say what one judge is worth, on sets that people rated.

    For each set: agreement with people beside token overlap, both together, the raters' ceiling, calibration, bias,
    verdicts that flip, injections that work, and what 1,000 answers take. First what that will cost.

    Files of cards in place of MODEL stand beside each other.

    \b
    assay judges card openai/gpt-4o-mini --on public:mtrag:dev --budget 2usd -o card.html
    assay judges card mini.json large.json -o both.html
    """
    from ..judges.judge import open_model
    from ..runs.judging import CardRequest, make_card, read_card
    from ..runs.judging.experiment import short_name
    from ..runs.judging.judge_card import is_card_file

    if out is not None:
        if out.suffix.lower() not in _FORMS:
            raise UsageError(f"{out}: a card is .html, .md or .json; end the file's name in one of these")
        check_writable(out)
    files = [model for model in models if is_card_file(model)]
    if files and len(files) < len(models):
        raise UsageError(
            "name one judge, or files of cards (.json), not both; make the judge's card first (-o card.json)"
        )
    if files:
        _check_showing(files, out)
        _show([read_card(Path(file)) for file in files], out)
        return
    if len(models) > 1:
        raise UsageError("one judge per card; make one for each (-o NAME.json), then name the files together")
    request = CardRequest(
        name=short_name(models[0]),
        judge=open_model(models[0]),  # it is known before a set is read
        sets=tuple(_read_sets(sets, set_options, most, metric)),
        probed=probed,
        cassette=judge_cassettes.file(store),
        mode=judge_cassettes.mode,
        budget=budget,
        seed=seed,
    )
    _agree(request, is_agreed=yes)
    made = make_card(request, show_status)
    _show([made], out)
    click.get_current_context().exit(_report_failures(made))


def _check_showing(files: Sequence[str], out: Path | None) -> None:
    """Refuses options that say how a judge is asked, beside files of cards."""
    if ignored := sorted(typed_options(click.get_current_context()) - _SHOWING):
        raise UsageError(
            f"{list_first(ignored, 5)}: of no use beside files of cards, which are shown as they were made; leave "
            f"{'it' if len(ignored) == 1 else 'them'} out, or name a judge in place of the files"
        )
    if len(files) > 1 and out is not None and out.suffix.lower() == ".json":
        raise UsageError(f"{out}: a JSON file holds one card; write both as .html or .md")


def _read_sets(
    sets: Sequence[str], set_options: SetOptions, most: tuple[int, ...], metric: str | None
) -> "list[CardSet]":
    from ..runs.judging.card_set import make_card_set, name_sets

    if not sets:
        echo_notice(
            f"no --on: the bundled sets {', '.join(BUNDLED_SETS)}, whose ratings are constructed and say little of a "
            "judge; for people's ratings name --on public:mtrag:dev (`assay sets` lists them), or your own file"
        )
    names = name_sets(sets or BUNDLED_SETS)
    if len(most) not in {1, len(names)}:
        raise UsageError(
            f"--most stands {count_of(len(most), 'time')} for {count_of(len(names), 'set')}; name it once, or per --on"
        )
    numbers = most * len(names) if len(most) == 1 else most
    return [
        make_card_set(shown, list(set_options.samples([name])), number, metric)
        for (name, shown), number in zip(names.items(), numbers, strict=True)
    ]


def _agree(request: "CardRequest", *, is_agreed: bool) -> None:
    """Says what the card will take and what bounds it; without a bound, asks whether to go on."""
    for card_set in request.sets:
        if card_set.unrated:
            without = count_of(card_set.unrated, "answer has", "answers have")
            echo_notice(f"{card_set.name}: {without} no rating and {verb_of(card_set.unrated, 'is', 'are')} left out")
    if request.mode == "replay":
        return
    from ..runs.judging.card_request import estimate_card

    with show_status("estimating what the card takes; nothing is asked yet"):
        estimate = estimate_card(request)
    echo_notice(f"{request.name}: {estimate.sentence}")
    if not estimate.requests:
        return
    budget = request.budget
    bounds = [(budget.usd, "USD", "USD"), (budget.tokens, "token", "tokens"), (budget.calls, "call", "calls")]
    named = [count_of(bound, unit, units) for bound, unit, units in bounds if bound is not None]
    echo_notice(f"the bound: {', '.join(named) or 'none'}; replies are kept in {request.recorded_in}")
    if named or is_agreed or estimate.is_free:
        return
    if not sys.stdin.isatty():
        raise UsageError("nothing was asked: name a bound (--budget 2usd), or agree to the price with --yes")
    click.confirm("Ask the judge?", abort=True, err=True)


def _show(cards: "Sequence[JudgeCard]", out: Path | None) -> None:
    """Prints the cards, and writes them where a file is named."""
    from ..runs.judging import write_card, write_card_page
    from ..runs.judging.card_report import card_blocks, give_card_verdict, write_card_markdown

    if out is not None:
        if out.suffix.lower() == ".json":
            write_card(out, cards[0])
        else:
            write = write_card_markdown if out.suffix.lower() == ".md" else write_card_page
            write(out, cards)

    def as_json(card: "JudgeCard") -> dict[str, Any]:
        """The card's JSON form with a verdict in each set."""
        values = card.model_dump(mode="json")
        for of_set, made in zip(values["sets"], card.sets, strict=True):
            of_set["verdict"] = give_card_verdict(card.judge, made).as_json()
        return values

    print_result(
        lambda: as_json(cards[0]) if len(cards) == 1 else {"cards": [as_json(each) for each in cards]},
        lambda: print_blocks(*(block for _, block in card_blocks(cards))),
        *([] if out is None else [f"The card: {out}"]),
    )


def _report_failures(card: "JudgeCard") -> int:
    """Names the sets of which nothing could be scored; returns the exit code."""
    for of_set in card.sets:
        if of_set.failed:
            echo_notice(
                f"{card.judge} on {of_set.set_name} failed on {of_set.failed} of {of_set.answers}; the first: "
                f"{of_set.failure}"
            )
    return TOO_MANY_FAILED if any(of_set.failed and not of_set.scored for of_set in card.sets) else DONE
