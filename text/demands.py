"""Whether a sentence says that somebody must do something, or wants something; and the sentences of a text that do."""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from ..languages import FALLBACK, Language, load_language
from .markdown_lines import MarkdownLine, read_lines
from .phrases import read_words, straight
from .sentence_kinds import load_sentence_kinds
from .sentences import split_line, without_words_to_judge

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_CLAUSE = re.compile(r"[,:–—]\s+")
_LABEL = re.compile(r"([^:.!?]{1,60}):\s+(?=\S)")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,60}>")
_FEWEST_WORDS = 4  # of a list item without a verb that asks for something: "Refund within 14 days"
_LONGEST_HEAD = 200  # characters of a heading or lead-in that is read with what is below it
_UNREAD = ("code", "image", "link", "header_row")
# a list's mark that Markdown does not know: "a)", "(b)", "iv.", "1.2"
_MARK = re.compile(
    r"^([^\S\n]*)(?:\((?:[a-z]|[ivx]{1,4}|\d{1,2})\)|(?:[a-z]|[ivx]{1,4})[.)]|\d{1,2}(?:\.\d{1,2})+\.?)\s+(?=\S)", re.M
)
_NAME_OF_TOOL = re.compile(r"`?\w+(?:[_.]\w+)+(?:\(\))?`?")


class Demanding:
    """Tells which sentences of a language demand something; `load_demanding` makes one object per language."""

    def __init__(self, language: Language) -> None:
        self._pack = pack = language.demands
        self.language = language
        self._obliges = _any_phrase(pack.obliges)
        self._wants = _any_phrase(pack.wants)
        self._kinds = load_sentence_kinds(language)
        self._function_words = language.function_words
        self._depends = _any_phrase(pack.depends)

    def obliges(self, sentence: str) -> bool:
        """Whether a sentence says what somebody must or must not do, or tells somebody to do something."""
        return self._obliges.search(straight(sentence)) is not None or self.instructs(sentence)

    def instructs(self, sentence: str) -> bool:
        """Whether a sentence begins with what to do, also after a condition ("If it is late, apologise")."""
        if sentence.rstrip().endswith("?"):
            return False
        return any(map(self._part_instructs, straight(sentence).lower().split(";")))

    def _part_instructs(self, part: str) -> bool:
        clauses = [words for clause in _CLAUSE.split(part) if (words := _WORD.findall(clause))]
        if not clauses:
            return False
        may_wait = (
            clauses[0][0] in self._pack.conditions or len(clauses[0]) < _FEWEST_WORDS
        )  # "Refunds: ask for the number"
        return any(map(self._begins_with_verb, clauses[: 1 + may_wait]))

    def obliges_items(self, head: str) -> bool:
        """Whether what stands above list items obliges to them: "Never:", "Ask for:", but not "Refund requests:"."""
        if self._obliges.search(straight(head)):
            return True
        is_sentence = any(word in self._function_words for word in _WORD.findall(head.lower()))
        return head.endswith(":") and is_sentence and self.instructs(head)

    def _begins_with_verb(self, clause: Sequence[str]) -> bool:
        start = 0
        while (
            start < len(clause) - 1
            and clause[start] in self._pack.before_instructing
            and clause[start] not in self._pack.instructs
        ):
            start += 1
        return clause[start] in self._pack.instructs

    def wants(self, sentence: str) -> bool:
        """Whether a sentence of a customer's goal wants something, by a word for it or as a question."""
        plain = straight(sentence)
        return plain.rstrip().endswith("?") or self._wants.search(plain) is not None

    def depends(self, sentence: str) -> bool:
        """Whether a sentence begins with what must be so first ("If that fails, you want your money back")."""
        return self._depends.match(straight(sentence)) is not None

    def states(self, sentence: str) -> bool:
        """Whether a list item states something, or is too short to demand anything."""
        item = _WORD.findall(sentence.lower())
        if item and item[0] in self._pack.bans:
            return False
        is_short = len(item) < _FEWEST_WORDS
        return is_short or item[0] in self._pack.subjects or self._kinds.states_fact(sentence)


def _any_phrase(phrases: Sequence[str]) -> re.Pattern[str]:
    """Any of some phrases as whole words, the longest first."""
    joined = "|".join(r"\s+".join(map(re.escape, phrase.split())) for phrase in sorted(phrases, key=len, reverse=True))
    return re.compile(rf"(?<![\w-])(?:{joined})(?![\w-])", re.IGNORECASE)


@cache
def load_demanding(language: Language) -> Demanding:
    """Returns what tells the demands of a language; of English where its pack has no `demands.yaml`."""
    return Demanding(language if language.has("demands") else load_language(FALLBACK))


class PolicyRules(NamedTuple):
    """The rules of a policy."""

    rules: tuple[str, ...]  # each once, in order, with the heading, the lead-in or the label that it stands under
    others: int  # how many sentences and lines of code are no rules: they oblige nobody, or are the heads of lists


