"""Answers reworded by a model: does a judge prefer the wording of its own model?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from ...errors import JudgeError
from ...eval_sets import Sample
from ...judges import Judge, Question
from ...judges.question import TextReply, max_tokens_for
from ...languages import FALLBACK
from ...prompts import BUNDLED, Prompts
from ...untrusted import original_characters, without_unseen
from ...worker_threads import compute_beside
from ..judge_calls import ask_all
from .perturbation import mark_changed
from .rewording_check import find_content_loss, shared_word_share

REWORDED = "reworded"


# The docstring is part of the schema that the judge is sent, and so of recorded replies' keys.
class RewordedAnswer(BaseModel):
    """The judge's reply. An answer with words has a rewording with some."""

    answer: TextReply


@dataclass(frozen=True, slots=True)
class RewordingResult:
    """The outcome of rewording a set.

    Attributes:
        samples: For each sample, in order, the reworded one or the reason why there is none.
        failed: The ids of the samples whose call gave no usable reply, each with the reason.
        shared_words: The mean share of words that original and rewording have in common, in [0, 1]; None where nothing
            was reworded.
    """

    samples: tuple[Sample | str, ...]
    failed: tuple[tuple[str, str], ...]
    shared_words: float | None


def build_rewording_question(sample: Sample, prompts: Prompts) -> Question[RewordedAnswer]:
    """Builds the question that asks for a rewording.

    Returns:
        The question.
    """
    prompt = prompts.load(REWORDED, sample.language)
    user = prompt.render({"answer": sample.response})
    return Question(
        prompt, user, RewordedAnswer, sample.id, max_tokens=max_tokens_for(sample.response), prompts=prompts
    )


async def reword(
    samples: Sequence[Sample],
    judge: Judge,
    *,
    prompts: Prompts = BUNDLED,
    concurrency: int = 4,
    on_reply: Callable[[bool], None] = lambda _: None,
) -> RewordingResult:
    """Rewords the answers of a set in the words of a judge's model.

    Returns:
        The reworded samples. One whose rewording lost content (see `find_content_loss`) is left out.

    Raises:
        BudgetReached: The judge's budget is spent; replies so far are recorded.
    """

    async def ask(sample: Sample) -> Sample | str:
        if not sample.response.strip():
            return "the answer is empty"
        question = build_rewording_question(sample, prompts)
        rewording = _clean((await judge.ask(question)).value.answer)
        if loss := await compute_beside(find_content_loss, sample.response, rewording, sample.language or FALLBACK):
            return loss
        changed = sample.model_copy(update={"response": rewording})
        return mark_changed(
            sample, changed, probe=REWORDED, reworded_by=judge.name, reworded_with=question.prompt.identity
        )

    results = await ask_all(samples, ask, concurrency=concurrency, on_reply=on_reply)
    failed = [
        (sample.id, str(result))
        for sample, result in zip(samples, results, strict=True)
        if isinstance(result, JudgeError)
    ]
    shares = [
        shared_word_share(sample.response, result.response)
        for sample, result in zip(samples, results, strict=True)
        if isinstance(result, Sample)
    ]
    return RewordingResult(
        tuple(f"no usable reply: {result}" if isinstance(result, JudgeError) else result for result in results),
        tuple(failed),
        sum(shares) / len(shares) if shares else None,
    )


def _clean(reply: str) -> str:
    """Restores the characters that the prompt replaced, and drops those that a set cannot hold."""
    encodable = reply.encode("utf-8", "replace").decode()
    return original_characters(without_unseen(encodable)).strip()
