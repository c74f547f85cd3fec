"""`assay prompts`: what the judges are asked, word for word."""

from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from .options import json_option, set_options
from .output import echo, echo_json
from .prompts_check import check, use
from .prompts_try import diff, try_prompt

if TYPE_CHECKING:
    from ..judges import Question


@click.group()
def prompts() -> None:
    """The prompts: list them, show one, render one for a sample exactly as it is sent, try another wording."""


for command in (try_prompt, diff, use, check):
    prompts.add_command(command)


@prompts.command(name="list")
@json_option
def list_prompts(as_json: bool) -> None:
    """List the prompts with their languages, identities and fields."""
    from ..prompts import bundled_prompts

    prompts_found = bundled_prompts()
    if as_json:
        echo_json([{"identity": each.identity, "fields": sorted(each.fields)} for each in prompts_found])
    else:
        for prompt in prompts_found:
            echo(f"{prompt.identity:<28} fields: {', '.join(sorted(prompt.fields))}")


@prompts.command()
@click.argument("name")
def show(name: str) -> None:
    """Print the prompt NAME (claims.nl; without a language: English)."""
    from ..prompts import BUNDLED

    base, _, language = name.partition(".")
    prompt = BUNDLED.load(base, language or None)
    echo(prompt.identity)
    _print_messages(prompt.messages(prompt.template))


@prompts.command()
@click.argument("name")
@click.argument("set_", metavar="SET")
@click.argument("sample")
@set_options
@json_option
def render(name: str, set_: str, sample: str, as_json: bool, **options: Any) -> None:
    """Print the prompt NAME for SAMPLE of SET, exactly as sent.

    NAME is claims, verdicts, support, questions, rating or translate. Prompts about claims take the answer's sentences
    as its claims; `support` asks about one claim at a time, `translate` about one text.
    """
    from ..eval_sets import read_set
    from .options import read_mapping

    reading = {"mapping": read_mapping(options["mapping"])} | {k: options[k] for k in ("language", "limit", "split")}
    found = next((each for each in read_set(set_, **reading) if each.id == sample), None)
    if found is None:
        raise UsageError(f"{set_} has no sample {sample!r}")
    asked = _questions(name, found)
    if as_json:
        echo_json([question.messages for question in asked])
        return
    for question in asked:
        echo(f"{question.prompt.identity} for {sample}")
        _print_messages(question.messages)


def _questions(name: str, sample: Any) -> "list[Question[Any]]":
    from ..metrics.answer_relevance import reverse_questions_question
    from ..metrics.claim_extraction import claims_by_sentences, claims_question
    from ..metrics.heuristic.translation import translation_questions
    from ..metrics.judge_rating import rating_question
    from ..metrics.verdict_list import verdicts_question
    from ..metrics.verdict_probability import support_question
    from ..prompts import BUNDLED

    claims = claims_by_sentences(sample)
    ways: dict[str, Any] = {
        "claims": lambda: [claims_question(sample, BUNDLED)],
        "verdicts": lambda: [verdicts_question(sample, dict(enumerate(claims, start=1)), BUNDLED)],
        "support": lambda: [support_question(sample, claim, BUNDLED) for claim in claims],
        "questions": lambda: [reverse_questions_question(sample, 3, BUNDLED)],
        "rating": lambda: [rating_question(sample, BUNDLED, logprobs=False)],
        "translate": lambda: translation_questions(sample, BUNDLED),
    }
    if name not in ways:
        raise UsageError(f"no prompt {name!r} is rendered for a sample; there are {', '.join(ways)}")
    found: list[Question[Any]] = ways[name]()
    return found


def _print_messages(messages: Any) -> None:
    for message in messages:
        echo(f"\n--- {message['role']}\n{message['content']}")
