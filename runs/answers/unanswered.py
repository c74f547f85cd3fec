"""Answers that give nothing: empty ones, and refusals."""

from typing import Literal

from ...eval_sets import Sample
from ...languages import language_or_fallback
from ...metrics.declined import is_refusal


def unanswered_kind(sample: Sample) -> Literal["", "empty", "refused"]:
    """Returns whether the answer is empty or a refusal; "" where it is neither.

    Example:
        >>> unanswered_kind(Sample(id="1", user_input="How?", response=" ")), unanswered_kind(
        ...     Sample(id="2", user_input="How?", response="Sorry, I cannot help.", language="en")
        ... )
        ('empty', 'refused')
    """
    if not sample.response.strip():
        return "empty"
    return "refused" if is_refusal(sample.response, language_or_fallback(sample.language)) else ""
