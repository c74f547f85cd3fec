"""A reply that is a whole text, about as long as one that the judge was shown: a translation, another wording."""

from typing import Annotated

from pydantic import AfterValidator, ValidationInfo

_SPARE_TOKENS = 200


def _says_something(said: str, info: ValidationInfo) -> str:
    if not said.strip():
        raise ValueError(f"the {info.field_name} is empty")
    return said


# of a text with words: the reply has some too
WholeText = Annotated[str, AfterValidator(_says_something)]


def room_for(text: str) -> int:
    """`max_tokens` for a reply about as long as a text: a token is seldom less than two characters."""
    return _SPARE_TOKENS + len(text) // 2
