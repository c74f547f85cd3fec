"""Answer relevance: how near the questions that an answer answers are to the one that was asked."""

from typing import Self

from pydantic import BaseModel, model_validator

from ..eval_sets.sample import Sample
from ..judges import JudgeLike
from ..judges.embedders import Embedder, open_embedder
from ..prompts import BUNDLED, Prompts
from ..text.wording import count_of
from .judged import JudgedMetric
from .score import Score, scored


class ReverseQuestions(BaseModel):
    """The judge's reply: questions that the answer could be the answer to."""

    noncommittal: bool
    questions: list[str]

    @model_validator(mode="after")
    def _refuse_without_question(self) -> Self:
        if not self.noncommittal and not any(text.strip() for text in self.questions):
            raise ValueError("it is not noncommittal, and holds no question")
        return self


class AnswerRelevance(JudgedMetric):
    """How near the question that was asked is to the questions that the answer answers.

    Formula: the mean over N different generated questions of cosine(E(generated), E(original)). Range: [0, 1]; a
    negative mean is clipped, and stands as `raw` in the evidence. Source: Es et al. (2023), "Answer Relevance".

    A noncommittal answer scores 0; a reply without a question makes the sample failed. Where the judge writes fewer
    different questions than N, the mean is over those, and the evidence has both numbers.

    Args:
        judge: Writes the questions, in one call.
        embedder: Turns texts into vectors: an `Embedder`, or its name (`use`, `st:MODEL`, `litellm:MODEL`).
        questions: N, 1 or more.
        prompts: The prompts of the call.

    Raises:
        ValueError: `questions` is below 1.
    """

    name = "answer_relevance"
    needs = ("user_input", "response")

    def __init__(
        self, judge: JudgeLike, embedder: Embedder | str = "use", questions: int = 3, prompts: Prompts = BUNDLED
    ) -> None:
        super().__init__(judge, prompts)
        self.embedder = open_embedder(embedder)
        if questions < 1:
            raise ValueError(f"questions is the number of generated questions, 1 or more, not {questions}")
        self.questions = questions

    async def measure(self, sample: Sample) -> Score:
        """The score, with each question and its cosine in the evidence.

        Raises:
            JudgeError: The judge or the embedder gave no usable reply.
        """
        parts = {"answer": sample.response, "count": str(self.questions)}
        reply = await self.ask("questions", sample, ReverseQuestions, parts)
        different = {" ".join(text.split()).casefold(): text for text in reply.value.questions if text.strip()}
        texts = list(different.values())[: self.questions]
        evidence = {
            "noncommittal": reply.value.noncommittal,
            "questions": [{"text": text, "cosine": None} for text in texts],
            "wanted": self.questions,
            "embedder": self.embedder.name,
        } | self.asked_with(sample, "questions")
        if reply.value.noncommittal:
            return scored(0.0, "the answer is noncommittal", evidence, reply.usage)
        cosines = await self.embedder.cosines(sample.user_input, texts)
        raw = sum(cosines) / len(cosines)
        evidence |= {
            "questions": [{"text": text, "cosine": cosine} for text, cosine in zip(texts, cosines, strict=True)],
            "raw": raw,
        }
        reason = (
            f"{count_of(len(texts), 'question')} that the answer answers lie at cosine {raw:.2f} on average from the "
            "one asked"
        )
        return scored(min(1.0, max(0.0, raw)), reason, evidence, reply.usage)
