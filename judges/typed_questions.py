"""Typed questions about a state, and their answers: what a metric asks of a judge and gets from it.

A metric says what it wants to know: `Predicate`, `ChoiceQuestion` or `ScoreQuestion`. How that reaches a model is the
judge's affair (`transports`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence, ValuesView
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, final

from ..errors import UsageError
from ..prompts import BUNDLED, Prompts
from .question import RawReply
from .usage import Usage

Reason = Literal["none", "first", "after"]
"""Whether a chat model gives a reason with each answer, and on which side of it."""
YES, NO = "yes", "no"
"""The options of a predicate, in every language."""
MOST_OPTIONS = 255
MOST_LEVELS = 10
_ID = re.compile(r"[\w.-]{1,64}")
_PART = re.compile(r"[a-z][a-z0-9_]*")


@final  # whoever words a question asks for this very class
@dataclass(frozen=True, slots=True)
class Predicate:
    """A statement that is true of the state or not.

    Attributes:
        id: Its name in the request, of letters, digits, `_`, `-` and `.`.
        statement: What may be true.

    Example:
        >>> Predicate("1", "A request can be withdrawn.").options
        ('yes', 'no')
    """

    id: str
    statement: str

    @property
    def options(self) -> tuple[str, ...]:
        """What it can be answered with."""
        return (YES, NO)


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """A question with options, of which one fits best.

    Attributes:
        id: Its name in the request, of letters, digits, `_`, `-` and `.`.
        instructions: What is asked.
        criteria: 2 to 255 options in order, each with its description ("" where it says enough). Short words that
            begin differently are read best.

    Raises:
        UsageError: The instructions or the options cannot be used.

    Example:
        >>> ChoiceQuestion("tone", "How does it sound?", {"polite": "it is", "rude": "it is not"}).options
        ('polite', 'rude')
    """

    id: str
    instructions: str
    criteria: Mapping[str, str]

    def __post_init__(self) -> None:
        _check_instructions(self.id, self.instructions)
        folded = {" ".join(option.casefold().split()) for option in self.criteria}
        if not 2 <= len(self.criteria) <= MOST_OPTIONS or "" in folded or len(folded) < len(self.criteria):
            raise UsageError(
                f"the question {self.id} has the options {list(self.criteria)[:5]}: give 2 to {MOST_OPTIONS} that "
                "differ in more than case, none of them empty"
            )
        object.__setattr__(self, "criteria", MappingProxyType(dict(self.criteria)))

    @property
    def options(self) -> tuple[str, ...]:
        """What it can be answered with."""
        return tuple(self.criteria)


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a scale: its label, and when it applies ("" where the label says enough)."""

    label: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class ScoreQuestion:
    """A question that is answered on a scale.

    Attributes:
        id: Its name in the request, of letters, digits, `_`, `-` and `.`.
        instructions: What is asked.
        levels: 2 to 10 levels, the lowest first, with labels that differ.

    Raises:
        UsageError: The instructions or the levels cannot be used.

    Example:
        >>> ScoreQuestion("clear", "How clear is it?", (Level("unclear"), Level("clear"))).options
        ('unclear', 'clear')
    """

    id: str
    instructions: str
    levels: tuple[Level, ...]

    def __post_init__(self) -> None:
        _check_instructions(self.id, self.instructions)
        labels = {level.label.casefold().strip() for level in self.levels}
        if not 2 <= len(self.levels) <= MOST_LEVELS or "" in labels or len(labels) < len(self.levels):
            raise UsageError(
                f"the question {self.id} has the levels {[level.label for level in self.levels]}: give 2 to "
                f"{MOST_LEVELS} with labels that differ, none of them empty"
            )
        object.__setattr__(self, "levels", tuple(self.levels))

    @property
    def options(self) -> tuple[str, ...]:
        """What it can be answered with: the labels, the lowest first."""
        return tuple(level.label for level in self.levels)


TypedQuestion = Predicate | ChoiceQuestion | ScoreQuestion
"""A question of one of the three types."""


