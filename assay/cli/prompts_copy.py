"""`assay prompts copy`: a bundled prompt as a file that can be edited."""

from pathlib import Path

import click

from ..errors import InputError, UsageError
from .output import echo


@click.command()
@click.argument("name")
@click.argument("file", type=click.Path(path_type=Path))
def copy(name: str, file: Path) -> None:
    """Copy a bundled prompt to a file, to edit it.

    NAME is claims.nl, for one; without a language it is English.

    \b
    assay prompts copy claims.nl my_prompts/claims.nl.md
    assay prompts try claims.nl answers.jsonl --edit my_prompts/claims.nl.md --judge openai/gpt-4o-mini
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
