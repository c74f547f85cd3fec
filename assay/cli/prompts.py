"""`assay judges prompts`: what the judges are asked, word for word, and what another wording changes."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError, UsageError
from ..interruption import DONE, TOO_MANY_FAILED
from ..text.wording import count_of
from .options import (
    SetOptions,
    embedder_option,
    judge_option,
    path_in_store,
    read_metrics,
    replay_option,
    with_set_options,
)
from .output import echo, print_result, show_status

if TYPE_CHECKING:
    from ..judges import Mode
    from ..runs.judging.prompt_effect import PromptTrial, SampleScores


@click.group()
def prompts() -> None:
    """Show the prompts, and try your own."""


@prompts.command(name="list")
def list_prompts() -> None:
    """List the prompts with their languages and fields."""
    from ..prompts import bundled_prompts

    listed = [(prompt.identity, sorted(prompt.fields)) for prompt in bundled_prompts()]
    print_result(
        lambda: [{"identity": identity, "fields": fields} for identity, fields in listed],
        *(f"{identity:<28} fields: {', '.join(fields)}" for identity, fields in listed),
    )


@prompts.command()
@click.argument("name")
def show(name: str) -> None:
    """Print a prompt.

    NAME is claims.nl, for one; without a language it is English.
    """
    from ..prompts import BUNDLED

    base, _, language = name.partition(".")
    prompt = BUNDLED.load(base, language or None)
    parts = [(str(message["role"]), message["content"]) for message in prompt.messages(prompt.template)]
    echo(prompt.identity)
    for part, text in (("task", prompt.task), *parts):  # one for typed questions has a task alone
        if text:
            echo(f"\n--- {part}\n{text}")


@prompts.command()
@click.argument("name")
@click.argument("file", type=click.Path(path_type=Path))
def copy(name: str, file: Path) -> None:
    """Copy a bundled prompt to a file, to edit it.

    NAME is claims.nl, for one; without a language it is English.

    \b
    assay judges prompts copy claims.nl my_prompts/claims.nl.md
    assay judges prompts try claims.nl answers.jsonl --edit my_prompts/claims.nl.md --judge openai/gpt-4o-mini
    """
    from ..prompts import bundled_prompt_text

    if file.exists():
        raise UsageError(f"{file}: exists already and is not replaced; name another file")
    text = bundled_prompt_text(name)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file}: cannot be written: {error.strerror}") from error
    echo(f"{name} is in {file}")


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


@prompts.command(name="try")
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
    from ..runs import aevaluate
    from ..runs.judging.prompt_effect import compare_wordings, trial_block

    base, _, language = name.partition(".")
    language = language or FALLBACK
    bundled = BUNDLED.load(base, language)
    if bundled.language != language:
        raise UsageError(f"no prompt is called {name!r}; {base} exists in {', '.join(prompt_names()[base])}")
    wordings = {str(edit): read_prompt_as(edit, base, language) for edit in edits}
    if judge is None:
        raise UsageError("a prompt is tried on a judge; name one with --judge")
    typed_metrics = metrics or _METRICS_OF_PROMPT.get(base)
    if typed_metrics is None:
        raise UsageError(f"no metric is known to ask {base}; name one with --metrics")
    chosen_metrics = read_metrics(typed_metrics)
    samples = [
        sample
        for sample in set_options.samples(sets)
        if BUNDLED.load(base, sample.language).identity == bundled.identity
    ]
    if not samples:
        raise UsageError(f"no sample of {', '.join(sets)} is in the language of {name}, so that none asks this prompt")
    file = cassette or path_in_store(store, "tried.jsonl", "name a file with --cassette")
    with_cassette = LiteLLMJudge(judge, cassette=file, mode=mode)
    with_cassette.check_api_key()

    async def score_with_each() -> "list[SampleScores]":
        """The scores with the prompt in use, and then with each wording."""
        async with with_cassette as judged:
            results = [
                await aevaluate(
                    samples, chosen_metrics, judge=judged, embedder=embedder, prompts=prompts, progress=False
                )
                for prompts in (BUNDLED, *map(BUNDLED.replacing, wordings.values()))
            ]
        return [result.scores for result in results]

    with show_status(f"judging {count_of(len(samples), 'sample')} with {count_of(1 + len(wordings), 'wording')}"):
        before, *after = asyncio.run(score_with_each())
    trial = compare_wordings(samples, bundled.identity, before, dict(zip(wordings, after, strict=True)))
    print_result(lambda: _as_json(trial), trial_block(trial))
    has_failed = any(effect.failed for effect in trial.effects.values())
    click.get_current_context().exit(TOO_MANY_FAILED if has_failed else DONE)


def _as_json(trial: "PromptTrial") -> dict[str, Any]:
    first, *further = ({"variant": name} | asdict(effect) for name, effect in trial.effects.items())
    decision = trial.variants.decision
    return first | {"further": further, "decision": decision and decision.as_json()}
