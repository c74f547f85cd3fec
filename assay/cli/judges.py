"""`assay judges compare`: which judge to buy."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import BudgetReached, UsageError
from .exit_codes import TOO_MANY_FAILED
from .options import budget_options, json_option, path_in_store, read_mapping, read_probes, set_options, store_option
from .output import echo, echo_json, one_line, open_console

if TYPE_CHECKING:
    from ..eval_sets import Sample
    from ..judges import Budget, JudgeSettings
    from ..meta_eval.estimate import Estimate
    from ..runs.judge_comparison import JudgeComparison, JudgeFindings, JudgeScores


@click.group()
def judges() -> None:
    """The judges: compare several on the same answers."""


@judges.command()
@click.argument("sets", nargs=-1, required=True, metavar="SET...")
@click.option("--judge", "names", multiple=True, required=True, help="A judge as in `assay run`; repeat the option.")
@click.option("--metric", default="faithfulness", show_default=True, help="What they are compared by.")
@click.option(
    "--cassette",
    help="Recorded replies; {judge} stands for the judge's name. [default: STORE/judged.{judge}.jsonl]",
)
@click.option("--mode", type=click.Choice(["replay", "auto"]), default="auto", show_default=True)
@click.option("--repeats", type=click.IntRange(min=0), default=0, show_default=True, help="Ask again, for consistency.")
@click.option(
    "--cost",
    type=click.Choice(["usd", "tokens", "seconds"]),
    help="What they are weighed by. [default: usd; seconds where all are free; tokens where a price is unknown]",
)
@click.option(
    "--probes",
    is_flag=False,
    flag_value="padded,reordered,injected",
    metavar="[A,B]",
    help="Also judge the samples changed by probes (`assay probe`), and tell how many verdicts flip. "
    "After the SETs, or as --probes=A,B. [without names: padded,reordered,injected]",
)
@click.option("--max-failed", type=click.IntRange(min=0), default=0, show_default=True, help="Failed samples a judge.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the folds, the resampling and the probes.")
@click.option(
    "--report",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write it as one HTML file, with agreement drawn against cost; it opens from disk.",
)
@budget_options
@set_options
@store_option
@json_option
def compare(sets: tuple[str, ...], names: tuple[str, ...], report: Path | None, as_json: bool, **options: Any) -> None:
    """Compare judges on SETs: agreement with the ratings and with each other, cost, panels, and which to buy.

    With --probes also how easily each is fooled: by courtesies, another order of the contexts, orders in the answer.

    \b
    assay judges compare helpdesk_nl --judge qwen1.5b --judge openai/gpt-4o-mini --report judges.html
    """
    comparison = compared(sets, names, options)
    if report is not None:
        from ..runs.judge_report import write_judge_report

        write_judge_report(report, comparison, sets)
    if as_json:
        echo_json(asdict(comparison))
    else:
        print_comparison(comparison)
        if report is not None:
            echo(f"The whole report: {report}")
    click.get_current_context().exit(_failed(comparison, options["max_failed"]))


def compared(sets: tuple[str, ...], names: tuple[str, ...], options: dict[str, Any]) -> "JudgeComparison":
    """The judges `names` on the sets, with the command's options. Raises `UsageError` for what cannot be compared."""
    from ..eval_sets import read_set
    from ..judges import Budget
    from ..metrics.catalogue import needs_judge
    from ..runs.judge_comparison import compare_judges

    if len(set(names)) < 2:
        raise UsageError("name two judges or more (--judge A --judge B)")
    settings = _settings(names)  # all are known before one is asked
    if not needs_judge(options["metric"]):
        raise UsageError(f"{options['metric']} asks no judge: it is the same for all; take faithfulness, for one")
    if options["cassette"] is None:
        options["cassette"] = str(path_in_store(options["store"], "judged.{judge}.jsonl", "name files with --cassette"))
    reading = {"mapping": read_mapping(options["mapping"])} | {k: options[k] for k in ("language", "limit", "split")}
    samples = [sample for source in sets for sample in read_set(source, **reading)]
    if twice := len(samples) - len({sample.id for sample in samples}):
        raise UsageError(f"{twice} ids stand in two of these sets; make their ids differ")
    changed = _changed(samples, options["probes"], options["seed"])
    budget = Budget(options["budget_usd"], options["budget_tokens"], options["budget_calls"])
    try:
        judged = [
            asyncio.run(_judged(name, found, samples, changed, budget=budget, options=options))
            for name, found in settings.items()
        ]
    except BudgetReached as reached:
        raise BudgetReached(f"{reached}; all replies are kept: the same command goes on with them") from reached
    return compare_judges(options["metric"], samples, judged, cost=options["cost"], seed=options["seed"])


