"""What a sentence of an answer is: the one place that decides which sentences claim nothing."""

import re
from functools import cache

from ..languages import Language, language_or_fallback
from ..untrusted import without_unseen
from .pattern_screen import any_pattern
from .phrases import TO_JUDGE, IdlePhrases, SentencePhrase, straight

CLAIM = "claim"
"""The kind of a sentence that claims something."""
QUESTION = "question"
"""The kind of a sentence that only asks."""
GREETING = "greeting"
"""The kind of a greeting, and of a salutation before a claim ("Hi Anna,")."""
REFUSAL = "refusal"
"""The kind of a sentence that says that the answer is not known."""
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
_MOST_LABEL_WORDS = 4  # of a label that may have a number: "Step 2:"
_FEWEST_AFTER_SALUTATION = 3  # words; fewer are part of the greeting: "Hello Jan, good morning"
_SIGNS = ".,;:!…"
_CLAUSE = re.compile(r"[,;:]\s|\s[–—-]\s")
_VALUE = re.compile(r"^[^\W\d][^:]*\w:\s+(?:\S+\s*){1,3}$")
_FEWEST_WORDS = 4  # of a sentence that says by itself what the yes or no before it says


SentencePart = tuple[int, str, str, tuple[str, ...]]
"""A part of a sentence: where it begins, what it is (`claim`, `yes_no`, or why it states nothing), what it says, and
what was cut out of that because it speaks to whoever assesses the answer."""


