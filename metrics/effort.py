"""Effort: what a conversation cost the customer, in turns, in questions asked twice, and in facts given twice."""

from typing import Any

from ..errors import UsageError
from ..eval_sets.sample import Sample
from ..installation import require_packages
from ..judges import JudgeLike, Predicate, Request, Usage, open_judge
from ..judges.embedders import Embedder, open_embedder
from ..judges.usage import NO_USAGE
from ..languages import language_or_fallback
from ..prompts import BUNDLED, Prompts
from ..text.wording import count_of
from .asked_again import CHOICE, AskedAgain, find_asked_again
from .claim_support import require_answers
from .conversation_state import fitting_thread
from .metric import Metric, compute_for
from .repeated_questions import find_repeated
from .score import Score, scored

PARTS = ("turns", "repeated", "asked_again")
"""What can be counted."""


class Effort(Metric):
    """What the conversation cost the customer; lower is better.

    Formula: the customer's messages + their questions that repeat an earlier one of theirs + the facts that the
    assistant asks for again though they were said, each with weight 1. Range: 0 or more.

    Repeated: a sentence of the customer that asks for something, with a cosine of at least 0.8 to one of an earlier
    message, or of at least 0.67 where 40% of their stems are shared; another number, or one or two words swapped in the
    same place ("on Monday", "on Sunday"), make another question. Asked again: rules (`languages/*/effort.yaml`) propose
    pairs of a question of the assistant and the earlier message, of the customer or a tool, that gave the fact: a
    number, a name, an address, a date, a choice. A judge decides of each pair, in one request; without a judge each
    pair counts. A request to confirm a value, and one after a value that could not be used, count as nothing.

    Args:
        judge: Decides whether what rules propose was asked again.
        embedder: Compares the customer's questions: an `Embedder`, or its name (`use`, `st:MODEL`, `litellm:MODEL`).
        count: What is counted, joined by `+`: `turns`, `repeated`, `asked_again`. The rest is not looked for.
        prompts: The prompts of the request.

    Raises:
        UsageError: `count` names something else, or nothing.
    """

    name = "effort"
    range = (0.0, None)
    needs = ("messages",)
    higher_is_better = False
    measures = "conversation"

    def __init__(
        self,
        judge: JudgeLike | None = None,
        embedder: Embedder | str = "use",
        count: str = "turns+repeated+asked_again",
        prompts: Prompts = BUNDLED,
    ) -> None:
        self.count = tuple(dict.fromkeys(part.strip() for part in count.split("+") if part.strip()))
        if wrong := [part for part in self.count if part not in PARTS] or ([] if self.count else [count]):
            raise UsageError(f"effort:count takes {', '.join(PARTS)}, joined by +, not {wrong[0]!r}")
        self.judge = None if judge is None else open_judge(judge)
        self.embedder = open_embedder(embedder)
        self.prompts = prompts

    async def measure(self, sample: Sample) -> Score:
        """The score; the evidence has the turns, and each question and fact with both messages; null if not counted.

        Raises:
            JudgeError: The judge or the embedder gave no usable reply.
        """
        if {"repeated", "asked_again"} & set(self.count):
            require_packages("numeric", "effort, which compares words (effort:count=turns does without)")
        language = language_or_fallback(sample.language, "effort")
        turns = sum(message.role == "user" and bool(message.text.strip()) for message in sample.messages)
        evidence: dict[str, Any] = {"turns": turns, "repeated": None, "asked_again": None}
        if "repeated" in self.count:
            repeated = await find_repeated(sample.messages, language, self.embedder)
            evidence["repeated"] = [one._asdict() for one in repeated]
            evidence["embedder"] = self.embedder.name
        usage = NO_USAGE
        if "asked_again" in self.count:
            pairs = await compute_for(sample, find_asked_again, sample.messages, language)
            evidence["decided_by"] = "rule"
            if pairs and self.judge is not None:
                judged, usage = await self._judge_pairs(sample, pairs)
                evidence |= judged
            else:
                evidence["asked_again"] = [_pair_evidence(pair) for pair in pairs]
        counts = {part: evidence[part] if part == "turns" else len(evidence[part]) for part in self.count}
        words = {"turns": "message", "repeated": "repeated question", "asked_again": "fact"}
        ends = {"turns": " of the customer", "repeated": "", "asked_again": " asked for again"}
        reason = ", ".join(count_of(count, words[part]) + ends[part] for part, count in counts.items())
        return scored(float(sum(counts.values())), reason, evidence, usage)

    async def _judge_pairs(self, sample: Sample, pairs: list[AskedAgain]) -> tuple[dict[str, Any], Usage]:
        """The pairs that the judge confirms, as evidence, and the usage."""
        assert self.judge is not None
        thread = fitting_thread(sample, self.judge, lambda text: self.request(sample, text, pairs))
        request = self.request(sample, thread.text, pairs)
        answers = require_answers(await self.judge.decide(request))
        judged = [(pair, answer.support) for pair, answer in zip(pairs, answers.values(), strict=True)]
        evidence = {
            "asked_again": [_pair_evidence(pair, support) for pair, support in judged if support >= 0.5],
            "not_again": [_pair_evidence(pair, support) for pair, support in judged if support < 0.5],
            "decided_by": "judge",
            "judge": self.judge.name,
            **thread.evidence(),
            **self.prompts.evidence([request.task], sample.language),
        }
        return evidence, answers.usage

    def request(self, sample: Sample, conversation: str, pairs: list[AskedAgain]) -> Request:
        """What the judge is asked: of each pair, whether the question asks for what the earlier message gave.

        Args:
            sample: The conversation that it is about.
            conversation: Its messages as the judge reads them.
            pairs: What rules propose.
        """
        words = language_or_fallback(sample.language, "effort").effort
        predicates = []
        for number, pair in enumerate(pairs, start=1):
            filled = {"turn": pair.turn, "said_turn": pair.said_turn, "value": " ".join(pair.value.split())}
            if pair.fact == CHOICE:
                statement = words.asked_choice.format(**filled)
            else:
                statement = words.asked_again.format(fact=words.facts[pair.fact].name, **filled)
            predicates.append(Predicate(str(number), statement))
        state = {"conversation": conversation}
        return Request("asked_again", state, predicates, sample.language, sample.id, self.prompts)


def _pair_evidence(pair: AskedAgain, probability: float | None = None) -> dict[str, Any]:
    evidence = {"text": pair.text, "turn": pair.turn, "said_turn": pair.said_turn, "fact": pair.fact}
    return evidence | ({"value": pair.value} if probability is None else {"value": pair.value, "support": probability})
