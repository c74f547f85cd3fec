"""The rows of a public set: its reader, which half each is in, and its download."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...errors import InputError
from ...value_messages import shorten
from ..rows import Repeatable, Row, Rows
from .rated_answers import read_begin, read_ragchecker, read_tau
from .rated_tasks import read_clapnq, read_mtrag
from .set_facts import PREFIX, Part, PublicSet, load_facts, parse_name, part_of
from .set_files import (
    NOT_IN_FORM,
    OriginalFile,
    OriginalFormError,
    cached_path,
    check_content,
    check_downloads_allowed,
    explain_missing_files,
    explain_refused,
    fetch_file,
    is_downloaded,
    keep_file,
    read_files,
)

_READERS: Mapping[str, Callable[[PublicSet, Sequence[OriginalFile]], Iterator[Row]]] = {
    "begin": read_begin,
    "clapnq": read_clapnq,
    "mtrag": read_mtrag,
    "ragchecker": read_ragchecker,
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


def open_public(source: str) -> Rows:
    """Opens a public set."""
    facts, part = parse_name(source)
    files = read_files(facts)
    if files is None:
        raise explain_missing_files(facts)
    note = f"{source}: its ratings are computed, not people's" if facts.rated_by == "computed" else ""

    def rows() -> Iterator[Row]:
        try:
            yield from (row for row in read_rows(facts, files) if is_in_part(row, part))
        except OriginalFormError as error:
            raise explain_refused(facts, error) from None

    return Rows(source, facts.name, Repeatable(rows), notes=(note,))


def is_on_this_machine(source: str) -> bool:
    """Whether a public set can be opened without the network."""
    return is_downloaded(parse_name(source).facts)


class DownloadedSet(NamedTuple):
    """A set that is in the cache now."""

    answers: int
    files: tuple[OriginalFile, ...]
    new: frozenset[str]  # the paths of those that were downloaded now; the others were there


def download_public_set(name: str) -> DownloadedSet:
    """Downloads a public set into the cache folder, where `load_set` finds it; files that are there already stay.

    Args:
        name: The set, such as `mtrag`.

    Raises:
        InputError: There is no such set, the download failed, a file is not the one that Assay knows, or
            `ASSAY_PUBLIC_SETS` names a folder, into which nothing is downloaded. Nothing new is kept then.
    """
    facts = load_facts(name.removeprefix(PREFIX))
    check_downloads_allowed(facts)
    new: dict[str, bytes] = {}
    files = []
    try:
        for file in facts.files:
            path = cached_path(facts, file.path)
            content = path.read_bytes() if path.is_file() else new.setdefault(file.path, fetch_file(facts, file.path))
            files.append(check_content(file, content))
        count = sum(1 for _ in read_rows(facts, files))
        if not count:
            raise OriginalFormError(facts.files[0].path, f"{facts.files[0].path}: holds no answers")
        if facts.answers_counted and count != facts.answers:
            wanted = f"expected {facts.answers} answers, as were counted at commit {facts.commit[:10]}"
            raise OriginalFormError(facts.files[0].path, f"{facts.files[0].path}: {wanted}; it has {count}")
    except OriginalFormError as error:
        if error.path not in new:
            raise explain_refused(facts, error) from None
        cure = f"it is not the data: check where it comes from, and get it again: {facts.download_command}"
        raise InputError(f"{PREFIX}{facts.name}: {error.problem}; {cure}") from None
    for name_in_set, content in new.items():
        keep_file(facts, name_in_set, content)
    return DownloadedSet(count, tuple(files), frozenset(new))
