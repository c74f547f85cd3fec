"""The claims of an answer: what it says that is true or false by itself."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel

from ..eval_sets.sample import Sample
from ..judges import Judge, Question, Usage
from ..judges.transports.chat import delimit_all
from ..languages import language_or_fallback
from ..prompts import Prompts
from ..text.sentence_kinds import CLAIM, HEADING, TO_JUDGE, YES_NO
from ..text.sentences import (
    NO_SENTENCES,
    AnswerSentence,
    answer_sentences,
    answer_to_its_reader,
    without_words_to_judge,
)
from .sample_state import earlier_turns
from .score import SENTENCES

_NO_SENTENCES = {HEADING, *NO_SENTENCES}
ClaimsBy = Literal["judge", "sentences"]


class Claims(BaseModel):
    """The judge's reply: claims in the answer's order and language, each readable alone."""

    claims: list[str]


def claims_question(sample: Sample, prompts: Prompts, answer: str | None = None) -> Question[Claims]:
    """What the judge is asked for an answer's claims: it sees the turns before, to write what the answer refers to."""
    prompt = prompts.load("claims", sample.language)
    user = prompt.render({"question": sample.user_input, "answer": sample.response if answer is None else answer})
    if before := delimit_all(earlier_turns(sample)):
        user = f"{before}\n{user}"
    return Question(prompt, user, Claims, sample.id, prompts=prompts)


async def claims_by_judge(
    sample: Sample, split: Sequence[AnswerSentence], judge: Judge, prompts: Prompts, text: str | None = None
) -> tuple[list[str], Usage]:
    """The answer's claims, decontextualised by the judge in one call, and the usage of the call.

    What the answer says to its judge is not shown, and is no claim.
    """
    answer = answer_to_its_reader(sample.response if text is None else text, split)
    reply = await judge.ask(claims_question(sample, prompts, answer))
    language = language_or_fallback(sample.language)
    texts = (without_words_to_judge(" ".join(claim.split()), language) for claim in reply.value.claims)
    return list(dict.fromkeys(filter(None, texts))), reply.usage


def sentences_of_answer(sample: Sample, text: str | None = None) -> list[AnswerSentence]:
    """All sentences of the answer, or of another text, each with what it is: a claim, or why it is none."""
    answer = sample.response if text is None else text
    return answer_sentences(answer, language_or_fallback(sample.language), sample.user_input)


def claims_of_sentences(split: Sequence[AnswerSentence]) -> list[str]:
    """The sentences that claim something, each once, without a judge."""
    return list(dict.fromkeys([sentence.text for sentence in split if sentence.kind == CLAIM]))


def sentence_evidence(split: Sequence[AnswerSentence], claims_by: ClaimsBy = "sentences") -> dict[str, Any]:
    """What a score's evidence says of the sentences that were judged, and of those that were not.

    Returns:
        `left_out`: the parts of the answer that are no claims, each with why; `sentences`: how many sentences were
        judged and how many left out, headings, code, images and the targets of links apart.

    Example:
        >>> from assay.languages import load_language
        >>> sentence_evidence(answer_sentences("Hello! It is free.", load_language("en")))["sentences"]
        {'judged': 1, 'left_out': 1}
    """
    left_out: list[dict[str, str]] = []
    parts: list[dict[str, str]] = []  # cut out of sentences that are judged
    answer_words: list[dict[str, str]] = []
    judged = count = 0
    for sentence in split:
        is_sentence = sentence.kind not in _NO_SENTENCES
        if sentence.kind == TO_JUDGE or (sentence.kind != CLAIM and claims_by == "sentences"):
            left_out += [{"text": sentence.text, "kind": sentence.kind}]
            count += is_sentence
        else:
            judged += is_sentence
        if sentence.cut:
            parts += [{"text": text, "kind": TO_JUDGE} for text in sentence.cut]
        if sentence.answer_word and claims_by == "sentences":  # "Yes, it is free": the judge is asked about the rest
            answer_words += [{"text": sentence.answer_word.strip(), "kind": YES_NO}]
    return {"left_out": left_out + parts + answer_words, SENTENCES: {"judged": judged, "left_out": count}}


def claims_by_sentences(sample: Sample) -> list[str]:
    """The answer's sentences that claim something, each once, without a judge."""
    return claims_of_sentences(sentences_of_answer(sample))
