"""The errors that Assay raises: one root, and a child for each case that a caller would treat differently."""

from typing import Any


def written_by_earlier_version(what: str) -> str:
    """Says that what an earlier version of Assay wrote is not read."""
    return f"{what}: written by Assay 0.1; run it again"


class AssayError(Exception):
    """The root of all errors raised on purpose. Its text says what was wrong, where, and what to do."""


class UsageError(AssayError):
    """What was asked for cannot be done as asked: an unknown metric, judge, option or setting."""


class InputError(AssayError):
    """A set, prompt, cassette or settings file cannot be read. The text names file, line, field and cure.

    Attributes:
        is_of_row: Whether one row of a set is wrong, and the others can be read without it.
    """

    is_of_row = False


class JudgeError(AssayError):
    """One question got no usable reply. The sample that asked it is `failed`; the others go on."""


class ReplyError(JudgeError):
    """The judge replied, but not in the shape that was asked for; `raw` keeps what it said."""

    def __init__(self, message: str, raw: str) -> None:
        super().__init__(message)
        self.raw = raw


class CassetteMiss(JudgeError):
    """In replay, a question that the cassette holds no recording of."""


class EvaluationEnded(AssayError):
    """What ends an evaluation before all is scored; what was scored until then is not lost.

    Attributes:
        results: What `evaluate` scored until then (`assay.Results`); None where nothing was begun, or where another
            function was called.
    """

    results: Any = None


class JudgeUnavailable(EvaluationEnded):
    """The judge cannot be reached or refuses every call. The run stops, since every other sample would fail too."""


class BudgetReached(EvaluationEnded):
    """The next call would pass the budget. The run stops cleanly and can be resumed."""
