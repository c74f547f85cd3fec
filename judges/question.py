"""What goes to a judge and what comes back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pydantic import BaseModel

from ..prompts import BUNDLED, Message, Prompt, Prompts

T = TypeVar("T", bound=BaseModel)

# The alternatives at one place of a reply, the one that was said first: token -> natural logarithm of its probability.
Alternatives = Mapping[str, float]


class Choice(BaseModel):
    """The reply to a question that offers words to choose from."""

    word: str


class PlainText(BaseModel):
    """The reply to a question that asks for no shape: whatever the judge says. A bad one is not asked again."""

    text: str


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """One thing asked of a judge.

    `user` is the rendered user part of `prompt`; `schema` the shape of the reply. With `options` the reply is one of
    these words (one token is generated) and `schema` is `Choice`. `logprobs` asks for the alternatives at each place,
    where the judge offers them. `follow_up` continues the conversation after a reply that could not be used; `prompts`
    has the words for it.
    """

    prompt: Prompt
    user: str
    schema: type[T]
    sample: str = ""
    options: tuple[str, ...] = ()
    logprobs: bool = False
    max_tokens: int | None = None
    follow_up: tuple[Message, ...] = ()
    prompts: Prompts = BUNDLED

    @property
    def messages(self) -> list[Message]:
        """The whole conversation as sent."""
        return [*self.prompt.messages(self.user), *self.follow_up]

    def again(self, said: str, error: str, max_tokens: int | None) -> "Question[T]":
        """The same question, asked once more after a reply that could not be used."""
        fix = self.prompts.load("fix", self.prompt.language)
        follow_up = (
            Message(role="assistant", content=said[:4000] or "(nothing)"),
            Message(role="user", content=fix.render({"error": error})),
        )
        return replace(self, follow_up=(*self.follow_up, *follow_up), max_tokens=max_tokens)


@dataclass(frozen=True, slots=True)
class Usage:
    """What replies took. `usd` is None when the price is unknown (never 0 for that); seconds are the calls' own."""

    calls: int = 0
    from_cassette: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    usd: float | None = 0.0
    seconds: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        if not other.calls:  # nothing was taken: most sums have one such side
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
        )

    @classmethod
    def total(cls, usages: Sequence["Usage"]) -> "Usage":
        """The sum; unknown cost of one makes the sum unknown."""
        return sum(usages, cls())


@dataclass(slots=True)
class ReplyCounts:
    """How many questions got a reply, how many first replies could not be used, and how many had none to use at last.

    A reply that was repaired without a model (fences, trailing commas) could be used.
    """

    questions: int = 0
    unparsable: int = 0
    lost: int = 0


@dataclass(frozen=True, slots=True)
class RawReply:
    """What a model said, before anything was made of it: what cassettes and runs keep.

    `logprobs` has the alternatives for each generated token, or is None where none were asked for or offered.
    """

    model: str
    text: str
    finish_reason: str = "stop"
    logprobs: tuple[Alternatives, ...] | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    usd: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """A judge's usable reply: the parsed value, the raw text, and what all of its calls took."""

    value: T
    raw: RawReply
    usage: Usage
    from_cassette: bool