def _settings(names: tuple[str, ...]) -> "dict[str, JudgeSettings]":
    """The judges by the short names that they go by in the tables and in `{judge}`."""
    from ..judges import load_settings

    named: dict[str, str] = {}
    for name in dict.fromkeys(names):
        short = Path(name).stem if name.endswith((".yaml", ".yml", ".gguf")) else name.replace("/", "-")
        if short in named:
            raise UsageError(f"{named[short]} and {name} would both be called {short}; give one file another name")
        named[short] = name
    return {short: load_settings(name) for short, name in named.items()}


def _changed(samples: "list[Sample]", probes: str | None, seed: int) -> "dict[str, list[Sample]]":
    """The samples as each probe changes them, without those that it cannot change."""
    from ..eval_sets import Sample
    from ..generation.probes import PROBES, perturb

    wanted = [] if probes is None else read_probes(probes, hint=" (--probes=A,B, or --probes last)")
    made = {name: [perturb(sample, PROBES[name], seed) for sample in samples] for name in wanted}
    return {name: [each for each in found if isinstance(each, Sample)] for name, found in made.items()}


async def _judged(
    name: str,
    settings: "JudgeSettings",
    samples: "list[Sample]",
    changed: "dict[str, list[Sample]]",
    *,
    budget: "Budget",
    options: dict[str, Any],
) -> "JudgeScores":
    from ..judges import LiteLLMJudge
    from ..metrics import Score
    from ..runs.evaluate import Results, aevaluate
    from ..runs.judge_comparison import JudgeScores

    metric, cassette = options["metric"], options["cassette"].replace("{judge}", name)

    def judge_asked(again: int) -> LiteLLMJudge:
        return LiteLLMJudge(settings.for_repeat(again), cassette=cassette, mode=options["mode"], budget=budget)

    def scores_of(results: Results) -> dict[str, Score]:
        return {sample: scores[metric] for sample, scores in results.scores.items()}

    async with judge_asked(0) as judge:
        first = await aevaluate(samples, [metric], judge=judge)
        probed = {
            probe: scores_of(await aevaluate(probed_samples, [metric], judge=judge))
            for probe, probed_samples in changed.items()
        }
    repeats = []
    for again in range(1, options["repeats"] + 1):
        async with judge_asked(again) as judge:
            repeats.append(scores_of(await aevaluate(samples, [metric], judge=judge)))
    return JudgeScores(name, scores_of(first), settings.concurrency, tuple(repeats), first.replies, probed)


def _failed(found: "JudgeComparison", allowed: int) -> int:
    """Tells of judges that failed on more samples than allowed; the exit code."""

    code = 0
    for each in found.judges:
        count = round(each.failed * each.samples)
        again = f", and {each.failed_again} times when asked again" if each.failed_again else ""
        probed = sum(probe.failed for probe in found.probes if probe.judge == each.judge)
        again += f", and on {probed} changed by probes" if probed else ""
        if count + each.failed_again + probed > allowed:
            code = TOO_MANY_FAILED
            echo(
                f"assay: {each.judge} failed on {count} of {each.samples} samples{again}; {allowed} allowed "
                f"(--max-failed). The first: {one_line(each.failure)}",
                err=True,
            )
    return code


