"""`assay init`: looks at your file, and writes a suite for it."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..presentation.texts import one_line
from ..text.wording import count_of
from .options import OUTPUT_FILE, read_metrics, scale_option, with_file_options
from .output import echo, open_console, print_command, typed_command, until_reader_leaves

if TYPE_CHECKING:
    from ..eval_sets import Sample

_SHOWN = 3
_TEXT = 200


@click.command()
@click.argument("file")
@click.option("--judge", metavar="MODEL", help="Who judges: a litellm model, such as openai/gpt-4o-mini.")
@click.option("--metrics", metavar="A,B", help="What is scored. Default: what the file allows.")
@with_file_options
@scale_option
@click.option("--out", type=OUTPUT_FILE, default="suite.yaml", show_default=True, help="The suite.")
@click.option("--force", is_flag=True, help="Replace the suite that is there.")
def init(
    file: str,
    *,
    judge: str | None,
    metrics: str | None,
    reading: Mapping[str, Any],
    scale: tuple[float, float] | None,
    out: Path,
    force: bool,
) -> None:
    """Look at FILE and write suite.yaml for it.

    Shows three samples as they are read, and says what the file supports.

    \b
    assay init answers.xlsx
    assay init answers.csv --judge openai/gpt-4o-mini --map vraag=user_input
    assay suite suite.yaml       # each night
    """
    from ..eval_sets import load_set
    from ..runs.suite import load_suite
    from ..runs.suite.suite_draft import choose_metrics, draft_suite

    if out.exists() and not force:
        raise UsageError(f"{out}: there is a suite of this name; name another (--out FILE), or replace it (--force)")
    reading = {name: value for name, value in {**reading, "scale": scale}.items() if value is not None}
    notes: list[str] = []
    samples = load_set(file, notes=notes, **reading)
    chosen = read_metrics(metrics) if metrics else choose_metrics(samples, has_judge=judge is not None)
    with until_reader_leaves():
        for note in notes:
            echo(one_line(note))
        _print_look(file, samples, type_reading(reading))
    source = str(Path(file).resolve())
    if Path(source).is_relative_to(out.resolve().parent):
        source = str(Path(source).relative_to(out.resolve().parent))
    suite_judge = os.path.relpath(judge, out.parent) if judge is not None and Path(judge).exists() else judge
    keys = {"map" if name == "mapping" else name: value for name, value in reading.items()}
    reports, of_file = out.stem if out.suffix == ".yaml" else out.name.replace(".", "-"), Path(file).stem
    # two suites of one file are two histories
    name = of_file if reports == "suite" else f"{reports}-suite" if reports == of_file else reports
    suite = draft_suite(name, source, samples, metrics=chosen, judge=suite_judge, reading=keys, reports=reports)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(suite, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{out}: cannot be written ({error.strerror or error})") from error
    loaded = load_suite(out)
    written = [
        f"\n{out}: {', '.join(chosen)}{f', judged by {one_line(judge)}' if judge else ', without a judge'}",
        f"It has {count_of(loaded.count_gates(), 'gate')}: enough answers get a value, and no metric falls below the "
        "runs that you accept, nor do refusals rise (each run says where answers are too few to tell)",
    ]
    accept_it = typed_command("suite", "accept", out, "last")
    run_it, console = typed_command("suite", out), open_console()
    with until_reader_leaves():
        echo("\n".join([*written, "Next:"]))
        for command, purpose in (
            (run_it, "the first run: compared with nothing yet"),
            (accept_it, "if it is good: later runs are compared with it"),
            (run_it, "each night: exit code 5 when a gate fails"),
        ):
            print_command(console, command.ljust(max(len(run_it), 17)), purpose)


def _print_look(file: str, samples: "Sequence[Sample]", options: list[str]) -> None:
    from ..runs.answers.rating_join import describe_rating
    from ..runs.suite.suite_draft import count_with, find_support

    contexts, references, rated = (
        count_with(samples, field) for field in ("retrieved_contexts", "reference", "rating")
    )
    echo(
        f"{one_line(file)}: {count_of(len(samples), 'sample')}, {contexts} with contexts, {references} with a "
        f"reference, {rated} rated"
    )
    for support in find_support(file, samples, options):
        mark = "yes" if support.is_possible else "no "
        echo(f"  {mark}  {support.purpose}: {one_line(support.why)}")
        echo(f"       {one_line(support.command)}")
    for sample in samples[:_SHOWN]:
        rating = describe_rating(sample)
        stars = f", rated {rating}" if rating else ""
        echo(f"\n{one_line(sample.id)} ({sample.language}{stars})")
        echo(f"  question  {one_line(sample.user_input, _TEXT)}")
        echo(f"  answer    {one_line(sample.response, _TEXT)}")
        for context in sample.retrieved_contexts[:2]:
            echo(f"  context   {one_line(context, _TEXT)}")


def type_reading(reading: Mapping[str, Any]) -> list[str]:
    """The words of these options in a command that reads the same file, from how it was read.

    Example:
        >>> type_reading({"mapping": {"vraag": "user_input"}, "sheet": "Blad 1", "header_row": None})
        ['--map', 'vraag=user_input', '--sheet', 'Blad 1']
    """
    words = [word for theirs, ours in reading["mapping"].items() for word in ("--map", f"{theirs}={ours}")]
    values = {name: reading.get(name) for name in ("sheet", "header_row", "language", "limit")}
    if scale := reading.get("scale"):
        values["scale"] = "{:g}-{:g}".format(*scale)
    named = {f"--{name.replace('_', '-')}": str(value) for name, value in values.items() if value is not None}
    return words + [word for option in named.items() for word in option]
