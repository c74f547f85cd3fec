"""A bound on what a run may take, checked before each call."""

from dataclasses import dataclass, field

from ..errors import BudgetReached, UsageError
from .question import RawReply


@dataclass
class Budget:
    """Bounds on live calls: `usd`, `tokens` (in and out together), `calls`; None is no bound.

    A call under way is counted at the mean of those before it, so that many at once do not pass the bound together.
    """

    usd: float | None = None
    tokens: int | None = None
    calls: int | None = None
    spent_usd: float = field(default=0.0, init=False)
    spent_tokens: int = field(default=0, init=False)
    begun: int = field(default=0, init=False)
    ended: int = field(default=0, init=False)

    def begin(self) -> None:
        """Before a call. Raises `BudgetReached` when it could pass a bound."""
        expected = 1 + (self.begun - self.ended) / self.ended if self.ended else 1.0
        for what, bound, spent in [
            ("USD", self.usd, self.spent_usd * expected),
            ("tokens", self.tokens, self.spent_tokens * expected),
            ("calls", self.calls, self.begun),
        ]:
            if bound is not None and spent >= bound:
                raise BudgetReached(f"the budget of {bound:g} {what} is reached after {self.ended} calls")
        self.begun += 1

    def end(self, reply: RawReply | None) -> None:
        """After a call; None when it failed. Raises `UsageError` when a cost must be bounded and is unknown."""
        self.ended += 1
        if reply is None:
            return
        self.spent_tokens += reply.tokens_in + reply.tokens_out
        if reply.usd is not None:
            self.spent_usd += reply.usd
        elif self.usd is not None:
            raise UsageError(
                f"the cost of {reply.model} is unknown, so a budget in USD cannot be kept; bound tokens instead, "
                "or give the judge's price in its settings file"
            )
