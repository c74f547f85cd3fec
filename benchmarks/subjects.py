"""Where a run's time goes, by subject: a cProfile whose library time is charged to whoever of ours called it."""

import cProfile
import pstats
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Function = tuple[str, int, str]

_HOUSE = Path(__file__).parent.parent
_LONGEST_WAY = 40  # calls from a library's function up to one of ours


def shares(work: Callable[[], object], subjects: Mapping[str, tuple[str, ...]], rest: str) -> dict[str, float]:
    """The share of the time in each subject, by the beginnings of our files' paths (`judges/cassette`).

    A function of ours belongs to the first subject that it begins like, or to `rest`; one of a library to its callers,
    in proportion to the time that they spent in it. Sums to 1.
    """
    profile = cProfile.Profile()
    profile.runcall(work)
    stats: Mapping[Function, Any] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    blame = _Blame(stats, subjects, rest)
    times: dict[str, float] = defaultdict(float)
    for function, (_, _, own_time, _, _) in stats.items():
        for subject, share in blame.of(function).items():
            times[subject] += share * own_time
    total = sum(times.values())
    return {subject: times[subject] / total for subject in sorted(times, key=times.__getitem__, reverse=True)}


class _Blame:
    """Whose time a function's is: shares by subject, summing to 1."""

    def __init__(self, stats: Mapping[Function, Any], subjects: Mapping[str, tuple[str, ...]], rest: str) -> None:
        self._stats, self._subjects, self._rest = stats, subjects, rest
        self._known: dict[Function, Counter[str]] = {}

    def of(self, function: Function, way: int = _LONGEST_WAY) -> Counter[str]:
        if function not in self._known:
            self._known[function] = Counter({self._rest: 1.0})  # also for a circle of calls
            self._known[function] = self._ours(function) or self._callers(function, way)
        return self._known[function]

    def _ours(self, function: Function) -> Counter[str]:
        path = Path(function[0])
        if not path.is_relative_to(_HOUSE) or ".venv" in path.parts:
            return Counter()
        place = str(path.relative_to(_HOUSE))
        subject = next((name for name, begin in self._subjects.items() if place.startswith(begin)), self._rest)
        return Counter({subject: 1.0})

    def _callers(self, function: Function, way: int) -> Counter[str]:
        callers = self._stats[function][4] if function in self._stats else {}
        total = sum(times[2] for times in callers.values())
        if not total or not way:
            return Counter({self._rest: 1.0})
        found: Counter[str] = Counter()
        for caller, times in callers.items():
            for subject, share in self.of(caller, way - 1).items():
                found[subject] += share * times[2] / total
        return found
