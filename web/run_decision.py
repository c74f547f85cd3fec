"""The decision between two runs, as their page shows it: with the order of the answers that decide."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import AssayError
from ..meta_eval.decision import Decision
from ..runs import Store
from ..runs.decide import VersionOptions, decide_reading, read_versions
from ..runs.deciding_answers import find_deciding_questions, read_deciding_answers


@dataclass(frozen=True, slots=True)
class RunDecision:
    """What is decided between run A, which is in use today, and run B.

    Attributes:
        decision: The decision; None where none can be made.
        problem: Why none can be made; "" where one is.
        order: The ids in A of the answers that decide, those that say most first.
        ratings: By run (`A` or `B`) and the answer's id in it, the mean rating that counts.
    """

    decision: Decision | None
    problem: str = ""
    order: tuple[str, ...] = ()
    ratings: Mapping[tuple[str, str], float] = field(default_factory=dict)


def decide_two(store: Store, a: str, b: str) -> RunDecision:
    """Decides between two runs.

    Args:
        store: Where they are.
        a: The id of the run that is in use today.
        b: The id of the other.
    """
    try:
        reading = read_versions(store, [f"A={a}", f"B={b}"], VersionOptions())
        decision = decide_reading(reading)
    except AssayError as error:
        return RunDecision(None, str(error))
    answers = read_deciding_answers(reading)
    return RunDecision(
        decision,
        order=tuple(question.id for question in find_deciding_questions(answers)),
        ratings={(answer.version, answer.sample.id): answer.rating for answer in answers if answer.rating is not None},
    )
