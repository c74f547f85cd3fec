"""Where a text is cut: an answer into sentences, a sentence into clauses, a clause from the cause after it."""

import re
from collections.abc import Iterator
from functools import cache

from ....languages import load_language
from ....text.numbers import known_unit
from ....text.sentences import claiming_sentences
from ..lexicon import Lexicon, any_of, lexicon
from ..times.calendar_times import ordinal_of

_AFTER_UNIT = re.compile(r"(?P<amount>\d\s?[^\W\d]{1,5}\.)\s+(?=(?P<after>[A-ZÀ-Þ]\w*))")
_JOINED = re.compile(r"\b([^\W\d_]+)-(?=[^\W\d_])")  # "second-highest", "second-quarter"


def claims_of(text: str, language: str) -> list[str]:
    """The sentences of an answer that claim something; one may end in a unit ("21 ms. The next day ...")."""

    def broken(match: re.Match[str]) -> str:
        return match[0] if known_unit(match["after"]) else f"{match['amount']}\n"  # whole: "12,4 Mio. Euro"

    sentences = claiming_sentences(text, load_language(language))
    return [part for sentence in sentences for part in _AFTER_UNIT.sub(broken, sentence).split("\n")]


def plain_text(text: str, language: str) -> str:
    """The text with the signs that only look different made the same: spaces, quotes, dashes."""
    text = re.sub(r"[\u2018\u2019]", "'", text).replace(" , ", ", ")
    text = re.sub(r"(?<=\w)[–—](?=\w)", "-", text)
    text = _JOINED.sub(lambda joined: f"{joined[1]} " if ordinal_of(joined[1], language) else joined[0], text)
    return re.sub(r"[*_`]{1,3}(?=\S)|(?<=\S)[*`]{1,3}", "", text)


def without_cause(text: str, words: Lexicon) -> tuple[str, bool]:
    """The sentence without the part that names a cause, and whether there was one."""
    cause = words.kinds["cause"].search(text)
    if cause is None:
        return text, False
    before, after = text[: cause.start()].rstrip(" ,;"), text[cause.end() :]
    if len(before.split()) >= 3:
        return before, True
    rest = after.partition(",")[2].strip()
    return rest, True


@cache
def _joints(language: str) -> re.Pattern[str]:
    """Where a sentence may be cut: at words that join clauses, at brackets, colons and dashes."""
    joins = any_of(lexicon(language).data["joins"])
    after_comma = any_of(lexicon(language).data["joins_after_comma"])
    return re.compile(
        rf"(?:,\s*(?:{joins}|{after_comma})\b|;|:(?=\s)|,(?=\s)|\s\(|\s[–—-]+(?=\s)|\s(?:{joins})(?=\s))\s*",
        re.IGNORECASE,
    )


def splits(text: str, words: Lexicon) -> Iterator[tuple[str, str]]:
    """The two parts at each place where a sentence may be cut."""
    for joint in _joints(words.language).finditer(text):
        left, right = text[: joint.start()].strip(), text[joint.end() :].strip()
        if joint[0].strip() == "(":
            right = re.sub(r"\)(?=\W*$)", "", right)
        if left and right:
            yield left, right
