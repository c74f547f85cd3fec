"""Opens a public set by its name: it is read where it is on this machine, else offered for download."""

import logging
from collections.abc import Iterator, Sequence

from ...errors import InputError
from ..rows import Row, Rows
from .checksum_pins import describe_pinned, name_refused, pin_files
from .consent import find_dialog
from .original_form import OriginalFile
from .set_facts import PREFIX, PublicSet, parse_name
from .set_files import describe_offer, is_downloaded, read_files
from .set_rows import read_rows
from .split import Part

_LOGGER = logging.getLogger("assay")


def open_public(source: str, split: str | None) -> Rows:
    """Opens a public set.

    Args:
        source: Its name: `public:mtrag`, or one half of it, `public:mtrag:dev`.
        split: The split that was asked for, which a public set does not have.

    Raises:
        InputError: There is no such set, it is not downloaded and nobody allows that, or a file is not as expected.
    """
    facts, part = parse_name(source)
    if split is not None:
        raise InputError(f"{source}: has no splits but its halves; write {PREFIX}{facts.name}:dev")
    files = _read_pinned(facts)
    if files is None:
        _offer_download(facts)
        files = _read_pinned(facts)
    if files is None:
        raise InputError(f"{source}: what was downloaded is gone; get it again: {facts.download_command}")
    notes = {
        "people": "",
        "computed": f"{source}: its ratings are computed, not people's",
        "constructed": f"{source}: its wrong answers are made by Assay, not written by people",
    }
    return Rows(source, facts.name, _read_rows(facts, files, part), notes=(notes[facts.rated_by],), textual=False)


def count_answers(facts: PublicSet) -> int | None:
    """Counts the answers of a set that is on this machine; None where it is not.

    Raises:
        InputError: A file is not as expected.
    """
    files = _read_pinned(facts)
    return None if files is None else sum(1 for _ in _read_rows(facts, files))


def _read_pinned(facts: PublicSet) -> list[OriginalFile] | None:
    """Reads the files of a set; what nobody has pinned yet is read whole and pinned, with a notice."""
    with name_refused(facts):
        files = read_files(facts)
    for line in describe_pinned(pin_files(facts, files)) if files is not None else ():
        _LOGGER.warning(line)
    return files


def _read_rows(facts: PublicSet, files: Sequence[OriginalFile], part: Part | None = None) -> Iterator[Row]:
    with name_refused(facts):
        yield from read_rows(facts, files, part)


def is_on_this_machine(source: str) -> bool:
    """Whether a public set can be opened without the network.

    Raises:
        InputError: There is no such set.
    """
    return is_downloaded(parse_name(source).facts)


def _offer_download(facts: PublicSet) -> None:
    """Downloads a set if a person at the terminal allows it. Raises `InputError` where nobody does."""
    offer, dialog = f"{PREFIX}{facts.name} ({facts.title}): {describe_offer(facts)}", find_dialog()
    if dialog is None or not dialog.confirm(offer):
        raise InputError(
            f"{PREFIX}{facts.name}: is not downloaded; get it once with: {facts.download_command} --yes "
            f"({describe_offer(facts)})"
        )
    from .download import describe_unknown, download_public_set

    with dialog.show_progress(facts.size) as report:
        files = download_public_set(facts.name, report)
    for line in describe_unknown(files):
        _LOGGER.warning(line)
