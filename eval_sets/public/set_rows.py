"""The rows of a public set: its reader, and which half each is in."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from ..rows import Row
from .begin import read_begin
from .clapnq import read_clapnq
from .mtrag import read_mtrag
from .original_form import OriginalFile
from .ragchecker import read_ragchecker
from .set_facts import PublicSet
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
    """Reads a public set from its original form: a function of the texts alone.

    Yields:
        The fields of its samples.

    Raises:
        InputError: A file is not in the original form; the message has the place.
    """
    rows = _READERS[facts.reader](facts, files)
    return (row._replace(values={**row.values, "language": facts.language}) for row in rows)


def is_in_part(row: Row, part: Part | None) -> bool:
    """Whether a row of a public set is in this half of it; each is where no half is named."""
    return part is None or part_of(row.values["metadata"]["group"]) == part
