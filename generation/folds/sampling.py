"""Which sections questions are made from: a sample in which every topic takes part (Twente paper, 4.4.1)."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from random import Random

from ..quotas import covering_quotas
from ..section import Fold


def mark_sampled(folds: Sequence[Fold], size: int | None, test_share: float, seed: int) -> list[Fold]:
    """Sets `sampled` on about `size` of the folds.

    Each fold gets its share of the sample, rounded to tenths. `test_share` divides it between validation and test; in
    each part the topics are strata.
    """
    if size is None:
        return [fold.model_copy(update={"sampled": True}) for fold in folds]
    parts: dict[tuple[int, str], list[Fold]] = defaultdict(list)
    for fold in folds:
        parts[fold.fold, fold.split].append(fold)
    counts = Counter(fold.fold for fold in folds)
    shares = _round_to_tenths({number: count / len(folds) for number, count in counts.items()})
    sampled: set[str] = set()
    for (number, split), members in sorted(parts.items()):
        wanted = round(size * shares[number] * (test_share if split == "test" else 1 - test_share))
        sampled |= _draw_stratified(members, wanted, Random(f"{seed} {number} {split}"))
    return [fold.model_copy(update={"sampled": fold.section in sampled}) for fold in folds]


def _round_to_tenths(shares: Mapping[int, float]) -> dict[int, float]:
    """Rounds shares to tenths, as the paper does; none becomes zero, and their sum stays 1."""
    rounded = {fold: max(0.1, round(share, 1)) for fold, share in shares.items()}
    total = sum(rounded.values())
    return {fold: share / total for fold, share in rounded.items()}


def _draw_stratified(members: Sequence[Fold], wanted: int, draw: Random) -> set[str]:
    strata: dict[int, list[str]] = defaultdict(list)
    for member in members:
        strata[member.topic].append(member.section)
    quotas = covering_quotas(wanted, {topic: len(ids) for topic, ids in strata.items()})
    return {section for topic, ids in sorted(strata.items()) for section in draw.sample(sorted(ids), quotas[topic])}
