"""Judges under probes: how many verdicts flip when a sample is changed in a way that should change none."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...eval_sets import Sample
from ...meta_eval.estimate import Estimate, estimate_mean, estimate_proportion
from ...metrics import Score
from ..answers.pair_difference import paired_difference
from .panels import claims_by_text

_REPLY_PARTS = ("verdict", "probability", "reason", "quote")


@dataclass(frozen=True, slots=True)
class ProbeFindings:
    """One judge under one probe, against its own scores of the unchanged samples."""

    probe: str
    claims: int  # how many claims stand in both answers, by their text
    flips: Estimate  # the share of them with another verdict (supported or not), with an interval over groups
    shift: Estimate  # the mean change of the score; what only the changed answer claims counts here alone
    failed: int
    # whether the judge said the same of every claim to the letter, as it does where the change is in no question that
    # it was asked
    identical: bool


def compare_probed(
    samples: Sequence[Sample],
    scores: Mapping[str, Score],
    probed: Mapping[str, Mapping[str, Score]],
    *,
    seed: int = 0,
) -> Iterator[ProbeFindings]:
    """Compares a judge's scores of probed samples with its scores of the unchanged ones.

    A claim that was computed counts with the judge's verdict, not the computation's.
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
            probe,
            len(pairs),
            share_over_groups(flipped, [source for source, *_ in pairs], problem="no claim stands in both"),
            paired_difference([shift for shift, _ in shifts], [source for _, source in shifts], seed=seed),
            sum(score.status == "failed" for score in changed.values()),
            bool(pairs)
            and all(before.get(part) == after.get(part) for _, before, after in pairs for part in _REPLY_PARTS),
        )


def turned_to_supported(before: Score, after: Score) -> set[str]:
    """Lists the claims of both scores, by their text, that the judge supports only in the second."""
    claims_after = claims_by_text(after)
    return {
        text
        for text, claim in claims_by_text(before).items()
        if text in claims_after
        and not _is_supported(claim.get("judge", claim))
        and _is_supported(claims_after[text].get("judge", claims_after[text]))
    }


def _common_claims(before: Score, after: Score) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yields the judge's verdicts on each claim that is in both scores, before and after."""
    claims_after = claims_by_text(after)
    for text, claim in claims_by_text(before).items():
        if text in claims_after:
            yield claim.get("judge", claim), claims_after[text].get("judge", claims_after[text])


def _is_supported(claim: Mapping[str, Any]) -> bool:
    return bool(claim["verdict"] == "supported")


def share_over_groups(has_it: Sequence[bool], groups: Sequence[str], *, problem: str) -> Estimate:
    """Estimates the share of items that have something, with an interval over groups.

    Where all or none have it, leaving groups out shows no variation; then Wilson's interval for the share of groups
    with an exception, which is no smaller than that of items.

    Example:
        >>> none = share_over_groups([False] * 4, list("aabb"), problem="")
        >>> none.value, round(none.high, 2), none.n, none.groups
        (0.0, 0.66, 4, 2)
    """
    if not has_it:
        return Estimate(None, n=0, groups=0, problem=problem)
    if len(set(has_it)) == 1:
        count = len(set(groups))
        share = estimate_proportion(count * has_it[0], count)
        return Estimate(share.value, share.low, share.high, n=len(has_it), groups=count)
    return estimate_mean(has_it, groups)
