"""The words of counts and places in sentences."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..untrusted import without_unseen

_ENDS_IN_Y = re.compile("(?<=[^aeiou])y$")


def count_of(count: float, noun: str, plural: str = "") -> str:
    """Returns a count with its noun, in the number that it has.

    Examples:
        >>> count_of(1, "answer"), count_of(0, "answer"), count_of(1200, "rated answer")
        ('1 answer', '0 answers', '1,200 rated answers')
        >>> count_of(2, "reply"), count_of(3, "set of answers", "sets of answers")
        ('2 replies', '3 sets of answers')
        >>> count_of(2.5, "second"), count_of(1, "answer is", "answers are")
        ('2.5 seconds', '1 answer is')
    """
    if count == 1:
        return f"1 {noun}"
    ending = "es" if noun.endswith(("s", "x", "ch", "sh")) else "s"
    shown = f"{count:,.0f}" if count == int(count) else f"{count:,}"
    return f"{shown} {plural or _ENDS_IN_Y.sub('ie', noun) + ending}"


def verb_of(count: float, singular: str, plural: str) -> str:
    """Returns the form of a verb, or of another word, that agrees with a count elsewhere in the sentence.

    Examples:
        >>> f"1 of {count_of(3, 'answer')} {verb_of(1, 'is', 'are')} missing"
        '1 of 3 answers is missing'
    """
    return singular if count == 1 else plural


def list_first(parts: Sequence[str], most: int = 10) -> str:
    """Returns the first parts with commas, and how many more there are.

    Example:
        >>> list_first(["B2", "B3", "B4"], 2)
        'B2, B3 and 1 more'
    """
    more = len(parts) - most
    return ", ".join(parts[:most]) + (f" and {more:,} more" if more > 0 else "")


def quote_place(claim: Mapping[str, Any]) -> str:
    """Says where the quote of a claim stands, as the evidence of a score has it; contexts and turns count from 0.

    Examples:
        >>> quote_place({"place": {"context": 0, "start": 3, "end": 7}})
        'context 0, 3-7'
        >>> quote_place({"place": None, "document": {"kind": "tool result", "turn": 5}})
        'tool result, turn 5'
        >>> quote_place({"document": {"kind": "customer", "turn": 3}}), quote_place({"place": None})
        ('the customer, turn 3', 'not in the context')
    """
    place, document = claim.get("place"), claim.get("document")
    if isinstance(place, Mapping) and all(type(place.get(key)) is int for key in ("context", "start", "end")):
        return f"context {place['context']}, {place['start']}-{place['end']}"
    kind, turn = (document.get("kind"), document.get("turn")) if isinstance(document, Mapping) else (None, None)
    words = " ".join(without_unseen(kind).split())[:40] if isinstance(kind, str) else ""
    if not words:
        return "not in the context"
    words = "the customer" if words == "customer" else words
    return f"{words}, turn {turn}" if type(turn) is int and turn >= 0 else words
