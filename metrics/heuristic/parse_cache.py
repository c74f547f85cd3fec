"""A cache of parsed texts: every text is parsed once, however many features and samples read it."""

import asyncio
import re
from collections import OrderedDict
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from ...languages import Language
from ...text.lemmas import lemma, lemmas
from .pipelines import Pipeline, find_pipeline

_MOST_KEPT = 20_000  # texts; a reading is some ten times its text
_LONGEST = 50_000  # characters in one parse: spaCy refuses a million, and memory grows with the length
_WITHOUT_BLANK = re.compile(r"\S{80}")  # spaCy takes quadratic time for a run of brackets: longer runs get a blank
_SUBJECTS = ("nsubj", "nsubj:pass", "nsubjpass", "n_subj", "sb", "csubj")

Pair = tuple[str, str]


class Parsed(NamedTuple):
    """A text's lemmas (001, section VI-A), and its (verb, subject) lemma pairs; None without a parser."""

    lemmas: tuple[str, ...]
    subjects: tuple[Pair, ...] | None


class ParsedTexts:
    """Parses texts in batches and keeps them. One for the whole process: `parsed_texts`."""

    def __init__(self, named: dict[str, str], longest: int = _LONGEST) -> None:
        """`named` names pipelines by language; texts are parsed in pieces of at most `longest` characters."""
        self._named, self._longest = named, longest
        self._kept: OrderedDict[tuple[Language, str], Parsed] = OrderedDict()
        self._waiting: dict[tuple[Language, str], None] = {}
        self._flushed: asyncio.Future[None] | None = None

    def pipeline(self, language: Language) -> Pipeline:
        """The pipeline for a language. Raises `UsageError` when the one named cannot be used."""
        return find_pipeline(language, self._named.get(language.code))

    def parse(self, texts: Iterable[str], language: Language) -> list[Parsed]:
        """The texts in order, those not yet known in one batch."""
        wanted = [(language, text) for text in texts]
        self._read(language, [key[1] for key in dict.fromkeys(wanted) if key not in self._kept])
        parsed = [self._kept[key] for key in wanted]
        for key in wanted:
            self._kept.move_to_end(key)
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return parsed

    async def parse_together(self, texts: Iterable[str], language: Language) -> list[Parsed]:
        """As `parse`, in one batch with what other tasks of this event loop ask for in the same moment."""
        wanted = list(texts)
        if missing := [text for text in wanted if (language, text) not in self._kept]:
            self._waiting.update(dict.fromkeys((language, text) for text in missing))
            loop = asyncio.get_running_loop()
            if self._flushed is None or self._flushed.get_loop() is not loop:
                self._flushed = loop.create_future()
                loop.call_soon(self._flush, self._flushed)
            await asyncio.shield(self._flushed)
        return self.parse(wanted, language)

    def _flush(self, flushed: "asyncio.Future[None]") -> None:
        waiting, self._waiting, self._flushed = self._waiting, {}, None
        try:
            for language in dict.fromkeys(language for language, _ in waiting):
                self._read(language, [text for its, text in waiting if its == language])
        except Exception as error:
            flushed.set_exception(error)
        else:
            flushed.set_result(None)

    def _read(self, language: Language, texts: list[str]) -> None:
        if not texts:
            return
        nlp = self.pipeline(language).nlp
        if nlp is None:
            subjects: list[tuple[Pair, ...] | None] = [None] * len(texts)
        else:
            cut = [
                (_WITHOUT_BLANK.sub(r"\g<0> ", piece), place)
                for place, text in enumerate(texts)
                for piece in pieces(text, self._longest)
            ]
            pairs: list[list[Pair]] = [[] for _ in texts]
            for doc, place in nlp.pipe(cut, as_tuples=True):
                pairs[place].extend(_subjects(doc, language))
            subjects = [tuple(text_subjects) for text_subjects in pairs]
        for text, text_subjects in zip(texts, subjects, strict=True):
            self._kept[language, text] = Parsed(lemmas(text, language), text_subjects)


@cache
def parsed_texts(named: tuple[tuple[str, str], ...] = ()) -> ParsedTexts:
    """The process's parsed texts, for the pipelines named by language (`(("nl", PATH),)`)."""
    return ParsedTexts(dict(named))


def pieces(text: str, longest: int) -> list[str]:
    """A text cut at line ends into pieces of at most so many characters; a line that is longer is cut anywhere."""
    if len(text) <= longest:
        return [text]
    cut = [""]
    for line in text.splitlines(keepends=True):
        for start in range(0, len(line), longest):
            part = line[start : start + longest]
            if len(cut[-1]) + len(part) > longest:
                cut.append("")
            cut[-1] += part
    return cut


def _subjects(doc: Any, language: Language) -> list[Pair]:
    import numpy as np

    strings = doc.vocab.strings
    wanted = [strings[label] for label in _SUBJECTS if label in strings]
    subjects = np.flatnonzero(np.isin(doc.to_array("DEP"), np.array(wanted, dtype=np.uint64)))
    tokens = (doc[int(place)] for place in subjects)
    return [(lemma(token.head.text, language), lemma(token.text, language)) for token in tokens]
