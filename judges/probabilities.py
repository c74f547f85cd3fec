"""What a judge's words could have been instead, and how probable it found each."""

import math
import re
from collections.abc import Sequence

from .question import Alternatives, RawReply

_WORD = re.compile(r"\w+")


def option_probabilities(reply: RawReply, options: Sequence[str]) -> dict[str, float]:
    """P(option) for a one-word reply, summing to 1 over the options.

    From the alternatives to the first token, variants in case and spacing (" yes", "Yes") added up, and tokens that
    only one option begins with ("N" of "Nee"). Where no alternative is an option, or the judge told none, the word that
    it said has probability 1. All 0 when it said no option.
    """
    shares = _shares(reply.logprobs[0], options) if reply.logprobs else {}
    if not shares and (said := option_said(reply.text, options)):
        shares = {said: 1.0}
    total = sum(shares.values()) or 1.0
    return {option: shares.get(option, 0.0) / total for option in options}


def option_said(text: str, options: Sequence[str]) -> str | None:
    """The option that a text begins with, or the only one that begins with it; None where there is none."""
    word = _WORD.search(text)
    said = word[0].casefold() if word else ""
    meant = [option for option in options if said and option.casefold().startswith(said)]
    return meant[0] if len(meant) == 1 else None


def expected_value(alternatives: Alternatives, values: Sequence[int]) -> float | None:
    """The mean of the numbers that could have stood in a place, by their probability; None where none is among them."""
    shares = _shares(alternatives, [str(value) for value in values])
    total = sum(shares.values())
    return sum(int(text) * share for text, share in shares.items()) / total if total else None


def _shares(alternatives: Alternatives, options: Sequence[str]) -> dict[str, float]:
    shares: dict[str, float] = {}
    for token, logprob in alternatives.items():
        if option := option_said(token, options):
            shares[option] = shares.get(option, 0.0) + math.exp(logprob)
    return shares