def print_comparison(found: "JudgeComparison") -> None:
    """The advice, the tables, and what panels would do."""
    from rich.table import Table

    from ..runs.judge_comparison import amount
    from ..runs.report import format_interval

    console = open_console()
    echo(found.advice)
    table = Table(title=f"Judges by {found.metric}; tokens, cost and time of 1,000 answers", title_justify="left")
    for column in (
        "judge",
        "n",
        "failed",
        "unparsable",
        "Spearman with rating",
        "same when asked again",
        "tokens",
        "USD",
        "s",
        "frontier",
    ):
        table.add_column(column, justify="left" if column in {"judge", "Spearman with rating"} else "right")
    for each in found.judges:
        table.add_row(
            each.judge,
            str(each.samples),
            f"{each.failed:.0%}",
            _unparsable(each),
            _rho(each.agreement),
            "not asked" if each.consistency is None else f"{each.consistency:.0%}",
            f"{each.tokens:,.0f}",
            "unknown" if each.usd is None else f"{each.usd:.2f}",
            f"{each.seconds:,.0f}",
            "yes" if each.on_frontier else "",
        )
    console.print(table)
    for pair in found.pairs:
        difference = pair.difference
        told = pair.problem or difference.problem or "no interval"
        if difference.value is not None and difference.low is not None and difference.high is not None:
            told = format_interval(difference.value, difference.low, difference.high, "+.2f")
        p = "" if pair.p_permutation is None else f", p = {pair.p_permutation:.3f}"
        echo(f"rho({pair.first}) - rho({pair.second}) = {told}{p} (n = {pair.n})")
    alpha = "undefined" if found.claims.alpha is None else f"{found.claims.alpha:.2f}"
    echo(f"{found.claims.claims} claims that all judged: Krippendorff's alpha {alpha}")
    for a, b, kappa in found.claims.kappas:
        echo(f"  {a} and {b}: kappa {'undefined' if kappa is None else f'{kappa:.2f}'}")
    for panel in found.panels:
        line = f"panel, {panel.name}: {_rho(panel.agreement)}, {amount(panel.cost, found.unit)}"
        if panel.dear_share is not None:
            line += f"; {panel.dear_share:.0%} went to the dear judge"
        if panel.saving is not None:
            line += f", saving {panel.saving:.0%}"
        echo(line)
    _print_probes(found)


def _print_probes(found: "JudgeComparison") -> None:
    from rich.table import Table

    from ..runs.report import format_interval

    if not found.probes:
        return
    table = Table(title="Verdicts that flip under probes, of claims that stand in both", title_justify="left")
    for column in ("judge", "probe", "claims", "flipped [95%]", "to supported", "samples", "shift of the score [95%]"):
        table.add_column(column, justify="left" if column in {"judge", "probe"} else "right")
    for each in found.probes:
        flips, shift = each.flips, each.shift
        table.add_row(
            each.judge,
            each.probe + ("*" if each.identical else ""),
            str(each.claims),
            flips.problem if flips.value is None else format_interval(flips.value, flips.low, flips.high, ".0%"),
            str(each.to_supported),
            str(shift.n),
            shift.problem if shift.value is None else format_interval(shift.value, shift.low, shift.high, "+.3f"),
        )
    open_console().print(table)
    if any(each.identical for each in found.probes):
        echo("* every reply about these claims is the same to the letter: as a rule no question had the change")


def _unparsable(each: "JudgeFindings") -> str:
    if each.unparsable is None:
        return "no reply"
    return f"{each.unparsable:.1%}" + (f" ({each.lost:.1%} lost)" if each.lost else "")


def _rho(found: "Estimate") -> str:
    from ..runs.report import format_interval

    if found.value is None:
        return f"none ({found.problem})"
    return f"{format_interval(found.value, found.low, found.high, '+.2f')} (n = {found.n})"
