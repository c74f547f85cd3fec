"""The rows of a public set: its reader, and which half each is in."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from ...text.wording import count_of
from ...value_messages import shorten
from ..rows import Row
from .begin import read_begin
from .clapnq import read_clapnq
from .mtrag import read_mtrag
from .original_form import NOT_IN_FORM, OriginalFile, OriginalFormError
from .ragchecker import read_ragchecker
from .set_facts import PREFIX, PublicSet
from .set_files import describe_cure
from .split import Part, part_of
from .tabfact import read_tabfact
from .tatqa import read_tatqa
from .tau import read_tau

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
