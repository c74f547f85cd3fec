"""Handover: whether a conversation was rightly handed over to a person, or rightly not."""

from typing import Any, Literal

from ..eval_sets.sample import Sample
from ..judges import ChoiceQuestion, JudgeLike, Request, open_judge
from ..judges.usage import NO_USAGE, Usage
from ..languages import language_or_fallback
from ..prompts import BUNDLED, Prompts
from ..value_messages import shorten
from .claim_support import require_answers
from .conversation_state import fitting_thread
from .handover_signs import HandoverSign, find_handover, find_needs
from .metric import Metric, compute_for
from .score import Score, scored

HandoverVerdict = Literal["right", "missing", "needless", "none_needed"]
_ID = "handover"
_REASONS: dict[HandoverVerdict, str] = {
    "right": "handed over, and a person was needed",
    "needless": "handed over, though no person was needed",
    "missing": "not handed over, though a person was needed",
    "none_needed": "not handed over, and no person was needed",
}
_NEEDS = {"asked": "the customer asked for a person", "cannot": "the assistant said that it cannot help"}


def handover_verdict(*, happened: bool, needed: bool) -> HandoverVerdict:
    """The verdict on a handover.

    Example:
        >>> handover_verdict(happened=True, needed=False)
        'needless'
    """
    if happened:
        return "right" if needed else "needless"
    return "missing" if needed else "none_needed"


class Handover(Metric):
    """Whether the conversation was rightly handed over to a person, or rightly not.

    Formula: with n = P(a person was needed), n where a handover happened, else 1 - n; without probabilities 1 for the
    verdicts `right` and `none_needed`, 0 for `missing` and `needless`. Range: [0, 1].

    Whether a handover happened is read from calls of tools and from what the assistant says, by word lists
    (`languages/*/handover.yaml`), not by the judge. Whether a person was needed: the judge goes by the policy (the
    first system message) and by the conversation before the handover, all of it where none happened. Without a policy
    or a judge a rule decides: a person was needed where, before the handover, the customer asked for one (and did not
    take it back) or the assistant said that it cannot help. The evidence says who decided.

    Args:
        judge: Says whether a person was needed, in one request per conversation with a policy.
        tools: Names of the tools that hand over, joined by `+`, with `*` for any text (`ring_desk+transfer_*`), in
            place of the words of the language packs.
        prompts: The prompts of the request.
    """

    name = "handover"
    needs = ("messages",)
    measures = "conversation"

    def __init__(self, judge: JudgeLike | None = None, tools: str = "", prompts: Prompts = BUNDLED) -> None:
        self.judge = None if judge is None else open_judge(judge)
        self.tools = tuple(name.strip() for name in tools.split("+") if name.strip())
        self.prompts = prompts

    async def measure(self, sample: Sample) -> Score:
        """The score; the evidence has the handover's turn, by what it was read, the verdict and who decided it.

        Raises:
            JudgeError: The judge gave no usable reply.
        """
        language = language_or_fallback(sample.language, "handover")
        sign = await compute_for(sample, find_handover, sample.messages, language, self.tools)
        evidence: dict[str, Any] = {
            "happened": sign is not None,
            "turn": sign.turn if sign else None,
            "by": sign.by if sign else None,
        }
        usage = NO_USAGE
        if self.judge is not None and (sample.policy or "").strip():
            share, needed, judged, usage = await self._judge_need(sample, sign)
            evidence |= judged
            certainty = "" if evidence["probability"] is None else f", P(needed) = {evidence['probability']:.2f}"
            why = f"the judge decides by the policy{certainty}"
        else:
            end = len(sample.messages) if sign is None else sign.turn + 1
            signs = await compute_for(sample, find_needs, sample.messages, language, end)
            needed = bool(signs)
            share = float(needed)
            evidence |= {"probability": None, "decided_by": "rule", "needed_by": [need._asdict() for need in signs]}
            has_policy = bool((sample.policy or "").strip())
            lacks = "there is no judge to read the policy" if has_policy else "there is no policy"
            because = "; ".join(f"{_NEEDS[need.kind]} in message {need.turn}" for need in signs)
            why = f"{because or 'no message asks for a person or says that it cannot help'}; {lacks}: the rule decides"
        verdict = handover_verdict(happened=sign is not None, needed=needed)
        evidence["verdict"] = verdict
        place = f' in message {sign.turn} ("{shorten(sign.by)}")' if sign else ""
        reason = f"{_REASONS[verdict].replace('handed over', f'handed over{place}', 1)}: {why}"
        return scored(share if sign else 1 - share, reason, evidence, usage)

    async def _judge_need(self, sample: Sample, sign: HandoverSign | None) -> tuple[float, bool, dict[str, Any], Usage]:
        """How probable a person was needed, whether one was, the evidence and the usage."""
        assert self.judge is not None
        before = sample if sign is None else sample.model_copy(update={"messages": sample.messages[: sign.turn]})
        thread = fitting_thread(before, self.judge, lambda text: self.request(sample, text))
        request = self.request(sample, thread.text)
        answers = require_answers(await self.judge.decide(request))
        answer = answers[_ID]
        person = answer.question.options[0]
        share = None if answer.probabilities is None else answer.probabilities[person]
        needed = answer.option == person
        evidence = {
            "probability": share,
            "decided_by": "judge",
            "judge": self.judge.name,
            **thread.evidence(),
            **self.prompts.evidence([request.task], sample.language),
        }
        return float(needed) if share is None else share, needed, evidence, answers.usage

    def request(self, sample: Sample, conversation: str) -> Request:
        """What the judge is asked: who should help the customer after this conversation, by the policy.

        Args:
            sample: The conversation that it is about; it has a policy.
            conversation: Its messages before the handover, as the judge reads them.
        """
        words = language_or_fallback(sample.language, "handover").handover
        question = ChoiceQuestion(_ID, words.question, words.options)
        state = {"policy": sample.policy or "", "conversation": conversation}
        return Request("handover", state, [question], sample.language, sample.id, self.prompts)
