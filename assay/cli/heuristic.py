"""`assay metrics explain`: how an answer gets its heuristic score."""

import asyncio
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from .options import SetOptions, with_set_options
from .output import print_result

if TYPE_CHECKING:
    from ..metrics.heuristic.score import Explanation
    from ..metrics.score import Score


@click.command()
@click.argument("set_", metavar="SET")
@click.argument("sample")
@with_set_options
@click.option("--vocabulary", type=click.Path(), help="File of the company's own terms, one per line.")
@click.option("--rules", type=click.Choice(["positional", "paper"]), default="positional", show_default=True)
def explain(set_: str, sample: str, *, set_options: SetOptions, vocabulary: str | None, rules: Any) -> None:
    """Show how SAMPLE of SET gets its heuristic score.

    \b
    assay metrics explain helpdesk_nl nl-036
    """
    from ..metrics.heuristic import Heuristic
    from ..metrics.heuristic.score import explain as explain_sample

    chosen = next((row for row in set_options.samples([set_]) if row.id == sample), None)
    if chosen is None:
        raise UsageError(f"{set_} has no sample {sample!r}")
    try:
        metric = Heuristic(vocabulary=vocabulary, rules=rules)
    except ValueError as error:
        raise UsageError(str(error)) from error
    result = asyncio.run(explain_sample(chosen, metric))
    print_result(result.as_json, *_lines(result))


def _lines(result: "Explanation") -> Iterator[str]:
    yield f"{result.sample.id}: {result.sample.user_input}\n\n{result.sample.response}\n"
    by = f" by {result.type.pattern!r} in {result.type.matched!r}" if result.type.pattern else ""
    yield f"Message type: {result.type.type}{by}: {result.type.reason}"
    yield "\nFeatures, in equal weight:"
    for name, score in result.features.items():
        yield from _feature_lines(name, score)
    value = "not scored" if result.score.value is None else f"{result.score.value:.2f} of 5"
    yield f"\nScore: {value}: {result.score.reason}"
    if result.score.value is not None:
        yield f"Override: {result.score.evidence['override'] or 'none'}"


def _feature_lines(name: str, score: "Score") -> Iterator[str]:
    figure = "   -" if score.value is None else f"{score.value:4.2f}"
    yield f"  {name:<21} {figure}  {score.reason}"
    for kind, value in score.evidence.items():
        if value and value is not True:
            text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
            yield f"  {'':<21}       {kind}: {text if len(text) <= 300 else text[:299] + '…'}"
