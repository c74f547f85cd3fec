"""Topic adherence: whether a chatbot answers about its own topics, and refuses the others."""

from collections.abc import Sequence
from typing import Any, Literal, get_args

from pydantic import BaseModel

from ..eval_sets.conversation import conversation_lines
from ..eval_sets.sample import Sample
from ..judges import JudgeLike, Predicate, Question, Request, open_judge
from ..languages import language_or_fallback
from ..prompts import BUNDLED, Prompts
from ..text.wording import count_of
from .claims_against_reference import f_beta, precision, recall
from .faithfulness import predicate_claim, require_answers
from .metric import Metric
from .score import Score, scored, skipped

Mode = Literal["f1", "precision", "recall"]


class Topics(BaseModel):
    """The judge's reply: what the customer asks about, each topic in a few words."""

    topics: list[str]


def topics_question(sample: Sample, prompts: Prompts) -> Question[Topics]:
    """What the judge is asked for the topics of a conversation."""
    prompt = prompts.load("topics", sample.language)
    user = prompt.render({"conversation": conversation_lines(sample)})
    return Question(prompt, user, Topics, sample.id, prompts=prompts)


def adherence(answered: Sequence[bool], within: Sequence[bool], mode: Mode) -> float | None:
    """Computes precision, recall or F1 of the topics that were answered, against those that should be.

    TP = answered and within the reference topics, FP = answered and not within, FN = within and refused. F1 is 1 where
    all counts are 0: what was refused was to be refused.

    Returns:
        A number in [0, 1]; None where the formula has no value (0 / 0).

    Example:
        >>> adherence([True, True, False], [True, False, True], "f1"), adherence([False], [False], "precision")
        (0.5, None)
    """
    pairs = list(zip(answered, within, strict=True))
    true_positives = sum(is_answered and fits for is_answered, fits in pairs)
    false_positives = sum(is_answered and not fits for is_answered, fits in pairs)
    false_negatives = sum(fits and not is_answered for is_answered, fits in pairs)
    if mode == "precision":
        return precision(true_positives, false_positives)
    if mode == "recall":
        return recall(true_positives, false_negatives)
    value = f_beta(true_positives, false_positives, false_negatives)
    return 1.0 if value is None else value


class TopicAdherence(Metric):
    """Whether the chatbot answers about the reference topics alone, in the conversation up to this answer.

    Formula: the judge lists the topics that the customer asks about. TP = topics that were answered and belong to the
    reference topics, FP = answered and not among them, FN = among them and refused. Precision = TP / (TP + FP), recall
    = TP / (TP + FN), F1 = 2 TP / (2 TP + FP + FN), and 1 for a chatbot that refused all, where all was to be refused.
    Range: [0, 1]. A conversation without a topic is skipped, for `precision` also one without an answered topic, for
    `recall` one without a topic that belongs there.

    The same as Ragas's `TopicAdherence`, which gives 0 where all was rightly refused. The conversation is that of chat
    logs (`metadata.history`) with this answer.

    Args:
        judge: Lists the topics (one call), and says of each whether it was answered and whether it belongs to the
            reference topics (one request).
        mode: `f1`, `precision` or `recall`.
        topics: The reference topics with semicolons between them (`payroll; leave`), for samples without
            `metadata.reference_topics`.
        prompts: The prompts of the requests.

    Raises:
        ValueError: Another value for `mode`.
    """

    name = "topic_adherence"
    needs = ("user_input", "response")

    def __init__(self, judge: JudgeLike, mode: Mode = "f1", topics: str = "", prompts: Prompts = BUNDLED) -> None:
        if mode not in get_args(Mode):
            raise ValueError(f"mode is f1, precision or recall, not {mode!r}")
        self.judge = open_judge(judge)
        self.mode: Mode = mode
        self.topics = [topic.strip() for topic in topics.split(";") if topic.strip()]
        self.prompts = prompts

    async def measure(self, sample: Sample) -> Score:
        """The score; the evidence has each topic, whether it was answered and whether it belongs there.

        Raises:
            JudgeError: The judge gave no usable reply.
        """
        wanted = reference_topics(sample) or self.topics
        if not wanted:
            return skipped("there are no reference topics: neither metadata.reference_topics nor the option topics")
        reply = await self.judge.ask(topics_question(sample, self.prompts))
        topics = list(dict.fromkeys(filter(None, (" ".join(topic.split()) for topic in reply.value.topics))))
        evidence: dict[str, Any] = {"mode": self.mode, "reference_topics": wanted, "judge": self.judge.name}
        evidence |= self.prompts.evidence(["topics", "topic_adherence"], sample.language)
        if not topics:
            return skipped("the judge finds no topic in the conversation", evidence, reply.usage)
        answers = require_answers(await self.judge.decide(self.request(sample, topics, wanted)))
        usage = reply.usage + answers.usage
        claims = [predicate_claim(answer) for answer in answers.values()]
        verdicts = [claim.verdict == "supported" for claim in claims]
        answered, within = verdicts[0::2], verdicts[1::2]
        evidence |= {
            "topics": [
                {"text": topic, "answered": is_answered, "within": fits}
                for topic, is_answered, fits in zip(topics, answered, within, strict=True)
            ],
            "claims": [claim.evidence() for claim in claims],
        }
        reason = _reason(topics, answered, within)
        value = adherence(answered, within, self.mode)
        if value is None:
            return skipped(f"{reason}: {self.mode} has nothing to divide by", evidence, usage)
        return scored(value, reason, evidence, usage)

    def request(self, sample: Sample, topics: Sequence[str], wanted: Sequence[str]) -> Request:
        """What the judge is asked: of each topic, whether it was answered, and whether it belongs there."""
        words = language_or_fallback(sample.language, "statements").statements
        predicates = []
        for number, topic in enumerate(topics, start=1):
            predicates += [
                Predicate(f"{number}.answered", words.answered_topic.format(topic=topic)),
                Predicate(f"{number}.within", words.topic_within.format(topic=topic)),
            ]
        state = {"conversation": conversation_lines(sample), "topics": "\n".join(wanted)}
        return Request("topic_adherence", state, predicates, sample.language, sample.id, self.prompts)


def reference_topics(sample: Sample) -> list[str]:
    """The topics that the sample says the chatbot is for (`metadata.reference_topics`); empty where it says none."""
    named = sample.metadata.get("reference_topics")
    topics = named.split(";") if isinstance(named, str) else named if isinstance(named, list | tuple) else ()
    return [topic.strip() for topic in topics if isinstance(topic, str) and topic.strip()]


def _reason(topics: Sequence[str], answered: Sequence[bool], within: Sequence[bool]) -> str:
    count = sum(is_answered and fits for is_answered, fits in zip(answered, within, strict=True))
    reason = f"{count} of {count_of(len(topics), 'topic')} are among the reference topics and answered"
    strays = [
        topic for topic, is_answered, fits in zip(topics, answered, within, strict=True) if is_answered and not fits
    ]
    missed = [
        topic for topic, is_answered, fits in zip(topics, answered, within, strict=True) if fits and not is_answered
    ]
    reason += f'; answered all the same: "{strays[0]}"' if strays else ""
    return reason + (f'; refused: "{missed[0]}"' if missed else "")
