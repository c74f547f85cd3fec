"""What goes to a judge and what comes back: questions and replies."""

import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Generic, Literal, NamedTuple, NoReturn, Protocol, TypeVar

from pydantic import BaseModel

from ..prompts import BUNDLED, Prompt, PromptMessage, Prompts
from .usage import Usage

T = TypeVar("T")

Alternatives = Mapping[str, float]
"""The tokens that could have stood at one place of a reply, the one that stands there first, each with the natural
logarithm of its probability."""

MOST_USD = 1e12
"""What no reply costs: the longest one at the highest price that settings can name costs less."""

_MOST_QUOTED = 4000  # characters of an unusable reply that the judge is shown again


class Choice(BaseModel):
    """The reply to a question that offers words to choose from."""

    word: str


class PlainText(BaseModel):
    """The reply to a question that asks for no shape: whatever the judge says. A bad one is not asked again."""

    text: str


@cache
def strict_schema(model: Hashable) -> dict[str, Any]:
    """Returns the JSON schema of a reply's model in its strict form: every property is required, no other is allowed.

    Example:
        >>> schema = strict_schema(Choice)
        >>> schema["required"], schema["additionalProperties"]
        (['word'], False)
    """
    schema: dict[str, Any] = model.model_json_schema()  # type: ignore[attr-defined]
    for part in [schema, *schema.get("$defs", {}).values()]:
        if part.get("type") == "object":
            part["required"] = list(part.get("properties", {}))
            part["additionalProperties"] = False
    return schema


@cache
def schema_text(model: Hashable) -> str:
    """Returns the strict JSON schema of a reply's model as JSON."""
    return json.dumps(strict_schema(model))


class Support(NamedTuple):
    """What an entailment model is asked: whether any of the passages supports each of the claims."""

    passages: tuple[str, ...]
    claims: tuple[tuple[str, str], ...]  # each with its id


@dataclass(slots=True, unsafe_hash=True)  # not frozen, which takes three times as long to make
class Question(Generic[T]):
    """One thing asked of a judge.

    Attributes:
        prompt: The prompt.
        user: Its user part, rendered.
        schema: The shape of the reply; `Choice` with options.
        sample: The id of the sample that it is about, for messages.
        options: The words that the reply is one of; one token is generated. Empty for a reply of another shape.
        logprobs: Whether to ask for the alternatives at each place of the reply, where the judge gives them.
        max_tokens: The longest reply, in tokens; None for the judge's own setting.
        protocol: Whom it is for: a chat model, a decision model by one of two protocols, or an entailment model.
        body: What a decision model is sent in place of a user part.
        corrections: Whether a reply that could not be used is asked for once more.
        follow_up: How the conversation goes on after a reply that could not be used.
        prompts: Where the words of that follow-up come from.
        support: What an entailment model reads.
        read: How its transport reads the reply; None for a reply that is read by its schema or options alone.
    """

    prompt: Prompt
    user: str
    schema: type[T]
    sample: str = ""
    options: tuple[str, ...] = ()
    logprobs: bool = False
    max_tokens: int | None = None
    protocol: Literal["chat", "decisions", "systemone", "entail"] = "chat"
    corrections: bool = True
    follow_up: tuple[PromptMessage, ...] = ()
    prompts: Prompts = BUNDLED
    support: Support | None = None
    body: Mapping[str, Any] | None = None
    read: Callable[["RawReply"], T] | None = field(default=None, compare=False, repr=False)

    @property
    def asked(self) -> str:
        """What is asked, as a text: the user part, or the body as JSON."""
        return self.user if self.body is None else json.dumps(self.body, ensure_ascii=False)

    @property
    def messages(self) -> list[PromptMessage]:
        """The whole conversation, as sent."""
        return [*self.prompt.messages(self.asked), *self.follow_up]

    def with_correction(self, reply: str, error: str, max_tokens: int | None) -> "Question[T]":
        """Returns this question for a second asking; the body of a decision model, which is no conversation, says why.

        Args:
            reply: The text of the reply that could not be used.
            error: Why it could not.
            max_tokens: The longest reply to the second asking.
        """
        fix = self.prompts.load("fix_word" if self.options else "fix", self.prompt.language)
        fields = {"error": error} | ({"words": ", ".join(self.options)} if self.options else {})
        said, body = fix.render(fields), dict(self.body or {})
        follow_up = (
            PromptMessage(role="assistant", content=reply[:_MOST_QUOTED] or "(nothing)"),
            PromptMessage(role="user", content=said),
        )
        if "input" in body:
            body["input"] += f"\n{said}"
        elif body:
            body["state"] = {**body["state"], "correction": said}
        return replace(self, follow_up=(*self.follow_up, *follow_up), body=body or None, max_tokens=max_tokens)


@dataclass(slots=True, unsafe_hash=True)  # not frozen, which takes three times as long to make
class RawReply:
    """What a model said, before anything was made of it: what cassettes and runs keep.

    Attributes:
        model: The judge's name.
        text: What it said.
        finish_reason: Why it ended, in the provider's words: `stop`, `length`, `content_filter`.
        logprobs: The alternatives to each token; None where none were asked for or given.
        tokens_in: Tokens of the prompt.
        tokens_out: Tokens of the reply.
        tokens_cached: Those of the prompt that the provider had in its cache.
        usd: The cost; None where it is unknown.
        seconds: The duration of the call.
        is_unstated: Whether the provider did not state what it took: then its tokens and its
            cost are the most that they may be.
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
    is_unstated: bool = False


@dataclass(slots=True, unsafe_hash=True)  # not frozen, which takes three times as long to make
class Reply(Generic[T]):
    """A judge's usable reply.

    Attributes:
        value: The parsed reply.
        raw: What the model said.
        usage: What all calls for it took.
        from_cassette: Whether all of it was replayed.
        corrected: Whether it is the reply to a second asking, which named what was wrong with the first.
    """

    value: T
    raw: RawReply
    usage: Usage
    from_cassette: bool
    corrected: bool = False


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
        """
        ...

    def has_collected(self, key: str) -> bool:
        """Whether the reply of this key came in this way: it is new, though it is read from the cassette."""
        ...
