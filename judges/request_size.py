"""The size of a request before it is made: tokens of the prompt, and the most that the reply may take."""

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from pydantic import BaseModel

from .key import strict_schema
from .question import PlainText, Question
from .settings import JudgeSettings, Price

_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_CHARACTERS_PER_TOKEN = 3.5  # of English and Dutch; one token per character beyond ASCII
_TOKENS_PER_TEXT = 8  # what a chat template puts around it
# What a count of tokens can be: one token seldom holds more than 32 bytes, and no model reads ten million tokens.
_MOST_BYTES_PER_TOKEN = 32
_MOST_TOKENS = 10_000_000


@dataclass(frozen=True, slots=True)
class RequestSize:
    """What one request may take.

    Attributes:
        tokens_in: Estimated tokens of the prompt.
        tokens_out: The most tokens of the reply (`max_tokens`).
        price: USD per million tokens; None where it is unknown.
        bytes_in: Bytes of the prompt's messages in UTF-8, which bound what a provider can count in them.
        most_in: The most tokens of the prompt: one per byte, which no tokenizer passes.
    """

    tokens_in: int
    tokens_out: int = 0
    price: Price | None = None
    bytes_in: int = 0
    most_in: int = 0

    @classmethod
    def of_texts(cls, texts: Sequence[str], tokens_out: int = 0, price: Price | None = None) -> "RequestSize":
        """The size of a request with these texts, and a few tokens around each."""
        around = len(texts) * _TOKENS_PER_TEXT
        size = count_bytes(texts)
        return cls(estimate_tokens(texts) + around, tokens_out, price, size, size + around)


def estimate_tokens(texts: Iterable[str]) -> int:
    """Estimates the tokens of texts without a tokenizer (some tokenizers have to be downloaded first).

    Example:
        >>> estimate_tokens(["How do I save my work?"])  # 22 / 3.5 = 6.3
        7
    """
    tokens = 0.0
    for text in texts:
        others = sum(map(len, _NOT_ASCII.findall(text)))
        tokens += (len(text) - others) / _CHARACTERS_PER_TOKEN + others
    return math.ceil(tokens)


def measure_question(question: Question[Any], settings: JudgeSettings, price: Price | None) -> RequestSize:
    """Returns what asking a question may take.

    Args:
        question: What is asked.
        settings: The judge's; a question without `max_tokens` has those of the judge.
        price: What the judge costs; None where it is unknown.
    """
    texts = [message["content"] for message in question.messages]
    bytes_in = count_bytes(texts)
    schema: type[BaseModel] = question.schema
    if not question.options and schema is not PlainText:
        texts.append(json.dumps(strict_schema(schema)))  # sent with the messages, or as a part of them
    most = question.max_tokens or (1 if question.options else settings.max_tokens)
    return replace(RequestSize.of_texts(texts, most, price), bytes_in=bytes_in)


def most_tokens(reply: str, size: RequestSize) -> int:
    """Returns the most tokens that a reply took whose provider does not say.

    Args:
        reply: Its text; hidden reasoning may have gone before it, within `max_tokens`.
        size: That of the request.

    Example:
        >>> most_tokens("Yes.", RequestSize(tokens_in=20, tokens_out=100))
        100
    """
    return max(size.tokens_out, estimate_tokens([reply]))


def is_plausible_count(tokens: object, texts: Iterable[str]) -> TypeGuard[int]:
    """Whether a number that a provider states can be the tokens of these texts.

    Args:
        tokens: The provider's number. It may be larger than the texts: templates, tools and hidden reasoning count too.
        texts: The texts that it is about.

    Example:
        >>> is_plausible_count(250, ["a word " * 100]), is_plausible_count(1, ["a word " * 100])
        (True, False)
    """
    return fits_bytes(tokens, count_bytes(texts))


def fits_bytes(tokens: object, size: int) -> TypeGuard[int]:
    """Whether a number that a provider states can be the tokens of so many bytes of text (`is_plausible_count`)."""
    fewest = math.ceil(size / _MOST_BYTES_PER_TOKEN)
    return isinstance(tokens, int) and not isinstance(tokens, bool) and fewest <= tokens <= _MOST_TOKENS


def count_bytes(texts: Iterable[str]) -> int:
    """Returns how many bytes texts have in UTF-8: the most tokens that a tokenizer can make of them."""
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
