"""The claims of an answer: what it says that is true or false by itself."""

from typing import Literal

from pydantic import BaseModel

from ..eval_sets.sample import Sample
from ..judges import Judge, Question, Usage
from ..languages import language_or_fallback
from ..prompts import Prompts
from ..text.sentences import TO_JUDGE, AnswerSentence, answer_sentences, claiming_sentences
from .worker import compute_for

ClaimsBy = Literal["judge", "sentences"]


class Claims(BaseModel):
    """The judge's reply: claims in the answer's order and language, each readable alone."""

    claims: list[str]


def claims_question(sample: Sample, prompts: Prompts) -> Question[Claims]:
    """What the judge is asked for an answer's claims."""
    prompt = prompts.load("claims", sample.language)
    user = prompt.render({"question": sample.user_input, "answer": sample.response})
    return Question(prompt, user, Claims, sample.id, prompts=prompts)


async def claims_by_judge(sample: Sample, judge: Judge, prompts: Prompts) -> tuple[list[str], Usage]:
    """The answer's claims, decontextualised by the judge in one call, and the usage of the call.

    What the answer says to its judge is not shown, and is no claim.

    Raises:
        JudgeError: The judge gave no usable reply.
    """
    language = language_or_fallback(sample.language)
    split = await compute_for(sample, answer_sentences, sample.response, language)
    if any(sentence.kind == TO_JUDGE for sentence in split):
        shown = "\n".join(sentence.text for sentence in split if sentence.kind != TO_JUDGE)
        sample = sample.model_copy(update={"response": shown})
    reply = await judge.ask(claims_question(sample, prompts))
    texts = dict.fromkeys(" ".join(claim.split()) for claim in reply.value.claims)
    return [text for text in texts if text and not is_said_to_judge(text, sample.language)], reply.usage


def is_said_to_judge(claim: str, language: str | None) -> bool:
    """Whether a claim, as a judge wrote it, speaks to whoever assesses the answer."""
    split = answer_sentences(claim, language_or_fallback(language))
    return any(sentence.kind == TO_JUDGE for sentence in split)


def claims_by_sentences(sample: Sample) -> list[str]:
    """The answer's sentences that claim something, without a judge."""
    return list(dict.fromkeys(claiming_sentences(sample.response, language_or_fallback(sample.language))))


def sentences_of_answer(sample: Sample) -> list[AnswerSentence]:
    """All sentences of the answer, each with what it is: a claim, or why it is none."""
    return answer_sentences(sample.response, language_or_fallback(sample.language))
