"""`assay prompts check` and `use`: prompts of the user's own, read before a judge is asked with them."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError
from .exit_codes import ERROR
from .options import PROMPTS_IN_USE, json_option, path_in_store, store_option
from .output import echo, echo_json
from .prompts_try import counted

if TYPE_CHECKING:
    from pydantic import BaseModel

    from ..prompts import Prompt

# Whose reply a prompt's examples are written in; prompts that are not here have examples without a shape.
SCHEMAS = {
    "claims": "metrics.claim_extraction:Claims",
    "verdicts": "metrics.verdict_list:ListedVerdicts",
    "questions": "metrics.answer_relevance:ReverseQuestions",
    "rating": "metrics.judge_rating:Ratings",
    "reworded": "generation.probes.rewording:RewordedAnswer",
}


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path, exists=True, file_okay=False))
@json_option
def check(folder: Path | None, as_json: bool) -> None:
    """Check the prompts in FOLDER (ours, if left out).

    Finds a template that leaves a field out or leaks a placeholder, a language that is missing, and an example that
    its own schema refuses. Exit code 1 when something is wrong.
    """
    problems = _problems_of(folder)
    if as_json:
        echo_json(problems)
    else:
        for problem in problems:
            echo(f"{problem['prompt']}: {problem['problem']}")
        echo(counted(len(problems), "problem") if problems else "nothing is wrong")
    click.get_current_context().exit(ERROR if problems else 0)


def _problems_of(folder: Path | None) -> list[dict[str, str]]:
    from ..prompts import bundled_prompts, prompt_names, read_prompt

    problems: list[dict[str, str]] = []
    found: list[Prompt] = []
    if folder is None:
        found = bundled_prompts()
    else:
        for file in sorted(folder.glob("*.md")):
            try:
                found.append(read_prompt(file))
            except InputError as error:
                problems.append({"prompt": file.name, "problem": str(error)})
        if not found and not problems:
            raise InputError(f"{folder}: there is no prompt (NAME.LANGUAGE.md, such as claims.nl.md) in this folder")
    for prompt in found:
        name = f"{prompt.name}.{prompt.language}"
        problems += [{"prompt": name, "problem": problem} for problem in refused_examples(prompt)]
    for name in sorted({prompt.name for prompt in found}):
        here = {prompt.language for prompt in found if prompt.name == name}
        problems += [
            {"prompt": f"{name}.{language}", "problem": "missing here: samples in this language are asked by ours"}
            for language in prompt_names()[name]
            if language not in here
        ]
    return problems


def refused_examples(prompt: "Prompt") -> list[str]:
    """What is wrong with a prompt's example replies, by the schema that real replies must have."""
    from pydantic import ValidationError

    from ..judges.structured import describe

    schema = _schema(prompt.name)
    if schema is None:
        return []
    problems = []
    replies = [message["content"] for message in prompt.opening if message["role"] == "assistant"]
    for number, reply in enumerate(replies, start=1):
        try:
            schema.model_validate_json(reply, strict=True)
        except ValidationError as error:
            problems.append(f"example {number} is refused by its own schema: {describe(error)}")
    return problems


def _schema(name: str) -> "type[BaseModel] | None":
    if name not in SCHEMAS:
        return None
    module, _, model = SCHEMAS[name].partition(":")
    found: Any = getattr(import_module(f"assay.{module}"), model)
    schema: type[BaseModel] = found
    return schema


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--ours", is_flag=True, help="Go back to the prompts that come with Assay.")
@store_option
def use(folder: Path | None, ours: bool, store: Path | str) -> None:
    """Use the prompts in FOLDER for the runs of this store, in place of ours of the same name and language."""
    from ..errors import UsageError
    from ..prompts import Prompts

    kept = path_in_store(store, PROMPTS_IN_USE, "give --prompts FOLDER to each run")
    if ours == (folder is not None):
        raise UsageError("name a FOLDER with prompts of your own, or --ours")
    if folder is None:
        kept.unlink(missing_ok=True)
        echo("the runs of this store use the prompts that come with Assay")
        return
    prompts = Prompts.from_folder(folder)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(f"{folder.resolve()}\n", encoding="utf-8")
    echo(f"the runs of this store use {', '.join(prompt.identity for prompt in prompts.own.values())} from {folder}")
