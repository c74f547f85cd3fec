"""The rows of a public set that is on this machine: its reader, and which half each is in."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from ...errors import InputError
from ...text.wording import count_of
from ...value_messages import shorten
from ..rows import Repeatable, Row, Rows
from .original_form import NOT_IN_FORM, OriginalFile, OriginalFormError
from .rated_answers import read_begin, read_ragchecker, read_tau
from .rated_tasks import read_clapnq, read_mtrag
from .set_facts import PREFIX, Part, PublicSet, parse_name, part_of
from .set_files import describe_cure, describe_offer, is_downloaded, read_files
from .tabfact import read_tabfact
from .tatqa import read_tatqa

_READERS: Mapping[str, Callable[[PublicSet, Sequence[OriginalFile]], Iterator[Row]]] = {
    "begin": read_begin,
    "clapnq": read_clapnq,
    "mtrag": read_mtrag,
    "ragchecker": read_ragchecker,
    "tabfact": read_tabfact,
    "tatqa": read_tatqa,
    "tau": read_tau,
}


def read_rows(facts: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads a public set from its original form: a function of the texts alone."""
    try:
        for row in _READERS[facts.reader](facts, files):
            yield row._replace(values={**row.values, "language": facts.language})
    except NOT_IN_FORM as error:
        path, cause = files[0].path, shorten(f"{type(error).__name__}: {error}", 200)
        raise OriginalFormError(path, f"{path}: is not in the form of {facts.title} ({cause})") from None


def is_in_part(row: Row, part: Part | None) -> bool:
    """Whether a row of a public set is in this half of it; each is where no half is named."""
    return part is None or part_of(row.values["metadata"]["group"]) == part


def check_count(facts: PublicSet, count: int) -> list[str]:
    """Compares the number of answers that were read with the one that Assay knows, if it knows one.

    Returns:
        What to tell the user where nobody vouches that the files hold the whole set.

    Raises:
        OriginalFormError: The number was counted in the files of this commit: these are others.
    """
    unknown = [file.path for file in facts.files if file.sha256 is None]
    if facts.answers == count or (facts.answers is None and not unknown):
        return []
    first, came = (unknown or [facts.files[0].path])[0], count_of(count, "answer")
    if facts.answers is None:
        return [
            f"{PREFIX}{facts.name}: its files hold {came}; Assay knows neither how many there should be nor the "
            f"checksum of {first}, so that this may be a part of the set; compare it with {facts.address(first)}"
        ]
    wanted = f"expected {count_of(facts.answers, 'answer')}"
    if facts.answers_counted:
        counted = f"as were counted at commit {facts.commit[:10]}"
        raise OriginalFormError(first, f"{first}: {wanted}, {counted}; it has {came}")
    return [
        f"{PREFIX}{facts.name}: {wanted}, as its authors say; it has {came}: this may be a part of the set or another "
        f"version; compare it with {facts.address(first)}, or {describe_cure(facts, first)}"
    ]


def open_public(source: str) -> Rows:
    """Opens a public set."""
    facts, part = parse_name(source)
    files = _read_local(facts)
    if files is None:
        command = f"{facts.download_command} --yes ({describe_offer(facts)})"
        raise InputError(f"{PREFIX}{facts.name}: is not downloaded; get it once with: {command}")
    notes = {
        "people": "",
        "computed": f"{source}: its ratings are computed, not people's",
        "constructed": f"{source}: its wrong answers are made by Assay, not written by people",
    }
    late_notes: list[str] = []
    rows = Repeatable(lambda: (row for row in _read_all(facts, files, late_notes) if is_in_part(row, part)))
    return Rows(source, facts.name, rows, notes=(notes[facts.rated_by],), textual=False, late_notes=lambda: late_notes)


def count_answers(facts: PublicSet) -> tuple[int, list[str]] | None:
    """Counts the answers of a set that is on this machine, and notes whether that may be all; None where it is not."""
    files, notes = _read_local(facts), list[str]()
    return None if files is None else (sum(1 for _ in _read_all(facts, files, notes)), notes)


def is_on_this_machine(source: str) -> bool:
    """Whether a public set can be opened without the network."""
    return is_downloaded(parse_name(source).facts)


def _read_local(facts: PublicSet) -> list[OriginalFile] | None:
    try:
        return read_files(facts)
    except OriginalFormError as error:
        raise _explain_refused(facts, error) from None


def _read_all(facts: PublicSet, files: Sequence[OriginalFile], notes: list[str]) -> Iterator[Row]:
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
