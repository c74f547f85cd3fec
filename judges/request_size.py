"""The size of a request before it is made: tokens of the prompt, and the most that the reply may take."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from .entailment import most_tokens_in
from .question import PlainText, Question, schema_text
from .settings import JudgeSettings, Price

_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_CHARACTERS_PER_TOKEN = 3.5  # of English and Dutch; one token per character beyond ASCII
_TOKENS_PER_TEXT = 8  # what a chat template puts around it
# What a count of tokens can be: one token seldom holds more than 32 bytes; templates and a provider's own instructions,
# which the request does not have, seldom more than a thousand tokens.
_MOST_BYTES_PER_TOKEN = 32
_MOST_HIDDEN = 1000
_MOST_TOKENS_OUT = 10_000_000  # of a reply: reasoning that nobody sees may pass `max_tokens`, and is charged


@dataclass(frozen=True, slots=True)
class RequestSize:
    """What one request may take."""

    tokens_in: int
    tokens_out: int = 0  # the most tokens of the reply (`max_tokens`)
    price: Price | None = None  # USD per million tokens; None where it is unknown
    bytes_in: int = 0  # bytes of the prompt's messages in UTF-8, which bound what a provider can count in them
    most_in: int = 0  # the most tokens of the prompt: one per byte, which no tokenizer passes

    @classmethod
    def of_texts(cls, texts: Sequence[str], tokens_out: int = 0, price: Price | None = None) -> "RequestSize":
        """The size of a request with these texts, and a few tokens around each."""
        around = len(texts) * _TOKENS_PER_TEXT
        size = count_bytes(texts)
        return cls(estimate_tokens(texts) + around, tokens_out, price, size, size + around)

    def can_take_in(self, tokens: object) -> TypeGuard[int]:
        """Whether a number that a provider states can be the tokens of the prompt.

        Example:
            >>> size = RequestSize.of_texts(["a word " * 100])  # 700 bytes, and 8 + 1000 tokens around them
            >>> [size.can_take_in(tokens) for tokens in (21, 22, 1708, 1709)]
            [False, True, True, False]
        """
        return is_plausible_count(tokens, self.bytes_in, self.most_in + _MOST_HIDDEN)


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
    bytes_in = count_bytes(texts)
    schema: Any = question.schema
    if not question.options and schema is not PlainText:
        texts.append(schema_text(schema))  # sent with the messages, or as a part of them
    if question.support is not None:
        return replace(RequestSize.of_texts(texts, 0, price), most_in=most_tokens_in(question.support))
    most = question.max_tokens or (1 if question.options else settings.max_tokens)
    return replace(RequestSize.of_texts(texts, most, price), bytes_in=bytes_in)


def can_take_out(tokens: object, reply: str) -> TypeGuard[int]:
    """Whether a number that a provider states can be the tokens of a reply, with reasoning that nobody sees.

    Example:
        >>> [can_take_out(tokens, "Yes.") for tokens in (0, 1, 5000, 10**15)]
        [False, True, True, False]
    """
    return is_plausible_count(tokens, count_bytes([reply]), _MOST_TOKENS_OUT)


def most_tokens(reply: str, size: RequestSize) -> int:
    """Returns the most tokens that a reply took whose provider does not say.

    Example:
        >>> most_tokens("Yes.", RequestSize(tokens_in=20, tokens_out=100))
        100
    """
    return max(size.tokens_out, estimate_tokens([reply]))


def is_plausible_count(tokens: object, size: int, most: float = math.inf) -> TypeGuard[int]:
    """Whether a number that a provider states can be the tokens of so many bytes of text.

    Example:
        >>> is_plausible_count(250, 700), is_plausible_count(1, 700), is_plausible_count(250, 700, most=200)
        (True, False, False)
    """
    fewest = math.ceil(size / _MOST_BYTES_PER_TOKEN)
    return isinstance(tokens, int) and not isinstance(tokens, bool) and fewest <= tokens <= most


def count_bytes(texts: Iterable[str]) -> int:
    """Returns how many bytes texts have in UTF-8: the most tokens that a tokenizer can make of them."""
    return len("".join(texts).encode("utf-8", "surrogatepass"))
