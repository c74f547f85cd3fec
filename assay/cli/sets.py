"""`assay sets`: the bundled sets and the public rated ones, which are downloaded on demand."""

from collections.abc import Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import click

from ..presentation.result_table import Field, tabulate
from ..text.wording import count_of
from .options import download_option
from .output import echo, is_json, print_result

if TYPE_CHECKING:
    from ..eval_sets import Sample


@click.group(invoke_without_command=True)
@click.pass_context
def sets(context: click.Context) -> None:
    """List the bundled sets and the public rated ones, or make one from documents.

    A public set is downloaded once, when you say so, and then read by its name. Each has two fixed halves,
    public:mtrag:dev and public:mtrag:test: whole groups, so that what is tuned on one half is told on the other.

    \b
    assay sets
    assay sets get mtrag
    assay run public:mtrag:dev --metrics token_overlap
    """
    if context.invoked_subcommand is None:
        _list_sets()


@sets.command("list")
def list_sets() -> None:
    """List the bundled sets, and the public rated ones."""
    _list_sets()


def _list_sets() -> None:
    from ..eval_sets import bundled_sets, load_set, public_sets

    bundled = [{"set": name} | _count(load_set(name)) for name in bundled_sets()]
    public = [_describe_public(name) for name in public_sets()]
    numbers = {"samples": "samples", "rated": "rated", "with tables": "with_tables"}
    fields = (
        Field("set", "text", itemgetter("set")),
        *(Field(head, "count", itemgetter(key)) for head, key in numbers.items()),
        Field("languages", "text", lambda row: ", ".join(row["languages"])),
    )
    caption = "Public, named public:NAME (public:mtrag), downloaded once: assay sets get NAME"
    print_result(
        lambda: {"sets": bundled, "public": public},
        tabulate("Bundled, with constructed ratings", bundled, fields),
        "",
        tabulate(caption, public, _PUBLIC_FIELDS),
    )


def _count(samples: "Sequence[Sample]") -> dict[str, Any]:
    return {
        "samples": len(samples),
        "rated": sum(sample.human_rating is not None for sample in samples),
        "with_tables": sum(bool(sample.tables) for sample in samples),
        "languages": sorted({sample.language for sample in samples if sample.language}),
    }


def _describe_public(name: str) -> dict[str, Any]:
    from ..eval_sets.public.set_facts import PREFIX, load_facts
    from ..eval_sets.public.set_files import is_downloaded

    facts = load_facts(name)
    return {
        "set": f"{PREFIX}{name}",
        **facts.model_dump(mode="json", exclude={"name", "reader", "files", "answers_counted"}),
        "files": [file.model_dump() | {"url": facts.address(file.path)} for file in facts.files],
        "size": facts.size,
        "is_downloaded": is_downloaded(facts),
    }


def _raters(row: dict[str, Any]) -> str:
    """Who rated: "3 people", or "computed"."""
    return f"{row['raters']} {row['rated_by']}" if row["raters"] else str(row["rated_by"])


def _size(row: dict[str, Any]) -> str:
    from ..eval_sets.public.set_facts import format_size

    return format_size(row["size"]) if row["size"] else "-"


_PUBLIC_FIELDS = (
    Field("set", "text", lambda row: row["set"].partition(":")[2], is_whole=True),
    Field("rated", "text", itemgetter("rated"), is_whole=True),
    Field("by", "text", _raters, is_whole=True),
    Field("answers", "count", itemgetter("answers")),
    Field("licence", "text", itemgetter("licence")),
    Field("size", "text", _size),
    Field("here", "text", lambda row: "yes" if row["is_downloaded"] else "no"),
    Field("language", "text", itemgetter("language"), "wide"),
    Field("groups", "text", itemgetter("groups"), "wide"),
    Field("versions", "text", lambda row: ", ".join(row["versions"]), "wide"),
)


@sets.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@download_option
def get(names: tuple[str, ...], *, yes: bool) -> None:
    """Download public rated sets, after asking.

    Says from where, how large, under which licence and into which folder. A file takes its place when it is whole and
    checked. ASSAY_PUBLIC_SETS names a mirror, or the folder that sets are kept in.

    \b
    assay sets get mtrag
    assay sets get mtrag begin --yes
    """
    from ..eval_sets import download_public_set
    from ..eval_sets.public.set_facts import PREFIX, parse_name
    from ..eval_sets.public.set_files import describe_offer, is_downloaded, sets_folder
    from .output import agree_to_download

    chosen = [parse_name(name if name.startswith(PREFIX) else f"{PREFIX}{name}").facts for name in names]
    written = []
    for facts in chosen:
        name = f"{PREFIX}{facts.name}"
        if not is_downloaded(facts):
            offer = describe_offer(facts)
            agree_to_download(name, f"{name} ({facts.title}): {offer}", offer, yes=yes)
        answers, new = download_public_set(facts.name)
        if not is_json():
            came = f"{count_of(len(new), 'file')} downloaded" if new else "here already"
            echo(f"{name}: {count_of(answers, 'answer')}, {came}")
        files = [file.model_dump() | {"is_new": file.path in new} for file in facts.files]
        written.append({"set": name, "answers": answers, "folder": str(sets_folder()), "files": files})
    print_result(lambda: {"sets": written})
