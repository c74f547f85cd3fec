"""`assay judges prompts`: what the judges are asked, word for word."""

from pathlib import Path

import click

from ..errors import InputError, UsageError
from .output import echo, print_result
from .prompts_try import try_prompt


@click.group()
def prompts() -> None:
    """Show the prompts, and try your own."""


prompts.add_command(try_prompt)


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
