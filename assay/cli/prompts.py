"""`assay judges prompts`: what the judges are asked, word for word."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError, UsageError
from .options import SetOptions, with_set_options
from .output import echo, echo_json, is_json
from .prompts_check import check
from .prompts_try import diff, try_prompt

if TYPE_CHECKING:
    from ..eval_sets import Sample
    from ..judges import Question, Request
    from ..prompts import PromptMessage


@click.group()
def prompts() -> None:
    """Show the prompts, and try your own."""


for command in (try_prompt, diff, check):
    prompts.add_command(command)


@prompts.command(name="list")
def list_prompts() -> None:
    """List the prompts with their languages and fields."""
    from ..prompts import bundled_prompts

    if is_json():
        echo_json([{"identity": prompt.identity, "fields": sorted(prompt.fields)} for prompt in bundled_prompts()])
        return
    for prompt in bundled_prompts():
        echo(f"{prompt.identity:<28} fields: {', '.join(sorted(prompt.fields))}")


@prompts.command()
@click.argument("name")
def show(name: str) -> None:
    """Print a prompt.

    NAME is claims.nl, for one; without a language it is English.
    """
    from ..prompts import BUNDLED

    base, _, language = name.partition(".")
    prompt = BUNDLED.load(base, language or None)
    echo(prompt.identity)
    _print_messages(prompt.messages(prompt.template))


@prompts.command()
@click.argument("name")
@click.argument("source", metavar="SET")
@click.argument("sample_id", metavar="SAMPLE")
@with_set_options
def render(name: str, source: str, sample_id: str, set_options: SetOptions) -> None:
    """Print the prompt NAME for SAMPLE of SET, exactly as sent.

    NAME is claims, support, listed, questions, rating or translate. Prompts about claims take the answer's sentences
    as its claims; `support` asks about one claim at a time, `rating` about one requirement, `translate` about one
    text.
    """
    sample = next((row for row in set_options.samples([source]) if row.id == sample_id), None)
    if sample is None:
        raise UsageError(f"{source} has no sample {sample_id!r}")
    questions = _build_questions(name, sample)
    if is_json():
        echo_json([question.messages for question in questions])
        return
    for question in questions:
        echo(f"{question.prompt.identity} for {sample_id}")
        _print_messages(question.messages)


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


def _build_questions(name: str, sample: "Sample") -> "list[Question[Any]]":
    from ..judges.transports.chat import Listed
    from ..metrics.answer_relevance import reverse_questions_question
    from ..metrics.claim_support import claims_by_sentences, claims_question, support_request
    from ..metrics.heuristic.translation import translation_questions
    from ..metrics.judge_rating import rating_request
    from ..prompts import BUNDLED

    claims = claims_by_sentences(sample)
    documentation = "\n\n".join(sample.retrieved_contexts)
    supports = [support_request(sample, claims, documentation, BUNDLED)] if claims else []
    builders: dict[str, Callable[[], list[Question[Any]]]] = {
        "claims": lambda: [claims_question(sample, BUNDLED)],
        "support": lambda: [question for request in supports for question in _one_by_one(request)],
        "listed": lambda: [Listed().render(request, request.questions) for request in supports],
        "questions": lambda: [reverse_questions_question(sample, 3, BUNDLED)],
        "rating": lambda: _one_by_one(rating_request(sample, BUNDLED)),
        "translate": lambda: list(translation_questions(sample, BUNDLED)),
    }
    if name not in builders:
        raise UsageError(f"the prompt {name!r} is not about one sample; these are: {', '.join(builders)}")
    return builders[name]()


def _one_by_one(request: "Request") -> "list[Question[Any]]":
    from ..judges.transports.chat import Single

    return [Single().render(request, [question]) for question in request.questions]


def _print_messages(messages: "Sequence[PromptMessage]") -> None:
    for message in messages:
        echo(f"\n--- {message['role']}\n{message['content']}")
