"""A text as words: what the cheap baselines count."""

import re
import unicodedata
from functools import cache, lru_cache

_WORDS = re.compile(r"\w+")
_FIRST_MARK = "\u0300"  # before it no character is a mark that is part of a word, or stands in a text without spaces
# of scripts that put no spaces between words: Thai, Lao, Burmese, Khmer, kana and Chinese characters
_UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff"
)
_LONG = 20_000  # characters: texts beyond are not remembered, so that a few huge ones take no memory


def tokens(text: str) -> tuple[str, ...]:
    """Splits a text into its words and numbers, case folded, in order; where no spaces part words, into characters.

    Example:
        >>> tokens("Click Run, then wait."), tokens("退款要10天。"), tokens("शुल्क है।")
        (('click', 'run', 'then', 'wait'), ('退', '款', '要', '10', '天'), ('शुल्क', 'है'))
    """
    return _remembered(text) if len(text) < _LONG else split_tokens(text)


def split_tokens(text: str) -> tuple[str, ...]:
    """Splits a text as `tokens` does, and does not remember it."""
    folded = text.casefold()
    is_plain = folded.isascii() or max(folded, default="") < _FIRST_MARK
    return tuple((_WORDS if is_plain else _words_and_marks()).findall(folded))


@cache
def _words_and_marks() -> re.Pattern[str]:
    """Words with the marks that are part of them, such as the vowels of Hindi, and characters of unspaced scripts."""
    marks = "".join(chr(code) for code in range(ord(_FIRST_MARK), 0xFE30) if unicodedata.category(chr(code))[0] == "M")
    return re.compile(rf"[{_UNSPACED}](?<=\w)[{marks}]*|(?:(?![{_UNSPACED}])\w[{marks}]*)+")


# A sample's baselines come one after another, all with the same texts.
_remembered = lru_cache(maxsize=64)(split_tokens)
