"""Text under test is data: it may not close its delimiter, open another, or hide words from a reader."""

import re
from string import ascii_letters

# A `<` that could begin a tag of ours, of HTML or of a chat template (`</answer>`, `<|im_end|>`, `<s>`), Llama's
# `[INST]`, and what no reader sees: control characters, zero-width and bidirectional marks, selectors, fillers
# of Hangul, Khmer and Mongolian, and Unicode tags.
_TAG = re.compile(r"<(?=[/|!?a-zA-Z_])|\[(?=/?INST\])")
UNSEEN = (
    "\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u2069\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e01ef"
)  # as the inside of a character class
_UNSEEN = re.compile(f"[{UNSEEN}]")
SEEN_WORD = re.compile(rf"[^\W{UNSEEN}]")
"""A character of a word that a reader sees: fillers are letters to Unicode."""
SEEN_LETTERS = frozenset(ascii_letters)
"""Those that nearly all texts begin with: quicker to look up."""
_UNSEEN_ASCII = bytes(code for code in range(128) if _UNSEEN.match(chr(code)))
_LOOK_ALIKES = {"<": "‹", "[": "❲"}
_BACK = str.maketrans({look_alike: real for real, look_alike in _LOOK_ALIKES.items()})


def neutralise(text: str) -> str:
    """Makes a text safe for a prompt: removes unseen characters, and turns every `<` that could begin a tag into `‹`.

    Reads the same to a person. Neither a tag nor a chat template's token can come out of it.
    """
    text = without_unseen(text)
    return _TAG.sub(lambda match: _LOOK_ALIKES[match[0]], text) if "<" in text or "INST]" in text else text


def original_characters(text: str) -> str:
    """Undoes `neutralise` for a quote that a judge copied, as far as it can be undone (the unseen stays removed)."""
    return text.translate(_BACK)


def without_unseen(text: str) -> str:
    """Removes control characters and the marks, selectors, fillers and tags that no reader sees."""
    if text.isascii():  # five times as fast: most texts, and every question and quote comes by here
        return text if text.isprintable() else text.encode().translate(None, _UNSEEN_ASCII).decode()
    return _UNSEEN.sub("", text)
