"""The transport `entail`: whether a text supports claims, of an entailment model, all claims in one batch."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, Field

from ...errors import ReplyError, UsageError
from ..question import Question, RawReply, Support
from ..structured import read_once
from ..typed_questions import NO, YES, Answer, Predicate, Request, TypedQuestion
from .chat import Transport, check_asked, compose_task, delimit

TASKS = frozenset({"support", "conversation_support"})
"""The tasks that such a model can do: each question states what the documentation may support."""
_CAN = "faithfulness, weakest_claim, citations, noise_sensitivity, context_recall and factual_correctness, by sentences"


class SupportReply(BaseModel):
    """The reply: under each claim's id the probability that a passage supports it; None where it is too long."""

    support: dict[str, Annotated[float, Field(ge=0, le=1)] | None]


def refuse(judge: str, what: str) -> UsageError:
    """The error where such a model is asked something else."""
    return UsageError(
        f"{judge} is an entailment model, which says whether a text supports a claim and nothing else; {what} asks "
        f"more of a judge. It can judge {_CAN}"
    )


class Entail(Transport):
    """All claims in one call of an entailment model."""

    most_questions = 1000

    def render(self, request: Request, questions: Sequence[TypedQuestion]) -> Question[list[Answer]]:
        """The call: the passages and the claims; the user part shows them to people."""
        if request.task not in TASKS or not all(isinstance(question, Predicate) for question in questions):
            raise refuse("the judge", f"the prompt {request.task}")
        claims = tuple((question.id, question.statement) for question in questions if isinstance(question, Predicate))
        passages = tuple(request.passages or [request.state.get("documentation", "")])
        shown = [delimit("documentation", passage) for passage in passages]
        shown += [delimit("statement", statement) for _, statement in claims]
        shape: Any = SupportReply
        return Question(
            compose_task(request),
            "\n".join(shown),
            shape,
            request.sample,
            protocol="entail",
            corrections=False,
            prompts=request.prompts,
            support=Support(passages, claims),
        )

    def parse(self, questions: Sequence[TypedQuestion], call: Question[Any], reply: RawReply) -> list[Answer]:
        """The answer to each claim, with its probability."""
        if "NaN" in reply.text:
            raise ReplyError("the model gives no number for a claim; its weights are broken", reply.text)
        asked = [question.id for question in questions]
        support = read_once(reply, lambda body: check_asked(SupportReply.model_validate(body).support, asked))
        return [_read(question, support) for question in questions]


def _read(question: TypedQuestion, support: dict[str, float | None]) -> Answer:
    if question.id not in support:
        return Answer(question, None, problem="the judge left it out")
    probability = support[question.id]
    if probability is None:
        return Answer(question, None, declined=True, problem="the claim is too long for the model's window")
    return Answer(question, YES if probability >= 0.5 else NO, {YES: probability, NO: 1 - probability})
