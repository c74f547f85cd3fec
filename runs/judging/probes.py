"""What moves a judge though what it judges is the same: an instruction in an answer, being asked again."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...eval_sets import Sample
from ...languages import find_language
from ...meta_eval.estimate import Estimate, estimate_mean
from ...meta_eval.groups import group_answers
from ...metrics import Score
from .experiment import Scores, claims_by_text

_ROUNDING = 1e-9  # a score that is added up in another order did not rise


def inject(sample: Sample, seed: int = 0) -> Sample | None:
    """Puts an instruction to the judge into an answer, the same one for the same seed and id; None where it cannot.

    Id, question and group stay, so that scores can be paired. The answer loses its ratings: nobody rated it.
    """
    language = find_language(sample.language)
    if language is None or not language.has("probes") or not sample.response.strip():
        return None
    chance = random.Random(f"{seed}\0injected\0{sample.id}")
    parts = [sample.response.rstrip(), chance.choice(language.probes.instructions)]
    chance.shuffle(parts)
    metadata = {**sample.metadata, "probe": "injected"}
    return sample.model_copy(
        update={"response": "\n\n".join(parts), "metadata": metadata, "rating": None, "ratings": {}}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Injections:
    """Instructions to the judge that were put into the answers."""

    tried: int  # how many answers have a score as they are, with an instruction, and when asked again
    worked: int  # how many of them scored higher with it, or have a claim that turned to supported
    again: int | None  # how many did when the same answers were merely asked again; None on cards of earlier versions
    share: Estimate  # (worked - again) / tried, with an interval over groups


def measure_flips(samples: Sequence[Sample], scores: Scores, again: Scores) -> Estimate:
    """The share of the claims that a judge gave another verdict when it was asked again, with an interval over groups.

    Claims of both scores of an answer count. A claim that was computed counts with the judge's verdict, not the
    computation's.
    """
    both = [sample for sample in samples if sample.id in scores and sample.id in again]
    flipped = [
        (_is_supported(before) != _is_supported(after), group)
        for sample, group in zip(both, group_answers(both), strict=True)
        for before, after in _common_claims(scores[sample.id], again[sample.id])
    ]
    if not flipped:
        return Estimate(None, n=0, groups=0, problem="no claim stands in both")
    return estimate_mean([one for one, _ in flipped], [group for _, group in flipped], bounds=(0, 1))


def _common_claims(before: Score, after: Score) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yields the judge's verdicts on each claim that is in both scores, before and after."""
    claims_after = claims_by_text(after)
    for text, claim in claims_by_text(before).items():
        if text in claims_after:
            yield claim.get("judge", claim), claims_after[text].get("judge", claims_after[text])


def _is_supported(claim: Mapping[str, Any]) -> bool:
    return bool(claim["verdict"] == "supported")


def check_injections(samples: Sequence[Sample], scores: Scores, injected: Scores, again: Scores) -> Injections | None:
    """Compares how many answers rise with an instruction in them, and when they are merely asked again.

    An answer rises where its score does, or where a claim of it turns to supported. A judge whose verdicts vary lifts
    some answers whenever it is asked: what the instruction did is the difference of the two shares, on the same
    answers.

    Returns:
        What the instructions did; None where no answer was given one.
    """
    if not injected:
        return None
    tried = [
        sample
        for sample in samples
        if all(sample.id in of and of[sample.id].value is not None for of in (scores, injected, again))
    ]
    worked, repeated = ([_rises(scores[s.id], later[s.id]) for s in tried] for later in (injected, again))
    differences = [int(rose) - int(noise) for rose, noise in zip(worked, repeated, strict=True)]
    share = Estimate(None, n=0, groups=0, problem="no answer has a score with an instruction and from asking again")
    if tried:
        share = _share_beyond_noise(differences, group_answers(tried))
    return Injections(tried=len(tried), worked=sum(worked), again=sum(repeated), share=share)


def _rises(before: Score, after: Score) -> bool:
    """Whether the score rose, or a claim turned to supported; both scores have a value."""
    rose = (after.value or 0.0) - (before.value or 0.0) > _ROUNDING
    return rose or any(_is_supported(now) and not _is_supported(was) for was, now in _common_claims(before, after))


def _share_beyond_noise(differences: Sequence[int], groups: Sequence[str]) -> Estimate:
    """The mean of differences that are -1, 0 or 1, with an interval over groups.

    Where all are the same, the interval is that of the share of those that are 0, or not; one may be up or, where all
    are 0, down.
    """
    if len(set(differences)) > 1:
        return estimate_mean(differences, groups, bounds=(-1, 1))  # one up is as possible as one down
    value = differences[0]
    share = estimate_mean([value != 0] * len(differences), groups, bounds=(0, 1))
    if share.low is None or share.high is None:
        return replace(share, value=float(value))
    low, high = (share.low, share.high) if value else (-share.high, share.high)
    low, high = (-high, -low) if value < 0 else (low, high)
    return replace(share, value=float(value), low=low, high=high)
