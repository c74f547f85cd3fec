"""A reply that is a text about as long as one that the judge was shown: a translation, another wording."""

from typing import Annotated

from pydantic import AfterValidator, ValidationInfo

_SPARE_TOKENS = 200
_FEWEST_CHARACTERS_PER_TOKEN = 2


def _refuse_blank(text: str, info: ValidationInfo) -> str:
    if not text.strip():
        raise ValueError(f"the {info.field_name} is empty")
    return text


TextReply = Annotated[str, AfterValidator(_refuse_blank)]
"""The field of a reply that holds such a text: a text with words has a translation with words."""


def max_tokens_for(text: str) -> int:
    """Returns the `max_tokens` of a reply that is about as long as a text.

    Example:
        >>> max_tokens_for("word " * 100)
        450
    """
    return _SPARE_TOKENS + len(text) // _FEWEST_CHARACTERS_PER_TOKEN
