"""What a sentence of an answer is: the one place that decides which sentences claim nothing, by their words alone."""

import re
from functools import cache
from itertools import pairwise

from ..languages import Language, language_or_fallback
from .phrases import JudgeAddresses, PhraseList, Words, as_seen, group_judge_words, may_address, read_words

TO_JUDGE = "to_judge"
"""The kind of what speaks to whoever assesses the answer."""
CLAIM = "claim"
"""The kind of a sentence that claims something."""
QUESTION = "question"
"""The kind of a sentence that only asks."""
REFUSAL = "refusal"
"""The kind of a sentence that says that the answer is not known."""
YES_NO = "yes_no"
"""The kind of "Of course" that stands alone; it claims something where nothing else in the answer does."""
ANSWERS = YES, NO = "yes", "no"
"""The kinds of a yes and a no that stand alone: claims of what was asked."""
LEAD_IN = "lead_in"
"""The kind of a sentence that only announces what follows: "proceed as follows:"."""
SIGN_OFF = "sign_off"
"""The kind of a "Kind regards", and of the names on the lines after it."""
HEADING = "heading"
"""The kind of a heading, a table's header row, a bold label: it says what the sentences below it are about."""
_COURTESY, _NAME, _REQUEST = "courtesy", "name", "request"
_STATES = "states"
_MOST_BEFORE = 3  # courtesy words before the first idle phrase: "For this question, please ask a colleague."
_MOST_OPENING = _MOST_BEFORE + 2  # words among which an idle phrase begins
_MOST_VALUE_WORDS = 3
_MOST_REFUSAL_WORDS = 12  # beside what says that the answer is not known
_MOST_NAMES = 3  # words with a capital of a name
_MOST_TITLE_WORDS = 8
_MOST_NAME_WORDS = 6
_SMALL_WORD = 4  # letters of a word of a name that may be in lower case: "van", "from"
_MOST_LABEL_WORDS = 4  # of a label that may have a number: "Step 2:"
_FEWEST_AFTER_SALUTATION = 3  # words; fewer are part of the greeting: "Hello Jan, good morning"
_FEWEST_WORDS = 4  # of a sentence that says by itself what the yes or no before it says
_SHORTEST_MONTH = 3  # letters of one that is cut short: "14. Nov."
_FEWEST_BEFORE_END = 3  # words of a sentence before one that begins with any noun: not so "For U.S. Customers"
_SIGNS = ".,;:!…"
_ENDS_NO_CLAIM = "?:"
_OPENING_SIGNS = "([/\"'„“‘"
_NUMBER = re.compile(r"\b\d|\d\b")
_AMOUNT_SIGNS = frozenset("€$£%")
CLOSING_QUOTES = "\"'”’»)]"
_CLOSED = (".", "!", "?", "…", ";")
_INITIALS = re.compile(r"(?:[^\W\d_]\.){1,5}[^\W\d_]")
_BEFORE_ORDINAL = re.compile(r"(?<!\w)(\w+)\s+(?:\d{1,2}\.\s+\w{3,4}\s+)?\d{1,3}\.\s*$")
_AMOUNT_BEFORE_UNIT = re.compile(r"\d(?: ?\w{1,3}/)?$")  # "40 m.", "80 km/h."
_ENDED = re.compile(r"(?<!\.\.)[.!…]$")


SentencePart = tuple[int, str, Words, tuple[str, ...]]
"""A part of a sentence: where it begins, what it is (`claim`, `yes_no`, or why it states nothing), what it says, and
what was cut out of that because it speaks to whoever assesses the answer."""


