"""The claims of a text, and whether another text supports them: what the metrics that compare two texts share."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

from pydantic import BaseModel

from ..errors import JudgeError
from ..eval_sets.sample import Sample
from ..judges import Answer, Answers, Judge, Predicate, Question, Request, Usage
from ..judges.transports.chat import delimit_all
from ..judges.typed_questions import YES
from ..judges.usage import NO_USAGE
from ..languages import language_or_fallback
from ..prompts import Prompts
from ..text.quotes import find_nearest_sentence
from ..text.sentence_kinds import CLAIM, HEADING, TO_JUDGE, YES_NO
from ..text.sentences import (
    NO_SENTENCES,
    AnswerSentence,
    answer_sentences,
    answer_to_its_reader,
    without_words_to_judge,
)
from .metric import compute_for
from .sample_state import earlier_turns
from .score import SENTENCES, Claim

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


async def extract_claims(
    sample: Sample, text: str, claims_by: ClaimsBy, judge: Judge, prompts: Prompts
) -> tuple[list[str], Usage]:
    """Lists the claims of a text of a sample: its answer, or its reference as if it were the answer."""
    split = await compute_for(sample, sentences_of_answer, sample, text)
    if claims_by == "judge":
        return await claims_by_judge(sample, split, judge, prompts, text)
    return claims_of_sentences(split), NO_USAGE


SUPPORT = "support"
"""The prompt of a claim and its contexts."""
CONVERSATION_SUPPORT = "conversation_support"
"""The prompt where results of tools and what the customer said count too."""
_SAYS, _NO_PROBABILITY, _PROBABILITY = "the judge says ", ", and gives no probability", ", P(yes) = "
_FRAME = re.compile(rf"{_SAYS}\w+(?:{_NO_PROBABILITY}|{re.escape(_PROBABILITY)}[\d.]+)(?:: (?P<words>.*))?$", re.DOTALL)
_NO_CONTEXT: Mapping[str, str] = MappingProxyType({})


def support_request(
    sample: Sample,
    claims: Sequence[str],
    documentation: str,
    prompts: Prompts,
    *,
    context: Mapping[str, str] = _NO_CONTEXT,
    task: str = SUPPORT,
    passages: tuple[str, ...] = (),
) -> Request:
    """What a judge is asked: of each claim, whether the documentation supports it.

    The state has the earlier turns of the conversation too. The question itself is left out: a small judge answers it
    instead.
    """
    numbered = enumerate(claims, start=1)
    predicates = [Predicate(str(place), claim, context.get(claim, "") if context else "") for place, claim in numbered]
    state = {"documentation": documentation, **earlier_turns(sample)}
    return Request(task, state, predicates, sample.language, sample.id, prompts, passages=passages)


async def judge_support(
    sample: Sample,
    claims: Sequence[str],
    documentation: str,
    judge: Judge,
    prompts: Prompts,
    *,
    context: Mapping[str, str] = _NO_CONTEXT,
    task: str = SUPPORT,
    passages: tuple[str, ...] = (),
) -> tuple[list[Claim], Usage]:
    """Has a judge say of each claim whether a text supports it; without claims nobody is asked.

    An entailment model reads the passages of the text one by one.

    Returns:
        The claims with their verdicts, in order, and the usage.
    """
    if not claims:
        return [], NO_USAGE
    request = support_request(sample, claims, documentation, prompts, context=context, task=task, passages=passages)
    answers = await judge.decide(request)
    return [predicate_claim(answer, claim) for answer, claim in zip(answers.values(), claims, strict=True)], (
        answers.usage
    )


def predicate_claim(answer: Answer, text: str = "") -> Claim:
    """The answer to a predicate as a claim with its verdict, the shape that reports show.

    Example:
        >>> answer = Answer(Predicate("1", "It is free."), "yes", {"yes": 0.75, "no": 0.25})
        >>> predicate_claim(answer).evidence()["probability"]
        0.75
    """
    statement = text or (answer.question.statement if isinstance(answer.question, Predicate) else "")
    if answer.option is None:
        return Claim(statement, "unverifiable", answer.problem or "the judge gave no answer")
    probability = None if answer.probabilities is None else answer.probability
    reason = f"{_SAYS}{answer.option}"
    reason += _NO_PROBABILITY if probability is None else f"{_PROBABILITY}{probability:.2f}"
    reason += f": {answer.reason}" if answer.reason else ""
    return Claim(statement, "supported" if answer.option == YES else "not_found", reason, probability=probability)


def read_judges_words(values: Mapping[str, Any]) -> str:
    """Returns what a judge says of a claim in its own words, without the words that Assay puts around them.

    Returns:
        The words; empty where the judge adds none to its verdict, and where Assay decided without it.

    Examples:
        >>> predicate = Predicate("1", "It is free.")
        >>> read_judges_words(predicate_claim(Answer(predicate, "no", reason="it costs 5")).evidence())
        'it costs 5'
        >>> read_judges_words(predicate_claim(Answer(predicate, "no", {"yes": 0.2, "no": 0.8})).evidence())
        ''
    """
    reason = values.get("reason")
    frame = _FRAME.search(reason) if isinstance(reason, str) and values.get("source", "judge") == "judge" else None
    return (frame["words"] or "").strip() if frame else ""


def with_quotes(claims: Sequence[Claim], contexts: tuple[str, ...]) -> list[Claim]:
    """The claims, each supported one with the sentence of the contexts that shares most of its words.

    The judge gives no quote with a one-word answer; this is where a reader looks first.
    """
    quoted = []
    for claim in claims:
        if claim.verdict == "supported" and (place := find_nearest_sentence(claim.text, contexts)):
            quoted += [claim.with_quote(contexts[place.context][place.start : place.end], place)]
        else:
            quoted += [claim]
    return quoted


def require_answers(answers: Answers) -> Answers:
    """Returns the answers, where every question has one."""
    for number, answer in enumerate(answers.values(), start=1):
        if answer.option is None:
            raise JudgeError(
                f"question {number} of {len(answers)} has no answer: {answer.problem or 'the judge declined'}"
            )
    return answers
