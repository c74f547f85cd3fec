"""Topic adherence: whether a chatbot answers about its own topics, and refuses the others."""

from typing import Any

from pydantic import BaseModel

from ..eval_sets.conversation import conversation_lines
from ..eval_sets.sample import Sample
from ..judges import JudgeLike, Predicate
from ..languages import language_or_fallback
from ..prompts import BUNDLED, Prompts
from ..text.wording import count_of
from .f_score import Mode, score_by_mode
from .faithfulness import predicate_claim
from .judged import JudgedMetric
from .metric import check_choice
from .score import Score, scored, skipped


class Topics(BaseModel):
    """The judge's reply: what the customer asks about, each topic in a few words."""

    topics: list[str]


class TopicAdherence(JudgedMetric):
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
        check_choice("mode", mode, Mode)
        super().__init__(judge, prompts)
        self.mode: Mode = mode
        self.topics = [topic.strip() for topic in topics.split(";") if topic.strip()]

    async def measure(self, sample: Sample) -> Score:
        """The score; the evidence has each topic, whether it was answered and whether it belongs there."""
        wanted = reference_topics(sample) or self.topics
        if not wanted:
            return skipped("there are no reference topics: neither metadata.reference_topics nor the option topics")
        conversation = {"conversation": conversation_lines(sample)}
        reply = await self.ask("topics", sample, Topics, conversation)
        topics = list(dict.fromkeys(filter(None, (" ".join(topic.split()) for topic in reply.value.topics))))
        evidence: dict[str, Any] = {"mode": self.mode, "reference_topics": wanted}
        evidence |= self.asked_with(sample, "topics", "topic_adherence")
        if not topics:
            return skipped("the judge finds no topic in the conversation", evidence, reply.usage)
        words = language_or_fallback(sample.language, "statements").statements
        predicates = []
        for number, topic in enumerate(topics, start=1):
            predicates += [
                Predicate(f"{number}.answered", words.answered_topic.format(topic=topic)),
                Predicate(f"{number}.within", words.topic_within.format(topic=topic)),
            ]
        state = conversation | {"topics": "\n".join(wanted)}
        answers = await self.decide("topic_adherence", sample, state, predicates)
        usage = reply.usage + answers.usage
        claims = [predicate_claim(answer) for answer in answers.values()]
        verdicts = [claim.verdict == "supported" for claim in claims]
        evidence["topics"] = [
            {"text": topic, "answered": is_answered, "within": fits}
            for topic, is_answered, fits in zip(topics, verdicts[0::2], verdicts[1::2], strict=True)
        ]
        evidence["claims"] = [claim.evidence() for claim in claims]
        adhering, strays, missed = (
            [topic["text"] for topic in evidence["topics"] if (topic["answered"], topic["within"]) == verdict]
            for verdict in ((True, True), (True, False), (False, True))
        )
        reason = f"{len(adhering)} of {count_of(len(topics), 'topic')} are among the reference topics and answered"
        reason += f'; answered all the same: "{strays[0]}"' if strays else ""
        reason += f'; refused: "{missed[0]}"' if missed else ""
        value = score_by_mode(self.mode, len(adhering), len(strays), len(missed))
        if value is None and self.mode == "f1":
            value = 1.0  # all was to be refused, and was
        if value is None:
            return skipped(f"{reason}: {self.mode} has nothing to divide by", evidence, usage)
        return scored(value, reason, evidence, usage)


def reference_topics(sample: Sample) -> list[str]:
    """The topics that the sample says the chatbot is for (`metadata.reference_topics`); empty where it says none."""
    named = sample.metadata.get("reference_topics")
    topics = named.split(";") if isinstance(named, str) else named if isinstance(named, list | tuple) else ()
    return [topic.strip() for topic in topics if isinstance(topic, str) and topic.strip()]
