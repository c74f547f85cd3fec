"""What another prompt changes: claims lost and added, verdicts that flip, agreement with the ratings, tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...eval_sets import Sample
from ...judges import Usage
from ...metrics import Score
from ...metrics.specification import ALL_BASELINES
from ...text.wording import verb_of
from ..answers.rating_direction import check_ratings_fit, rises_with_rating
from .experiment import build_variant_table, claims_by_text

if TYPE_CHECKING:
    from ...meta_eval.decision import Decision

SampleScores = Mapping[str, Mapping[str, Score]]
"""Scores by sample and metric."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A claim that both prompts found, with another verdict and its reason."""

    sample: str
    claim: str
    before: str
    after: str
    reason_before: str
    reason_after: str


@dataclass(frozen=True, slots=True)
class MetricEffect:
    """One metric's mean; how it agrees with the ratings says the decision."""

    metric: str
    mean_before: float | None
    mean_after: float | None


@dataclass(frozen=True, slots=True)
class PromptEffect:
    """The whole difference between two scorings of the same samples."""

    samples: int
    prompts_before: tuple[str, ...]  # the identities of the prompts of the first, sorted
    prompts_after: tuple[str, ...]  # those of the second
    lost: tuple[tuple[str, str], ...]  # claims that only the first found, as (sample, claim)
    added: tuple[tuple[str, str], ...]  # claims that only the second found
    flips: tuple[Flip, ...]
    metrics: tuple[MetricEffect, ...]  # the effect on each metric
    tokens_before: float  # tokens per sample of the first, in and out together
    tokens_after: float  # those of the second
    # (sample, reason) where a metric failed in one of the two; their claims are not compared
    failed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PromptTrial:
    """Several wordings of one prompt beside the one in use."""

    in_use: str
    effects: Mapping[str, PromptEffect]  # what each other wording changes, by its name
    decision: "Decision | None"  # whether one of them agrees better with the ratings; None where none can be compared
    same: tuple[
        str, ...
    ] = ()  # the wordings that change no claim, no verdict and no score, which nothing is decided on


def compare_prompts(samples: Sequence[Sample], before: SampleScores, after: SampleScores) -> PromptEffect:
    """Compares two scorings of the same samples."""
    both = [sample for sample in samples if sample.id in before and sample.id in after]
    metrics = [
        name
        for name in dict.fromkeys(name for sample in both for name in before[sample.id])
        if name not in ALL_BASELINES and any(name in after[sample.id] for sample in both)
    ]
    if not both or not metrics:
        raise UsageError("the two have no sample and metric in common (same set, same --metrics): nothing to compare")
    lost, added, failed = list[tuple[str, str]](), list[tuple[str, str]](), list[tuple[str, str]]()
    flips: list[Flip] = []
    prompts: tuple[set[str], set[str]] = (set(), set())
    for sample in both:
        scores = [[by_sample[sample.id][name] for name in metrics if name in by_sample[sample.id]]
                  for by_sample in (before, after)]  # fmt: skip
        for asked, of_side in zip(prompts, scores, strict=True):
            asked.update(prompt for score in of_side for prompt in score.evidence.get("prompts", []))
        if reason := next((score.reason for score in (*scores[0], *scores[1]) if score.status == "failed"), ""):
            failed.append((sample.id, reason))
            continue
        old, new = map(_claims, scores)
        lost += [(sample.id, claim["text"]) for key, claim in old.items() if key not in new]
        added += [(sample.id, claim["text"]) for key, claim in new.items() if key not in old]
        flips += [
            Flip(sample.id, now["text"], was["verdict"], now["verdict"], was["reason"], now["reason"])
            for was, now in ((old[key], new[key]) for key in old if key in new)
            if was["verdict"] != now["verdict"]
        ]
    return PromptEffect(
        len(both),
        tuple(sorted(prompts[0])),
        tuple(sorted(prompts[1])),
        tuple(lost),
        tuple(added),
        tuple(flips),
        tuple(_metric_effect(name, both, before, after) for name in metrics),
        _tokens(both, before),
        _tokens(both, after),
        tuple(failed),
    )


def compare_wordings(
    samples: Sequence[Sample], in_use: str, before: SampleScores, edits: Mapping[str, SampleScores]
) -> PromptTrial:
    """Compares several wordings of a prompt with the one in use, and decides between them."""
    from ...meta_eval.decision import decide_variants

    effects = {name: compare_prompts(samples, before, scores) for name, scores in edits.items()}
    first, *others = [metric.metric for metric in next(iter(effects.values())).metrics]
    both = [sample for sample in samples if sample.id in before]
    check_ratings_fit("the samples", both, first)
    variants = {name: _of_metric(first, scores) for name, scores in ({in_use: before} | dict(edits)).items()}
    same = tuple(name for name in edits if _changes_nothing(effects[name], variants[in_use], variants[name]))
    variants = {name: scores for name, scores in variants.items() if name not in same}
    decision = None
    if len(variants) > 1:
        table = build_variant_table(both, variants, higher_is_better=rises_with_rating(first))
        decision = decide_variants(table, measure=first)
    if decision is not None and others:
        note = f"{first}, the first metric, decides; {', '.join(others)} {verb_of(len(others), 'does', 'do')} not."
        decision = replace(decision, notes=(note, *decision.notes))
    return PromptTrial(in_use, effects, decision, same)


def _changes_nothing(effect: PromptEffect, before: Mapping[str, Score], after: Mapping[str, Score]) -> bool:
    """Whether a wording leaves every claim, every verdict and every score as it is."""
    if effect.lost or effect.added or effect.flips or effect.failed:
        return False
    return before.keys() == after.keys() and all(before[name].value == after[name].value for name in before)


def _claims(scores: Sequence[Score]) -> dict[str, dict[str, Any]]:
    """The claims of a sample by their text; of the same claim in several metrics the first one counts."""
    return {text: claim for score in reversed(scores) for text, claim in claims_by_text(score).items()}


def _tokens(samples: Sequence[Sample], scores: SampleScores) -> float:
    usage = Usage.total([score.usage for sample in samples for score in scores[sample.id].values()])
    return (usage.tokens_in + usage.tokens_out) / len(samples)


def _metric_effect(name: str, samples: Sequence[Sample], before: SampleScores, after: SampleScores) -> MetricEffect:
    def mean(scores: SampleScores) -> float | None:
        of_metric = _of_metric(name, scores)
        values = [one.value for sample in samples if (one := of_metric.get(sample.id)) and one.value is not None]
        return fsum(values) / len(values) if values else None

    return MetricEffect(name, mean(before), mean(after))


def _of_metric(name: str, scores: SampleScores) -> dict[str, Score]:
    return {sample: by_metric[name] for sample, by_metric in scores.items() if name in by_metric}
