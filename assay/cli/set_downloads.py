"""`assay sets get`: downloads public rated sets."""

from typing import TYPE_CHECKING

import click

from .listings import sets
from .options import download_option
from .output import echo, echo_json, echo_notice, is_json

if TYPE_CHECKING:
    pass


@sets.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@download_option
def get(names: tuple[str, ...], *, yes: bool) -> None:
    """Download public rated sets, after asking.

    Says from where, how large, under which licence and into which folder. A file takes its place when it is whole and
    checked. ASSAY_PUBLIC_SETS names a mirror, or a folder that has the files already.

    \b
    assay sets get mtrag
    assay sets get mtrag begin --yes
    """
    from ..eval_sets import download_public_set
    from ..eval_sets.public.download import check_downloads_allowed
    from ..eval_sets.public.set_facts import PREFIX, parse_name
    from ..eval_sets.public.set_files import cache_folder, describe_offer
    from ..eval_sets.public.set_rows import count_answers
    from ..text.wording import count_of
    from .download_dialog import TerminalDialog, agree_to_download

    chosen = [parse_name(name if name.startswith(PREFIX) else f"{PREFIX}{name}").facts for name in names]
    written = []
    for facts in chosen:
        check_downloads_allowed(facts)
        if count_answers(facts) is not None:
            files = download_public_set(facts.name)  # which finds them, so that there is nothing to ask or to show
        else:
            offer, name = describe_offer(facts), f"{PREFIX}{facts.name}"
            agree_to_download(name, f"{name} ({facts.title}): {offer}", offer, yes=yes)
            with TerminalDialog().show_progress(facts.size) as report:
                files = download_public_set(facts.name, report)
        count, notes = count_answers(facts) or (0, [])
        for note in notes:
            echo_notice(note)
        new = sum(file.is_new for file in files)
        if not is_json():
            came = f"{count_of(new, 'file')} downloaded" if new else "here already"
            echo(f"{PREFIX}{facts.name}: {count_of(count, 'answer')}, {came}")
        written.append(
            {
                "set": f"{PREFIX}{facts.name}",
                "answers": count,
                "folder": str(cache_folder()),
                "files": [file._asdict() for file in files],
            }
        )
    if is_json():
        echo_json({"sets": written})
