"""What replies took, and how many could not be used; a module for those who show figures and ask no judge."""

from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """What replies took.

    Attributes:
        calls: How many replies, replayed ones included.
        from_cassette: How many of them were replayed.
        tokens_in: Tokens of the prompts.
        tokens_out: Tokens of the replies.
        tokens_cached: Those of the prompts that the provider had in its cache.
        usd: The cost; None where a price is unknown, which is never 0.
        seconds: The duration of the calls, added up.
        unstated: How many of the replies did not state what they took, or stated what is impossible: their tokens and
            cost are the most that they may be.

    Example:
        >>> Usage(calls=1, tokens_in=20, usd=0.01) + Usage(calls=1, tokens_in=30, usd=None)
        Usage(calls=2, from_cassette=0, tokens_in=50, tokens_out=0, tokens_cached=0, usd=None, seconds=0.0, unstated=0)
    """

    calls: int = 0
    from_cassette: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    usd: float | None = 0.0
    seconds: float = 0.0
    unstated: int = 0

    @property
    def bound(self) -> str:
        """What stands before its tokens or its cost: `at most ` where not every reply stated what it took.

        Example:
            >>> f"{Usage(calls=2, tokens_in=50, unstated=1).bound}50 tokens"
            'at most 50 tokens'
        """
        return "at most " if self.unstated else ""

    def __add__(self, other: "Usage") -> "Usage":
        if not other.calls:  # most sums have one side without calls
            return self
        if not self.calls:
            return other
        return Usage(
            self.calls + other.calls,
            self.from_cassette + other.from_cassette,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.tokens_cached + other.tokens_cached,
            None if self.usd is None or other.usd is None else self.usd + other.usd,
            self.seconds + other.seconds,
            self.unstated + other.unstated,
        )

    @classmethod
    def total(cls, usages: Sequence["Usage"]) -> "Usage":
        """Adds usages up; where the cost of one is unknown, so is the total."""
        return sum(usages, cls())


NO_USAGE = Usage()
"""What nothing took."""


@dataclass(frozen=True, slots=True)
class LostCalls:
    """Calls whose reply is lost, though the provider may have worked and charged: what they took at most.

    Attributes:
        calls: How many calls.
        tokens: The most tokens that they took, in and out together.
        usd: The most that they cost; None where a price is unknown.

    Example:
        >>> LostCalls(1, 500, 0.01) + LostCalls(1, 200, None)
        LostCalls(calls=2, tokens=700, usd=None)
    """

    calls: int = 0
    tokens: int = 0
    usd: float | None = 0.0

    def __bool__(self) -> bool:
        return bool(self.calls)

    def __add__(self, other: "LostCalls") -> "LostCalls":
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        return LostCalls(self.calls + other.calls, self.tokens + other.tokens, usd)

    def __neg__(self) -> "LostCalls":
        return LostCalls(-self.calls, -self.tokens, None if self.usd is None else -self.usd)


NO_CALLS = LostCalls()


@dataclass(slots=True)
class ReplyCounts:
    """How many replies could not be used; one that was repaired without a model (fences, trailing commas) could.

    Attributes:
        questions: How many questions got a reply.
        unparsable: How many first replies could not be used.
    """

    questions: int = 0
    unparsable: int = 0


_usages: ContextVar[list[Usage] | None] = ContextVar("usages", default=None)


class meter_usage:  # noqa: N801 -- read as the function that `contextmanager` makes, of which it is a quicker form
    """Collects the usage of every reply within, those of tasks that begin there too.

    It counts also where measuring fails and nobody is left to hand the usage on.

    Example:
        >>> with meter_usage() as usages:
        ...     count_usage(Usage(calls=1, tokens_in=20))
        >>> Usage.total(usages).tokens_in
        20
    """

    def __enter__(self) -> list[Usage]:
        self._measured: list[Usage] = []
        self._token = _usages.set(self._measured)
        return self._measured

    def __exit__(self, *_: object) -> None:
        _usages.reset(self._token)
        if self._measured and (outer := _usages.get()) is not None:  # what is measured around this counts them too
            outer.extend(self._measured)


def count_usage(usage: Usage) -> None:
    """Adds what a reply took to the meter of this task, if there is one."""
    if (usages := _usages.get()) is not None and usage.calls:
        usages += [usage]
