"""`assay metrics`: how an answer gets its heuristic score, and the company's own terms."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..atomic_files import replace_file
from ..errors import UsageError
from ..text.wording import count_of, verb_of
from .options import SetOptions, option_group, with_set_options
from .output import echo, print_result
from .typed_values import OUTPUT_FILE, BoundedCount

if TYPE_CHECKING:
    from ..metrics.heuristic.explain import Explanation
    from ..metrics.score import Score


# how the heuristic score is computed, as `Heuristic` takes it
with_heuristic_options = option_group(
    "heuristic",
    dict,
    click.option("--vocabulary", type=click.Path(), help="File of `assay metrics vocabulary`."),
    click.option("--nlp-nl", help="spaCy pipeline for Dutch, a package or a folder."),
    click.option("--nlp-en", help="spaCy pipeline for English, a package or a folder."),
    click.option("--rules", type=click.Choice(["positional", "paper"]), default="positional", show_default=True),
)


@click.command()
@click.argument("set_", metavar="SET")
@click.argument("sample")
@with_set_options
@with_heuristic_options
def explain(set_: str, sample: str, *, set_options: SetOptions, heuristic: Mapping[str, Any]) -> None:
    """Show how SAMPLE of SET gets its heuristic score.

    \b
    assay metrics explain helpdesk_nl nl-036
    """
    from ..metrics.heuristic import Heuristic
    from ..metrics.heuristic.explain import explain as explain_sample

    chosen = next((row for row in set_options.samples([set_]) if row.id == sample), None)
    if chosen is None:
        raise UsageError(f"{set_} has no sample {sample!r}")
    try:
        metric = Heuristic(**heuristic)
    except ValueError as error:
        raise UsageError(str(error)) from error
    result = asyncio.run(explain_sample(chosen, metric))
    print_result(result.as_json, *_lines(result))


@click.command()
@click.argument("docs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--out", type=OUTPUT_FILE, help="File to write. Default: standard output.")
@click.option("--language", help="Language (nl, en) of the documentation. Default: it is detected.")
@click.option("--most", type=BoundedCount(), default=10_000, show_default=True, help="Most frequent words to try.")
def vocabulary(docs: tuple[Path, ...], out: Path | None, language: str | None, most: int) -> None:
    """List the company's own terms.

    Words of the documentation in DOCS (files, folders) that general language lacks.

    \b
    assay metrics vocabulary docs/ -o terms.txt
    assay run answers.jsonl --metrics heuristic:vocabulary=terms.txt
    """
    from ..installation import require_packages
    from ..languages import load_language
    from ..metrics.heuristic.company_terms import build_vocabulary
    from ..metrics.heuristic.feature import read_documentation
    from ..text.language_detection import detect_language

    require_packages("heuristic", "assay metrics vocabulary")
    texts = read_documentation(docs)
    language = language or detect_language("", "\n".join(text[:2000] for text in texts)[:20_000])
    terms = build_vocabulary(texts, load_language(language), most)
    heading = f"# {count_of(len(terms), 'company term')} ({language}) of {count_of(len(texts), 'file')}"
    lines = "".join(f"{line}\n" for line in (heading, *terms))
    if out is None:
        echo(lines.removesuffix("\n"))
        return
    with replace_file(out) as file:
        file.write(lines)
    is_in = f"{verb_of(len(terms), 'is', 'are')} in {out}"
    echo(f"{count_of(len(terms), 'term')} of {count_of(len(texts), 'file')} {is_in}", err=True)


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
