"""Replies that come later: what a judge does with a question that is not asked at once."""

from typing import Any, NoReturn, Protocol

from .question import Question


class ReplyPending(BaseException):
    """The reply to a question comes later: whoever asked it ends here, and is run again when the reply is there.

    No error, and so no `Exception`: nobody on the way takes it for a failed call.
    """


class PendingReplies(Protocol):
    """Takes the questions that a judge has no reply to, in place of the model."""

    def request(self, key: str, question: Question[Any]) -> NoReturn:
        """Takes a question whose reply is missing.

        Raises:
            ReplyPending: The reply comes later.
            JudgeError: There will be no reply.
            BudgetReached: The request does not fit into the budget.
            UsageError: The budget cannot be kept.
        """
        ...

    def has_collected(self, key: str) -> bool:
        """Whether the reply of this key came in this way: it is new, though it is read from the cassette."""
        ...
