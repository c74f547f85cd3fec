"""What a sentence of an answer is: the one place that decides which sentences claim nothing."""

import re
from collections.abc import Iterable
from functools import cache

from ..languages import Language

CLAIM = "claim"
"""The kind of a sentence that claims something."""
TO_JUDGE = "to_judge"
"""The kind of a sentence that speaks to whoever assesses the answer."""
YES_NO = "yes_no"
"""The kind of a yes or no that stands alone; it claims something where nothing else in the answer does."""
LEAD_IN = "lead_in"
"""The kind of a sentence that only announces what follows: "proceed as follows:"."""
SIGN_OFF = "sign_off"
"""The kind of a "Kind regards", and of the names on the lines after it."""
HEADING = "heading"
"""The kind of a heading, a table's header row, a bold label: it says what the sentences below it are about."""
_MOST_TITLE_WORDS = 8
_MOST_NAME_WORDS = 6
_SMALL_WORD = 4  # letters of a word of a name that may be in lower case: "van", "from"
_STEP = re.compile(r"(?:\w+ )?\d{1,2}\s*[.):–-]")
_BEFORE_TITLE = re.compile(r"[\W\d_]*")
_ENDED = re.compile(r"(?<!\.\.)[.!…]$")
_CLOSING_QUOTES = "\"'”’»)]"
_CLOSED = (".", "!", "?", "…", ";")
_KINDS_BY_ENDING = {"?": "question", ":": LEAD_IN}
_FEWEST_AFTER_SALUTATION = 3  # words; fewer are part of the greeting: "Hello Jan, good morning"
_FEWEST_WORDS = 4  # of a sentence that says by itself what the yes or no before it says

_CLASS_OR_SIGN = re.compile(r"\\[^xuUN\d]")  # not the escapes that stand for one letter
_ODD_LETTERS = re.compile("[ıİſ]")  # `re` takes them for i and s where case does not count; `str.lower` does not


class SentenceKinds:
    """Tells what the sentences of one language are; `load_sentence_kinds` makes one object per language.

    Args:
        language: Its pack's `sentences.yaml` has the patterns, all matched from the sentence's start.
    """

    def __init__(self, language: Language) -> None:
        pack = language.sentences
        self._idle = [(kind, any_pattern(getattr(pack, kind))) for kind in pack.idle_kinds]
        self._idle_screen = PatternScreen(pattern for kind in pack.idle_kinds for pattern in getattr(pack, kind))
        self._to_judge_screen = PatternScreen(pack.to_judge)
        self._yes_no = any_pattern(pack.yes_no)
        self._answer_word = any_pattern(pack.answer_word)
        self._refers_back = any_pattern(pack.refers_back)
        self._salutation = any_pattern(pack.salutation)
        self._states = any_pattern(pack.states)
        self._signature = any_pattern(pack.signature)
        self._step_label = any_pattern(pack.step_label)
        self._amounts = any_pattern(pack.amounts)
        self._asks = any_pattern(pack.asks)
        self._imperatives = language.words.imperatives if language.has("words") else frozenset[str]()
        self._step_words = language.words.step_words if language.has("words") else ()
        self.after_ordinal = any_pattern(pack.after_ordinal)

    def find_kind(self, sentence: str) -> str:
        """Finds what a sentence is: `claim`, `yes_no`, or why it states nothing.

        The kinds of the pack are tried in its order (`greeting`, `thanks`, ..., `to_judge`); then come a question and a
        lead-in.
        """
        if self._idle_screen.may_match(sentence):
            for kind, pattern in self._idle:
                if pattern.match(sentence) and not (kind == SIGN_OFF and self._states.search(sentence)):
                    return kind
        kind = _KINDS_BY_ENDING.get(sentence[-1:], "")
        return kind or (YES_NO if self._yes_no.match(sentence) else CLAIM)

    def is_title(self, text: str) -> bool:
        """Whether a heading or a bold line only names a subject: beyond doubt, else it is a sentence like any other."""
        if _ENDED.search(text) or len(text.split()) > _MOST_TITLE_WORDS:
            return False
        if len(text.split()) == 1 or self._asks.match(text, _title_start(text)):
            return not any(map(str.isdigit, text))
        return not (self._states.search(text) or self._amounts.search(text))

    def is_column(self, text: str) -> bool:
        """Whether a cell of a table's first row only names a column; else the row is one of the others."""
        if _ENDED.search(text) or (any(map(str.isdigit, text)) and self._amounts.search(text)):
            return False
        is_short = len(text.split()) < _FEWEST_WORDS or text.endswith("?")
        return is_short or self._asks.match(text) is not None or self._states.search(text) is None

    def is_step(self, title: str) -> bool:
        """Whether a title is a step with its text ("Step 2: Click Save"), which may head nothing."""
        match = _STEP.match(title)
        return match is not None and bool(title[match.end() :].strip())

    def continues(self, numbered: str, text: str) -> bool:
        """Whether a text goes on after a number and a dot: "am 1." and "März", "Step 2." and "Click Save"."""
        word, _, number = numbered.lower().rstrip(".").partition(" ")
        is_label = word in self._step_words and number.isdecimal()
        return is_label or self.after_ordinal.match(text) is not None

    def is_instruction(self, text: str) -> bool:
        """Whether a text begins with a verb that tells what to do ("Click Save")."""
        return text.split(maxsplit=1)[0].lower() in self._imperatives

    def is_fragment(self, text: str) -> bool:
        """Whether a text says something only together with what stands above it ("bank transfer")."""
        return not (
            text.rstrip(_CLOSING_QUOTES).endswith(_CLOSED) or self._states.search(text) or self.is_instruction(text)
        )

    def is_name(self, text: str) -> bool:
        """Whether a line may be a name below a sign-off: a few words with capitals that state nothing."""
        names = text.rstrip(".,").split()
        if len(names) > _MOST_NAME_WORDS or any(map(str.isdigit, text)) or self._states.search(text):
            return False
        return all(name[0].isupper() or len(name) <= _SMALL_WORD for name in names) and text[-1] not in "?!:"

    def is_signature(self, text: str) -> bool:
        """Whether a line may stand below a sign-off and is no name: "The support team"."""
        return self._signature.match(text) is not None

    def is_step_label(self, text: str) -> bool:
        """Whether a line is the number of a step and nothing else: "Step 1"."""
        return self._step_label.match(text) is not None

    def end_of_salutation(self, sentence: str) -> int:
        """Where the greeting ends that a sentence begins with ("Hi Anna, you can cancel."); 0 where there is none."""
        match = self._salutation.match(sentence)
        if match is None or self.is_to_judge(sentence):  # "Dear judge, ...", all of it
            return 0
        return match.end() if len(sentence[match.end() :].split()) >= _FEWEST_AFTER_SALUTATION else 0

    def is_to_judge(self, sentence: str) -> bool:
        """Whether the kind of a sentence is `to_judge`."""
        return self._to_judge_screen.may_match(sentence) and self.find_kind(sentence) == TO_JUDGE

    def refers_back(self, sentence: str) -> bool:
        """Whether a sentence is understood by those before it alone."""
        return self._refers_back.match(sentence) is not None

    def without_answer_word(self, sentence: str) -> str:
        """A sentence without the yes or no before it, where the rest says the same by itself."""
        match = self._answer_word.match(sentence)
        if match is None:
            return sentence
        rest = sentence[match.end() :]
        return capitalized(rest) if len(rest.split()) >= _FEWEST_WORDS else sentence


