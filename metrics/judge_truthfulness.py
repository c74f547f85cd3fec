"""The judge's rating of an answer's truthfulness."""

from .judge_rating import JudgeRating


class JudgeTruthfulness(JudgeRating):
    """The judge's 1-5 for "the quality of only saying what is true" (001, section III).

    Formula and edge cases: see `JudgeRating`. One request per sample, shared with the other two requirements.
    """

    name = "judge_truthfulness"
    requirement = "truthfulness"
