"""Two answers to one question, by two versions."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from ...eval_sets import Sample
from ...eval_sets.preference import Choice, Preference

CHOICES: dict[float, Choice] = {-1.0: "first", 0.0: "tie", 1.0: "second"}
"""What the value of a rating of a pair says."""
Side = Literal["left", "same", "right"]
"""What a rater who knows no versions says: which side is better, or about the same."""


class PairedQuestion(BaseModel):
    """A question that two versions answered."""

    model_config = ConfigDict(frozen=True)

    question: str  # its id: that of its sample in the first version of the queue
    group: str  # what it has in common with others; "" where nothing
    first: str
    second: str
    ids: tuple[str, str]  # the ids of the sample in the one and in the other

    def preference(self, value: float, *, rater: str = "", reason: str = "") -> Preference:
        """Somebody's choice between the two."""
        return Preference(self.question, self.first, self.second, CHOICES[value], rater, self.group, reason)

    def chosen(self, value: float) -> str:
        """The name of the version that a rating chose; "" for neither."""
        return {"first": self.first, "second": self.second, "tie": ""}[CHOICES[value]]


class AnswerPair(PairedQuestion):
    """Two answers to one question, which differ.

    Attributes:
        answers: The sample of the first version, and that of the second.
    """

    answers: tuple[Sample, Sample]

    def blind_answers(self) -> tuple[Sample, Sample]:
        """The answers without what tells their versions: ids, metadata, times, and the speakers' names.

        System messages stay only where both have the same ones: two versions often differ in them.
        """
        first, second = ([one.text for one in sample.messages if one.role == "system"] for sample in self.answers)
        one, other = (_blind(sample, has_policy=first == second) for sample in self.answers)
        return one, other


class ComparedVersion(BaseModel):
    """A version of a queue."""

    model_config = ConfigDict(frozen=True)

    name: str
    source: str  # the id of its run, or the name of its set
    # the field of metadata that tells the versions of one source apart; "" where the source is one version
    field: str = ""


class PairComparison(BaseModel):
    """What a queue of pairs compares."""

    model_config = ConfigDict(frozen=True)

    versions: tuple[ComparedVersion, ...]  # the versions; the first is the one in use today
    # questions to which two versions gave the same answer, each with its place among those of the queue: ties that
    # nobody is asked about
    same: tuple[tuple[int, PairedQuestion], ...] = ()


def _blind(sample: Sample, *, has_policy: bool) -> Sample:
    messages = tuple(
        message.model_copy(update={"time": None, "rating": None} | ({} if message.role == "tool" else {"name": None}))
        for message in sample.messages
        if has_policy or message.role != "system"
    )
    return sample.model_copy(update={"id": "answer", "group": None, "messages": messages, "metadata": {}})
