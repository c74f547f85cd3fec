"""`assay judges prompts try` and `diff`: what another wording of a prompt changes."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from ..presentation.figure import Figure
from ..presentation.result_table import Field, ResultTable, tabulate
from ..presentation.texts import one_line
from ..text.wording import count_of
from .exit_codes import DONE, TOO_MANY_FAILED
from .options import (
    SetOptions,
    embedder_option,
    judge_option,
    path_in_store,
    read_metrics,
    replay_option,
    with_set_options,
)
from .output import echo, echo_json, is_json, print_result, print_table
from .progress import show_status

if TYPE_CHECKING:
    from ..eval_sets import Sample
    from ..judges import LiteLLMJudge, Mode
    from ..prompts import Prompt
    from ..runs.judging.prompt_effect import MetricEffect, PromptEffect, PromptTrial, SampleScores

_METRICS_OF_PROMPT = {
    "claims": "faithfulness:claims=judge",
    "support": "faithfulness",
    "questions": "answer_relevance",
    "context_precision": "context_precision",
    "context_relevance": "context_relevance",
    "sentence_relevance": "context_relevance:unit=sentences",
    "topics": "topic_adherence",
    "topic_adherence": "topic_adherence",
    "requests": "resolved",
    "resolved": "resolved",
    "policy_kept": "policy_kept",
    "rating": "judge_truthfulness,judge_relatedness,judge_completeness",
}
_SHOWN = 10  # claims of a kind in the plain output


@click.command(name="try")
@click.argument("name")
@click.argument("sets", nargs=-1, required=True, metavar="SET...")
@click.option(
    "--edit",
    "edits",
    type=click.Path(path_type=Path),
    multiple=True,
    required=True,
    help="The file with your wording; repeat the option for several.",
)
@judge_option
@click.option("--metrics", help="What to score. Default: the metrics that ask this prompt.")
@click.option("--cassette", type=click.Path(path_type=Path), help="Recorded replies. [default: STORE/tried.jsonl]")
@replay_option
@embedder_option
@with_set_options
def try_prompt(
    *,
    name: str,
    sets: tuple[str, ...],
    edits: tuple[Path, ...],
    judge: str | None,
    metrics: str | None,
    cassette: Path | None,
    mode: "Mode",
    embedder: str,
    set_options: SetOptions,
    store: str | Path,
) -> None:
    """Ask a prompt in other wordings: what do they change?

    NAME is claims.nl, for one; the changes are those on SETs. The last sentence says whether a wording agrees better
    with the ratings than the prompt in use, as `assay decide` does of versions.

    Only samples whose language asks this prompt are judged, and only questions whose rendering changed are asked: the
    others come from the cassette.

    \b
    assay judges prompts try claims.nl helpdesk_nl --edit my_claims.md --judge qwen1.5b --cassette replies.jsonl
    """
    from ..judges import LiteLLMJudge
    from ..languages import FALLBACK
    from ..prompts import BUNDLED, prompt_names, read_prompt_as
    from ..runs.answers.rating_direction import check_ratings_fit
    from ..runs.judging.prompt_effect import compare_wordings

    base, _, language = name.partition(".")
    language = language or FALLBACK
    bundled = BUNDLED.load(base, language)
    if bundled.language != language:
        raise UsageError(f"no prompt is called {name!r}; {base} exists in {', '.join(prompt_names()[base])}")
    wordings = _distinct([(str(edit), read_prompt_as(edit, base, language)) for edit in edits], bundled)
    if judge is None:
        raise UsageError("a prompt is tried on a judge; name one with --judge")
    chosen_metrics = metrics or _METRICS_OF_PROMPT.get(base)
    if chosen_metrics is None:
        raise UsageError(f"no metric is known to ask {base}; name one with --metrics")
    samples = [
        sample
        for sample in set_options.samples(sets)
        if BUNDLED.load(base, sample.language).identity == bundled.identity
    ]
    if not samples:
        raise UsageError(f"no sample of {', '.join(sets)} is in the language of {name}, so that none asks this prompt")
    check_ratings_fit(", ".join(sets), samples, read_metrics(chosen_metrics)[0])
    file = cassette or path_in_store(store, "tried.jsonl", "name a file with --cassette")
    with_cassette = LiteLLMJudge(judge, cassette=file, mode=mode)
    with_cassette.check_api_key()
    with show_status(f"judging {count_of(len(samples), 'sample')} with {count_of(1 + len(wordings), 'wording')}"):
        scores = asyncio.run(
            _score_with_each(samples, read_metrics(chosen_metrics), list(wordings.values()), with_cassette, embedder)
        )
    before, *after = scores
    trial = compare_wordings(samples, bundled.identity, before, dict(zip(wordings, after, strict=True)))
    _print_trial(trial)
    has_failed = any(effect.failed for effect in trial.effects.values())
    click.get_current_context().exit(TOO_MANY_FAILED if has_failed else DONE)


def _distinct(wordings: "Sequence[tuple[str, Prompt]]", bundled: "Prompt") -> "dict[str, Prompt]":
    """The wordings, each of which must differ from the one in use and from the others."""
    names: dict[str, str] = {}
    for name, prompt in wordings:
        if prompt.identity == bundled.identity:
            raise UsageError(f"{name} is word for word the prompt in use, {bundled.identity}; change it first")
        if prompt.identity in names:
            raise UsageError(f"{name} is word for word {names[prompt.identity]}; leave one of them out")
        names[prompt.identity] = name
    return dict(wordings)


async def _score_with_each(
    samples: "Sequence[Sample]",
    metrics: tuple[str, ...],
    wordings: "Sequence[Prompt]",
    judge: "LiteLLMJudge",
    embedder: str,
) -> "list[SampleScores]":
    """The scores with the prompt in use, and then with each wording."""
    from ..prompts import BUNDLED
    from ..runs import aevaluate

    async with judge:
        results = [
            await aevaluate(samples, metrics, judge=judge, embedder=embedder, prompts=prompts, progress=False)
            for prompts in (BUNDLED, *map(BUNDLED.replacing, wordings))
        ]
    return [one.scores for one in results]


@click.command()
@click.argument("run_a")
@click.argument("run_b")
def diff(run_a: str, run_b: str, store: Path | str) -> None:
    """Print what another prompt changed between two runs.

    From RUN_A to RUN_B: claims, verdicts, agreement, tokens.
    """
    from ..runs import Store
    from ..runs.judging.prompt_effect import compare_prompts_of_runs

    runs = Store(store, must_exist=True)
    effect = compare_prompts_of_runs(runs, runs.run(run_a).id, runs.run(run_b).id)
    print_result(lambda: asdict(effect), lambda: _print_effect(effect))


def _print_trial(trial: "PromptTrial") -> None:
    from ..meta_eval.decision.variant_decision import variant_sentences

    if is_json():
        first, *further = ({"variant": name} | asdict(effect) for name, effect in trial.effects.items())
        echo_json(first | {"further": further, "decision": trial.decision and trial.decision.as_json()})
        return
    for name, effect in trial.effects.items():
        if len(trial.effects) > 1:
            echo(f"--- {one_line(name)} instead of {trial.in_use}")
        _print_effect(effect)
    if len(trial.effects) > 1:
        echo("")
        print_table(_trial_table(trial))
    for sentence in variant_sentences(trial.decision, trial.in_use):
        echo(one_line(sentence))


def _trial_table(trial: "PromptTrial") -> ResultTable:
    """One row per wording: its mean, its agreement beside that of the prompt in use, and what it changes."""
    first = next(iter(trial.effects.values()))
    versions = {one.name: one for one in trial.decision.versions} if trial.decision else {}
    differences = {one.second: one for one in trial.decision.differences} if trial.decision else {}

    def agreement(name: str) -> Figure:
        one = versions.get(name)
        return Figure("correlation", one.mean, one.low, one.high) if one else Figure("correlation", None)

    def difference(name: str) -> Figure | str:
        one = differences.get(name)
        is_in_use = "" if name == trial.in_use else Figure("correlation", None)
        return Figure("correlation", one.difference, one.low, one.high) if one else is_in_use

    def mean(name: str) -> float | None:
        return trial.effects[name].metrics[0].mean_after if name in trial.effects else first.metrics[0].mean_before

    def tokens(name: str) -> float:
        return trial.effects[name].tokens_after if name in trial.effects else first.tokens_before

    fields = (
        Field("wording", "name", lambda name: name),
        Field("mean", "mean", mean),
        Field("Spearman with rating", "correlation", agreement, is_left=True),
        Field("less the one in use", "correlation", difference, is_left=True),
        Field("tokens per sample", "count", tokens),
    )
    caption = f"Wordings by {first.metrics[0].metric}; the first is in use"
    return tabulate(caption, [trial.in_use, *trial.effects], fields)


def _print_effect(effect: "PromptEffect") -> None:
    echo(f"{count_of(effect.samples, 'sample')}; prompts before: {', '.join(effect.prompts_before) or 'none'}")
    echo(f"after: {', '.join(effect.prompts_after) or 'none'}")
    echo(f"tokens per sample: {effect.tokens_before:,.0f} before, {effect.tokens_after:,.0f} after")
    if effect.failed:
        sample, reason = effect.failed[0]
        count = f"{count_of(len(effect.failed), 'sample')} failed, and their claims are not compared"
        echo(one_line(f"{count}; the first, {sample}: {reason}"))
    for metric in effect.metrics:
        echo(one_line(f"{metric.metric}: mean {_format_means(metric)}; {_format_agreement(metric)}"))
    for change, claims in (("lost", effect.lost), ("added", effect.added)):
        echo(f"{count_of(len(claims), 'claim')} {change}")
        for sample, text in claims[:_SHOWN]:
            echo(f"  {one_line(sample)}  {one_line(text)}")
        _print_rest(len(claims))
    echo(f"{count_of(len(effect.flips), 'verdict')} flipped")
    for flip in effect.flips[:_SHOWN]:
        echo(f"  {one_line(flip.sample)}  {one_line(flip.claim)}")
        echo(f"    before: {flip.before.replace('_', ' ')}: {one_line(flip.reason_before)}")
        echo(f"    after:  {flip.after.replace('_', ' ')}: {one_line(flip.reason_after)}")
    _print_rest(len(effect.flips))


def _format_means(metric: "MetricEffect") -> str:
    means = (metric.mean_before, metric.mean_after)
    return " -> ".join("none" if mean is None else f"{mean:.2f}" for mean in means)


def _format_agreement(metric: "MetricEffect") -> str:
    comparison = metric.agreement
    difference = comparison.difference
    if difference.value is None or comparison.rho_first is None or comparison.rho_second is None:
        return f"no agreement to compare ({comparison.problem or difference.problem})"
    text = (
        f"Spearman with the rating {comparison.rho_second:+.2f} -> {comparison.rho_first:+.2f} (n = {comparison.n}), "
    )
    text += f"difference {difference.value:+.2f}"
    if difference.low is not None and difference.high is not None:
        text += f" [{difference.low:+.2f}, {difference.high:+.2f}]"
    return text


def _print_rest(count: int) -> None:
    if count > _SHOWN:
        echo(f"  ... and {count - _SHOWN} more (all with --json)")
