"""Opens a public set by its name, where it is on this machine."""

from collections.abc import Iterator, Sequence

from ...errors import InputError
from ..rows import Repeatable, Row, Rows
from .download import describe_offer
from .original_form import OriginalFile, OriginalFormError
from .set_facts import PREFIX, PublicSet, parse_name
from .set_files import describe_cure, is_downloaded, read_files
from .set_rows import check_count, is_in_part, read_rows


def open_public(source: str, split: str | None) -> Rows:
    """Opens a public set."""
    facts, part = parse_name(source)
    if split is not None:
        raise InputError(f"{source}: has no splits but its halves; write {PREFIX}{facts.name}:dev")
    files = _read_files(facts)
    if files is None:
        command = f"{facts.download_command} --yes ({describe_offer(facts)})"
        raise InputError(f"{PREFIX}{facts.name}: is not downloaded; get it once with: {command}")
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
