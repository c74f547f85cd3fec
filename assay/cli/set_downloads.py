"""`assay sets get`: downloads public rated sets."""

import click

from ..errors import UsageError
from .listings import sets
from .options import json_option, quiet_option
from .output import echo, echo_json, echo_notice

_MOST_CHECKSUMS = 3  # a set of tables has hundreds of files


@sets.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--yes", is_flag=True, help="Download without asking.")
@quiet_option
@json_option
def get(names: tuple[str, ...], *, yes: bool, as_json: bool) -> None:
    """Download public rated sets, after asking.

    Says from where, how large, under which licence and into which folder. What broke off goes on where it ended; what
    came is checked. ASSAY_PUBLIC_SETS names a mirror, or a folder that has the files already.

    \b
    assay sets get mtrag
    assay sets get mtrag begin --yes
    """
    from ..eval_sets import download_public_set
    from ..eval_sets.public.open_public import count_answers
    from ..eval_sets.public.set_facts import PREFIX, parse_name
    from ..eval_sets.public.set_files import cache_folder, describe_offer
    from ..text.wording import count_of
    from .download_dialog import TerminalDialog, find_dialog

    chosen = [parse_name(name if name.startswith(PREFIX) else f"{PREFIX}{name}").facts for name in names]
    written = []
    for facts in chosen:
        offer = f"{PREFIX}{facts.name} ({facts.title}): {describe_offer(facts)}"
        dialog = find_dialog()
        if yes:
            echo_notice(offer)
        elif dialog is None:
            problem = f"{PREFIX}{facts.name}: nobody can be asked here; allow the download with --yes"
            raise UsageError(f"{problem} ({describe_offer(facts)})")
        elif not dialog.confirm(offer):
            raise click.Abort
        with TerminalDialog().show_progress(facts.size) as report:
            files = download_public_set(facts.name, report)
        count = count_answers(facts)
        written.append(
            {
                "set": f"{PREFIX}{facts.name}",
                "answers": count,
                "folder": str(cache_folder()),
                "files": [file._asdict() for file in files],
            }
        )
        if not as_json:
            unknown = [file for file in files if not file.is_known]
            for file in unknown[:_MOST_CHECKSUMS]:
                echo(f"{file.path}: its checksum is not known to Assay: sha256 of what came is {file.sha256}")
            if len(unknown) > _MOST_CHECKSUMS:
                echo(f"and {count_of(len(unknown) - _MOST_CHECKSUMS, 'file')} more; their checksums stand beside them")
            if unknown:
                echo("A file that comes later under the same name is compared with it, and refused if it differs.")
            new = sum(file.is_new for file in files)
            echo(f"{PREFIX}{facts.name}: {count_of(count, 'answer')}, {count_of(new, 'file')} downloaded")
    if as_json:
        echo_json({"sets": written})
