"""English text for the starred features (Lassche et al., 2024, VI-A): parsers do better in English than in Dutch."""

import re
from typing import Literal, NamedTuple, Protocol

from pydantic import BaseModel

from ...errors import UsageError
from ...eval_sets.sample import Sample
from ...judges import Judge, Question, Usage
from ...judges.question import TextReply, max_tokens_for
from ...languages import FALLBACK
from ...prompts import Prompts
from .parse_cache import pieces

ENGLISH = FALLBACK
TranslatorName = Literal["judge"]

_LONGEST = 4000  # characters in one request: what a small judge still gets through
_OUTER_BLANKS = re.compile(r"\A(\s*)(.*?)(\s*)\Z", re.DOTALL)


class Translator(Protocol):
    """Translates a text into English. `name` stands in the evidence."""

    name: str

    async def english(self, text: str, language: str, sample: str) -> tuple[str, Usage]:
        """Returns a text of a sample in English, and the usage. Raises `JudgeError` when there is no translation."""
        ...


class Translation(NamedTuple):
    """A sample with its response and contexts in English, the name of the translator, and the usage."""

    sample: Sample
    by: str
    usage: Usage

    def as_evidence(self) -> dict[str, object]:
        """The English texts, to check the starred features by."""
        texts = {"response": self.sample.response, "retrieved_contexts": [*self.sample.retrieved_contexts]}
        return {"by": self.by, **texts}


class EnglishText(BaseModel):
    """The judge's reply. A text with words has a translation with some."""

    translation: TextReply


def load_translator(
    named: "TranslatorName | Translator | None", judge: Judge | None, prompts: Prompts
) -> Translator | None:
    """Returns the translator of the name `judge`, or the translator that was passed.

    Raises `UsageError` for another name, and when there is no judge.
    """
    if not isinstance(named, str):
        return named
    if named != "judge":
        raise UsageError(f"translate is judge or a Translator, not {named!r}")
    if judge is None:
        raise UsageError("translate=judge needs a judge; name one with --judge (in Python: judge=...)")
    return JudgeTranslator(judge, prompts)


async def translate_sample(sample: Sample, translator: Translator | None) -> Translation | None:
    """Translates what the starred features read of a sample; None without a translator or for an English sample.

    The question stays as it is: no starred feature reads it. A text that occurs twice is translated once.
    Raises `JudgeError` when a text could not be translated.
    """
    language = sample.language or ENGLISH
    if translator is None or language == ENGLISH:
        return None
    usage = Usage()
    english: dict[str, str] = {}
    for text in _texts_to_translate(sample):
        english[text], took = await _translate_text(text, language, sample.id, translator)
        usage += took
    changes = {
        "language": ENGLISH,
        "response": english[sample.response],
        "retrieved_contexts": tuple(english[context] for context in sample.retrieved_contexts),
    }
    return Translation(sample.model_copy(update=changes), translator.name, usage)


def translation_questions(sample: Sample, prompts: Prompts) -> list[Question[EnglishText]]:
    """Lists all that a judge is asked to translate for a sample, in order. Raises `UsageError` for an English one."""
    language = sample.language or ENGLISH
    if language == ENGLISH:
        raise UsageError(f"the sample {sample.id} is English: nothing of it is translated")
    inner = (
        _OUTER_BLANKS.findall(piece)[0][1] for text in _texts_to_translate(sample) for piece in pieces(text, _LONGEST)
    )
    return [translation_question(text, language, prompts, sample.id) for text in inner if _has_words(text)]


def _texts_to_translate(sample: Sample) -> list[str]:
    return [*dict.fromkeys((sample.response, *sample.retrieved_contexts))]


def _has_words(text: str) -> bool:
    return any(character.isalpha() for character in text)


async def _translate_text(text: str, language: str, sample: str, translator: Translator) -> tuple[str, Usage]:
    """Translates a text of any length; the blanks around its pieces, which translators drop, stay."""
    usage, parts = Usage(), list[str]()
    for piece in pieces(text, _LONGEST):
        before, inner, after = _OUTER_BLANKS.findall(piece)[0]
        if _has_words(inner):
            inner, took = await translator.english(inner, language, sample)
            usage += took
        parts.append(f"{before}{inner.strip()}{after}")
    return "".join(parts), usage


def translation_question(text: str, language: str, prompts: Prompts, sample: str = "") -> Question[EnglishText]:
    """Builds the question to a judge for one text of at most some 4,000 characters."""
    prompt = prompts.load("translate", language)
    user = prompt.render({"text": text})
    return Question(prompt, user, EnglishText, sample, max_tokens=max_tokens_for(text), prompts=prompts)


class JudgeTranslator:
    """Translates through a judge: its cassette, budget and usage apply."""

    def __init__(self, judge: Judge, prompts: Prompts) -> None:
        self.name = f"judge {judge.name}"
        self._judge = judge
        self._prompts = prompts

    async def english(self, text: str, language: str, sample: str) -> tuple[str, Usage]:
        """As `Translator`."""
        reply = await self._judge.ask(translation_question(text, language, self._prompts, sample))
        return reply.value.translation, reply.usage
