"""The judge's rating of an answer's completeness."""

from .judge_rating import JudgeRating


class JudgeCompleteness(JudgeRating):
    """The judge's 1-5 for "including all the parts that are necessary; being whole" (001, section III).

    Formula and edge cases: see `JudgeRating`. One request per sample, shared with the other two requirements.
    """

    name = "judge_completeness"
    requirement = "completeness"
