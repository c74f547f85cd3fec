"""Judges under probes: how many verdicts flip when a sample is changed in a way that a fair judge sees through."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..eval_sets import Sample
from ..meta_eval.estimate import Estimate, estimate
from ..metrics import Score
from .pair_difference import paired_difference
from .panels import claims_by_words

_SAID = ("verdict", "probability", "reason", "quote")


@dataclass(frozen=True, slots=True)
class ProbeFindings:
    """One judge under one probe, against its own scores of the samples as they are.

    `flips` is the share of `claims`, those whose words stand in both, with another verdict (supported or not; of a
    probability at 0.5), with an interval over groups; `to_supported` of them flipped that way. What only the changed
    answer claims counts in `shift` alone, the change of the score. `failed` changed samples have none. `identical`: the
    judge said the same of every claim to the letter, as it does where the change is in no question that it was asked.
    """

    judge: str
    probe: str
    claims: int
    flips: Estimate
    to_supported: int
    shift: Estimate
    failed: int
    identical: bool


def probe_findings(
    judge: str,
    samples: Sequence[Sample],
    scores: Mapping[str, Score],
    probed: Mapping[str, Mapping[str, Score]],
    *,
    seed: int = 0,
) -> Iterator[ProbeFindings]:
    """What each probe did to one judge; `scores` by sample, `probed` by probe and sample.

    A claim that was computed counts with the judge's verdict, not the computation's.
    """
    for probe, changed in probed.items():
        both = [sample for sample in samples if sample.id in scores and sample.id in changed]
        pairs = [(sample.source, *pair) for sample in both for pair in _pairs(scores[sample.id], changed[sample.id])]
        shifts = [
            (after - before, sample.source)
            for sample in both
            if (before := scores[sample.id].value) is not None and (after := changed[sample.id].value) is not None
        ]
        flipped = [_supported(before) != _supported(after) for _, before, after in pairs]
        yield ProbeFindings(
            judge,
            probe,
            len(pairs),
            _share(flipped, [source for source, *_ in pairs], seed),
            sum(flip and _supported(after) for flip, (*_, after) in zip(flipped, pairs, strict=True)),
            paired_difference([shift for shift, _ in shifts], [source for _, source in shifts], seed=seed),
            sum(score.status == "failed" for score in changed.values()),
            bool(pairs) and all(before.get(part) == after.get(part) for _, before, after in pairs for part in _SAID),
        )


def _pairs(before: Score, after: Score) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The judge's word on each claim that stands in both."""
    now = claims_by_words(after)
    for words, claim in claims_by_words(before).items():
        if words in now:
            yield claim.get("judge", claim), now[words].get("judge", now[words])


def _supported(claim: Mapping[str, Any]) -> bool:
    return bool(claim["verdict"] == "supported")


def _share(flipped: Sequence[bool], groups: Sequence[str], seed: int) -> Estimate:
    """The share that flipped, with an interval over groups.

    Where all or none did, every resample says the same; then Wilson's interval for the share of groups with an
    exception, which is no smaller than that of claims.
    """
    import numpy as np

    if not flipped:
        return Estimate(None, problem="no claim stands in both")
    if len(set(flipped)) == 1:
        from scipy.stats import binomtest

        count = len(set(groups))
        interval = binomtest(count * flipped[0], count).proportion_ci(method="wilson")
        return Estimate(float(flipped[0]), float(interval.low), float(interval.high))
    values = np.asarray(flipped, float)
    return estimate(lambda weights: values @ weights / weights.sum(axis=0), groups, resamples=None, seed=seed)
