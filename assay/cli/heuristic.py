"""`assay heuristic`: how an answer comes by its heuristic score, and the company's own words."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InputError, UsageError
from .options import json_option, judge_option, read_mapping, set_options, translate_option

if TYPE_CHECKING:
    from ..eval_sets import Sample
    from ..metrics.heuristic.decision_tree import Tree, Walk
    from ..metrics.heuristic.explain import Explanation
    from ..metrics.metric import Score

_DOCUMENTS = {".md", ".txt", ".rst", ".html", ".htm", ".adoc"}


@click.group()
def heuristic() -> None:
    """The heuristic score: explain it for one answer, draw the decision tree, list the company's terms."""


@heuristic.command()
@click.argument("set_", metavar="SET")
@click.argument("sample")
@set_options
@click.option("--vocabulary", type=click.Path(), help="File of `assay heuristic vocabulary`.")
@click.option("--nlp-nl", help="spaCy pipeline for Dutch, a package or a folder.")
@click.option("--nlp-en", help="spaCy pipeline for English, a package or a folder.")
@click.option("--rules", type=click.Choice(["positional", "paper"]), default="positional", show_default=True)
@click.option("--beyond", default="", help="Heuristics beyond the seven to add to the sum: NAME+NAME, or all.")
@translate_option
@judge_option
@click.option("--cassette", type=click.Path(path_type=Path), help="File of recorded translations.")
@click.option("--draw", type=click.Choice(["mermaid", "dot"]), help="Print only the decision tree, the way marked.")
@json_option
def explain(set_: str, sample: str, draw: str | None, as_json: bool, **options: Any) -> None:
    """Show how SAMPLE of SET comes by its heuristic score.

    \b
    assay heuristic explain helpdesk_nl nl-036
    assay heuristic explain helpdesk_en en-026 --draw mermaid
    """
    from ..eval_sets import read_set
    from ..metrics.heuristic.decision_tree import annotators_tree

    reading = {"mapping": read_mapping(options["mapping"])} | {k: options[k] for k in ("language", "limit", "split")}
    found = next((each for each in read_set(set_, **reading) if each.id == sample), None)
    if found is None:
        raise UsageError(f"{set_} has no sample {sample!r}")
    told = asyncio.run(_explained(found, options))
    if draw:
        click.echo(_drawn(draw, annotators_tree(), told.way))
    elif as_json:
        click.echo(json.dumps(told.as_json(), ensure_ascii=False))
    else:
        _print(told)


@heuristic.command()
@click.option("--format", "form", type=click.Choice(["mermaid", "dot"]), default="mermaid", show_default=True)
@json_option
def tree(form: str, as_json: bool) -> None:
    """Print the annotator's decision tree as a Mermaid flowchart, or in Graphviz' DOT.

    \b
    assay heuristic tree --format dot | dot -Tsvg -o tree.svg
    """
    from ..metrics.heuristic.decision_tree import annotators_tree

    found = annotators_tree()
    click.echo(found.model_dump_json(exclude_defaults=True) if as_json else _drawn(form, found))


