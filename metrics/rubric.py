"""A rubric of your own: criteria with levels and weights that a judge rates an answer by."""

from pathlib import Path
from typing import Any

from ..arguments import check_type
from ..eval_sets.sample import Sample
from ..judges import Answer, JudgeLike, Level, Request, ScoreQuestion, open_judge
from ..prompts import BUNDLED, Prompts
from .claim_support import require_answers
from .metric import Metric
from .rubric_file import Criterion, Rubric, read_rubric
from .sample_state import sample_state
from .score import Score, scored


class RubricMetric(Metric):
    """How good the answer is by criteria in a file of yours: `rubric:helpful.yaml`, `rubric:helpful.md`.

    Formula: the weighted mean over the criteria of (E - 1) / (n - 1), with n the criterion's levels and E the expected
    level, the sum over l = 1..n of l * P(l); without probabilities the level that the judge chose. Range: [0, 1], 0
    where every criterion is at its lowest level. A criterion without an answer makes the sample failed. The file: see
    `Rubric` and `read_rubric`.

    The expected value over probabilities is that of G-Eval (Liu et al., 2023), and of DeepEval's `GEval`; Ragas has
    `RubricsScore`.

    Args:
        judge: Rates by all criteria in one request.
        file: A YAML or a Markdown file, or a `Rubric`.
        prompts: The prompts of the request.

    Raises:
        InputError: The file cannot be read, or holds no rubric.
    """

    name = "rubric"
    needs: tuple[str, ...] = ("user_input", "response")
    argument = "file"

    def __init__(self, judge: JudgeLike, file: str | Path | Rubric, prompts: Prompts = BUNDLED) -> None:
        check_type("file", file, (Rubric, str, Path), "the path of a rubric, or a Rubric")
        self.judge = open_judge(judge)
        self.rubric = file if isinstance(file, Rubric) else read_rubric(file)
        self.needs = self.rubric.fields
        self.prompts = prompts

    async def measure(self, sample: Sample) -> Score:
        """The score, with each criterion's level, expected level and probabilities in the evidence.

        Raises:
            JudgeError: The judge gave no usable reply.
        """
        request = self.request(sample)
        answers = require_answers(await self.judge.decide(request))
        criteria = [
            _criterion_evidence(criterion, answer)
            for criterion, answer in zip(self.rubric.criteria, answers.values(), strict=True)
        ]
        total = sum(criterion["weight"] for criterion in criteria)
        value = sum(criterion["weight"] * criterion["share"] for criterion in criteria) / total
        evidence = {"rubric": self.rubric.name, "criteria": criteria, "judge": self.judge.name}
        evidence |= self.prompts.evidence([request.task], sample.language)
        reason = "; ".join(
            f"{criterion['text']}: {criterion['level']} ({criterion['share']:.2f})" for criterion in criteria
        )
        return scored(min(1.0, max(0.0, value)), reason, evidence, answers.usage)

    def request(self, sample: Sample) -> Request:
        """What the judge is asked: one question per criterion, about the fields."""
        questions = [
            ScoreQuestion(
                str(number),
                criterion.question,
                tuple(Level(label, description) for label, description in criterion.levels.items()),
            )
            for number, criterion in enumerate(self.rubric.criteria, start=1)
        ]
        state = sample_state(sample, self.rubric.fields)
        return Request("own_question", state, questions, sample.language, sample.id, self.prompts)


def _criterion_evidence(criterion: Criterion, answer: Answer) -> dict[str, Any]:
    """A criterion as JSON values; `share` is the expected level from 0, the lowest, to 1, the highest."""
    expected = float(answer.value or 1)
    reason = f"{answer.option}, level {expected:.2f} of {len(criterion.levels)}"
    if answer.probabilities is not None:
        reason += ": " + ", ".join(f"P({label}) = {share:.2f}" for label, share in answer.probabilities.items())
    return {
        "text": criterion.name,
        "reason": reason,
        "question": criterion.question,
        "weight": criterion.weight,
        "level": answer.option,
        "expected": expected,
        "share": (expected - 1) / (len(criterion.levels) - 1),
        "probabilities": None if answer.probabilities is None else dict(answer.probabilities),
    }
