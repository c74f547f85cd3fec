"""A bound on what calls may take, kept before each call."""

import asyncio
import math
from dataclasses import dataclass, field

from ..errors import BudgetReached, UsageError
from ..text.wording import count_of
from .limiter import AdaptiveLimiter
from .question import RawReply
from .request_size import RequestSize

ACCEPTED_BUDGET = "what it bounds, such as Budget(usd=1) (from assay import Budget)"
"""What may come as a budget, in words."""
_ROUNDING = 1 + 1e-9  # five times 0.2 USD fit into 1 USD


@dataclass(frozen=True, slots=True)
class Reservation:
    """The part of a budget that one call under way may take."""

    size: RequestSize
    tokens: int
    usd: float


@dataclass
class Budget:
    """Bounds on live calls.

    A call reserves what it may take (the tokens of its prompt and `max_tokens` of its reply, at the judge's price) and
    settles for what it took. One that does not fit waits for the calls under way to settle; with none under way the
    budget is reached. Under a bound in USD or tokens the first call goes alone: it shows how the provider counts.

    Args:
        usd: The most that calls may cost; None for no bound.
        tokens: The most tokens, in and out together; None for no bound.
        calls: The most calls, failed ones included; None for no bound.

    Attributes:
        spent_usd: What the replies cost so far.
        spent_tokens: The tokens that they took.
        begun: How many calls began.
        replies: How many of them got a reply.
        unpriced_model: A model whose reply had no known cost; empty while there is none.
    """

    usd: float | None = None
    tokens: int | None = None
    calls: int | None = None
    spent_usd: float = field(default=0.0, init=False)
    spent_tokens: int = field(default=0, init=False)
    begun: int = field(default=0, init=False)
    replies: int = field(default=0, init=False)
    unpriced_model: str = field(default="", init=False)
    _under_way: list[Reservation] = field(default_factory=list, init=False, repr=False)
    _waiting: list[asyncio.Future[None]] = field(default_factory=list, init=False, repr=False)
    # How much more the provider counted than was estimated, at most so far; and USD per token where no price is known.
    _scale_in: float = field(default=1.0, init=False, repr=False)
    _scale_out: float = field(default=1.0, init=False, repr=False)
    _usd_per_token: float = field(default=0.0, init=False, repr=False)

    @property
    def is_bounded(self) -> bool:
        """Whether there is a bound at all."""
        return (self.usd, self.tokens, self.calls) != (None, None, None)

    def make_limiter(self, most: int) -> AdaptiveLimiter:
        """Makes what bounds the calls at once; a budget that several processes share bounds theirs together.

        Args:
            most: The highest limit.
        """
        return AdaptiveLimiter(most)

    async def begin(self, size: RequestSize) -> Reservation:
        """Reserves what a call may take; the call follows, and then `end`.

        Args:
            size: What the request may take.

        Raises:
            BudgetReached: The call does not fit, and no call is under way.
            UsageError: The budget is in USD, and an earlier reply had no known cost.
        """
        while True:
            if self.usd is not None and self.unpriced_model:
                raise UsageError(
                    f"the cost of {self.unpriced_model} is unknown, so a budget in USD cannot be kept; bound tokens "
                    "instead, or give the judge's price in its settings file"
                )
            reservation = self._reservation(size)
            problem = self._problem(reservation)
            if (
                problem and not self._under_way
            ):  # calls under way are paid for: they end first, and count in the message
                raise BudgetReached(problem)
            is_first_under_way = bool(self._under_way) and not self.replies and not (self.usd is self.tokens is None)
            if not problem and not is_first_under_way:
                break
            await self._wait_for_an_end()
        self.begun += 1
        self._under_way.append(reservation)
        return reservation

    def end(self, reservation: Reservation, reply: RawReply | None) -> None:
        """Settles a call.

        Args:
            reservation: What `begin` returned for it.
            reply: What came; None where the call failed, which takes no tokens as far as is known.
        """
        self._under_way.remove(reservation)
        if reply is not None:
            self.replies += 1
            self.spent_tokens += reply.tokens_in + reply.tokens_out
            self.spent_usd += reply.usd or 0.0
            if reply.usd is None:
                self.unpriced_model = reply.model
            self._learn(reservation.size, reply)
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)

    def forfeit(self, reservation: Reservation) -> None:
        """Settles a call whose reply is lost, with its process: it counts as having taken all that it may take."""
        self.spent_tokens += reservation.tokens
        self.spent_usd += reservation.usd
        self.end(reservation, None)

    def _reservation(self, size: RequestSize) -> Reservation:
        tokens_in = _round_up(size.tokens_in * self._scale_in)
        tokens_out = _round_up(size.tokens_out * self._scale_out)
        tokens = tokens_in + tokens_out
        usd = tokens * self._usd_per_token if size.price is None else size.price.cost(tokens_in, tokens_out)
        return Reservation(size, tokens, usd)

    def _problem(self, reservation: Reservation) -> str:
        """Names the bound that the call may pass, with what is spent; empty where it fits."""
        for unit, units, bound, spent, reserved, needed in (
            ("USD", "USD", self.usd, self.spent_usd, sum(call.usd for call in self._under_way), reservation.usd),
            (
                "token",
                "tokens",
                self.tokens,
                self.spent_tokens,
                sum(call.tokens for call in self._under_way),
                reservation.tokens,
            ),
            ("call", "calls", self.calls, self.begun, 0, 1),
        ):
            if bound is not None and spent + reserved + needed > bound * _ROUNDING:
                may_take = "" if unit == "call" else f"; the next call may take {count_of(reservation.tokens, 'token')}"
                may_take += f" ({cost_text(reservation.usd)})" if unit == "USD" else ""
                return f"the budget of {count_of(bound, unit, units)} is reached: {self._describe_spent()}{may_take}"
        return ""

    def _describe_spent(self) -> str:
        """What was paid so far: calls, tokens and cost."""
        without_reply = f" ({count_of(self.begun - self.replies, 'call')} without a reply)"
        calls = count_of(self.begun, "call") + (without_reply if self.begun > self.replies else "")
        cost = cost_text(None if self.unpriced_model else self.spent_usd)
        return f"{calls} took {count_of(self.spent_tokens, 'token')}, cost {cost}"

    def _learn(self, size: RequestSize, reply: RawReply) -> None:
        self._scale_in = max(self._scale_in, reply.tokens_in / max(1, size.tokens_in))
        if size.tokens_out:
            self._scale_out = max(self._scale_out, reply.tokens_out / size.tokens_out)
        if reply.usd and (tokens := reply.tokens_in + reply.tokens_out):
            self._usd_per_token = max(self._usd_per_token, reply.usd / tokens)

    async def _wait_for_an_end(self) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        await turn


def cost_text(usd: float | None) -> str:
    """Returns what calls cost, with its unit, as tables print it.

    Examples:
        >>> cost_text(0.01234), cost_text(None)
        ('0.0123 USD', 'unknown')
    """
    return "unknown" if usd is None else f"{usd:.4f} USD"


def _round_up(tokens: float) -> int:
    """Rounds up to a whole number, apart from rounding errors of a division: 100.00000001 is 100."""
    return math.ceil(tokens - 1e-6)
