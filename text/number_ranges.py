"""Texts that differ only in how much: one text with a range in place of each number."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

_NUMBER = re.compile(r"(?<![\w.,@#/:-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w@/-]|[.,]\d)")
_QUANTITY = re.compile(
    _NUMBER.pattern + r" ?(?:%|(?:tokens?|characters?|bytes?|words?|sentences?|claims?|calls?|times?|s|ms|seconds?)\b)"
)
_LONGEST_NAME = 20
_NAME = re.compile(r"\b(?:status|code|http|error|line|port|version|sample)\W*$", re.IGNORECASE)


def join_ranges(counts: Mapping[str, int]) -> Counter[str]:
    """Counts texts that differ only in their numbers as one, which says from where to where they go.

    Numbers count as quantities only where the text states one with its unit (`4,412 tokens`); a number that names
    something, as in `status 503`, and one within a word or an address keep texts apart.

    Example:
        >>> join_ranges({"needs 4,412 tokens, holds 4,096": 2, "needs 5,020 tokens, holds 4,096": 1, "status 503": 1})
        Counter({'needs 4,412 to 5,020 tokens, holds 4,096': 3, 'status 503': 1})
    """
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for text in counts:
        alike[tuple(_split(text)[::2])].append(text)
    joined: Counter[str] = Counter()
    for texts in alike.values():
        joined[_with_ranges(texts)] += sum(counts[text] for text in texts)
    return joined


def _split(text: str) -> list[str]:
    """What stands between the quantities of a text, and at the odd places the quantities."""
    parts, end = [], 0
    for number in _NUMBER.finditer(text) if _QUANTITY.search(text) else ():
        if not _NAME.search(text[max(0, number.start() - _LONGEST_NAME) : number.start()]):
            parts += [text[end : number.start()], number.group()]
            end = number.end()
    return [*parts, text[end:]]


def _with_ranges(texts: Sequence[str]) -> str:
    """The texts as one; they have as many quantities, and the same between them."""
    parts = list(map(_split, texts))
    joined = list(parts[0])
    for place in range(1, len(joined), 2):
        numbers = sorted({of_text[place] for of_text in parts}, key=lambda number: float(number.replace(",", "")))
        joined[place] = numbers[0] if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    return "".join(joined)
