"""Declined: whether the answer says that it cannot answer (González Torres et al. 2024, 4.7 and 5.5.2)."""

import re
from dataclasses import dataclass
from typing import Any

from ..eval_sets.sample import Sample
from ..judges import JudgeLike, Predicate, open_judge
from ..languages import Language, language_or_fallback
from ..prompts import BUNDLED, Prompts
from ..text.sentence_kinds import CLAIM, CLOSING_QUOTES, REFUSAL, load_sentence_kinds
from ..text.sentences import NO_SENTENCES, answer_sentences
from .judged import JudgedMetric
from .metric import compute_for
from .sample_state import sample_state
from .score import Score, scored

_ID = "declined"
_ENDS = tuple(".!?…")  # of a whole sentence; what ends otherwise is a part, as in "I am not sure, but ..."
_CLOSING_SIGNS = f"{CLOSING_QUOTES}“«"  # the last two close a quotation in German
_DIGIT = re.compile(r"\d")
# how to reach somebody: a telephone number (+46 31 555 01 20, 0800 123 456, 555-123-4567) or an e-mail address
_CONTACT = re.compile(r"(?:\+|\b0)(?:[ ()/.-]{0,2}\d){8,14}|\b\d{3}[-. ]\d{3}[-. ]\d{4}\b|\w@\w")


@dataclass(frozen=True)
class Refusal:
    """What patterns find in an answer."""

    declining: str  # the first sentence that declines, or ""
    answering: str  # the first sentence that answers, or ""
    # whether a whole sentence declines before what answers, in which no number stands but beside how to reach somebody
    sends_on: bool = False

    @property
    def declined(self) -> bool:
        """Whether the answer declines: a sentence does, and none answers but to send the customer on.

        "I don't know. Please call us." declines; "I am not sure, but it costs 50 euros." does not.
        """
        return bool(self.declining) and (not self.answering or self.sends_on)

    @property
    def undecided(self) -> bool:
        """Whether one sentence declines and another answers, or it is a rule for a case: a judge should decide."""
        return bool(self.declining) and bool(self.answering)


def find_refusal(answer: str, language: Language) -> Refusal:
    """Which sentences of an answer decline and which answer, by the patterns of its language.

    Example:
        >>> from assay.languages import load_language
        >>> find_refusal("I cannot find that. The desk opens at nine.", load_language("en")).undecided
        True
    """
    pack = language.declined
    split = [sentence for sentence in answer_sentences(answer, language) if sentence.kind not in NO_SENTENCES]
    declining = [
        place
        for place, sentence in enumerate(split)
        if sentence.kind == REFUSAL or pack.declines.search(sentence.written)
    ]
    # what is left of "No, it is not" without its first word answers nothing
    claiming = {place for place, sentence in enumerate(split) if sentence.kind == CLAIM and not sentence.answer_word}
    rules = {place for place in declining if pack.conditional.search(split[place].written)}
    answering = [
        place
        for place in sorted(claiming - {*declining} | rules)
        if place in rules or not pack.beside.search(split[place].written)
    ]
    declined, answered = (split[places[0]].written if places else "" for places in (declining, answering))
    comes_first = (
        bool(declining and answering)
        and declining[0] < answering[0]
        and declined.rstrip(_CLOSING_SIGNS).endswith(_ENDS)
    )
    written = [split[place].written for place in answering]
    has_number = any(_DIGIT.search(sentence) and not _CONTACT.search(sentence) for sentence in written)
    return Refusal(declined, answered, comes_first and not has_number)


def is_refusal(answer: str, language: Language) -> bool:
    """Whether an answer says that it cannot answer, by patterns alone.

    Example:
        >>> from assay.languages import load_language
        >>> is_refusal("Sorry, I cannot help.", load_language("en"))
        True
    """
    may_decline = language.declined.declines.search(answer) or load_sentence_kinds(language).has_refusal(answer)
    return bool(may_decline) and find_refusal(answer, language).declined


class Declined(JudgedMetric):
    """1 when the answer says that it cannot answer, else 0; lower is better.

    Patterns decide where they find nothing but a refusal; then the judge, where there is one: 1 when P(declined) is at
    least 0.5, or it says so and gives no probabilities. Without a judge a whole sentence that declines before anything
    else decides, unless a number follows that does not stand beside a telephone number or an e-mail address; where a
    sentence also answers the evidence is `undecided`. Range: 0 or 1. An empty answer declines; no sample is skipped.
    Whether declining is right depends on the question: `sets crosseval` asks both kinds. Source: González Torres et al.
    (2024), 4.7 and 5.5.2.

    Args:
        judge: Decides where patterns are not certain.
        prompts: The prompts of the calls.

    Example:
        >>> Declined().score(response="I have no information about that.", language="en").value
        1.0
    """

    name = "declined"
    needs = ()
    higher_is_better = False

    def __init__(self, judge: JudgeLike | None = None, prompts: Prompts = BUNDLED) -> None:
        self.judge = None if judge is None else open_judge(judge)
        self.prompts = prompts

    async def measure(self, sample: Sample) -> Score:
        """The score; the evidence says who decided (`patterns` or `judge`) and by which sentence."""
        if not sample.response.strip():
            return scored(1.0, "the answer is empty", {"by": "patterns", "sentence": ""})
        language = language_or_fallback(sample.language)
        refusal = await compute_for(sample, find_refusal, sample.response, language)
        if self.judge is None or (refusal.declined and not refusal.undecided):
            sentence = refusal.declining if refusal.declined else refusal.answering
            evidence: dict[str, Any] = {"by": "patterns", "sentence": sentence}
            if refusal.undecided:
                evidence["undecided"] = True
            reason = "it declines" if refusal.declined else "no sentence declines before it answers"
            if refusal.undecided and not refusal.declined:
                reason = f'beside "{refusal.declining}" it answers'
            return scored(float(refusal.declined), f'{reason}: "{sentence}"' if sentence else reason, evidence)
        state = sample_state(sample, ("user_input", "response"))
        answers = await self.decide("declined", sample, state, [Predicate(_ID, language.declined.statement)])
        answer = answers[_ID]
        evidence = {"by": "judge", "sentence": refusal.declining, "probability": answer.probability}
        evidence |= self.asked_with(sample, "declined")
        certainty = (
            "and gives no probability" if answer.probability is None else f"P(declined) = {answer.probability:.2f}"
        )
        reason = f"the judge says {answer.option}, {certainty}"
        return scored(float(answer.support >= 0.5), reason, evidence, answers.usage)
