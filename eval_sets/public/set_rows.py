"""The rows of a public set: its reader, which half each is in, and its download."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...errors import InputError
from ...value_messages import shorten
from ..rows import Repeatable, Row, Rows
from .rated_answers import read_begin, read_tau
from .rated_tasks import read_clapnq, read_mtrag
from .set_facts import PREFIX, Part, PublicSet, load_facts, parse_name, part_of
from .set_files import OriginalFile, cached_path, fetch_file, read_files, wrong_file

_READERS: Mapping[str, Callable[[PublicSet, Sequence[OriginalFile]], Iterator[Row]]] = {
    "begin": read_begin,
    "clapnq": read_clapnq,
    "mtrag": read_mtrag,
    "tau": read_tau,
}


def read_rows(facts: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads a public set from its original form: a function of the texts alone."""
    try:
        for row in _READERS[facts.reader](facts, files):
            yield row._replace(values={**row.values, "language": facts.language})
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        cause = shorten(f"{type(error).__name__}: {error}", 200)
        raise wrong_file(facts, files[0].path, f"is not in the form of {facts.title} ({cause})") from None


def is_in_part(row: Row, part: Part | None) -> bool:
    """Whether a row of a public set is in this half of it; each is where no half is named."""
    return part is None or part_of(row.values["metadata"]["group"]) == part


def open_public(source: str) -> Rows:
    """Opens a public set."""
    facts, part = parse_name(source)
    files = read_files(facts)
    note = f"{source}: its ratings are computed, not people's" if facts.rated_by == "computed" else ""
    rows = Repeatable(lambda: (row for row in read_rows(facts, files) if is_in_part(row, part)))
    return Rows(source, facts.name, rows, notes=(note,))


class DownloadedSet(NamedTuple):
    """A set that is in the cache now."""

    answers: int
    new: tuple[str, ...]  # the paths of the files that were downloaded now; the others were there


def download_public_set(name: str) -> DownloadedSet:
    """Downloads a public set into the folder where `load_set` finds it; files that are there already stay.

    Args:
        name: The set, such as `mtrag`.

    Raises:
        InputError: There is no such set, the download failed, or a file is not the one that Assay knows. Nothing new is
            kept then.
    """
    facts = load_facts(name.removeprefix(PREFIX))
    new = [file for file in facts.files if not cached_path(facts, file.path).is_file()]
    try:
        for file in new:
            fetch_file(facts, file)
        count = sum(1 for _ in read_rows(facts, read_files(facts)))
        if not count or (facts.answers_counted and count != facts.answers):
            raise wrong_file(facts, facts.files[0].path, f"has {count} answers, and not {facts.answers or 'some'}")
    except InputError:
        for file in new:
            cached_path(facts, file.path).unlink(missing_ok=True)
        raise
    return DownloadedSet(count, tuple(file.path for file in new))
