"""English text for the starred features (Lassche et al., 2024, VI-A): parsers do better in English than in Dutch."""

import re
from dataclasses import replace
from typing import NamedTuple

from pydantic import BaseModel, ValidationInfo, field_validator

from ...eval_sets.sample import Sample
from ...judges import Judge, Question, Usage
from ...languages import FALLBACK
from ...prompts import Prompts
from ..score import Score

ENGLISH = FALLBACK
_LONGEST = 4000  # characters in one request: what a small judge still gets through
_OUTER_BLANKS = re.compile(r"\A(\s*)(.*?)(\s*)\Z", re.DOTALL)
_SPARE_TOKENS = 200  # beside one per two characters
_FEWEST_CHARACTERS_PER_TOKEN = 2


class Translation(NamedTuple):
    """A sample with its response and contexts in English, the judge that translated, and the usage."""

    sample: Sample
    by: str
    usage: Usage

    def add_to(self, score: Score) -> Score:
        """A score with the English texts in its evidence, to check the starred features by, and what they took."""
        english = {
            "by": f"judge {self.by}",
            "response": self.sample.response,
            "retrieved_contexts": [*self.sample.retrieved_contexts],
        }
        return replace(score, evidence=score.evidence | {"translation": english}, usage=self.usage)


class EnglishText(BaseModel):
    """The judge's reply. A text with words has a translation with some."""

    translation: str

    @field_validator("translation")
    @classmethod
    def _has_words(cls, text: str, info: ValidationInfo) -> str:
        if not text.strip():
            raise ValueError(f"the {info.field_name} is empty")
        return text


async def translate_sample(sample: Sample, judge: Judge | None, prompts: Prompts) -> Translation | None:
    """Translates what the starred features read of a sample; None without a judge or for an English sample.

    The question stays as it is: no starred feature reads it. A text that occurs twice is translated once.
    Raises `JudgeError` when a text could not be translated.
    """
    language = sample.language or ENGLISH
    if judge is None or language == ENGLISH:
        return None
    usage = Usage()
    english: dict[str, str] = {}
    for text in dict.fromkeys((sample.response, *sample.retrieved_contexts)):
        parts = []
        for before, inner, after in _pieces(text):  # the blanks around a piece, which a judge drops, stay
            translated = inner
            if _is_translated(inner):
                reply = await judge.ask(translation_question(inner, language, prompts, sample.id))
                usage += reply.usage
                translated = reply.value.translation.strip()
            parts += [before, translated, after]
        english[text] = "".join(parts)
    changes = {
        "language": ENGLISH,
        "response": english[sample.response],
        "retrieved_contexts": tuple(english[context] for context in sample.retrieved_contexts),
    }
    return Translation(sample.model_copy(update=changes), judge.name, usage)


def translation_question(text: str, language: str, prompts: Prompts, sample: str = "") -> Question[EnglishText]:
    """Builds the question to a judge for one text of at most some 4,000 characters."""
    prompt = prompts.load("translate", language)
    most = _SPARE_TOKENS + len(text) // _FEWEST_CHARACTERS_PER_TOKEN
    return Question(prompt, prompt.render({"text": text}), EnglishText, sample, max_tokens=most, prompts=prompts)


def _is_translated(text: str) -> bool:
    return any(character.isalpha() for character in text)


def _pieces(text: str) -> list[tuple[str, str, str]]:
    """A text cut at line ends into pieces that one request holds, each with the blanks around it."""
    cut = [""]
    for line in text.splitlines(keepends=True) if len(text) > _LONGEST else [text]:
        for start in range(0, len(line), _LONGEST):
            part = line[start : start + _LONGEST]
            if len(cut[-1]) + len(part) > _LONGEST:
                cut.append("")
            cut[-1] += part
    return [_OUTER_BLANKS.findall(piece)[0] for piece in cut]
