"""Which sections questions are made of: stratified by topic, so that all topics are covered (4.4.1)."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from random import Random

from ..section import Fold


def sampled(folds: Sequence[Fold], size: int | None, test_share: float, seed: int) -> list[Fold]:
    """The same folds with `sampled` set on about `size` of them, or on all where `size` is None.

    Each fold gets its share of the sample, in tenths, parted into validation and test by `test_share`; in each part the
    topics are strata.
    """
    if size is None:
        return [fold.model_copy(update={"sampled": True}) for fold in folds]
    parts: dict[tuple[int, str], list[Fold]] = defaultdict(list)
    for fold in folds:
        parts[fold.fold, fold.split].append(fold)
    counts = Counter(fold.fold for fold in folds)
    shares = _in_tenths({number: count / len(folds) for number, count in counts.items()})
    chosen: set[str] = set()
    for (number, part), members in sorted(parts.items()):
        wanted = round(size * shares[number] * (test_share if part == "test" else 1 - test_share))
        chosen |= _stratified(members, wanted, Random(f"{seed} {number} {part}"))
    return [fold.model_copy(update={"sampled": fold.section in chosen}) for fold in folds]


def _in_tenths(shares: Mapping[int, float]) -> dict[int, float]:
    """Shares rounded to tenths, as in the paper; none to zero, and their sum stays 1."""
    rounded = {fold: max(0.1, round(share, 1)) for fold, share in shares.items()}
    total = sum(rounded.values())
    return {fold: share / total for fold, share in rounded.items()}


def _stratified(members: Sequence[Fold], wanted: int, random: Random) -> set[str]:
    strata: dict[int, list[str]] = defaultdict(list)
    for member in members:
        strata[member.topic].append(member.section)
    quotas = allotted({topic: len(ids) for topic, ids in strata.items()}, wanted)
    return {section for topic, ids in sorted(strata.items()) for section in random.sample(sorted(ids), quotas[topic])}


def allotted(sizes: Mapping[int, int], wanted: int) -> dict[int, int]:
    """How many of each stratum: one each as far as `wanted` goes (the largest first), the rest in proportion."""
    wanted = min(wanted, sum(sizes.values()))
    order = sorted(sizes, key=lambda topic: (-sizes[topic], topic))
    quotas = {topic: int(place < wanted) for place, topic in enumerate(order)}
    due = {topic: wanted * size / sum(sizes.values()) for topic, size in sizes.items()}
    while sum(quotas.values()) < wanted:
        short = [topic for topic in order if quotas[topic] < sizes[topic]]
        quotas[max(short, key=lambda topic: due[topic] - quotas[topic])] += 1
    return quotas
