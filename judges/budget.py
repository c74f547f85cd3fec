"""A bound on what a run may take, checked before each call."""

import asyncio
from dataclasses import dataclass, field

from ..errors import BudgetReached, UsageError
from .question import RawReply


@dataclass
class Budget:
    """Bounds on live calls: `usd`, `tokens` (in and out together), `calls`; None is no bound.

    A call is taken to cost the mean of those before it: those under way are counted so, and one more begins only if it
    fits. Under a bound in USD or tokens the first call goes alone, to learn what one takes.
    """

    usd: float | None = None
    tokens: int | None = None
    calls: int | None = None
    spent_usd: float = field(default=0.0, init=False)
    spent_tokens: int = field(default=0, init=False)
    begun: int = field(default=0, init=False)
    under_way: int = field(default=0, init=False)
    replies: int = field(default=0, init=False)
    unpriced_model: str = field(default="", init=False)
    _waiting: list[asyncio.Future[None]] = field(default_factory=list, init=False, repr=False)

    async def begin(self) -> None:
        """Before a call. Raises `BudgetReached` when it would pass a bound, `UsageError` when its cost is unknown."""
        while self.under_way and not self.replies and (self.usd is not None or self.tokens is not None):
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        if self.usd is not None and self.unpriced_model:
            raise UsageError(
                f"the cost of {self.unpriced_model} is unknown, so a budget in USD cannot be kept; bound tokens "
                "instead, or give the judge's price in its settings file"
            )
        after = (self.replies + self.under_way + 1) / self.replies if self.replies else 1.0
        for what, bound, expected in [
            ("USD", self.usd, self.spent_usd * after),
            ("tokens", self.tokens, self.spent_tokens * after if self.replies else 1),
            ("calls", self.calls, self.begun + 1),
        ]:
            if bound is not None and expected > bound:
                spent = f"{self.replies} replies took {self.spent_tokens} tokens"
                raise BudgetReached(f"the budget of {bound:g} {what} is reached: {spent}")
        self.begun += 1
        self.under_way += 1

    def end(self, reply: RawReply | None) -> None:
        """After a call; None when it failed."""
        self.under_way -= 1
        if reply is not None:
            self.replies += 1
            self.spent_tokens += reply.tokens_in + reply.tokens_out
            self.spent_usd += reply.usd or 0.0
            if reply.usd is None:
                self.unpriced_model = reply.model
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)
