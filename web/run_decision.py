"""The decision between two runs, as their page shows it: with the order of the answers that decide."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import AssayError
from ..meta_eval.decision import Decision
from ..metrics.specification import ALL_BASELINES
from ..runs import Store
from ..runs.decide import VersionOptions, decide_reading, read_versions
from ..runs.deciding_answers import find_deciding_questions, read_deciding_answers


@dataclass(frozen=True, slots=True)
class RunDecision:
    """What is decided between run A, which is in use today, and run B."""

    decision: Decision | None  # the decision; None where none can be made
    problem: str = ""  # why none can be made; "" where one is
    choices: tuple[str, ...] = ()  # the metrics of both runs, where the visitor has to choose the one that decides
    order: tuple[str, ...] = ()  # the ids in A of the answers that decide, those that say most first
    # by run (`A` or `B`) and the answer's id in it, the mean rating that counts
    ratings: Mapping[tuple[str, str], float] = field(default_factory=dict)
    # likewise the share of people's choices between both answers that prefer this one
    preferred: Mapping[tuple[str, str], float] = field(default_factory=dict)


def decide_two(store: Store, a: str, b: str, metric: str = "") -> RunDecision:
    """Decides between two runs."""
    try:
        reading = read_versions(store, [f"A={a}", f"B={b}"], VersionOptions(metric=metric or None))
        decision = decide_reading(reading)
    except AssayError as error:
        return RunDecision(None, str(error), () if metric else _find_choices(store, a, b))
    answers = read_deciding_answers(reading)
    return RunDecision(
        decision,
        order=tuple(question.id for question in find_deciding_questions(answers)),
        ratings={(one.version, one.sample.id): one.rating for one in answers if one.rating is not None},
        preferred={(one.version, one.sample.id): one.preferred for one in answers if one.preferred is not None},
    )


def _find_choices(store: Store, a: str, b: str) -> tuple[str, ...]:
    """The metrics beside the baselines that both runs have; none where there are fewer than two to choose from."""
    in_a = store.run(a).plan.all_directions
    names = tuple(name for name in store.run(b).plan.all_directions if name in in_a and name not in ALL_BASELINES)
    return names if len(names) > 1 else ()
