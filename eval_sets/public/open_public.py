"""Opens a public set by its name: it is read where it is on this machine, else offered for download."""

import logging
from collections.abc import Iterator, Sequence

from ...errors import InputError
from ..rows import Row, Rows
from .answer_count import check_count, describe_unknown_count
from .checksum_pins import describe_pinned, name_refused, pin_files
from .consent import find_dialog
from .original_form import OriginalFile
from .set_facts import PREFIX, PublicSet, parse_name
from .set_files import is_downloaded, read_files
from .set_place import describe_offer
from .set_rows import is_in_part, read_rows

_LOGGER = logging.getLogger("assay")


def open_public(source: str, split: str | None) -> Rows:
    """Opens a public set.

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
    late_notes: list[str] = []
    rows = (row for row in _read_rows(facts, files, late_notes) if is_in_part(row, part))
    return Rows(source, facts.name, rows, notes=(notes[facts.rated_by],), textual=False, late_notes=lambda: late_notes)


def count_answers(facts: PublicSet) -> int | None:
    """Counts the answers of a set that is on this machine; None where it is not.

    Raises:
        InputError: A file is not as expected.
    """
    files = _read_pinned(facts)
    if files is None:
        return None
    with name_refused(facts):
        count = sum(1 for _ in read_rows(facts, files))
        for note in check_count(facts, count):
            _LOGGER.warning(note)
    return count


def _read_pinned(facts: PublicSet) -> list[OriginalFile] | None:
    """Reads the files of a set; what nobody has pinned yet is read whole and pinned, with a notice."""
    with name_refused(facts):
        files = read_files(facts)
    for line in describe_pinned(pin_files(facts, files)) if files is not None else ():
        _LOGGER.warning(line)
    return files


def _read_rows(facts: PublicSet, files: Sequence[OriginalFile], notes: list[str]) -> Iterator[Row]:
    """Reads all rows of a set; after the last one notes whether they are all that there should be."""
    count = 0
    with name_refused(facts):
        for count, row in enumerate(read_rows(facts, files), 1):  # noqa: B007 - it is read after the loop
            yield row
        notes += check_count(facts, count) + describe_unknown_count(facts, count)


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
