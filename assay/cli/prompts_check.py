"""`assay judges prompts check`: your own prompts, checked before a judge is asked with them."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import InputError
from ..text.wording import count_of
from .exit_codes import ERROR
from .output import echo, echo_json, is_json

if TYPE_CHECKING:
    from pydantic import BaseModel

    from ..prompts import Prompt

# The schema of a prompt's replies, and so of its examples; other prompts have replies without a shape.
SCHEMAS = {
    "topics": "metrics.topic_adherence:Topics",
    "requests": "metrics.resolved:Requests",
    "claims": "metrics.claim_support:Claims",
    "questions": "metrics.answer_relevance:ReverseQuestions",
}


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path, exists=True, file_okay=False))
def check(folder: Path | None) -> None:
    """Check prompts before a judge is asked with them.

    Those in FOLDER; the bundled ones if left out.

    Finds a template without a field or with a placeholder that is sent unfilled, a missing language, and an example
    that its own schema refuses. Exit code 1 when there is a problem.
    """
    problems = _find_problems(folder)
    if is_json():
        echo_json(problems)
    else:
        for problem in problems:
            echo(f"{problem['prompt']}: {problem['problem']}")
        echo(count_of(len(problems), "problem") if problems else "no problems")
    click.get_current_context().exit(ERROR if problems else 0)


def _find_problems(folder: Path | None) -> list[dict[str, str]]:
    from ..prompts import bundled_prompts, prompt_names, read_prompt

    problems: list[dict[str, str]] = []
    prompts: list[Prompt] = []
    if folder is None:
        prompts = bundled_prompts()
    else:
        for file in sorted(folder.glob("*.md")):
            try:
                prompts.append(read_prompt(file))
            except InputError as error:
                problems.append({"prompt": file.name, "problem": str(error)})
        if not prompts and not problems:
            raise InputError(f"{folder}: this folder has no prompt; put a file NAME.LANGUAGE.md in it (claims.nl.md)")
    for prompt in prompts:
        name = f"{prompt.name}.{prompt.language}"
        problems += [{"prompt": name, "problem": problem} for problem in find_refused_examples(prompt)]
    for name in sorted({prompt.name for prompt in prompts}):
        languages = {prompt.language for prompt in prompts if prompt.name == name}
        problems += [
            {
                "prompt": f"{name}.{language}",
                "problem": "missing here: samples in this language get the bundled prompt",
            }
            for language in prompt_names()[name]
            if language not in languages
        ]
    return problems


def find_refused_examples(prompt: "Prompt") -> list[str]:
    """Lists the example replies of a prompt that the schema of real replies refuses."""
    from pydantic import ValidationError

    from ..judges.structured import describe_problem

    schema = _schema(prompt.name)
    if schema is None:
        return []
    problems = []
    replies = [message["content"] for message in prompt.opening if message["role"] == "assistant"]
    for number, reply in enumerate(replies, start=1):
        try:
            schema.model_validate_json(reply, strict=True)
        except ValidationError as error:
            problems.append(f"example {number} is refused by its own schema: {describe_problem(error)}")
    return problems


def _schema(name: str) -> "type[BaseModel] | None":
    if name not in SCHEMAS:
        return None
    module, _, model = SCHEMAS[name].partition(":")
    schema: type[BaseModel] = getattr(import_module(f"assay.{module}"), model)
    return schema
