"""Which of two answers to one question somebody prefers; and writing such preferences, so that they are read again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Literal

Choice = Literal["first", "second", "tie"]


@dataclass(frozen=True, slots=True)
class Preference:
    """One comparison of the answers of two versions to one question, by one rater or judge.

    Attributes:
        question: The id of the sample, in the version that is in use today, or of the row.
        first: The name of one version.
        second: The name of the other.
        choice: Which is better: the answer of `first`, of `second`, or neither (`tie`).
        rater: Who says so.
        group: Questions of one group are resampled together; left out, each question is its own.
        reason: Why, in the rater's words.
    """

    question: str
    first: str
    second: str
    choice: Choice
    rater: str = ""
    group: str = ""
    reason: str = ""

    @property
    def value(self) -> int:
        """1 where the second is better, -1 where the first is, 0 for a tie."""
        return {"first": -1, "tie": 0, "second": 1}[self.choice]


PREFERENCE_FIELDS = tuple(field.name for field in fields(Preference))
"""The columns of a file of preferences."""


def write_preferences(
    preferences: Iterable[Preference], path: str | Path, more: Mapping[str, Sequence[str | None]] | None = None
) -> int:
    """Writes preferences to a .jsonl or .csv file, one row each. After an error the file is as it was before.

    Args:
        preferences: The preferences.
        path: The file; its suffix decides the format.
        more: Further columns by name, one value per preference.

    Returns:
        How many were written.

    Raises:
        InputError: Another suffix, or a folder that does not exist.
    """
    from .set_writer import write_rows  # late: whoever reads a store writes no rows

    further = more or {}
    rows = (
        asdict(preference) | {name: column[place] for name, column in further.items()}
        for place, preference in enumerate(preferences)
    )
    return write_rows(rows, [*PREFERENCE_FIELDS, *further], path, "preferences")