class SentenceKinds:
    """Tells what the sentences of one language are; `load_sentence_kinds` makes one object per language.

    Left out is a sentence whose every clause is a listed greeting, thanks, closing or filler; a bare question without a
    number, a listed presupposition and, after a pause, a relative clause, an apposition or a reason; and a refusal
    beside which stand at most twelve words, no number, no verb of fact and no other clause. Everything else is a claim.
    """

    def __init__(self, language: Language) -> None:
        self.pack = pack = language.sentences
        self._addresses = [load_judge_addresses(language)]
        english = language_or_fallback(None)
        if language != english:  # answers in other languages are attacked in English too
            self._addresses.append(load_judge_addresses(english))
        self.judge_words = group_judge_words(dict.fromkeys((*pack.judge_words, *english.sentences.judge_words)))
        self._idle = PhraseList({**pack.idle, _COURTESY: pack.courtesy, REFUSAL: pack.refusals, "": pack.idle_not})
        self._refusals = PhraseList({REFUSAL: pack.refusals})
        self._refuses = self._refusals.openings
        self._openings = PhraseList(pack.idle).openings | self._refuses
        self._idle_kinds = {*pack.idle, REFUSAL}
        self._closed_kinds = {"filler", _NAME, SIGN_OFF}  # after these alone a clause has no more words
        self._answers = PhraseList({YES: pack.answer_yes, NO: pack.answer_no, YES_NO: pack.answer_words})
        self._first_words = {*self._answers.first, *pack.before_statement}
        self._asks, self._asked, self._joins = pack.asks, pack.asked, pack.joins
        self._presumes = PhraseList({_STATES: pack.presumes, "": pack.presumes_not})
        self._adds = PhraseList({_STATES: pack.adds, "": pack.adds_not})
        self._facts = PhraseList({_STATES: pack.facts})
        self._asserts = PhraseList({_STATES: pack.asserts})
        self._announces = PhraseList({_STATES: pack.announces, "": pack.unfinished})
        self.back_references = PhraseList({_STATES: pack.refers_back})
        self._named = pack.named | pack.teams
        self._imperatives = language.words.imperatives if language.has("words") else frozenset[str]()
        self._step_words = language.words.step_words if language.has("words") else ()
        self._final_abbreviations = {*pack.final_abbreviations, *map(str.title, pack.final_abbreviations)}
        self.abbreviations = {*pack.abbreviations, *map(str.capitalize, pack.abbreviations), *self._final_abbreviations}
        signs = ("", *_OPENING_SIGNS)
        self.dotted_abbreviations = {f"{sign}{word}." for word in self.abbreviations for sign in signs}
        self._opening_words = language.function_words | self._imperatives | self.back_references.first.keys()

    def parts(self, sentence: str, *, may_address: bool = True) -> list[SentencePart]:
        """Parts a sentence into what states nothing and what is judged: mostly one part.

        What speaks to whoever assesses the answer is cut out of a claim, wherever it stands; a salutation and a refusal
        before a claim are parts of their own ("I cannot find that, but it is free").
        """
        left, cut = self.without_address(sentence) if may_address else (sentence, ())
        if not left:
            return [(0, TO_JUDGE, read_words(sentence), ())]
        words = read_words(left)
        left = words.text
        kind, boundary = self._kind(words)
        if cut:
            return [(0, TO_JUDGE if kind in self._idle_kinds else kind, words, cut)]
        if kind != CLAIM or not boundary:
            return [(0, kind, words, ())]
        before, leading = left[: words.start(boundary)].rstrip(), self._cover(words)[0]
        if leading != "greeting":
            leading = REFUSAL
            while words.words[boundary] in self._joins and len(words.words) - boundary > _FEWEST_AFTER_SALUTATION:
                boundary += 1  # "but"
        start = words.start(boundary)
        return [(0, leading, read_words(before), ()), (start, CLAIM, read_words(capitalized(left[start:])), ())]

    def find_kind(self, sentence: str, *, may_address: bool = True) -> str:
        """What a sentence is as a whole: `claim` where any part of it claims something."""
        kinds = [kind for _, kind, _, _ in self.parts(sentence, may_address=may_address)]
        return kinds[0] if {CLAIM, *ANSWERS}.isdisjoint(kinds) else CLAIM

    def has_refusal(self, text: str) -> bool:
        """Whether a phrase stands in a text that may say that the answer is not known."""
        return self._refusals.stands_in(read_words(text).words)

    def _kind(self, words: Words) -> tuple[str, int]:
        """What a sentence is; of a claim also where it begins after a salutation or a refusal, or 0."""
        ending = words.text[-1:]
        if words.words[0] in self._answers.first and (answer := self._answer_alone(words)):
            return answer, 0
        kind, covered, boundary = self._cover(words)
        count = len(words.words)
        if ending == "?" and self._only_asks(words):
            return kind or QUESTION, 0
        if ending == ":" or (kind and covered == count):
            return LEAD_IN if ending == ":" else kind, 0
        if boundary and self._idle.longest(words.words, 0)[0] != "greeting":
            boundary = 0
        if self._refusals.stands_in(words.words):
            is_refusal, after_refusal = self._find_refusal(words)
            if is_refusal:
                return REFUSAL, 0
            boundary = max(boundary, after_refusal)
        may_part = boundary and ending != "?" and count - boundary >= _FEWEST_AFTER_SALUTATION
        return CLAIM, boundary if may_part else 0

    def claims_at_once(self, words: Words) -> bool:
        """Whether nothing that is listed may stand in a sentence: a claim as a whole, without an address; quick."""
        listed, ending = words.words, words.text[-1:]
        if ending in _ENDS_NO_CLAIM or listed[0] in self._first_words:
            return False
        first = listed[:_MOST_OPENING]
        is_plain = self._openings.isdisjoint([*first, *pairwise(first)])
        return is_plain and self._refuses.isdisjoint([*listed, *pairwise(listed)])

    def _cover(self, words: Words) -> tuple[str, int, int]:
        """How much of a sentence is idle: clauses that each have an idle phrase, and little else.

        Returns:
            The kind of its idle phrases ("" where it begins with none), how many words these and the `courtesy` and
            names beside them are, and the last of these places at which a clause begins.
        """
        kind, found, place, names, boundary, lists = "", "", 0, 0, 0, False
        first = words.words[:_MOST_OPENING]
        if self._openings.isdisjoint([*first, *pairwise(first)]):
            return kind, place, boundary
        begin, count = 0, len(words.words)  # where the clause begins
        while place < count:
            word = words.words[place]
            next_kind, end = self._idle.longest(words.words, place) if word in self._idle.first else ("", place)
            if place in words.clauses:
                found, begin = "", place
            if kind and (place == begin or word in self._joins):
                boundary = place
            goes_on = found and found not in self._closed_kinds
            if next_kind not in {"", _COURTESY}:
                found = found if goes_on else next_kind
                kind = REFUSAL if REFUSAL in {kind, next_kind} else kind or next_kind
                may_be_signed = next_kind != SIGN_OFF or end in words.clauses  # not so "Best Western"
                names = _MOST_NAMES if next_kind in self.pack.named_after and may_be_signed else 0
                lists = lists or next_kind == _REQUEST
            elif not (next_kind and goes_on):
                is_named = names and (self._may_name(words, place) or word in self._named)
                if is_named:
                    found, names, end = found or _NAME, names - 1, place + 1
                elif not next_kind or found or not (lists or place - begin < _MOST_BEFORE):
                    break
                elif lists:
                    found = _REQUEST  # "please provide your name, e-mail and number"
            place = end
        return kind, place if kind and found else begin, boundary if kind else 0

    def _find_refusal(self, words: Words) -> tuple[bool, int]:
        """Whether a sentence says that the answer is not known, and nothing else but what was asked.

        Returns:
            Whether it does; else, where it does up to a pause or a joining word, the place of that, or 0.
        """
        has_refusal = may_ask = is_asked = presumes = False
        place = others = boundary = idle_to = 0
        while place < len(words.words) and others <= _MOST_REFUSAL_WORDS:
            word = words.words[place]
            kind, end = self._idle.longest(words.words, place)
            begins = place in words.clauses
            if has_refusal and (begins or (word in self._joins and not boundary)):
                boundary = place
            if kind and kind != _COURTESY:
                has_refusal = has_refusal or kind == REFUSAL
                may_ask, is_asked, place = kind == REFUSAL, False, end
                continue
            if word in self._asked and (may_ask or is_asked) and not (begins and word in self._joins):
                is_asked = True  # "I do not know what it costs"; not so "why it costs more"
                presumes = bool(self._presumes.longest(words.words, place)[0])
            elif begins or word in self._joins:
                goes_on = is_asked and not begins and not self._asked.isdisjoint(words.words[place + 1 : place + 2])
                may_ask = is_asked = goes_on  # "why it stops or how long it takes"
                begins_other = not goes_on and (begins or word in self.pack.contrasts)
                if has_refusal and begins_other and place >= idle_to:
                    idle_to = self._find_idle(words, place)
                    if not idle_to:
                        return False, boundary  # "I do not know, refunds happen daily"
            if self._is_number(word) or self._asserts.longest(words.words, place)[0]:
                return False, boundary
            may_state = kind != _COURTESY and (not is_asked or presumes)
            is_fact = may_state and bool(self._facts.longest(words.words, place)[0])
            if is_fact or (begins and word in self._imperatives):
                return False, boundary
            may_ask = may_ask and kind == _COURTESY
            others += word not in self._joins
            place = max(end, place + 1)
        return has_refusal and others <= _MOST_REFUSAL_WORDS, boundary

    def _find_idle(self, words: Words, place: int) -> int:
        """Where the idle phrase of a clause is: a refusal, or another with at most three small words before; else 0."""
        before = 0
        while place < len(words.words) and (before == 0 or place not in words.clauses):
            kind, end = self._idle.longest(words.words, place)
            if kind == REFUSAL or (kind not in {"", _COURTESY} and before <= _MOST_BEFORE):
                return place
            is_small = kind == _COURTESY or words.words[place] in self._joins
            before = before + 1 if is_small and before <= _MOST_BEFORE else _MOST_BEFORE + 1
            place = max(end, place + 1)
        return 0

    def _only_asks(self, words: Words) -> bool:
        """Whether a question states nothing while it asks ("Did you know that it is free?" does)."""
        has_number = _NUMBER.search(words.text) or not self.pack.numbers.isdisjoint(words.words)
        if has_number or self._presumes.stands_in(words.words):
            return False
        place = min(self._cover(words)[1:]) if not self._begins_asking(words, 0) else 0
        has_asked = False
        starts = [start for start in range(place, len(words.words)) if start == place or start in words.clauses]
        for start, end in zip(starts, [*starts[1:], len(words.words)], strict=True):
            if has_asked and self._says_by_the_way(words, start, end):
                return False
            if self._begins_asking(words, start):
                has_asked = True
            elif any(listed.stands_in(words.words[start:end]) for listed in (self._facts, self._asserts)) or (
                not has_asked and end - start > _MOST_LABEL_WORDS
            ):
                return False
        return has_asked

    def _says_by_the_way(self, words: Words, start: int, end: int) -> bool:
        """Whether a clause after a question's first is a relative clause, an apposition or a reason: ", which ends"."""
        if self._adds.longest(words.words, start)[0]:
            return True
        joins = words.words[start] in self._joins and words.words[start] in self._asks
        return joins and self._facts.stands_in(words.words[start:end])  # ", of is dat gratis"

    def _begins_asking(self, words: Words, place: int) -> bool:
        """Whether a clause asks something, or names a subject ("How it works"); a joining word may stand before it."""
        first, *after = words.words[place : place + 2]
        return first in self._asks or (first in self._joins and not self._asks.isdisjoint(after))

    def _is_number(self, word: str) -> bool:
        return word[0].isdigit() or word[-1].isdigit() or word in self.pack.numbers

    def _states_at(self, words: Words, place: int) -> bool:
        """Whether a word states something: a verb, a word such as "free", or an amount."""
        if self._facts.longest(words.words, place)[0] or self._asserts.longest(words.words, place)[0]:
            return True
        return self._is_number(words.words[place]) and not self.pack.units.isdisjoint(
            words.words[place + 1 : place + 2]
        )

    def _may_state(self, words: Words) -> bool:
        """Whether a few words state something."""
        has_sign = not _AMOUNT_SIGNS.isdisjoint(words.text) and any(map(str.isdigit, words.text))
        return has_sign or any(self._states_at(words, place) for place in range(len(words.words)))

    def answers(self, title: str) -> bool:
        """Whether a title is a yes or a no, and so no title."""
        return self._answer_alone(read_words(title)) in ANSWERS

    def _answer_alone(self, words: Words) -> str:
        """The kind of a yes, a no or an "of course" that is the whole text; else ""."""
        answer, end = self._answers.longest(words.words, 0)
        return answer if end == len(words.words) else ""

    def answer_statement(self, answer: str, question: str) -> str:
        """A yes or no as a statement of what was asked."""
        statement = self.pack.yes_statement if answer == YES else self.pack.no_statement
        return statement.format(question=question)

    def only_announces(self, lead_in: str) -> bool:
        """Whether a sentence that ends with a colon says nothing without what follows it."""
        words = read_words(lead_in)
        has_digit = any(map(str.isdigit, lead_in))
        if has_digit and len(words.words) > _MOST_LABEL_WORDS:
            return False
        left, place, announces = list[int](), 0, False
        while place < len(words.words):
            kind, end = self._announces.longest(words.words, place)
            announces = announces or bool(kind)
            left += [place] if end == place else []
            place = max(end, place + 1)
        if any(self._states_at(words, place) for place in left):
            return False
        return announces or (len(left) <= _MOST_LABEL_WORDS and not self.is_instruction(lead_in))

    def is_title(self, text: str) -> bool:
        """Whether a heading or a bold line only names a subject: beyond doubt, else it is a sentence like any other."""
        words = read_words(text)
        if _ENDED.search(text) or len(text.split()) > _MOST_TITLE_WORDS or self._is_value(text):
            return False
        if len(words.words) == 1 or self._names_subject(words):
            return not any(map(str.isdigit, text))
        return not self._may_state(words)

    def _names_subject(self, words: Words) -> bool:
        """Whether a title asks something, or begins as a question does ("How it works"); "Is free for all" states."""
        return self._begins_asking(words, 0) and (words.text.endswith("?") or words.words[0] in self._asked)

    def _is_value(self, text: str) -> bool:
        """Whether a title gives the value of something: "Insurance: Yes"."""
        _, colon, value = text.partition(": ")
        is_short = 1 <= len(value.split()) <= _MOST_VALUE_WORDS
        return bool(colon) and text[0].isalpha() and is_short and not self.is_step(text)

    def is_column(self, text: str) -> bool:
        """Whether a cell of a table's first row only names a column; else the row is one of the others."""
        words = read_words(text)
        if _ENDED.search(text) or not words.words:
            return not words.words
        return len(words.words) == 1 or self._names_subject(words) or not self._may_state(words)

    def is_step(self, title: str) -> bool:
        """Whether a title is a step with its text ("Step 2: Click Save"), which may head nothing."""
        words = read_words(title).words[:3]
        return len(words) > 1 and (words[0].isdigit() or (len(words) > 2 and words[1].isdigit()))

    def may_end(self, word: str) -> bool:
        """Whether a word with a dot is an abbreviation that may end a sentence: "hrs.", "U.S."."""
        is_initials = word not in self.abbreviations and _INITIALS.fullmatch(word) is not None
        return is_initials or word in self._final_abbreviations

    def ends_amount(self, before: str, word: str, after: str) -> bool:
        """Whether a sentence ends after an amount, with a unit that `before` ends with: "40 m. Boats may enter"."""
        if word not in self.pack.unit_abbreviations or not after.lstrip()[:1].isupper():
            return False
        amount = before.rstrip().removesuffix(f"{word}.").rstrip()
        return _AMOUNT_BEFORE_UNIT.search(amount) is not None

    def ends_answer(self, before: str, after: str) -> bool:
        """Whether a yes or no that stands alone ends before a sentence: "No. Shipping is free", not "See No. 5"."""
        return after.lstrip()[:1].isupper() and self.answers(before)

    def goes_on(self, before: str, word: str, after: str) -> bool:
        """Whether a sentence goes on after a word with a dot, which `before` ends with.

        It does after a word that is short for one that another follows ("incl. shipping"); after one that may end a
        sentence, and after initials, unless a sentence begins beyond doubt ("24 hrs. The fee"), or with any capital
        after one that is a word too ("in the app. Questions"); and after an ordinal.
        """
        first, *_ = after.split(maxsplit=1) or [" "]
        if word.isdecimal():
            return self._goes_on_after_number(before, first.lower(), may_be_day=len(word) <= 2)
        if not self.may_end(word):
            return word in self.abbreviations
        if not first[0].isupper() or (first[-1] == "." and first[:-1] in self.abbreviations):
            return True
        return word not in self.pack.words_or_abbreviations and not self._begins_sentence(before, read_words(after))

    def _goes_on_after_number(self, before: str, first: str, *, may_be_day: bool) -> bool:
        """Whether a sentence goes on after a number and a dot: "am 1. März", "die 2. Mahnung", "Step 2. Click Save".

        It does not after a year: "in april 2025. Mei was".
        """
        word, _, number = before.lower().rstrip(" .").partition(" ")
        after = first.rstrip(_SIGNS)
        is_short = first[-1] == "." and len(after) >= _SHORTEST_MONTH
        is_short_month = is_short and any(month.startswith(after) for month in self.pack.after_ordinal)
        is_month = may_be_day and (is_short_month or after in self.pack.after_ordinal)
        if is_month or (word in self._step_words and number.isdecimal()):
            return True
        led = _BEFORE_ORDINAL.search(before.lower())
        return led is not None and led[1] in self.pack.before_ordinal and after not in self._opening_words

    def _begins_sentence(self, before: str, after: Words) -> bool:
        """Whether a sentence begins after an abbreviation: with a small word, an idle phrase or a verb as second."""
        first, *more = after.words or [""]
        if first in self._opening_words or self._idle.longest(after.words, 0)[0] not in {"", _COURTESY}:
            return True
        states = any(self._facts.longest(after.words[:2], place)[0] for place in (0, 1)) if more else False
        return states and len(before.split()) >= _FEWEST_BEFORE_END

    def is_instruction(self, text: str) -> bool:
        """Whether a text begins with a verb that tells what to do ("Click Save")."""
        return text.split(maxsplit=1)[0].lower() in self._imperatives

    def is_fragment(self, text: str) -> bool:
        """Whether a text says something only together with what stands above it ("bank transfer")."""
        return not (
            text.rstrip(CLOSING_QUOTES).endswith(_CLOSED) or self.states_fact(text) or self.is_instruction(text)
        )

    def states_fact(self, text: str) -> bool:
        """Whether a verb in a text states something."""
        return self._facts.stands_in(read_words(text).words)

    def completes(self, item: str, lead_in: str) -> bool:
        """Whether a list item with a full stop, but no verb, ends what its lead-in begins ("You should avoid:")."""
        if not lead_in.endswith(":") or self._announces.stands_in(read_words(lead_in).words):
            return False
        return not (self._may_state(read_words(item)) or self.is_instruction(item))

    def is_name(self, text: str) -> bool:
        """Whether a line may be a name below a sign-off, or a team: a few words with capitals that state nothing."""
        words = read_words(text)
        if len(words.words) > _MOST_NAME_WORDS or text[-1] in "?!:" or self._may_state(words):
            return False
        names = [place for place, word in enumerate(words.words) if word not in self._named]
        is_known = len(names) <= _MOST_NAMES and all(self._may_name(words, place, small=True) for place in names)
        return is_known and not any(map(str.isdigit, text))

    def _may_name(self, words: Words, place: int, *, small: bool = False) -> bool:
        """Whether a word may be a part of a name: it has a capital (or is `small`), and states nothing."""
        word = words.words[place]
        if word in self.pack.no_names or self._states_at(words, place):
            return False
        return words.is_capital(place) or (small and len(word) <= _SMALL_WORD)

    def refers_back(self, sentence: Words) -> bool:
        """Whether a sentence is understood by those before it alone ("Then you click Save")."""
        return bool(self.back_references.longest(sentence.words, 0)[0])

    def without_address(self, text: str) -> tuple[str, tuple[str, ...]]:
        """A text without what in it speaks to whoever assesses the answer ("" where all does), and what that is."""
        if not may_address(text, self.judge_words):
            return text, ()
        seen = as_seen(text)
        for addresses in self._addresses:
            words = read_words(seen)
            covered = self._cover(words)[1]
            if found := addresses.find(seen, words.end(covered - 1) if covered else 0):
                left = capitalized(addresses.without(seen, found))
                if len(found) == 1 and left and not self.states_fact(left):  # "Reviewer: Kim Weber": a label
                    return text, ()
                return left, tuple(seen[phrase.start : phrase.end] for phrase in found)
        return text, ()

    def cuts(self, text: str) -> bool:
        """Whether anything of a text speaks to whoever assesses the answer."""
        return bool(self.without_address(text)[1])

    def is_to_judge(self, text: str) -> bool:
        """Whether all of a text speaks to whoever assesses the answer."""
        left, cut = self.without_address(text)
        return bool(cut) and not left

    def without_answer_word(self, words: Words, *, is_asked: bool) -> tuple[str, str]:
        """A sentence that begins with a yes or no without it, where the rest says something by itself; and it."""
        if len(words.words) <= 1 or 1 not in words.clauses:
            return words.text, ""
        rest = words.text[words.start(1) :]
        says_more = (
            is_asked and len(rest.split()) > 2 and self.states_fact(rest) and not self.refers_back(read_words(rest))
        )
        if self.is_short(rest) and not says_more:
            return words.text, ""
        return capitalized(rest), words.text[: words.start(1)]

    def is_short(self, rest: str) -> bool:
        """Whether what follows a yes or no is too short to say all of what was asked."""
        return len(rest.split()) < _FEWEST_WORDS

    def says_by_itself(self, rest: str) -> bool:
        """Whether what follows a yes or no may say the same, and is no instruction or condition."""
        return not self.is_instruction(rest) and read_words(rest).words[0] not in self._joins


def capitalized(sentence: str) -> str:
    """A sentence with a capital, after its first words have been cut off."""
    return sentence[:1].upper() + sentence[1:]


@cache
def load_judge_addresses(language: Language) -> JudgeAddresses:
    """Returns what finds the phrases of a language that speak to whoever assesses an answer."""
    return JudgeAddresses(language.sentences)


@cache
def load_sentence_kinds(language: Language) -> SentenceKinds:
    """Returns what tells the kinds of a language's sentences."""
    return SentenceKinds(language)
