"""What another prompt changes: claims lost and added, verdicts that flip, agreement with the ratings, tokens."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..eval_sets import Sample
from ..judges import Usage
from ..metrics import Score
from ..metrics.specification import ALL_BASELINES
from ..text.wording import verb_of
from .panels import claims_by_text
from .rating_direction import check_ratings_fit, rises_with_rating
from .variant_table import build_variant_table

if TYPE_CHECKING:
    from ..meta_eval.comparison import Comparison
    from ..meta_eval.decision import Decision
    from .store import Store

Scores = Mapping[str, Mapping[str, Score]]  # by sample and metric

BEFORE, AFTER = "before", "after"


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
    """One metric's agreement with the ratings: rho(after) - rho(before), with its interval over groups."""

    metric: str
    mean_before: float | None
    mean_after: float | None
    agreement: "Comparison"


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


def compare_prompts(samples: Sequence[Sample], before: Scores, after: Scores) -> PromptEffect:
    """Compares two scorings of the same samples."""
    both = [sample for sample in samples if sample.id in before and sample.id in after]
    metrics = [
        name
        for name in dict.fromkeys(name for sample in both for name in before[sample.id])
        if name not in ALL_BASELINES and any(name in after[sample.id] for sample in both)
    ]
    if not both or not metrics:
        raise UsageError("the two have no sample and metric in common (same set, same --metrics): nothing to compare")
    lost: list[tuple[str, str]] = []
    added: list[tuple[str, str]] = []
    flips: list[Flip] = []
    failed = {sample.id: why for sample in both if (why := _failure(before[sample.id], after[sample.id], metrics))}
    for sample in both:
        if sample.id in failed:
            continue
        old, new = _claims(before[sample.id], metrics), _claims(after[sample.id], metrics)
        lost += [(sample.id, old[key]["text"]) for key in old if key not in new]
        added += [(sample.id, new[key]["text"]) for key in new if key not in old]
        flips += [_flip(sample.id, old[key], new[key]) for key in old if key in new and _differ(old[key], new[key])]
    return PromptEffect(
        len(both),
        _prompts(both, before, metrics),
        _prompts(both, after, metrics),
        tuple(lost),
        tuple(added),
        tuple(flips),
        tuple(_metric_effect(name, both, before, after) for name in metrics),
        _tokens(both, before),
        _tokens(both, after),
        tuple(failed.items()),
    )


@dataclass(frozen=True, slots=True)
class PromptTrial:
    """Several wordings of one prompt beside the one in use."""

    in_use: str
    effects: Mapping[str, PromptEffect]  # what each other wording changes, by its name
    decision: "Decision | None"  # whether one of them agrees better with the ratings; None where none can be compared


def compare_wordings(
    samples: Sequence[Sample], in_use: str, before: Scores, edits: Mapping[str, Scores]
) -> PromptTrial:
    """Compares several wordings of a prompt with the one in use, and decides between them."""
    from ..meta_eval.decision import decide_variants

    effects = {name: compare_prompts(samples, before, scores) for name, scores in edits.items()}
    metrics = [metric.metric for metric in next(iter(effects.values())).metrics]
    both = [sample for sample in samples if sample.id in before]
    check_ratings_fit("the samples", both, metrics[0])
    variants = {name: _of_metric(metrics[0], scores) for name, scores in ({in_use: before} | dict(edits)).items()}
    table = build_variant_table(both, variants, higher_is_better=rises_with_rating(metrics[0]))
    decision = decide_variants(table, measure=metrics[0])
    if decision is not None and len(metrics) > 1:
        others = f"{', '.join(metrics[1:])} {verb_of(len(metrics) - 1, 'does', 'do')} not"
        note = f"{metrics[0]}, the first metric, decides; {others}."
        decision = replace(decision, notes=(note, *decision.notes))
    return PromptTrial(in_use, effects, decision)


def compare_prompts_of_runs(store: "Store", run_a: str, run_b: str) -> PromptEffect:
    """Compares two stored runs over the same samples. Raises `UsageError` where they have none in common."""
    return compare_prompts(list(store.samples(run_b)), _scores(store, run_a), _scores(store, run_b))


def _scores(store: "Store", run: str) -> dict[str, dict[str, Score]]:
    by_sample: dict[str, dict[str, Score]] = {}
    for sample, metric, score in store.scores(run):
        by_sample.setdefault(sample, {})[metric] = score
    return by_sample


def _failure(before: Mapping[str, Score], after: Mapping[str, Score], metrics: Sequence[str]) -> str:
    scores = (by_metric[name] for by_metric in (before, after) for name in metrics if name in by_metric)
    return next((score.reason for score in scores if score.status == "failed"), "")


def _claims(scores: Mapping[str, Score], metrics: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The claims of a sample by their text; of the same claim in several metrics the first one counts."""
    claims: dict[str, dict[str, Any]] = {}
    for name in metrics:
        if name in scores:
            claims = claims_by_text(scores[name]) | claims
    return claims


def _differ(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    return bool(old["verdict"] != new["verdict"])


def _flip(sample: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Flip:
    return Flip(sample, new["text"], old["verdict"], new["verdict"], old["reason"], new["reason"])


def _prompts(samples: Sequence[Sample], scores: Scores, metrics: Sequence[str]) -> tuple[str, ...]:
    def identities() -> Iterator[str]:
        for sample in samples:
            for name in metrics:
                if name in scores[sample.id]:
                    yield from scores[sample.id][name].evidence.get("prompts", [])

    return tuple(sorted(set(identities())))


def _tokens(samples: Sequence[Sample], scores: Scores) -> float:
    usage = Usage.total([score.usage for sample in samples for score in scores[sample.id].values()])
    return (usage.tokens_in + usage.tokens_out) / len(samples)


def _metric_effect(name: str, samples: Sequence[Sample], before: Scores, after: Scores) -> MetricEffect:
    import numpy as np

    from ..meta_eval.comparison import compare_metrics

    table = build_variant_table(samples, {BEFORE: _of_metric(name, before), AFTER: _of_metric(name, after)})
    means = [None if np.isnan(column).all() else float(np.nanmean(column)) for column in table.scores.T]
    return MetricEffect(name, means[0], means[1], compare_metrics(table, AFTER, BEFORE))


def _of_metric(name: str, scores: Scores) -> dict[str, Score]:
    return {sample: by_metric[name] for sample, by_metric in scores.items() if name in by_metric}
