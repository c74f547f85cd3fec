"""What another prompt changes, as figures and as a person reads it: claims, verdicts that flip, agreement, tokens."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from ...errors import UsageError
from ...eval_sets import Sample
from ...judges import Usage
from ...metrics import Score
from ...metrics.specification import ALL_BASELINES
from ...presentation.result_table import Field, Paragraph, ReportBlock, ResultTable, tabulate
from ...presentation.texts import one_line
from ...text.wording import count_of
from .experiment import VariantComparison, claims_by_text, compare_variants

SampleScores = Mapping[str, Mapping[str, Score]]
"""Scores by sample and metric."""
_SHOWN = 10  # claims of a kind


@dataclass(frozen=True, slots=True)
class PromptEffect:
    """The whole difference between two scorings of the same samples, the second with another wording."""

    samples: int
    prompts_before: tuple[str, ...]  # the identities of the prompts of the first, sorted
    prompts_after: tuple[str, ...]
    lost: tuple[tuple[str, str], ...]  # claims that only the first found, as (sample, claim)
    added: tuple[tuple[str, str], ...]  # claims that only the second found
    # claims with another verdict: `sample`, `claim`, `before`, `after`, `reason_before`, `reason_after`
    flips: tuple[dict[str, str], ...]
    metrics: tuple[dict[str, Any], ...]  # `metric`, `mean_before`, `mean_after`
    tokens_before: float  # per sample, in and out together
    tokens_after: float
    # (sample, reason) where a metric failed in one of the two; their claims are not compared
    failed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PromptTrial:
    """Several wordings of one prompt beside the one in use."""

    effects: Mapping[str, PromptEffect]  # what each other wording changes, by its name
    variants: VariantComparison  # how the wordings agree with the ratings, by the first metric


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
    flips: list[dict[str, str]] = []
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
        for was, now in ((old[key], new[key]) for key in old if key in new):
            if was["verdict"] != now["verdict"]:
                verdicts = {"before": was["verdict"], "after": now["verdict"]}
                reasons = {"reason_before": was["reason"], "reason_after": now["reason"]}
                flips.append({"sample": sample.id, "claim": now["text"], **verdicts, **reasons})
    return PromptEffect(
        len(both),
        tuple(sorted(prompts[0])),
        tuple(sorted(prompts[1])),
        tuple(lost),
        tuple(added),
        tuple(flips),
        tuple(
            {"metric": name, "mean_before": _mean(name, both, before), "mean_after": _mean(name, both, after)}
            for name in metrics
        ),
        _tokens(both, before),
        _tokens(both, after),
        tuple(failed),
    )


def compare_wordings(
    samples: Sequence[Sample], in_use: str, before: SampleScores, edits: Mapping[str, SampleScores]
) -> PromptTrial:
    """Compares several wordings of a prompt with the one in use; the first metric decides between them."""
    effects = {name: compare_prompts(samples, before, scores) for name, scores in edits.items()}
    first = next(iter(effects.values())).metrics[0]["metric"]
    variants = {name: _of_metric(first, scores) for name, scores in ({in_use: before} | dict(edits)).items()}
    same = tuple(name for name in edits if _changes_nothing(effects[name], variants[in_use], variants[name]))
    compared = compare_variants([sample for sample in samples if sample.id in before], first, variants, same)
    return PromptTrial(effects, compared)


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


def _mean(name: str, samples: Sequence[Sample], scores: SampleScores) -> float | None:
    of_metric = _of_metric(name, scores)
    values = [one.value for sample in samples if (one := of_metric.get(sample.id)) and one.value is not None]
    return fsum(values) / len(values) if values else None


def _of_metric(name: str, scores: SampleScores) -> dict[str, Score]:
    return {sample: by_metric[name] for sample, by_metric in scores.items() if name in by_metric}


def trial_block(trial: PromptTrial) -> ReportBlock:
    """What each wording changes, then all in one table, and whether one of them is better."""
    parts, in_use = list[Paragraph | ResultTable](), trial.variants.first
    for name, effect in trial.effects.items():
        if len(trial.effects) > 1:
            parts.append(_line(f"--- {one_line(name)} instead of {in_use}"))
        parts += _effect_lines(effect)
    said = [
        f"{one_line(name)}: the same verdicts on all {count_of(trial.effects[name].samples, 'answer')}."
        for name in trial.variants.same
    ]
    if len(trial.variants.same) < len(trial.effects):
        said += trial.variants.sentences
    first = next(iter(trial.effects.values()))
    tokens = {in_use: first.tokens_before} | {name: effect.tokens_after for name, effect in trial.effects.items()}
    fields = (
        Field("wording", "name", lambda name: name),
        *trial.variants.fields(lambda name: name),
        Field("tokens per sample", "count", lambda name: tokens[name]),
    )
    decides = ", which decides" if len(first.metrics) > 1 else ""
    caption = f"Wordings by {first.metrics[0]['metric']}{decides}; the first is in use"
    return ReportBlock((*parts, _line(""), tabulate(caption, list(tokens), fields), *map(_line, said)))


def _line(text: str, label: str = "", indent: int = 0) -> Paragraph:
    return Paragraph(text, label=label, indent=indent, is_whole=True)


def _effect_lines(effect: PromptEffect) -> Iterator[Paragraph]:
    prompts = f"prompts before: {', '.join(effect.prompts_before) or 'none'}"
    yield _line(f"{count_of(effect.samples, 'sample')}; {prompts}")
    yield _line(f"after: {', '.join(effect.prompts_after) or 'none'}")
    yield _line(f"tokens per sample: {effect.tokens_before:,.0f} before, {effect.tokens_after:,.0f} after")
    if effect.failed:
        sample, reason = effect.failed[0]
        count = f"{count_of(len(effect.failed), 'sample')} failed, and their claims are not compared"
        yield _line(f"{count}; the first, {sample}: {reason}")
    for metric in effect.metrics:
        means = ("none" if mean is None else f"{mean:.2f}" for mean in (metric["mean_before"], metric["mean_after"]))
        yield _line(f"{metric['metric']}: mean {' -> '.join(means)}")
    for change, claims in (("lost", effect.lost), ("added", effect.added)):
        yield _line(f"{count_of(len(claims), 'claim')} {change}")
        yield from (_line(text, sample, 2) for sample, text in claims[:_SHOWN])
        yield from _rest(len(claims))
    yield _line(f"{count_of(len(effect.flips), 'verdict')} flipped")
    for flip in effect.flips[:_SHOWN]:
        yield _line(flip["claim"], flip["sample"], 2)
        for side in ("before", "after"):
            yield _line(f"{flip[side].replace('_', ' ')}: {flip[f'reason_{side}']}", f"{side}:", 4)
    yield from _rest(len(effect.flips))


def _rest(count: int) -> list[Paragraph]:
    return [_line(f"... and {count - _SHOWN} more (all with --json)", indent=2)] if count > _SHOWN else []
