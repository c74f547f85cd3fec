"""How many of each topic: the shares that the sections have, kept among the questions (003, 4.6)."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

Stratum = TypeVar("Stratum", bound=Hashable)


def quotas(wanted: int, shares: Mapping[Stratum, int], available: Mapping[Stratum, int]) -> dict[Stratum, int]:
    """How many to take of each stratum: `wanted` in proportion to `shares`, by largest remainder, within `available`.

    What a stratum cannot give goes to the others in the same proportion. The sum is `wanted`, or all there are.
    """
    taken = dict.fromkeys(available, 0)
    free, left = list(available), min(wanted, sum(available.values()))
    while left and free:
        total = sum(shares.get(each, 0) for each in free)
        exact = {each: left * (shares.get(each, 0) / total if total else 1 / len(free)) for each in free}
        full = [each for each in free if exact[each] >= available[each]]
        if not full:
            taken |= _largest_remainders(left, exact)
            break
        for each in full:
            taken[each] = available[each]
        left -= sum(available[each] for each in full)
        free = [each for each in free if each not in full]
    return taken


def _largest_remainders(wanted: int, exact: Mapping[Stratum, float]) -> dict[Stratum, int]:
    """Whole numbers that add up: each rounded down, then one more for the largest remainders; the first where equal."""
    whole = {each: int(part + 1e-9) for each, part in exact.items()}
    order = sorted(exact, key=lambda each: whole[each] - exact[each])
    return whole | {each: whole[each] + 1 for each in order[: wanted - sum(whole.values())]}


def strata_counts(strata: Sequence[Stratum]) -> dict[Stratum, int]:
    """How many there are of each, in the order of first sight."""
    return dict(Counter(strata))
