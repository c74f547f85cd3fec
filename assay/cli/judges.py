"""`assay judges compare`: which judge to buy."""

from dataclasses import asdict
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..atomic_files import check_writable
from ..errors import UsageError
from ..presentation.result_table import Field, tabulate
from ..text.wording import count_of
from .download_dialog import agree_to_download
from .exit_codes import DONE, TOO_MANY_FAILED
from .options import (
    JudgeCassetteOptions,
    SetOptions,
    download_option,
    max_failed_option,
    with_budget,
    with_judge_cassettes,
    with_set_options,
)
from .output import echo_notice, open_console, print_result, show_status
from .typed_values import OUTPUT_FILE

if TYPE_CHECKING:
    from ..judges import Budget
    from ..runs.judging.judge_comparison import JudgeComparison


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

    Judges SETs by each: agreement with the ratings, cost, all together. The first --judge is what is in use today: the
    last sentence says whether another one agrees better, as `assay decide` does of versions. How easily one is fooled,
    and whether it says the same again, is on its card (`assay judges card`).

    \b
    assay judges compare helpdesk_nl --judge qwen1.5b --judge openai/gpt-4o-mini --report judges.html
    """
    from ..presentation.result_table import Paragraph, ReportBlock
    from ..runs.answers.rating_direction import check_ratings_fit
    from ..runs.judging import comparison_report
    from ..runs.judging.experiment import load_judges, score_by_judges
    from ..runs.judging.judge_comparison import compare_judges

    if report is not None:
        check_writable(report)
    settings = load_judges(names)  # all are known before one is asked
    cassette, samples = judge_cassettes.file(store), list(set_options.samples(sets))
    if repeated := len(samples) - len({sample.id for sample in samples}):
        raise UsageError(f"{count_of(repeated, 'id stands', 'ids stand')} in two of these sets; make their ids differ")
    check_ratings_fit(" ".join(sets), samples, metric)
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
        lambda: _as_json(comparison),
        ReportBlock([advice, *(part for block in told.blocks for part in block.parts)]),
        *([] if report is None else [f"The whole report: {report}"]),
    )
    click.get_current_context().exit(_report_failures(comparison, max_failed))


def _as_json(comparison: "JudgeComparison") -> dict[str, Any]:
    decision = comparison.variants.decision
    return {
        "metric": comparison.metric,
        "unit": comparison.unit,
        "judges": [asdict(judge) for judge in comparison.judges],
        "panels": [asdict(panel) for panel in comparison.panels],
        "advice": comparison.advice,
        "decision": decision and decision.as_json(),
    }


def _report_failures(comparison: "JudgeComparison", allowed: int) -> int:
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
