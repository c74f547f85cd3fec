"""The probes of a judge's card: an answer padded, in another style, or with an instruction to the judge in it."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ...eval_sets import Sample
from ...languages import Language, find_language, language_or_fallback
from ...languages.sections import Probes
from ...text.markdown_lines import read_lines
from ...text.sentence_kinds import CLAIM
from ...text.sentences import AnswerSentence, answer_sentences
from ...text.text_matching import tokens

PROBES = ("padded", "styled", "injected")
_BOLD_WORD = re.compile(r"(?:(?<=\s)|^)[^\W\d_]{4,}(?=[.,;:!?)]*(?:\s|$))")
_MARK = re.compile(r"[*_`\[\]\\<>|]")
_CLOSING = "\"'”’»)*"
_SPACE = re.compile(r"\s+")


def perturb(sample: Sample, probe: str, seed: int = 0) -> Sample | None:
    """Changes a sample as a probe does, the same way for the same seed and id; None where it cannot be changed.

    Id, question and group stay, so that scores can be paired. The answer loses its ratings: nobody rated it.
    """
    if probe == "styled":
        response = add_style(sample.response, language_or_fallback(sample.language))
    else:
        language = find_language(sample.language)
        has_phrases = language is not None and language.has("probes") and bool(sample.response.strip())
        chance = random.Random(f"{seed}\0{probe}\0{sample.id}")
        response = _WITH_PHRASES[probe](sample.response, chance, language.probes) if language and has_phrases else ""
    if not response:
        return None
    metadata = {**sample.metadata, "probe": probe}
    return sample.model_copy(update={"response": response, "metadata": metadata, "rating": None, "ratings": {}})


def _pad(answer: str, chance: random.Random, phrases: Probes) -> str:
    places = sorted(chance.sample(range(len(phrases.after)), 2))
    after = " ".join(phrases.after[place] for place in places)
    # on separate lines, since "1. Open ..." directly after a courtesy would no longer be a numbered step
    return f"{chance.choice(phrases.before)}\n\n{answer.rstrip()}\n\n{after}"


def _inject(answer: str, chance: random.Random, phrases: Probes) -> str:
    parts = [answer.rstrip(), chance.choice(phrases.instructions)]
    chance.shuffle(parts)
    return "\n\n".join(parts)


_WITH_PHRASES: dict[str, Callable[[str, random.Random, Probes], str]] = {"padded": _pad, "injected": _inject}


def add_style(answer: str, language: Language) -> str:
    """Adds marks to an answer: its first statement becomes a heading, the others list items with a bold word.

    No word is added, lost or moved, and the answer claims the same: where a heading or a list would change what it
    claims, that mark is left out. Lists, tables, code and headings that it has stay.

    Returns:
        The answer with marks; "" where no mark can be added.

    Example:
        >>> from assay.languages import load_language
        >>> print(add_style("Go to Leave. Choose the day. Your manager gets a message.", load_language("en")))
        ## Go to Leave.
        <BLANKLINE>
        - **Choose** the day.
        - Your **manager** gets a message.
    """
    split = answer_sentences(answer, language)
    statements = _statements(split)
    styling = _Styling(answer, split, _plain_lines(answer), list(_bold_words(answer, split)))
    for heads, lists in ((True, True), (False, True), (False, False)):
        styled = styling.write(heads=heads, lists=lists)
        has_mark = len(_SPACE.sub("", styled)) > len(_SPACE.sub("", answer))
        same_words = tokens(styled) == tokens(answer)
        if has_mark and same_words and _statements(answer_sentences(styled, language)) == statements:
            return styled
    return ""


def _statements(split: Sequence[AnswerSentence]) -> list[tuple[str, str]]:
    return [(sentence.answer_word, sentence.text) for sentence in split if sentence.kind == CLAIM]


def _plain_lines(answer: str) -> list[tuple[int, int]]:
    """Where the lines of plain text begin and end: those outside lists, tables, code and headings."""
    return [
        (line.place(0), line.end)
        for line in read_lines(answer)
        if line.role == "text" and not line.path and _begins_line(answer, line.place(0))
    ]


def _bold_words(answer: str, split: Sequence[AnswerSentence]) -> Iterator[tuple[int, int]]:
    """Yields where the longest word of each statement stands, unless the statement has marks or no other word."""
    for sentence in split:
        text = answer[sentence.start : sentence.end]
        words = list(_BOLD_WORD.finditer(text))
        is_one_word = len(tokens(text)) == 1  # in bold it would be a label
        if sentence.kind == CLAIM and words and not is_one_word and not _MARK.search(text):
            longest = max(words, key=lambda word: len(word[0]))
            yield sentence.start + longest.start(), sentence.start + longest.end()


def _begins_line(answer: str, place: int) -> bool:
    return answer[:place].rstrip(" \t")[-1:] in {"", "\n", "\r"}


def _begins_sentence(answer: str, place: int) -> bool:
    """Whether a sentence, and not only a part of one, begins here."""
    before = answer[:place].rstrip()
    has_space = len(before) < place
    return _begins_line(answer, place) or (has_space and before.rstrip(_CLOSING)[-1:] in {".", "!", "?", ":"})


@dataclass(frozen=True, slots=True)
class _Styling:
    """Writes an answer with marks."""

    answer: str
    split: Sequence[AnswerSentence]
    plain: Sequence[tuple[int, int]]
    bold: Sequence[tuple[int, int]]  # where the words that may be bold begin and end

    def write(self, *, heads: bool, lists: bool) -> str:
        """The answer with bold words, and where asked for with a heading and with lists."""
        if not lists:
            return self._with_bold(0, len(self.answer))
        blocks = list(self._blocks())
        items = [place for place, (_, _, is_item) in enumerate(blocks) if is_item]
        heading = items[0] if heads and len(items) > 1 else None
        parts, was_marked, done = list[str](), False, 0
        for place, (start, end, is_item) in enumerate(blocks):
            is_heading = place == heading
            is_listed = is_item and not is_heading
            gap = self.answer[done:start]  # as it is between what gets no mark
            if is_item or was_marked:
                follows_item = is_listed and was_marked and place - 1 != heading
                gap = "" if not parts else "\n" if follows_item else "\n\n"
            text = self.answer[start:end] if is_heading else self._with_bold(start, end)
            parts.append(gap + ("## " if is_heading else "- " if is_listed else "") + text)
            was_marked, done = is_item, end
        return "".join([*parts, self.answer[done:]])

    def _blocks(self) -> Iterator[tuple[int, int, bool]]:
        """Yields the parts of the answer: each sentence of plain text, whether it claims something, and the rest."""
        done = 0
        for start, end in self.plain:
            yield from self._rest(done, start)
            begins = [
                sentence
                for sentence in self.split
                if start <= sentence.start < end and _begins_sentence(self.answer, sentence.start)
            ]
            starts = [start, *(sentence.start for sentence in begins[1:])]
            kinds = [sentence.kind for sentence in begins[:1]] or [""]
            kinds += [sentence.kind for sentence in begins[1:]]
            for first, last, kind in zip(starts, [*starts[1:], end], kinds, strict=True):
                yield first, first + len(self.answer[first:last].rstrip()), kind == CLAIM
            done = end
        yield from self._rest(done, len(self.answer))

    def _rest(self, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
        text = self.answer[start:end]
        if text.strip():
            indent = len(text) - len(text.lstrip("\r\n"))
            yield start + indent, start + len(text.rstrip()), False

    def _with_bold(self, start: int, end: int) -> str:
        """A part of the answer with its words in bold."""
        parts, done = list[str](), start
        for first, last in self.bold:
            if start <= first and last <= end:
                parts += [self.answer[done:first], f"**{self.answer[first:last]}**"]
                done = last
        return "".join([*parts, self.answer[done:end]])