@heuristic.command()
@click.argument("docs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--out", type=click.Path(path_type=Path), help="File to write; if not given, standard output.")
@click.option("--language", help="Language (nl, en) of the documentation; if not given, it is detected.")
@click.option(
    "--most", type=click.IntRange(min=1), default=10_000, show_default=True, help="Most frequent words to try."
)
def vocabulary(docs: tuple[Path, ...], out: Path | None, language: str | None, most: int) -> None:
    """List the company's own terms: words of the documentation in DOCS (files, folders) that general language lacks.

    \b
    assay heuristic vocabulary docs/ -o terms.txt
    assay run answers.jsonl --metrics heuristic:vocabulary=terms.txt
    """
    from ..eval_sets.language import detect_language
    from ..metrics.heuristic.company_terms import vocabulary_of

    texts = [_read(file) for file in _files(docs)]
    language = language or detect_language("", "\n".join(text[:2000] for text in texts)[:20_000]) or "en"
    terms = vocabulary_of(texts, language, most)
    written = f"# {len(terms)} company terms ({language}) of {len(texts)} files\n" + "".join(
        f"{term}\n" for term in terms
    )
    if out is None:
        click.echo(written, nl=False)
        return
    try:
        out.write_text(written, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {error.strerror}") from error
    click.echo(f"{len(terms)} terms of {len(texts)} files are in {out}", err=True)


async def _explained(sample: "Sample", options: dict[str, Any]) -> "Explanation":
    from contextlib import AsyncExitStack

    from ..judges import LiteLLMJudge
    from ..metrics.heuristic import Heuristic
    from ..metrics.heuristic.explain import explain

    names = ("vocabulary", "nlp_nl", "nlp_en", "rules", "beyond", "translate")
    async with AsyncExitStack() as stack:
        judge = None
        if options["judge"]:
            judge = await stack.enter_async_context(LiteLLMJudge(options["judge"], cassette=options["cassette"]))
        try:
            metric = Heuristic(judge=judge, **{name: options[name] for name in names})
        except ValueError as error:
            raise UsageError(str(error)) from error
        return await explain(sample, metric)


def _drawn(form: str, tree: "Tree", way: "Walk | None" = None) -> str:
    from ..metrics.heuristic.decision_tree import as_dot, as_mermaid

    return (as_mermaid if form == "mermaid" else as_dot)(tree, way)


def _files(docs: tuple[Path, ...]) -> list[Path]:
    files: list[Path] = []
    for place in docs:
        if not place.exists():
            raise InputError(f"{place}: there is no such file or folder")
        files += sorted(f for f in place.rglob("*") if f.suffix.lower() in _DOCUMENTS) if place.is_dir() else [place]
    if not files:
        raise InputError(
            f"no documentation is in {', '.join(map(str, docs))}; read are {', '.join(sorted(_DOCUMENTS))}"
        )
    return files


def _read(file: Path) -> str:
    import re

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read as text (UTF-8): {error}") from error
    return re.sub(r"<(?:script|style)\b.*?</(?:script|style)>|<[^>]+>|https?://\S+", " ", text, flags=re.DOTALL)


def _print(told: "Explanation") -> None:
    click.echo(f"{told.sample.id}: {told.sample.user_input}\n\n{told.sample.response}\n")
    by = f" by {told.type.pattern!r} in {told.type.matched!r}" if told.type.pattern else ""
    click.echo(f"Message type: {told.type.type}{by}: {told.type.reason}")
    if told.translation:
        click.echo(f"\nThe answer in English, by {told.translation.by}:\n{told.translation.sample.response}")
    click.echo("\nFeatures, in equal weight:")
    for name, score in told.features.items():
        _print_feature(name, score)
    click.echo("\nHeuristics beyond the sum:")
    for name, score in told.beyond.items():
        _print_feature(name, score)
    value = "not scored" if told.score.value is None else f"{told.score.value:.2f} of 5"
    click.echo(f"\nScore: {value}: {told.score.reason}")
    if told.score.value is not None:
        click.echo(f"Override: {told.score.evidence['override'] or 'none'}")
    click.echo("\nThe annotator's questions:")
    for step in told.way.steps:
        click.echo(f"  {step.asks} {'does not apply' if step.reply == 'unknown' else step.reply}")
    click.echo(f"  So the answer is {told.way.answer}: {told.way.because}.")


def _print_feature(name: str, score: "Score") -> None:
    value = "   -" if score.value is None else f"{score.value:4.2f}"
    click.echo(f"  {name:<21} {value}  {score.reason}")
    for kind, found in score.evidence.items():
        if found and found is not True:
            text = json.dumps(found, ensure_ascii=False) if not isinstance(found, str) else found
            click.echo(f"  {'':<21}       {kind}: {text if len(text) <= 300 else text[:299] + '…'}")