class SentenceKinds:
    """Tells what the sentences of one language are; `load_sentence_kinds` makes one object per language."""

    def __init__(self, language: Language) -> None:
        pack = language.sentences
        self._phrases = load_idle_phrases(language)
        english = language_or_fallback(None)
        # English too: answers in other languages are attacked in it
        self._all_phrases = [self._phrases] if language == english else [self._phrases, load_idle_phrases(english)]
        self._yes_no = any_pattern(pack.yes_no)
        self._answer_word = any_pattern(pack.answer_word)
        self.refers_back = any_pattern(pack.refers_back)  # of a sentence that is understood by those before it alone
        self._salutation = any_pattern(pack.salutation)
        self._states = any_pattern(pack.states)
        self._signature = any_pattern(pack.signature)
        self._step_label = any_pattern(pack.step_label)
        self._amounts = any_pattern(pack.amounts)
        self._asks = any_pattern(pack.asks)
        self._asserts = any_pattern(pack.asserts)
        self._before_asking = any_pattern(pack.before_asking)
        self._splits = any_pattern(pack.splits)
        self._presumes = any_pattern(pack.presumes)
        self._unfinished = any_pattern(pack.unfinished)
        self._announces = any_pattern(pack.announces)
        self._imperatives = language.words.imperatives if language.has("words") else frozenset[str]()
        self._step_words = language.words.step_words if language.has("words") else ()
        self.after_ordinal = any_pattern(pack.after_ordinal)

    def parts(self, sentence: str, *, may_address: bool = True) -> list[SentencePart]:
        """Parts a sentence into what states nothing and what is judged: mostly one part.

        A sentence that may state something is a claim: only what states nothing beyond doubt is left out. What speaks
        to whoever assesses the answer is cut out of a claim, wherever it stands; a salutation and a refusal before a
        claim are parts of their own ("I cannot find that, but it is free").
        """
        left, cut = self.without_address(sentence) if may_address else (sentence, ())
        if not left:
            return [(0, TO_JUDGE, sentence, ())]
        idle, rest = ([], 0) if self._amounts.search(left) else self._phrases.leading(left)
        if idle and (rest == len(left) or (left.endswith("?") and self._only_asks(left[rest:]))):
            return [(0, TO_JUDGE if cut else _kind_of(idle), sentence, ())]
        if cut:
            return [(0, self._kind_by_ending(left), left, cut)]
        start = rest if idle and idle[-1].kind == REFUSAL and self._splits.search(left[idle[-1].end : rest]) else 0
        if start and len(left[start:].split()) < _FEWEST_AFTER_SALUTATION:
            start = 0
        if not start and (salutation := self._salutation.match(sentence)):  # "Hi Anna, you can cancel."
            end = salutation.end()
            start = end if len(sentence[end:].split()) >= _FEWEST_AFTER_SALUTATION else 0
        if not start:
            return [(0, self._kind_by_ending(sentence), sentence, ())]
        text = sentence[start:]
        part = (start, self._kind_by_ending(text), capitalized(text), ())
        end = idle[-1].end if idle else start
        while end < start and sentence[end] in _SIGNS:
            end += 1
        before = sentence[:end].rstrip()
        return [(0, _kind_of(idle), before, ()), part]

    def find_kind(self, sentence: str, *, may_address: bool = True) -> str:
        """What a sentence is as a whole: `claim` where any part of it claims something."""
        kinds = [kind for _, kind, _, _ in self.parts(sentence, may_address=may_address)]
        return CLAIM if CLAIM in kinds else kinds[0]

    def _kind_by_ending(self, text: str) -> str:
        ending = text[-1:]
        if ending == "?" and self._only_asks(text):
            return QUESTION
        if ending == ":":
            return LEAD_IN
        return YES_NO if self._yes_no.match(text) else CLAIM

    def _only_asks(self, question: str) -> bool:
        """Whether a question states nothing while it asks ("Did you know that it is free?" does)."""
        question = straight(question)
        if self._presumes.search(question) or self._amounts.search(question):
            return False
        has_asked = False
        for clause in _CLAUSE.split(question):
            if self._asks.match(clause, _title_start(clause)):
                has_asked = True
            elif self._may_state(clause) if has_asked else not self._before_asking.match(clause):
                return False
        return has_asked

    def only_announces(self, lead_in: str) -> bool:
        """Whether a sentence that ends with a colon says nothing without what follows it."""
        text = straight(lead_in).strip()
        if any(map(str.isdigit, text)) and len(text.split()) > _MOST_LABEL_WORDS:
            return False
        if self._announces.match(text):
            return True
        text = self._unfinished.sub("", text)
        if len(text.split()) > _MOST_LABEL_WORDS or self._may_state(text):
            return False
        return not (text.strip() and self.is_instruction(text))

    def is_title(self, text: str) -> bool:
        """Whether a heading or a bold line only names a subject: beyond doubt, else it is a sentence like any other."""
        if _ENDED.search(text) or len(text.split()) > _MOST_TITLE_WORDS or self._is_value(text):
            return False
        if len(text.split()) == 1 or self._asks.match(text, _title_start(text)):
            return not any(map(str.isdigit, text))
        return not self._may_state(text)

    def _is_value(self, text: str) -> bool:
        """Whether a title gives the value of something: "Insurance: Yes"."""
        return _VALUE.search(text) is not None and not self.is_step(text)

    def _may_state(self, text: str) -> bool:
        """Whether a few words state something, by a verb, an amount or a word such as "free"."""
        return any(pattern.search(text) for pattern in (self._states, self._amounts, self._asserts))

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

    def completes(self, item: str, lead_in: str) -> bool:
        """Whether a list item with a full stop, but no verb, ends what its lead-in begins ("You should avoid:")."""
        if not lead_in.endswith(":") or self._announces.match(straight(lead_in)):
            return False
        return not (self._may_state(item) or self.is_instruction(item))

    def is_name(self, text: str) -> bool:
        """Whether a line may be a name below a sign-off: a few words with capitals that state nothing."""
        names = text.rstrip(".,").split()
        if len(names) > _MOST_NAME_WORDS or any(map(str.isdigit, text)) or self._may_state(text):
            return False
        return all(name[0].isupper() or len(name) <= _SMALL_WORD for name in names) and text[-1] not in "?!:"

    def is_signature(self, text: str) -> bool:
        """Whether a line may stand below a sign-off and is no name: "The support team"."""
        return self._signature.match(text) is not None

    def is_step_label(self, text: str) -> bool:
        """Whether a line is the number of a step and nothing else: "Step 1"."""
        return self._step_label.match(text) is not None

    def without_address(self, text: str) -> tuple[str, tuple[str, ...]]:
        """A text without what in it speaks to whoever assesses the answer ("" where all does), and what that is."""
        seen = without_unseen(text)  # what a judge reads: a mark that nobody sees parts no word
        for phrases in self._all_phrases:
            if addresses := phrases.to_judge(seen):
                left = capitalized(phrases.without(seen, addresses))
                if len(addresses) == 1 and left and not self._states.search(left):  # "Reviewer: Kim Weber": a label
                    return text, ()
                return left, tuple(seen[phrase.start : phrase.end] for phrase in addresses)
        return text, ()

    def may_address(self, answer: str) -> bool:
        """Whether anything of an answer may speak to whoever assesses it; False is certain."""
        return any(phrases.may_address(answer) for phrases in self._all_phrases)

    def cuts(self, text: str) -> bool:
        """Whether anything of a text speaks to whoever assesses the answer."""
        return bool(self.without_address(text)[1])

    def is_to_judge(self, text: str) -> bool:
        """Whether all of a text speaks to whoever assesses the answer."""
        left, cut = self.without_address(text)
        return bool(cut) and not left

    def without_answer_word(self, sentence: str) -> tuple[str, str]:
        """A sentence without the yes or no before it, where the rest says the same by itself; and that word."""
        match = self._answer_word.match(sentence)
        if match is None:
            return sentence, ""
        rest = sentence[match.end() :]
        return (capitalized(rest), match[0]) if len(rest.split()) >= _FEWEST_WORDS else (sentence, "")


def _kind_of(phrases: list[SentencePhrase]) -> str:
    """What phrases come to: a refusal where one is, else what the first is."""
    kinds = [phrase.kind for phrase in phrases]
    return REFUSAL if REFUSAL in kinds else next(iter(kinds), GREETING)


def _title_start(title: str) -> int:
    """Where the words of a title begin: after its number or a picture ("1. How it works")."""
    match = _BEFORE_TITLE.match(title)
    return match.end() if match else 0


def capitalized(sentence: str) -> str:
    """A sentence with a capital, after its first words have been cut off."""
    return sentence[:1].upper() + sentence[1:]


@cache
def load_idle_phrases(language: Language) -> IdlePhrases:
    """Returns what finds the phrases of a language that state nothing."""
    return IdlePhrases(language.sentences)


@cache
def load_sentence_kinds(language: Language) -> SentenceKinds:
    """Returns what tells the kinds of a language's sentences."""
    return SentenceKinds(language)
