"""`assay prompts try` and `diff`: what another wording of a prompt changes."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from .exit_codes import DONE, TOO_MANY_FAILED
from .options import (
    embedder_option,
    json_option,
    judge_option,
    path_in_store,
    read_mapping,
    read_metrics,
    set_options,
    store_option,
)
from .output import echo, echo_json

if TYPE_CHECKING:
    from ..eval_sets import Sample
    from ..prompts import Prompt
    from ..runs.prompt_effect import PromptEffect

_LISTED = "faithfulness:claims=judge:verdicts=listed"
_ASKED_BY = {
    "claims": _LISTED,
    "verdicts": _LISTED,
    "support": "faithfulness:verdicts=probability",
    "questions": "answer_relevance",
    "rating": "judge_truthfulness,judge_relatedness,judge_completeness",
}
_SHOWN = 10


@click.command(name="try")
@click.argument("name")
@click.argument("sets", nargs=-1, required=True, metavar="SET...")
@click.option("--edit", type=click.Path(path_type=Path), required=True, help="The file with your wording.")
@judge_option
@click.option("--metrics", help="What to score; if not given, what asks this prompt.")
@click.option("--cassette", type=click.Path(path_type=Path), help="Recorded replies. [default: STORE/tried.jsonl]")
@click.option("--mode", type=click.Choice(["replay", "auto"]), default="auto", show_default=True)
@embedder_option
@set_options
@store_option
@json_option
def try_prompt(name: str, sets: tuple[str, ...], edit: Path, as_json: bool, **options: Any) -> None:
    """Ask the prompt NAME (claims.nl) in another wording, and print what it changes on SETs.

    Only samples whose language asks this prompt are judged, and only questions whose rendering changed are asked: the
    others come from the cassette.

    \b
    assay prompts try claims.nl helpdesk_nl --edit my_claims.md --judge qwen1.5b --cassette replies.jsonl
    """
    from ..eval_sets import read_set
    from ..prompts import BUNDLED, prompt_names, read_prompt_as

    base, _, language = name.partition(".")
    language = language or "en"
    ours = BUNDLED.load(base, language)
    if ours.language != language:
        raise UsageError(f"no prompt is called {name!r}; {base} is there in {', '.join(prompt_names()[base])}")
    edited = read_prompt_as(edit, base, language)
    if edited.identity == ours.identity:
        raise UsageError(f"{edit} is word for word the prompt in use, {ours.identity}; change it first")
    if options["judge"] is None:
        raise UsageError("a prompt is tried on a judge; name one with --judge")
    metrics = options["metrics"] or _ASKED_BY.get(base)
    if metrics is None:
        raise UsageError(f"name what asks {base} with --metrics")
    reading = {"mapping": read_mapping(options["mapping"])} | {k: options[k] for k in ("language", "limit", "split")}
    samples = [sample for source in sets for sample in read_set(source, **reading) if _asks(sample, ours)]
    if not samples:
        raise UsageError(f"no sample of {', '.join(sets)} is in the language of {name}: the prompt is asked of none")
    effect = asyncio.run(_tried(samples, read_metrics(metrics), edited, options))
    _tell(effect, as_json)
    click.get_current_context().exit(TOO_MANY_FAILED if effect.failed else DONE)


def _asks(sample: "Sample", prompt: "Prompt") -> bool:
    from ..prompts import BUNDLED

    return BUNDLED.load(prompt.name, sample.language).identity == prompt.identity


async def _tried(
    samples: "list[Sample]", metrics: tuple[str, ...], edited: "Prompt", options: dict[str, Any]
) -> "PromptEffect":
    from ..judges import LiteLLMJudge
    from ..prompts import BUNDLED
    from ..runs.evaluate import aevaluate
    from ..runs.prompt_effect import prompt_effect

    cassette = options["cassette"] or path_in_store(options["store"], "tried.jsonl", "name a file with --cassette")
    async with LiteLLMJudge(options["judge"], cassette=cassette, mode=options["mode"]) as judge:
        before = await aevaluate(samples, metrics, judge=judge, embedder=options["embedder"])
        after = await aevaluate(
            samples, metrics, judge=judge, embedder=options["embedder"], prompts=BUNDLED.replacing(edited)
        )
    return prompt_effect(samples, before.scores, after.scores)


@click.command()
@click.argument("run_a")
@click.argument("run_b")
@store_option
@json_option
def diff(run_a: str, run_b: str, store: Path | str, as_json: bool) -> None:
    """Print what changed from RUN_A to RUN_B: claims, verdicts, agreement, tokens."""
    from ..runs import Store
    from ..runs.prompt_effect import effect_of_runs

    opened = Store(store, must_exist=True)
    _tell(effect_of_runs(opened, opened.run(run_a).id, opened.run(run_b).id), as_json)


def _tell(effect: "PromptEffect", as_json: bool) -> None:
    if as_json:
        echo_json(asdict(effect))
        return
    from ..text.untrusted import without_unseen

    def line(text: str) -> None:
        echo(without_unseen(" ".join(text.split())) if not text.startswith(" ") else without_unseen(text))

    line(f"{effect.samples} samples; prompts before: {', '.join(effect.prompts_before) or 'none'}")
    line(f"after: {', '.join(effect.prompts_after) or 'none'}")
    line(f"tokens a sample: {effect.tokens_before:,.0f} before, {effect.tokens_after:,.0f} after")
    if effect.failed:
        sample, why = effect.failed[0]
        line(f"{len(effect.failed)} samples failed, and their claims are not compared; the first, {sample}: {why}")
    for each in effect.metrics:
        found = each.agreement
        means = " -> ".join("none" if mean is None else f"{mean:.2f}" for mean in (each.mean_before, each.mean_after))
        told = f"{each.metric}: mean {means}; "
        if found.difference.value is None or found.rho_first is None or found.rho_second is None:
            line(told + f"no agreement to compare ({found.problem or found.difference.problem})")
            continue
        told += f"Spearman with the rating {found.rho_second:+.2f} -> {found.rho_first:+.2f} (n = {found.n}), "
        told += f"difference {found.difference.value:+.2f}"
        if found.difference.low is not None and found.difference.high is not None:
            told += f" [{found.difference.low:+.2f}, {found.difference.high:+.2f}]"
        line(told)
    for title, claims in (("lost", effect.lost), ("added", effect.added)):
        line(f"{counted(len(claims), 'claim')} {title}")
        for sample, text in claims[:_SHOWN]:
            line(f"  {sample}  {text}")
        _rest(len(claims))
    line(f"{counted(len(effect.flips), 'verdict')} flipped")
    for flip in effect.flips[:_SHOWN]:
        line(f"  {flip.sample}  {flip.claim}")
        line(f"    before: {flip.before.replace('_', ' ')}: {flip.reason_before}")
        line(f"    after:  {flip.after.replace('_', ' ')}: {flip.reason_after}")
    _rest(len(effect.flips))


def counted(number: int, what: str) -> str:
    """`1 claim`, `2 claims`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def _rest(count: int) -> None:
    if count > _SHOWN:
        echo(f"  ... and {count - _SHOWN} more (all with --json)")
