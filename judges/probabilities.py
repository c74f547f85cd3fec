"""How probable a judge found its words, from the log probabilities that it gives."""

import math
import re
from collections.abc import Sequence

from ..errors import ReplyError
from .question import Alternatives, RawReply

_WORD = re.compile(r"\w+")
_ROUNDING = 0.01  # a certain word may come out as slightly more than certain


def check_log_probabilities(reply: RawReply) -> None:
    """Checks that a reply's log probabilities are logarithms of probabilities.

    Raises:
        ReplyError: One is above 0, infinite, or not a number.
    """
    for place in reply.logprobs or ():
        for token, logprob in place.items():
            if not is_log_probability(logprob):
                raise ReplyError(f"the log probability of {token[:20]!r} is {logprob}, which is impossible", reply.text)


def is_log_probability(value: float) -> bool:
    """Whether a number is the logarithm of a probability above 0.

    >>> [is_log_probability(value) for value in (-0.7, 0.0, 0.7, float("nan"), float("-inf"))]
    [True, True, False, False, False]
    """
    return math.isfinite(value) and value <= _ROUNDING


def option_probabilities(reply: RawReply, options: Sequence[str]) -> dict[str, float] | None:
    """Computes P(option) for a one-word reply from the alternatives to its first token.

    Variants in case and spacing (" yes", "Yes") add up, and so do tokens that begin one option alone ("N" of "Nee").

    Args:
        reply: What the judge said, with the alternatives where it gives them.
        options: The words that it could choose from.

    Returns:
        Probabilities that sum to 1 over the options; None where the judge gave none for any option: then its word
        alone is known (`option_said`).

    Raises:
        ReplyError: The log probabilities are impossible, or the probabilities of the options sum to nothing.

    >>> place = {"Yes": math.log(0.6), " yes": math.log(0.2), "No": math.log(0.2)}
    >>> option_probabilities(RawReply("m", "Yes", logprobs=(place,)), ("Yes", "No"))
    {'Yes': 0.8, 'No': 0.2}
    """
    check_log_probabilities(reply)
    shares = _shares(reply.logprobs[0], options) if reply.logprobs else {}
    if not shares:
        return None
    total = sum(shares.values())
    if not total:
        raise ReplyError(f"the probabilities of {', '.join(shares)} sum to nothing", reply.text)
    return {option: shares.get(option, 0.0) / total for option in options}


def chosen_option(reply: RawReply, options: Sequence[str]) -> str | None:
    """Returns the most probable option; without probabilities the one that the judge said; None where it said none.

    Raises:
        ReplyError: As `option_probabilities`.
    """
    probabilities = option_probabilities(reply, options)
    if probabilities is None:
        return option_said(reply.text, options)
    return max(probabilities, key=probabilities.__getitem__)


def option_said(text: str, options: Sequence[str]) -> str | None:
    """Returns the option that a text begins with, or the only one that begins with it; None where there is none.

    >>> option_said("**No**, it does not", ("Yes", "No")), option_said("N", ("No", "Never"))
    ('No', None)
    """
    match = _WORD.search(text)
    word = match[0].casefold() if match else ""
    meant = [option for option in options if word and option.casefold().startswith(word)]
    return meant[0] if len(meant) == 1 else None


def expected_value(alternatives: Alternatives, values: Sequence[int]) -> float | None:
    """Computes the mean of the numbers that could have stood in a place, weighted by their probabilities.

    Args:
        alternatives: The log probabilities of the tokens at this place.
        values: The numbers that count.

    Returns:
        The mean; None where no number has a probability.
    """
    shares = _shares(alternatives, [str(value) for value in values])
    total = sum(shares.values())
    return sum(int(text) * share for text, share in shares.items()) / total if total else None


def _shares(alternatives: Alternatives, options: Sequence[str]) -> dict[str, float]:
    shares: dict[str, float] = {}
    for token, logprob in alternatives.items():
        if option := option_said(token, options):
            shares[option] = shares.get(option, 0.0) + math.exp(logprob)
    return shares
