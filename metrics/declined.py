"""Declined: whether the answer says that it cannot answer (003, 4.7 and 5.5.2)."""

import re
from dataclasses import dataclass
from functools import cache

from ..eval_sets.sample import Sample
from ..judges import Choice, Judge, Question
from ..judges.probabilities import option_probabilities
from ..languages import Language, language_or_fallback
from ..prompts import BUNDLED, Prompts
from ..text.sentences import any_pattern, claiming_sentences, sentences
from .metric import Metric, Score, scored


@dataclass(frozen=True)
class Reading:
    """What patterns find: the first sentence that declines (or ""), and the first one that answers (or "")."""

    declining: str
    answering: str
    declines_first: bool

    @property
    def declined(self) -> bool:
        """An answer that declines and then sends the customer on, or adds something, has declined."""
        return bool(self.declining) and self.declines_first

    @property
    def certain(self) -> bool:
        """Whether no judge need look: it declines, and gives no answer besides."""
        return bool(self.declining) and not self.answering


def read_by_patterns(answer: str, language: Language) -> Reading:
    """Which sentences of an answer decline and which answer, by the patterns of its language."""
    declines, beside = _patterns(language)
    said = sentences(answer, language)
    declining = [place for place, sentence in enumerate(said) if declines.search(sentence)]
    claims = set(claiming_sentences(answer, language))
    answering = [
        place
        for place, sentence in enumerate(said)
        if place not in declining and not beside.search(sentence) and any(claim in sentence for claim in claims)
    ]
    first = bool(declining) and (not answering or declining[0] < answering[0])
    return Reading(said[declining[0]] if declining else "", said[answering[0]] if answering else "", first)


def declined_question(sample: Sample, prompts: Prompts) -> Question[Choice]:
    """What the judge is asked: whether this answer declines."""
    prompt = prompts.load("declined", sample.language)
    user = prompt.render({"question": sample.user_input, "answer": sample.response})
    return Question(
        prompt,
        user,
        Choice,
        sample.id,
        options=language_or_fallback(prompt.language).profile.yes_no,
        logprobs=True,
        prompts=prompts,
    )


class Declined(Metric):
    """1 when the answer says that it cannot answer, else 0; an empty answer declines.

    Patterns decide where they find nothing but a refusal; then the judge, where there is one; else the patterns again,
    by what comes first. Whether declining is right depends on the question: `assay crosseval` asks both kinds.
    """

    name = "declined"
    needs = ()
    higher_is_better = False

    def __init__(self, judge: Judge | None = None, prompts: Prompts = BUNDLED) -> None:
        self.judge = judge
        self.prompts = prompts

    async def measure(self, sample: Sample) -> Score:
        """The evidence says who decided (`patterns` or `judge`) and by which sentence. Raises `JudgeError`."""
        if not sample.response.strip():
            return scored(1.0, "the answer is empty", {"by": "patterns", "sentence": ""})
        found = read_by_patterns(sample.response, language_or_fallback(sample.language))
        if self.judge is None or found.certain:
            sentence = found.declining if found.declined else found.answering
            evidence = {"by": "patterns", "sentence": sentence}
            told = "it declines" if found.declined else "no sentence declines before it answers"
            return scored(float(found.declined), f'{told}: "{sentence}"' if sentence else told, evidence)
        question = declined_question(sample, self.prompts)
        reply = await self.judge.ask(question)
        probability = option_probabilities(reply.raw, question.options)[question.options[0]]
        evidence_by_judge = {
            "by": "judge",
            "sentence": found.declining,
            "probability": probability,
            "judge": self.judge.name,
            "prompts": [question.prompt.identity],
        }
        reason = f"the judge says {reply.value.word}, P(declined) = {probability:.2f}"
        return scored(float(probability >= 0.5), reason, evidence_by_judge, reply.usage)


@cache
def _patterns(language: Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return any_pattern(language.declined.declines), any_pattern(language.declined.beside)
