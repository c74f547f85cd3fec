"""`assay judges prompts`: what the judges are asked, word for word."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import InputError, UsageError
from ..text.wording import count_of
from .exit_codes import ERROR
from .output import echo, print_result
from .prompts_try import try_prompt

if TYPE_CHECKING:
    from pydantic import BaseModel

    from ..prompts import Prompt


# The schema of a prompt's replies, and so of its examples; other prompts have replies without a shape.
_SCHEMAS = {
    "topics": "metrics.topic_adherence:Topics",
    "requests": "metrics.resolved:Requests",
    "claims": "metrics.faithfulness:Claims",
    "questions": "metrics.answer_relevance:ReverseQuestions",
}


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


@prompts.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path, exists=True, file_okay=False))
def check(folder: Path | None) -> None:
    """Check prompts before a judge is asked with them.

    Those in FOLDER; the bundled ones if left out.

    Finds a template without a field or with a placeholder that is sent unfilled, and an example that its own schema
    refuses. Exit code 1 when there is a problem. A language in which a prompt is missing is none, and is listed.
    """
    problems, missing = _find_problems(folder)
    print_result(
        lambda: problems + missing,
        *(f"{one['prompt']}: {one['problem']}" for one in problems + missing),
        count_of(len(problems), "problem") if problems else "no problems",
    )
    click.get_current_context().exit(ERROR if problems else 0)


def _find_problems(folder: Path | None) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """(problems, the languages in which prompts are missing)."""
    from ..prompts import bundled_prompts, prompt_names, read_prompt

    problems: list[dict[str, str]] = []
    read: list[Prompt] = []
    if folder is None:
        read = bundled_prompts()
    else:
        for file in sorted(folder.glob("*.md")):
            try:
                read.append(read_prompt(file))
            except InputError as error:
                problems.append({"prompt": file.name, "problem": str(error)})
        if not read and not problems:
            raise InputError(f"{folder}: this folder has no prompt; put a file NAME.LANGUAGE.md in it (claims.nl.md)")
    for prompt in read:
        name = f"{prompt.name}.{prompt.language}"
        problems += [{"prompt": name, "problem": problem} for problem in _find_refused_examples(prompt)]
    known = {(prompt.name, prompt.language) for prompt in read}
    missing = [
        {"prompt": f"{name}.{language}", "problem": "missing here: samples in this language get the bundled prompt"}
        for name in sorted({prompt.name for prompt in read})
        for language in prompt_names()[name]
        if (name, language) not in known
    ]
    return problems, missing


def _find_refused_examples(prompt: "Prompt") -> list[str]:
    """Lists the example replies of a prompt that the schema of real replies refuses."""
    from pydantic import ValidationError

    from ..judges.structured import describe_problem

    if prompt.name not in _SCHEMAS:
        return []
    module, _, model = _SCHEMAS[prompt.name].partition(":")
    schema: type[BaseModel] = getattr(import_module(f"assay.{module}"), model)
    problems = []
    replies = [message["content"] for message in prompt.opening if message["role"] == "assistant"]
    for number, reply in enumerate(replies, start=1):
        try:
            schema.model_validate_json(reply, strict=True)
        except ValidationError as error:
            problems.append(f"example {number} is refused by its own schema: {describe_problem(error)}")
    return problems
