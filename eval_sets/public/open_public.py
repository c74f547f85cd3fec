"""Opens a public set by its name: it is read where it is on this machine, else offered for download."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from ...errors import InputError
from ..rows import Repeatable, Row, Rows
from .download import describe_offer, download_public_set
from .original_form import OriginalFile, OriginalFormError
from .set_facts import PREFIX, PublicSet, parse_name
from .set_files import describe_cure, is_downloaded, read_files
from .set_rows import check_count, is_in_part, read_rows

DIALOG_KEY = "assay.download_dialog"
"""Under which the command line puts what makes the dialog, in the `meta` of click's context."""


class DownloadDialog(Protocol):
    """Asks a person before a download, and shows how far it is."""

    def confirm(self, offer: str) -> bool:
        """Whether what is offered may be downloaded."""
        ...

    def show_progress(self, size: int | None) -> AbstractContextManager[Callable[[int], None]]:
        """Shows the bytes that have come, of so many; what it yields is called with their number."""
        ...


def open_public(source: str, split: str | None) -> Rows:
    """Opens a public set."""
    facts, part = parse_name(source)
    if split is not None:
        raise InputError(f"{source}: has no splits but its halves; write {PREFIX}{facts.name}:dev")
    files = _read_files(facts)
    if files is None:
        _offer_download(facts)
        files = _read_files(facts)
    if files is None:
        raise InputError(f"{source}: what was downloaded is gone; get it again: {facts.download_command}")
    notes = {
        "people": "",
        "computed": f"{source}: its ratings are computed, not people's",
        "constructed": f"{source}: its wrong answers are made by Assay, not written by people",
    }
    late_notes: list[str] = []
    rows = Repeatable(lambda: (row for row in _read_rows(facts, files, late_notes) if is_in_part(row, part)))
    return Rows(source, facts.name, rows, notes=(notes[facts.rated_by],), textual=False, late_notes=lambda: late_notes)


def count_answers(facts: PublicSet) -> tuple[int, list[str]] | None:
    """Counts the answers of a set that is on this machine, and notes whether that may be all; None where it is not."""
    files, notes = _read_files(facts), list[str]()
    return None if files is None else (sum(1 for _ in _read_rows(facts, files, notes)), notes)


def is_on_this_machine(source: str) -> bool:
    """Whether a public set can be opened without the network."""
    return is_downloaded(parse_name(source).facts)


def _read_files(facts: PublicSet) -> list[OriginalFile] | None:
    try:
        return read_files(facts)
    except OriginalFormError as error:
        raise _explain_refused(facts, error) from None


def _read_rows(facts: PublicSet, files: Sequence[OriginalFile], notes: list[str]) -> Iterator[Row]:
    """Reads all rows of a set; after the last one notes whether they are all that there should be."""
    count = 0
    try:
        for count, row in enumerate(read_rows(facts, files), 1):  # noqa: B007 - it is read after the loop
            yield row
        notes += check_count(facts, count)
    except OriginalFormError as error:
        raise _explain_refused(facts, error) from None


def _explain_refused(facts: PublicSet, error: OriginalFormError) -> InputError:
    return InputError(f"{PREFIX}{facts.name}: {error.problem}; {describe_cure(facts, error.path)}")


def _offer_download(facts: PublicSet) -> None:
    """Downloads a set if a person at the terminal allows it. Raises `InputError` where nobody does."""
    offer, dialog = f"{PREFIX}{facts.name} ({facts.title}): {describe_offer(facts)}", _find_dialog()
    if dialog is None or not dialog.confirm(offer):
        raise InputError(
            f"{PREFIX}{facts.name}: is not downloaded; get it once with: {facts.download_command} --yes "
            f"({describe_offer(facts)})"
        )
    with dialog.show_progress(facts.size) as report:
        download_public_set(facts.name, report)


def _find_dialog() -> DownloadDialog | None:
    """The dialog of the command that runs in this thread; None in a program, and where nobody is at a terminal."""
    import click

    context = click.get_current_context(silent=True)
    make: Callable[[], DownloadDialog | None] | None = context.meta.get(DIALOG_KEY) if context else None
    return make() if make is not None else None
