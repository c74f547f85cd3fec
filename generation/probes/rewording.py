"""Answers said again by a model in its own words: does a judge favour the wording of its own model?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from ...errors import JudgeError
from ...eval_sets import Sample
from ...judges import Judge, Question
from ...judges.whole_text import WholeText, room_for
from ...prompts import BUNDLED, Prompts
from ...prompts.untrusted import original_characters, without_unseen
from ..judge_calls import ask_all
from .perturbation import marked
from .rewording_check import broken, words_kept

REWORDED = "reworded"


class RewordedAnswer(BaseModel):
    """The judge's reply. An answer with words has a rewording with some."""

    answer: WholeText


@dataclass(frozen=True, slots=True)
class RewordingResult:
    """What became of each sample, in order: the reworded one, or why there is none.

    `failed` are the ids whose call gave no usable reply, with the reason. `words_kept` is the mean share of words that
    stayed, in [0, 1]; None where nothing was reworded.
    """

    samples: tuple[Sample | str, ...]
    failed: tuple[tuple[str, str], ...]
    words_kept: float | None


def build_rewording_question(sample: Sample, prompts: Prompts) -> Question[RewordedAnswer]:
    """What the model is asked: the answer alone, so that no other text's words come in."""
    prompt = prompts.load(REWORDED, sample.language)
    user = prompt.render({"answer": sample.response})
    return Question(prompt, user, RewordedAnswer, sample.id, max_tokens=room_for(sample.response), prompts=prompts)


async def reword(
    samples: Sequence[Sample],
    judge: Judge,
    *,
    prompts: Prompts = BUNDLED,
    concurrency: int = 4,
    on_reply: Callable[[bool], None] = lambda _: None,
) -> RewordingResult:
    """The samples with their answers in the judge's words. One that lost something, by `broken`, is left out.

    `metadata.reworded_by` names the model. Raises `BudgetReached` at a bound; the replies are kept.
    """

    async def ask(sample: Sample) -> Sample | str:
        if not sample.response.strip():
            return "the answer is empty"
        question = build_rewording_question(sample, prompts)
        said = _clean((await judge.ask(question)).value.answer)
        if why := broken(sample.response, said, sample.language or "en"):
            return why
        changed = sample.model_copy(update={"response": said})
        return marked(sample, changed, probe=REWORDED, reworded_by=judge.name, reworded_with=question.prompt.identity)

    found = await ask_all(samples, ask, concurrency=concurrency, on_reply=on_reply)
    failed = [(sample.id, str(why)) for sample, why in zip(samples, found, strict=True) if isinstance(why, JudgeError)]
    kept = [
        words_kept(sample.response, changed.response)
        for sample, changed in zip(samples, found, strict=True)
        if isinstance(changed, Sample)
    ]
    return RewordingResult(
        tuple(f"no usable reply: {each}" if isinstance(each, JudgeError) else each for each in found),
        tuple(failed),
        sum(kept) / len(kept) if kept else None,
    )


def _clean(said: str) -> str:
    """What was said, with the signs that the prompt had replaced, and without what a set cannot hold."""
    whole = said.encode("utf-8", "replace").decode()
    return original_characters(without_unseen(whole)).strip()
