"""`assay init`: looks at your file, and writes a suite for it."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..presentation.texts import one_line
from ..text.wording import count_of
from .options import read_metrics, scale_option, type_reading, with_file_options
from .output import echo, open_console, print_command, typed_command, until_reader_leaves
from .typed_values import OUTPUT_FILE

if TYPE_CHECKING:
    from ..runs.suite import Suite
    from ..runs.suite.suite_draft import SetLook

_SHOWN = 3
_TEXT = 200


@click.command()
@click.argument("file")
@click.option("--judge", metavar="MODEL", help="Who judges: a litellm model, such as openai/gpt-4o-mini.")
@click.option("--metrics", metavar="A,B", help="What is scored. Default: what the file allows.")
@with_file_options
@scale_option
@click.option("--out", type=OUTPUT_FILE, default="suite.yaml", show_default=True, help="The suite.")
@click.option("--force", is_flag=True, help="Replace the suite, and the workflow, that is there.")
@click.option("--workflow", is_flag=True, help="Also write .github/workflows/assay.yml, which runs it each night.")
def init(
    file: str,
    *,
    judge: str | None,
    metrics: str | None,
    reading: Mapping[str, Any],
    scale: tuple[float, float] | None,
    out: Path,
    force: bool,
    workflow: bool,
) -> None:
    """Look at FILE and write suite.yaml for it.

    Shows three samples as they are read, and says what the file supports.

    \b
    assay init answers.xlsx
    assay init answers.csv --judge openai/gpt-4o-mini --map vraag=user_input
    assay init answers.csv --workflow    # and a workflow for GitHub Actions
    assay suite suite.yaml       # each night
    """
    from ..runs.suite import load_suite
    from ..runs.suite.suite_draft import (
        PLACEHOLDER,
        choose_metrics,
        draft_suite,
        draft_workflow,
        find_key,
        find_workflow_file,
        look_at_set,
    )

    if out.exists() and not force:
        raise UsageError(f"{out}: there is a suite of this name; name another (--out FILE), or replace it (--force)")
    workflow_file = find_workflow_file(out) if workflow else None
    if workflow_file is not None and workflow_file.exists() and not force:
        raise UsageError(f"{workflow_file}: there is a workflow of this name; replace it (--force), or rename it")
    reading = {**reading, "scale": scale}
    mapping = reading.pop("mapping")
    look = look_at_set(file, mapping, reading)
    chosen = read_metrics(metrics) if metrics else choose_metrics(look, has_judge=judge is not None)
    with until_reader_leaves():
        _print_look(file, look, type_reading(reading | {"mapping": mapping}))
    source = str(Path(file).resolve())
    if Path(source).is_relative_to(out.resolve().parent):
        source = str(Path(source).relative_to(out.resolve().parent))
    judge_file = judge if judge is not None and Path(judge).exists() else None
    suite_judge = os.path.relpath(judge_file, out.parent) if judge_file else judge
    suite = draft_suite(Path(file).stem, source, look, metrics=chosen, judge=suite_judge, reports=out.stem)
    _write(out, suite)
    loaded = load_suite(out)
    written = [
        f"\n{out}: {', '.join(chosen)}{f', judged by {one_line(judge)}' if judge else ', without a judge'}",
        f"It has {count_of(len(loaded.gates), 'gate')}: {_describe_gates(loaded, look)}",
    ]
    if workflow_file is not None:
        in_repository = out.resolve().relative_to(workflow_file.parents[2]).as_posix()
        settings = loaded.settings(loaded.judge_names[0])
        model = settings.model if settings else None
        secret = f", and add {key} to the secrets of the repository" if (key := find_key(model)) else ""
        workflow_text = draft_workflow(in_repository, model)
        _write(workflow_file, workflow_text)
        commit = "Replace OWNER and COMMIT in it, commit it" if PLACEHOLDER in workflow_text else "Commit it"
        *others, last = ("the suite", *(Path(one).name for one in (file, judge_file) if one))
        files = one_line(f"{', '.join(others)} and {last}")
        written.append(f"{one_line(str(workflow_file))}: runs it each night on GitHub. {commit} with {files}{secret}")
    run_it, console = typed_command("suite", out), open_console()
    with until_reader_leaves():
        echo("\n".join([*written, "Next:"]))
        for command, purpose in (
            (run_it, "the first run: compared with nothing yet"),
            (typed_command("suite", "accept", "last"), "if it is good: later runs are compared with it"),
            (run_it, "each night: exit code 5 when a gate fails"),
        ):
            print_command(console, command.ljust(max(len(run_it), 17)), purpose)


def _write(file: Path, text: str) -> None:
    """Writes a file. Raises `UsageError` where it cannot be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file}: cannot be written ({error.strerror or error})") from error


def _describe_gates(suite: "Suite", look: "SetLook") -> str:
    """What the gates of the suite promise: of a set that is too small to tell a fall from chance, no more than that."""
    from ..meta_eval.groups import group_answers
    from ..runs.suite.gates import fewest_groups

    groups = len({*group_answers(look.samples)})
    fewest = fewest_groups(suite.false_alarms / len(suite.judge_names))
    if groups >= fewest:
        return "enough answers get a value, and no metric falls below the runs that you accept"
    return (
        "enough answers get a value. That a metric falls below the runs that you accept is not seen yet: "
        f"{count_of(groups, 'group of answers', 'groups of answers')} cannot tell a fall from chance, and {fewest} are "
        "needed: add questions (one group per source, or per answer where no column names sources)"
    )


def _print_look(file: str, look: "SetLook", options: list[str]) -> None:
    from ..runs.answers.rating_direction import describe_rating
    from ..runs.suite.set_support import find_support

    for note in look.notes:
        echo(one_line(note))
    total = len(look.samples)
    echo(
        f"{one_line(file)}: {count_of(total, 'sample')}, {look.count('retrieved_contexts')} with contexts, "
        f"{look.count('reference')} with a reference, {look.count('rating')} rated"
    )
    for support in find_support(file, look, options):
        mark = "yes" if support.is_possible else "no "
        echo(f"  {mark}  {support.purpose}: {one_line(support.why)}")
        echo(f"       {one_line(support.command)}")
    for sample in look.samples[:_SHOWN]:
        rating = describe_rating(sample)
        rated = f", rated {rating}" if rating else ""
        echo(f"\n{one_line(sample.id)} ({sample.language}{rated})")
        echo(f"  question  {one_line(sample.user_input, _TEXT)}")
        echo(f"  answer    {one_line(sample.response, _TEXT)}")
        for context in sample.retrieved_contexts[:2]:
            echo(f"  context   {one_line(context, _TEXT)}")
