"""Pins the checksums of files that Assay does not know: when the set's reader has read them whole, never before."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from ...atomic_files import replace_file
from ...errors import InputError
from ...text.wording import count_of
from .answer_count import check_count
from .original_form import OriginalFile, OriginalFormError
from .set_facts import PREFIX, PublicSet
from .set_files import cached_path, describe_removal, pin_path, read_pin
from .set_place import find_place
from .set_rows import read_rows

_MOST_LINES = 3  # a set of tables has hundreds of files


def pin_files(facts: PublicSet, files: Sequence[OriginalFile]) -> dict[str, str]:
    """Writes the checksums of the files of a set that Assay does not know and that have no pin yet.

    Returns:
        The checksums that were pinned, by path; none while `ASSAY_PUBLIC_SETS` names a folder, which is the user's own,
        and none where the set does not have as many answers as its authors say (`check_count`).

    Raises:
        InputError: The reader does not accept the files, or a pin cannot be written. What the reader refuses does not
            stay in the cache (`name_refused`).
    """
    if find_place().folder is not None:
        return {}
    known = _known_paths(facts)
    unpinned = [file for file in files if file.path not in known and read_pin(cached_path(facts, file.path)) is None]
    if unpinned:
        with name_refused(facts):
            count = sum(1 for _ in read_rows(facts, files))  # all of them are read, not only the first
            if not count:
                raise OriginalFormError(unpinned[0].path, f"{unpinned[0].path}: holds no answers")
            if check_count(facts, count):
                return {}
    for file in unpinned:
        with replace_file(pin_path(cached_path(facts, file.path))) as draft:
            draft.write(f"{file.sha256}\n")
    return {file.path: file.sha256 for file in unpinned}


@contextmanager
def name_refused(facts: PublicSet) -> Iterator[None]:
    """Names the place of a file in the cache that the reader refuses, and removes it where nothing vouches for it.

    Raises:
        InputError: For an `OriginalFormError` in the block.
    """
    try:
        yield
    except OriginalFormError as error:
        if find_place().folder is not None:
            raise
        cached = cached_path(facts, error.path)
        if error.path in _known_paths(facts) or read_pin(cached) is not None:
            cure = describe_removal(facts, error.path)
            raise InputError(f"{PREFIX}{facts.name}: {error.problem}; {cure}") from None
        cached.unlink(missing_ok=True)
        cure = f"check where it comes from, and get it again: {facts.download_command}"
        raise InputError(
            f"{PREFIX}{facts.name}: {error.problem}; it is not the data, and {cached} is removed; {cure}"
        ) from None


def describe_pinned(checksums: Mapping[str, str]) -> list[str]:
    """Says which files had no checksum that Assay knew: one line per file, of many only the first."""
    lines = [
        f"{path}: its checksum is not known to Assay: sha256 of what came is {checksum}"
        for path, checksum in list(checksums.items())[:_MOST_LINES]
    ]
    if len(checksums) > _MOST_LINES:
        lines.append(f"and {count_of(len(checksums) - _MOST_LINES, 'file')} more, whose checksums stand beside them")
    if checksums:
        lines.append("a file that comes later under the same name is compared with it, and refused if it differs")
    return lines


def _known_paths(facts: PublicSet) -> set[str]:
    return {file.path for file in facts.files if file.sha256 is not None}