def find_rules(policy: str, language: Language) -> PolicyRules:
    """Finds the rules of a policy: its sentences and list items that oblige somebody.

    A sentence does that obliges by a word of the language pack ("must", "only", "at most"), or begins with what to do
    ("Ask for the number", "If it is late, apologise"). A list item does too whose lead-in or heading obliges
    ("Never:"), and one of four words or more that names no subject and states nothing by a
    verb ("Refund within 14 days"). What only states a fact ("Each order has a number") is no rule.

    Example:
        >>> text = "# Desk\\n## Refunds\\n- Ask for the number.\\n- An order has a number.\\nNever:\\n- promise a date"
        >>> find_rules(text, load_language("en"))
        PolicyRules(rules=('Refunds: Ask for the number.', 'Refunds: Never: promise a date'), others=1)
    """
    reader = _PolicyReader(load_demanding(language))
    all_lines = read_lines(_MARK.sub(r"\1- ", policy), load_sentence_kinds(language).pack.after_ordinal)
    lines = [line for line in all_lines if line.role not in _UNREAD]
    reader.others = sum(line.role == "code" and bool(line.text.strip()) for line in all_lines)
    titles = [line.level for line in lines if line.role == "heading"]
    reader.title_level = min(titles) if titles and titles.count(min(titles)) == 1 and lines[0].role == "heading" else 0
    for place, line in enumerate(lines):
        reader.read(line, lines[place + 1] if place + 1 < len(lines) else None)
    return PolicyRules(tuple(dict.fromkeys(reader.rules)), reader.others)


class _Head(NamedTuple):
    """What stands above lines, and whether it obliges to the list items below it."""

    text: str
    obliges: bool


_NO_HEAD = _Head("", obliges=False)


class _PolicyReader:
    """Reads a policy line by line."""

    def __init__(self, demanding: Demanding) -> None:
        self._demanding = demanding
        self._heading = _NO_HEAD
        self._heads: dict[int, _Head] = {}  # what each list stands under
        self.title_level = 0  # of the document's title, which is no rule's context
        self.rules: list[str] = []
        self.others = 0

    def read(self, line: MarkdownLine, after: MarkdownLine | None) -> None:
        text = line.text.strip()
        is_heading = line.role == "heading" or (line.role == "label" and not line.path)
        heads_something = after is not None and (after.role != "heading" or after.level > line.level > 0)
        if is_heading and (heads_something or not self._demanding.obliges(text)):
            is_title = line.role == "heading" and line.level == self.title_level
            self._heading = _NO_HEAD if is_title else self._head(text)
            return
        if after is not None and after.begins_item and (text.endswith(":") or line.role == "label"):
            if len(after.path) > len(line.path):
                *before, last = split_line(text, self._demanding.language) if text.endswith(":") else [text]
                self._heads[after.path[-2]] = self._head(last)
                if before:
                    self._read_sentences(line, self._heads_of(line), before)
                if text.endswith(":") or not self._demanding.obliges(text):
                    self.others += line.begins_item
                    return
            elif not line.begins_item:  # without a blank line above it, Markdown takes it for a part of the item before
                if line.role == "label":
                    self._heading = self._head(text)
                    self._heads.pop(after.path[-2], None)
                else:
                    self._heads[after.path[-2]] = self._head(text)
                return
        self._read_sentences(line, self._heads_of(line))

    def _head(self, text: str) -> "_Head":
        short = text.rstrip(" :.")
        return _Head(short if len(short) <= _LONGEST_HEAD else "", self._demanding.obliges_items(text))

    def _heads_of(self, line: MarkdownLine) -> list["_Head"]:
        """What a line stands under, outermost first: the heading, and the lead-ins of its lists."""
        return [self._heading, *(self._heads.get(number, _NO_HEAD) for number in line.path[::2])]

    def _read_sentences(self, line: MarkdownLine, heads: Sequence["_Head"], sentences: Sequence[str] = ()) -> None:
        demanding, language = self._demanding, self._demanding.language
        kinds = load_sentence_kinds(language)
        above = [head.text for head in heads if head.text]
        is_obliged = bool(line.path) and any(head.obliges for head in heads)
        sentences = sentences or split_line(_TAG.sub(" ", line.text), language)
        match = _LABEL.match(sentences[0]) if sentences else None
        label = [match[1]] if match and not demanding.obliges(match[1]) else []
        before = ""
        for place, sentence in enumerate(sentences):
            stated = without_words_to_judge(sentence, language)
            if stated and self._is_rule(stated, is_item=line.begins_item and place == 0, is_obliged=is_obliged):
                context = [f"[{before}]"] if before and kinds.refers_back(read_words(stated)) else []
                self.rules.append(": ".join([*above, *(label if place else ()), " ".join([*context, stated])]))
            else:
                self.others += 1
            before = stated[match.end() :] if match and not place else stated

    def _is_rule(self, sentence: str, *, is_item: bool, is_obliged: bool) -> bool:
        if sentence.rstrip().endswith("?") or _NAME_OF_TOOL.fullmatch(sentence.strip()):
            return False
        if is_obliged or self._demanding.obliges(sentence):
            return True
        return is_item and not self._demanding.states(sentence)


def find_wishes(goal: str, language: Language) -> list[str]:
    """Finds what a customer's goal wants: its list items, and its sentences that want something.

    A sentence that begins with a condition ("If that fails, you want your money back") is left out: whether it is
    wanted depends on the conversation. Where nothing is wanted in words for it, orders are ("Cancel the order").

    Returns:
        The sentences, each once; the whole goal as one where there is none.

    Example:
        >>> find_wishes("You are Ann. You want your money back.", load_language("en"))
        ['You want your money back.']
    """
    demanding = load_demanding(language)
    items: list[str] = []
    sentences: list[str] = []
    for line in read_lines(goal, load_sentence_kinds(language).pack.after_ordinal):
        if line.role in _UNREAD:
            continue
        if line.path:
            items.append(line.text.strip())
        else:
            sentences += split_line(line.text, language)
    sentences = [sentence for sentence in sentences if not demanding.depends(sentence)]
    wanting = [sentence for sentence in sentences if demanding.wants(sentence)]
    wishes = [*items, *wanting] or [sentence for sentence in sentences if demanding.instructs(sentence)]
    whole = " ".join(goal.split())
    return list(dict.fromkeys(wishes)) or ([whole] if whole else [])
