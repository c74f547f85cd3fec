"""The judge's rating of an answer's relatedness."""

from .judge_rating import JudgeRating


class JudgeRelatedness(JudgeRating):
    """The judge's 1-5 for "a close connection with the subject you are discussing or the situation you are in".

    Source: 001, section III. Formula and edge cases: see `JudgeRating`. One request per sample, shared with the other
    two requirements.
    """

    name = "judge_relatedness"
    requirement = "relatedness"