def _title_start(title: str) -> int:
    """Where the words of a title begin: after its number or a picture ("1. How it works")."""
    match = _BEFORE_TITLE.match(title)
    return match.end() if match else 0


def capitalized(sentence: str) -> str:
    """A sentence with a capital, after its first words have been cut off."""
    return sentence[:1].upper() + sentence[1:]


@cache
def load_sentence_kinds(language: Language) -> SentenceKinds:
    """Returns what tells the kinds of a language's sentences."""
    return SentenceKinds(language)


class PatternScreen:
    """A quick first test of one line of text: whether any of many caseless patterns may match from its start.

    It looks for all of them at once, in the text's lower case: several times as fast as one after the other, caseless.

    Args:
        patterns: Caseless patterns, compiled.

    Example:
        >>> screen = PatternScreen([re.compile(r"hello\\b", re.I), re.compile(r".*\\bthanks\\b", re.I)])
        >>> [screen.may_match(text) for text in ("Hello there", "Many THANKS", "Open Payroll.")]
        [True, True, False]
    """

    def __init__(self, patterns: Iterable[re.Pattern[str]]) -> None:
        sources = [pattern.pattern for pattern in patterns]
        anchored = [source for source in sources if not source.startswith(".*")]
        anywhere = [source.removeprefix(".*") for source in sources if source.startswith(".*")]
        flags = re.NOFLAG if all(map(_is_lower_case, sources)) else re.IGNORECASE
        self._match = re.compile(_join(anchored), flags).match
        self._search = re.compile(_join(anywhere), flags).search

    def may_match(self, text: str) -> bool:
        """Whether one of the patterns may match; False is certain."""
        lower = text.lower()
        if self._match(lower) or self._search(lower):
            return True
        return not text.isascii() and _ODD_LETTERS.search(text) is not None


def _is_lower_case(source: str) -> bool:
    """Whether a caseless expression matches the same in a text's lower case, case observed (but for odd letters)."""
    written = _CLASS_OR_SIGN.sub("", source)
    letters = filter(str.isalpha, written)
    return "\\" not in written and all(
        letter.islower() and (letter.isascii() or "ß" <= letter <= "ÿ") for letter in letters
    )


def any_pattern(patterns: Iterable[re.Pattern[str]]) -> re.Pattern[str]:
    """Joins caseless patterns into one that matches where any of them does; none matches nothing."""
    return re.compile(_join(pattern.pattern for pattern in patterns), re.IGNORECASE)


def _join(sources: Iterable[str]) -> str:
    return "|".join(f"(?:{source})" for source in sources) or r"(?!)"