@dataclass(frozen=True, slots=True)
class Request:
    """Questions about one state.

    Attributes:
        task: The name of the prompt that says what is judged and by which rule: what all questions have in common.
        state: The parts of the state by their names (`documentation`, `conversation`, `question`, `answer`,
            `reference`), in the order in which a judge reads them. They are data: no part can close its delimiter.
        questions: One or more, each with an id of its own.
        language: The language of the prompt; None for English.
        sample: The id of the sample that it is about, for messages.
        prompts: Where the prompt comes from.
        passages: The parts of the documentation, for a model that reads them one by one; empty for all of it as one.
        reason: Whether the judge gives a reason with each answer (`none`), before it (`first`) or behind it (`after`);
            None for the judge's own setting.

    Raises:
        UsageError: There is no question, two have one id, an id cannot be used, a predicate states nothing, or a part
            of the state has no usable name.

    Example:
        >>> Request("support", {"documentation": "It is free."}, [Predicate("1", "It costs nothing.")]).sample
        ''
    """

    task: str
    state: Mapping[str, str]
    questions: Sequence[TypedQuestion]
    language: str | None = None
    sample: str = ""
    prompts: Prompts = BUNDLED
    reason: Reason | None = None
    passages: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.questions:
            raise UsageError(f"the request {self.task} asks nothing: give it a question")
        ids = [question.id for question in self.questions]
        if len(set(ids)) < len(ids):
            twice = next(name for name in ids if ids.count(name) > 1)
            raise UsageError(f"the request {self.task} has two questions with the id {twice}: each needs its own")
        if not all(map(_ID.fullmatch, ids)):
            wrong = next(name for name in ids if not _ID.fullmatch(name))
            raise UsageError(f"{wrong!r} is no id of a question: use 1 to 64 letters, digits, _, - and .")
        if "" in map(str.strip, [question.statement for question in self.questions if type(question) is Predicate]):
            raise UsageError(f"a predicate of the request {self.task} states nothing: give it a statement")
        if not all(map(_PART.fullmatch, self.state)):
            wrong = next(name for name in self.state if not _PART.fullmatch(name))
            raise UsageError(f"{wrong!r} is no name of a part of a state: use small letters, digits and _")
        object.__setattr__(self, "state", MappingProxyType(dict(self.state)))
        object.__setattr__(self, "questions", tuple(self.questions))


@dataclass(slots=True, unsafe_hash=True)  # made for every question: not frozen, which takes three times as long
class Answer:
    """The answer to one question; not to be changed.

    Attributes:
        question: What was asked.
        option: The option that the judge chose, its most probable one; None where there is no answer.
        probabilities: The probability of each option, which sum to 1; None where the judge gives none.
        declined: Whether the judge declined to answer.
        problem: Why there is no answer; empty where there is one.
        reason: Why the judge answers so, in its own words; empty where it was not asked.

    Example:
        >>> Answer(Predicate("1", "It is free."), "yes", {"yes": 0.8, "no": 0.2}).probability
        0.8
    """

    question: TypedQuestion
    option: str | None
    probabilities: Mapping[str, float] | None = None
    declined: bool = False
    problem: str = ""
    reason: str = ""

    @property
    def value(self) -> str | float | None:
        """The option; for a `ScoreQuestion` the expected level, counted from 1 for the lowest. None without an answer.

        The expected level is the sum of level * P(level); without probabilities it is the level of the option.
        """
        if self.option is None or not isinstance(self.question, ScoreQuestion):
            return self.option
        numbers = {label: number for number, label in enumerate(self.question.options, start=1)}
        if self.probabilities is None:
            return float(numbers[self.option])
        return sum(numbers[label] * share for label, share in self.probabilities.items())

    @property
    def probability(self) -> float | None:
        """P(yes) of a predicate; None where the judge gives no probabilities."""
        return None if self.probabilities is None else self.probabilities.get(YES)

    @property
    def support(self) -> float:
        """How much a predicate holds, in [0, 1]: P(yes); without it 1 for yes, and 0 for no or for no answer."""
        return float(self.option == YES) if self.probability is None else self.probability


@dataclass(frozen=True, slots=True)
class Answers(Mapping[str, Answer]):
    """The answers to a request, by the ids of its questions, in their order; every question has one.

    Attributes:
        answers: The answers.
        usage: What the calls took.
        replies: What the model said, one reply per call whose answers count.
    """

    answers: Mapping[str, Answer]
    usage: Usage = field(default_factory=Usage)
    replies: tuple[RawReply, ...] = ()

    def __getitem__(self, question: str) -> Answer:
        return self.answers[question]

    def __iter__(self) -> Iterator[str]:
        return iter(self.answers)

    def __len__(self) -> int:
        return len(self.answers)

    def values(self) -> ValuesView[Answer]:
        """The answers, in the order of the questions."""
        return self.answers.values()


def _check_instructions(question: str, instructions: str) -> None:
    if not instructions.strip():
        raise UsageError(f"the question {question} asks nothing: give it instructions")
