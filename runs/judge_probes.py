"""Judges under probes: how many verdicts flip when a sample is changed in a way that should change none."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..eval_sets import Sample
from ..meta_eval.estimate import Estimate, estimate_mean, estimate_proportion
from ..metrics import Score
from .pair_difference import paired_difference
from .panels import claims_by_text

_REPLY_PARTS = ("verdict", "probability", "reason", "quote")


@dataclass(frozen=True, slots=True)
class ProbeFindings:
    """One judge under one probe, against its own scores of the unchanged samples.

    Attributes:
        judge: Its name.
        probe: The probe's name.
        claims: How many claims stand in both answers, by their text.
        flips: The share of them with another verdict (supported or not), with an interval over groups.
        to_supported: How many of them flipped to supported.
        shift: The mean change of the score; what only the changed answer claims counts here alone.
        failed: How many changed samples have no score.
        identical: Whether the judge said the same of every claim to the letter, as it does where the change is in no
            question that it was asked.
    """

    judge: str
    probe: str
    claims: int
    flips: Estimate
    to_supported: int
    shift: Estimate
    failed: int
    identical: bool


def compare_probed(
    judge: str,
    samples: Sequence[Sample],
    scores: Mapping[str, Score],
    probed: Mapping[str, Mapping[str, Score]],
    *,
    seed: int = 0,
) -> Iterator[ProbeFindings]:
    """Compares a judge's scores of probed samples with its scores of the unchanged ones.

    A claim that was computed counts with the judge's verdict, not the computation's.

    Args:
        judge: Its name.
        samples: The unchanged samples.
        scores: The judge's scores of them, by sample.
        probed: Its scores of the changed samples, by probe and sample.
        seed: Seed of the flips.

    Yields:
        The findings of one probe after the other.
    """
    for probe, changed in probed.items():
        both = [sample for sample in samples if sample.id in scores and sample.id in changed]
        pairs = [
            (sample.source, *claims)
            for sample in both
            for claims in _common_claims(scores[sample.id], changed[sample.id])
        ]
        shifts = [
            (after - before, sample.source)
            for sample in both
            if (before := scores[sample.id].value) is not None and (after := changed[sample.id].value) is not None
        ]
        flipped = [_is_supported(before) != _is_supported(after) for _, before, after in pairs]
        yield ProbeFindings(
            judge,
            probe,
            len(pairs),
            _flip_share(flipped, [source for source, *_ in pairs]),
            sum(flip and _is_supported(after) for flip, (*_, after) in zip(flipped, pairs, strict=True)),
            paired_difference([shift for shift, _ in shifts], [source for _, source in shifts], seed=seed),
            sum(score.status == "failed" for score in changed.values()),
            bool(pairs)
            and all(before.get(part) == after.get(part) for _, before, after in pairs for part in _REPLY_PARTS),
        )


def _common_claims(before: Score, after: Score) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yields the judge's verdicts on each claim that is in both scores, before and after."""
    claims_after = claims_by_text(after)
    for text, claim in claims_by_text(before).items():
        if text in claims_after:
            yield claim.get("judge", claim), claims_after[text].get("judge", claims_after[text])


def _is_supported(claim: Mapping[str, Any]) -> bool:
    return bool(claim["verdict"] == "supported")


def _flip_share(flipped: Sequence[bool], groups: Sequence[str]) -> Estimate:
    """Estimates the share that flipped, with an interval over groups.

    Where all or none did, leaving groups out shows no variation; then Wilson's interval for the share of groups with an
    exception, which is no smaller than that of claims.
    """
    if not flipped:
        return Estimate(None, problem="no claim stands in both")
    if len(set(flipped)) == 1:
        count = len(set(groups))
        share = estimate_proportion(count * flipped[0], count)
        return Estimate(share.value, share.low, share.high)
    return estimate_mean(flipped, groups)
