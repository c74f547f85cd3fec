"""`assay judges`: the list of them, which to buy (compare), and what one is worth (card)."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..atomic_files import check_writable
from ..errors import UsageError
from ..interruption import DONE, TOO_MANY_FAILED
from ..presentation.result_table import Field, tabulate
from ..text.wording import count_of
from .options import (
    OUTPUT_FILE,
    SEED,
    BoundedCount,
    SetOptions,
    download_option,
    max_failed_option,
    option_group,
    path_in_store,
    replay_option,
    with_budget,
    with_set_options,
)
from .output import agree_to_download, echo_notice, open_console, print_blocks, print_result, show_status

if TYPE_CHECKING:
    from ..judges import Budget, Mode
    from ..runs.judging import CardSet, JudgeCard
    from ..runs.judging.judge_comparison import JudgeComparison


@dataclass(frozen=True, slots=True)
class JudgeCassetteOptions:
    """Which recorded replies of judges are used, one file per judge, and how."""

    cassette: str | None  # the file, in which `{judge}` stands for the judge's name; None for those in the store
    mode: "Mode"

    def file(self, store: Path | str) -> str:
        """The file of the recordings. Raises `UsageError` where none is named and the store is on a server."""
        return self.cassette or str(path_in_store(store, "judged.{judge}.jsonl", "name files with --cassette"))


with_judge_cassettes = option_group(
    "judge_cassettes",
    JudgeCassetteOptions,
    click.option(
        "--cassette",
        help="Recorded replies; {judge} stands for the judge's name. [default: STORE/judged.{judge}.jsonl]",
    ),
    replay_option,
)


@click.group()
def judges() -> None:
    """List the judges, fetch a model, compare several, and make the card of one."""


@judges.command(name="list")
def list_judges() -> None:
    """List the bundled judges, and say what else --judge takes.

    \b
    assay judges list
    assay run helpdesk_en --judge qwen1.5b
    """
    from ..judges import bundled_judge_names, load_settings
    from ..judges.local import has_model_file
    from ..judges.settings import ENTAIL, GGUF

    settings = {name: load_settings(name) for name in bundled_judge_names()}
    listed = [
        {
            "judge": name,
            "model": judge.identity,
            "log_probabilities": judge.logprobs,
            "is_local": judge.model.startswith((ENTAIL, GGUF)),
            "is_ready": has_model_file(judge),
        }
        for name, judge in settings.items()
    ]
    fields = (
        Field("judge", "text", itemgetter("judge")),
        Field("model", "text", itemgetter("model")),
        Field("log probs", "text", lambda judge: "yes" if judge["log_probabilities"] else "no"),
        Field(
            "model file",
            "text",
            lambda judge: "not needed" if not judge["is_local"] else "there" if judge["is_ready"] else "missing",
        ),
    )
    further = (
        "--judge takes one of these, a settings file (.yaml), gguf:PATH, entail:MODEL, or any litellm model string "
        "(openai/gpt-4o-mini, ollama/llama3.2)."
    )
    print_result(lambda: {"judges": listed}, tabulate("", listed, fields), lambda: open_console().print(further))


@judges.command()
@click.argument("name", metavar="JUDGE")
@click.option("--revision", help="The version of the model: a commit, a tag or a branch.")
@download_option
def get(name: str, revision: str | None, *, yes: bool) -> None:
    """Download an entailment model, after asking.

    From the Hugging Face hub (extra `entail`); says how large it is. The model goes into the hub's own cache.

    \b
    assay judges get entail:yaxili96/FactCG-DeBERTa-v3-Large
    assay judges get factcg --yes
    """
    from ..judges import load_settings
    from ..judges.entailment import download, find_download
    from ..judges.settings import ENTAIL

    settings = load_settings(name)
    if not settings.model.startswith(ENTAIL):
        raise UsageError(f"{name}: only entailment models are fetched with this command (entail:ORG/NAME)")
    model, commit, size = find_download(settings.with_changes(revision=revision) if revision else settings)
    offer = f"{model}, commit {commit[:12]}: {max(1, size // 1_000_000):,} MB from huggingface.co"
    agree_to_download(name, offer, offer, yes=yes)
    folder = download(model, commit)
    print_result(
        lambda: {"judge": name, "revision": commit, "folder": str(folder), "bytes": size},
        f"{model}: {folder}. To pin this version, write `revision: {commit}` in a settings file",
    )


@judges.command()
@click.argument("sets", nargs=-1, required=True, metavar="SET...")
@click.option("--judge", "names", multiple=True, required=True, help="A judge as in `assay run`; repeat the option.")
@click.option("--metric", default="faithfulness", show_default=True, help="The metric that they are compared by.")
@with_judge_cassettes
@max_failed_option
@click.option(
    "--report",
    type=OUTPUT_FILE,
    help="Also write it as one HTML file; it opens from disk.",
)
@with_budget
@with_set_options
def compare(
    *,
    sets: tuple[str, ...],
    names: tuple[str, ...],
    metric: str,
    max_failed: int,
    report: Path | None,
    judge_cassettes: JudgeCassetteOptions,
    budget: "Budget",
    set_options: SetOptions,
    store: str | Path,
) -> None:
    """Compare judges: agreement, cost, and which to buy.

    Judges SETs by each: agreement with the ratings, and cost. The first --judge is what is in use today: the
    last sentence says whether another one agrees better, as `assay decide` does of versions. How easily one is fooled,
    and whether it says the same again, is on its card (`assay judges card`).

    \b
    assay judges compare helpdesk_nl --judge qwen1.5b --judge openai/gpt-4o-mini --report judges.html
    """
    from ..presentation.result_table import Paragraph, ReportBlock
    from ..runs.judging import comparison_report
    from ..runs.judging.experiment import load_judges, score_by_judges
    from ..runs.judging.judge_comparison import compare_judges

    if report is not None:
        check_writable(report)
    settings = load_judges(names)  # all are known before one is asked
    cassette, samples = judge_cassettes.file(store), list(set_options.samples(sets))
    if repeated := len(samples) - len({sample.id for sample in samples}):
        raise UsageError(f"{count_of(repeated, 'id stands', 'ids stand')} in two of these sets; make their ids differ")
    with show_status(f"{count_of(len(settings), 'judge')}, {count_of(len(samples), 'sample')} each"):
        judge_scores = score_by_judges(
            settings, samples, metric, cassette=cassette, mode=judge_cassettes.mode, budget=budget
        )
    comparison = compare_judges(metric, samples, judge_scores)
    told = comparison_report(comparison, sets)
    advice = Paragraph(comparison.advice, is_whole=True)
    if report is not None:
        told.write(report)
    print_result(
        lambda: _comparison_as_json(comparison),
        ReportBlock([advice, *(part for block in told.blocks for part in block.parts)]),
        *([] if report is None else [f"The whole report: {report}"]),
    )
    click.get_current_context().exit(_report_failed_judges(comparison, max_failed))


def _comparison_as_json(comparison: "JudgeComparison") -> dict[str, Any]:
    decision = comparison.variants.decision
    return {
        "metric": comparison.metric,
        "unit": comparison.unit,
        "judges": [asdict(judge) for judge in comparison.judges],
        "advice": comparison.advice,
        "decision": decision and decision.as_json(),
    }


def _report_failed_judges(comparison: "JudgeComparison", allowed: int) -> int:
    """Names the judges that failed on more samples than allowed; returns the exit code."""
    code = DONE
    for judge in comparison.judges:
        if judge.failed > allowed:
            code = TOO_MANY_FAILED
            echo_notice(
                f"{judge.judge} failed on {judge.failed} of {count_of(judge.samples, 'sample')}; {allowed} allowed "
                f"(--max-failed). The first: {judge.failure}"
            )
    return code


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
    help="How many of them are also asked again, and given an instruction to the judge.",
)
@with_judge_cassettes
@click.option(
    "--seed", type=SEED, default=0, show_default=True, help="Seed of what is asked again and given an instruction."
)
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
        lambda: _card_as_json(made),
        lambda: print_blocks(*report.blocks),
        *([] if out is None else [f"The card: {out}"]),
    )
    click.get_current_context().exit(_report_failed_sets(made))


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


def _card_as_json(card: "JudgeCard") -> dict[str, Any]:
    """The card's JSON form with a verdict in each set."""
    from ..runs.judging.card_report import give_card_verdict

    values = card.model_dump(mode="json")
    for of_set, made in zip(values["sets"], card.sets, strict=True):
        of_set["verdict"] = give_card_verdict(card.judge, made).as_json()
    return values


def _report_failed_sets(card: "JudgeCard") -> int:
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
