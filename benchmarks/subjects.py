"""Splits a run's time by subject: a library's time in a profile counts for the function of ours that called it."""

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
    """Computes the share of the time of each subject; a subject is a list of path prefixes (`judges/cassette`).

    A function of ours belongs to the first subject with a prefix of its path, or to `rest`. The time of a library's
    function is divided among its callers, in proportion to the time that they spent in it. The shares sum to 1.
    """
    profile = cProfile.Profile()
    profile.runcall(work)
    stats: Mapping[Function, Any] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    blame = _Blame(stats, subjects, rest)
    times: dict[str, float] = defaultdict(float)
    for function, (_, _, own_time, _, _) in stats.items():
        for subject, share in blame.share_by_subject(function).items():
            times[subject] += share * own_time
    total = sum(times.values())
    return {subject: times[subject] / total for subject in sorted(times, key=times.__getitem__, reverse=True)}


class _Blame:
    """Divides the time of a function among subjects: shares that sum to 1."""

    def __init__(self, stats: Mapping[Function, Any], subjects: Mapping[str, tuple[str, ...]], rest: str) -> None:
        self._stats, self._subjects, self._rest = stats, subjects, rest
        self._known: dict[Function, Counter[str]] = {}

    def share_by_subject(self, function: Function, way: int = _LONGEST_WAY) -> Counter[str]:
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
        counts: Counter[str] = Counter()
        for caller, times in callers.items():
            for subject, share in self.share_by_subject(caller, way - 1).items():
                counts[subject] += share * times[2] / total
        return counts
