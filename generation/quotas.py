"""How many items to take from each stratum of a collection."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

Stratum = TypeVar("Stratum", bound=Hashable)


def proportional_quotas(
    total: int, weights: Mapping[Stratum, int], available: Mapping[Stratum, int]
) -> dict[Stratum, int]:
    """Distributes a number of items over strata in proportion to weights, by the method of largest remainders.

    What a stratum cannot supply goes to the others in the same proportion.

    Returns:
        The number of items to take from each stratum of `available`. Their sum is `total`, or all items where there
        are fewer.

    Example:
        >>> proportional_quotas(10, {"a": 70, "b": 30}, {"a": 5, "b": 9})
        {'a': 5, 'b': 5}
    """
    quotas = dict.fromkeys(available, 0)
    open_strata, left = list(available), min(total, sum(available.values()))
    while left and open_strata:
        weight = sum(weights.get(stratum, 0) for stratum in open_strata)
        exact = {
            stratum: left * (weights.get(stratum, 0) / weight if weight else 1 / len(open_strata))
            for stratum in open_strata
        }
        full = [stratum for stratum in open_strata if exact[stratum] >= available[stratum]]
        if not full:
            quotas |= _round_to_sum(left, exact)
            break
        for stratum in full:
            quotas[stratum] = available[stratum]
        left -= sum(available[stratum] for stratum in full)
        open_strata = [stratum for stratum in open_strata if stratum not in full]
    return quotas


def covering_quotas(total: int, available: Mapping[int, int]) -> dict[int, int]:
    """Distributes a number of items over strata so that as many strata as possible have one, the rest in proportion.

    Returns:
        The number of items to take from each stratum. Where `total` is too small for one each, the largest strata
        come first.

    Example:
        >>> covering_quotas(5, {0: 8, 1: 1, 2: 1})
        {0: 3, 1: 1, 2: 1}
    """
    total = min(total, sum(available.values()))
    order = sorted(available, key=lambda stratum: (-available[stratum], stratum))
    quotas = {stratum: int(place < total) for place, stratum in enumerate(order)}
    exact = {stratum: total * count / sum(available.values()) for stratum, count in available.items()}
    while sum(quotas.values()) < total:
        open_strata = [stratum for stratum in order if quotas[stratum] < available[stratum]]
        quotas[max(open_strata, key=lambda stratum: exact[stratum] - quotas[stratum])] += 1
    return quotas


def _round_to_sum(total: int, exact: Mapping[Stratum, float]) -> dict[Stratum, int]:
    """Rounds down, then adds one to the largest remainders until the sum is `total`; the first stratum where equal."""
    whole = {stratum: int(share + 1e-9) for stratum, share in exact.items()}
    order = sorted(exact, key=lambda stratum: whole[stratum] - exact[stratum])
    return whole | {stratum: whole[stratum] + 1 for stratum in order[: total - sum(whole.values())]}
