"""A bound on what calls may take, kept before each call, and the size of a request, which it counts with."""

import asyncio
import math
import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard

from ..errors import BudgetReached, UsageError
from ..text.wording import count_of
from .entailment import most_tokens_in
from .question import PlainText, Question, RawReply, schema_text
from .retry import costs_nothing
from .settings import JudgeSettings, Price
from .usage import LostCalls

_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_CHARACTERS_PER_TOKEN = 3.5  # of English and Dutch; one token per character beyond ASCII
_MOST_BYTES_PER_TOKEN = 20  # of a whole text: English has 4 to 5, other scripts up to 10
_TOKENS_PER_TEXT = 8  # what a chat template puts around it
_MOST_TOKENS = 10_000_000  # of a prompt, or of a reply with reasoning that nobody sees


@dataclass(frozen=True, slots=True)
class RequestSize:
    """What one request may take."""

    tokens_in: int
    tokens_out: int = 0  # the most tokens of the reply (`max_tokens`)
    price: Price | None = None  # USD per million tokens; None where it is unknown
    most_in: int = 0  # the most tokens of the prompt: one per byte, which no tokenizer passes

    @classmethod
    def of_texts(cls, texts: Sequence[str], tokens_out: int = 0, price: Price | None = None) -> "RequestSize":
        """The size of a request with these texts, and a few tokens around each."""
        around = len(texts) * _TOKENS_PER_TEXT
        return cls(estimate_tokens(texts) + around, tokens_out, price, count_bytes(texts) + around)

    @property
    def least_in(self) -> int:
        """The least tokens of the prompt: what is stated below it cannot be."""
        return max(1, self.most_in // _MOST_BYTES_PER_TOKEN)

    @property
    def most(self) -> LostCalls:
        """The most that the call may take; its cost is None where the price is unknown."""
        usd = None if self.price is None else self.price.cost(self.most_in, self.tokens_out)
        return LostCalls(1, self.most_in + self.tokens_out, usd)


def least_tokens(reply: str) -> int:
    """Returns the least tokens that a reply took.

    Example:
        >>> least_tokens(""), least_tokens("Yes"), least_tokens("No" * 100)  # 200 / 20
        (0, 1, 10)
    """
    return math.ceil(count_bytes([reply]) / _MOST_BYTES_PER_TOKEN)


def is_count(tokens: object, least: int = 1) -> TypeGuard[int]:
    """Whether what a provider states can be the number of tokens of a prompt or a reply."""
    return isinstance(tokens, int) and not isinstance(tokens, bool) and least <= tokens <= _MOST_TOKENS


def estimate_tokens(texts: Iterable[str]) -> int:
    """Estimates the tokens of texts without a tokenizer (some tokenizers have to be downloaded first).

    Example:
        >>> estimate_tokens(["How do I save my work?"])  # 22 / 3.5 = 6.3
        7
    """
    text = "".join(texts)
    others = 0 if text.isascii() else sum(map(len, _NOT_ASCII.findall(text)))
    return math.ceil((len(text) - others) / _CHARACTERS_PER_TOKEN + others)


def measure_question(question: Question[Any], settings: JudgeSettings, price: Price | None) -> RequestSize:
    """Returns what asking a question may take."""
    texts = [message["content"] for message in question.messages]
    schema: Any = question.schema
    if not question.options and schema is not PlainText:
        texts.append(schema_text(schema))  # sent with the messages, or as a part of them
    if question.support is not None:
        return replace(RequestSize.of_texts(texts, 0, price), most_in=most_tokens_in(question.support))
    most = question.max_tokens or (1 if question.options else settings.max_tokens)
    return RequestSize.of_texts(texts, most, price)


def most_tokens(reply: str, size: RequestSize) -> int:
    """Returns the most tokens that a reply took whose provider does not say.

    Example:
        >>> most_tokens("Yes.", RequestSize(tokens_in=20, tokens_out=100))
        100
    """
    return max(size.tokens_out, estimate_tokens([reply]))


def count_bytes(texts: Iterable[str]) -> int:
    """Returns how many bytes texts have in UTF-8: the most tokens that a tokenizer can make of them."""
    return len("".join(texts).encode("utf-8", "surrogatepass"))


ACCEPTED_BUDGET = "what it bounds, such as Budget(usd=1) (from assay import Budget)"
"""What may come as a budget, in words."""
_ROUNDING = 1 + 1e-9  # five times 0.2 USD fit into 1 USD


@dataclass(slots=True)
class CallUnderWay:
    """What becomes of a call; the reply is None until it came."""

    reply: RawReply | None = None
    has_begun: bool = False


@dataclass
class Budget:
    """Bounds on live calls.

    A call reserves what it may take (a token per byte of its prompt and `max_tokens` of its reply, at the judge's
    price) and settles for what it took. A call whose reply is lost settles for all of it, since the provider may have
    worked and charged. One that does not fit waits for the calls under way to settle; with none under way the budget is
    reached.

    Args:
        usd: The most that calls may cost; None for no bound.
        tokens: The most tokens, in and out together; None for no bound.
        calls: The most calls, failed ones included; None for no bound.

    Attributes:
        spent_usd: What the replies cost so far, and lost calls at most.
        spent_tokens: The tokens that the replies took, and lost calls at most.
        begun: How many calls began.
        replies: How many of them got a reply.
        lost: Those whose reply is lost: they count in `spent_usd` and `spent_tokens` with all that they may have taken.
        on_begin: Called before each call, when what it may take is reserved.
        unpriced: Whose reply had no known cost; empty while there is none.
    """

    usd: float | None = None
    tokens: int | None = None
    calls: int | None = None
    spent_usd: float = field(default=0.0, init=False)
    spent_tokens: int = field(default=0, init=False)
    begun: int = field(default=0, init=False)
    replies: int = field(default=0, init=False)
    lost: LostCalls = field(default_factory=LostCalls, init=False)
    unpriced: str = field(default="", init=False)
    on_begin: Callable[[], None] | None = field(default=None, init=False, repr=False)
    _runs: set[str] = field(default_factory=set, init=False, repr=False)
    _has_earlier: bool = field(default=False, init=False, repr=False)  # whether calls of earlier sessions count
    _under_way: list[LostCalls] = field(default_factory=list, init=False, repr=False)
    _refused: LostCalls | None = field(default=None, init=False, repr=False)  # the call that did not fit
    _waiting: list[asyncio.Future[None]] = field(default_factory=list, init=False, repr=False)

    @property
    def is_bounded(self) -> bool:
        """Whether there is a bound at all."""
        return (self.usd, self.tokens, self.calls) != (None, None, None)

    @property
    def under_way(self) -> LostCalls:
        """What the calls under way may take at most."""
        return sum(self._under_way, LostCalls())

    def take_up(self, run: str, replies: Iterable[RawReply], lost: LostCalls) -> None:
        """Counts the calls of a run's earlier sessions, of which this budget knows none: they are of its bounds.

        Args:
            run: What names the run; one whose calls this budget has counted already is not counted twice.
            replies: The replies that were kept of them.
            lost: The calls whose reply was lost.
        """
        if run in self._runs:
            return
        self._runs.add(run)
        before = self.begun
        for reply in replies:
            self.begun += 1
            self._settle(reply)
        self.begun += lost.calls
        self._settle_lost(lost)
        self._has_earlier = self._has_earlier or self.begun > before

    @asynccontextmanager
    async def spend(
        self,
        size: RequestSize,
        on_lost: Callable[[LostCalls], None] = lambda _: None,
        keep: Callable[[LostCalls], None] = lambda _: None,
    ) -> AsyncIterator["CallUnderWay"]:
        """Reserves what a call may take and settles it, however the call in the block ends.

        An error that says that nothing was worked on costs nothing. Every other end without a reply (an error, a
        time-out, Ctrl-C) settles for all of the reservation.

        Args:
            size: What the request may take.
            on_lost: Called where the call settles for all of its reservation.
            keep: Keeps what counts in later sessions: the reservation of each call, with what takes it back when a call
                that is not lost ends, so that a kill in between leaves it counted.

        Yields:
            What the block sets the reply of.

        Raises:
            BudgetReached: The call does not fit, and no call is under way.
            UsageError: The budget is in USD, and the price of the model, or the cost of an earlier reply, is unknown.
        """
        reserved = await self._reserve(size)
        call, is_lost = CallUnderWay(), False
        keep(reserved)
        try:
            if self.on_begin is not None:
                self.on_begin()
            call.has_begun = True
            yield call
        except BaseException as error:
            if call.reply is None and call.has_begun and not costs_nothing(error):
                is_lost = True
                self._settle_lost(reserved)
                on_lost(reserved)
            raise
        finally:
            if call.reply is not None:
                self._settle(call.reply)
            self._release(reserved)
            if not is_lost:
                keep(-reserved)

    async def _reserve(self, size: RequestSize) -> LostCalls:
        """Takes what a call may take out of the budget, as soon as there is room for it."""
        wanted = size.most
        while True:
            if self.usd is not None and (self.unpriced or wanted.usd is None):
                raise UsageError(
                    f"the cost of {self.unpriced or 'the model'} is unknown, so a budget in USD cannot be kept; bound "
                    "tokens instead, or give the judge's price in its settings file"
                )
            # one that does not fit is the last: a smaller one after it would make what its error says untrue
            problem = self._problem(self._refused or wanted)
            if not problem:
                break
            if not self._under_way:  # calls under way are paid for: they end first, and count
                self._refused = self._refused or wanted
                raise BudgetReached(problem)
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        self.begun += 1
        self._under_way.append(wanted)
        return wanted

    def _settle(self, reply: RawReply) -> None:
        self.replies += 1
        self.spent_tokens += reply.tokens_in + reply.tokens_out
        self.spent_usd += reply.usd or 0.0
        if reply.usd is None:
            self.unpriced = reply.model

    def _settle_lost(self, lost: LostCalls) -> None:
        self.lost += lost
        self.spent_tokens += lost.tokens
        self.spent_usd += lost.usd or 0.0
        if lost.usd is None:
            self.unpriced = "a call without a reply"

    def _release(self, reserved: LostCalls) -> None:
        """Gives the reservation of a call that ended to those that wait."""
        self._under_way.remove(reserved)
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)

    def passed_bound(self, calls: int, tokens: int, usd: float) -> tuple[str, str]:
        """The unit of the bound that so much in all passes (`USD`, `token`, `call`), and words for it; else empty."""
        for unit, units, bound, taken in (
            ("USD", "USD", self.usd, usd),
            ("token", "tokens", self.tokens, tokens),
            ("call", "calls", self.calls, calls),
        ):
            if bound is not None and taken > bound * _ROUNDING:
                return unit, f"the budget of {count_of(bound, unit, units)} is reached"
        return "", ""

    def _problem(self, wanted: LostCalls) -> str:
        """Names the bound that the call may pass, with what is spent; empty where it fits."""
        if not self.is_bounded:
            return ""
        tokens = self.spent_tokens + sum(call.tokens for call in self._under_way) + wanted.tokens
        usd = self.spent_usd + sum(call.usd or 0.0 for call in self._under_way) + (wanted.usd or 0.0)
        unit, reached = self.passed_bound(self.begun + 1, tokens, usd)
        if not reached:
            return ""
        may_take = ""
        if unit != "call":
            cost = f" ({cost_text(wanted.usd)})" if unit == "USD" else ""
            may_take = f"; the next call may take {count_of(wanted.tokens, 'token')}{cost}"
        return f"{reached}: {self._describe_spent()}{may_take}"

    def _describe_spent(self) -> str:
        """What was paid so far: calls, tokens and cost."""
        cost = cost_text(None if self.unpriced else self.spent_usd)
        sessions = " in all sessions" if self._has_earlier else ""
        tokens = f"{count_of(self.spent_tokens, 'token')}{sessions}"
        return f"{count_of(self.begun, 'call')} took {tokens}, cost {cost}{self._notes()}"

    def _notes(self) -> str:
        """What is said of the calls without a reply: those that count, and those that surely cost nothing."""
        notes = [describe_lost(self.lost)] if self.lost.calls else []
        if refused := self.begun - self.replies - self.lost.calls - len(self._under_way):
            notes.append(f"{count_of(refused, 'call')} refused, at no cost")
        return f" ({'; '.join(notes)})" if notes else ""


def describe_lost(lost: LostCalls) -> str:
    """Says what calls whose reply is lost count for.

    Example:
        >>> describe_lost(LostCalls(2, 1200, 0.0024))
        '2 calls without a reply count with the most that they may have taken: 1,200 tokens, 0.0024 USD'
    """
    counts = "counts with the most that it" if lost.calls == 1 else "count with the most that they"
    price = "at an unknown price" if lost.usd is None else cost_text(lost.usd)
    calls = f"{count_of(lost.calls, 'call')} without a reply"
    return f"{calls} {counts} may have taken: {count_of(lost.tokens, 'token')}, {price}"


def cost_text(usd: float | None) -> str:
    """Returns what calls cost, with its unit, as tables print it.

    Examples:
        >>> cost_text(0.01234), cost_text(None)
        ('0.0123 USD', 'unknown')
    """
    return "unknown" if usd is None else f"{usd:.4f} USD"
