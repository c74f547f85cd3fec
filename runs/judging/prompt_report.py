"""Wordings of a prompt beside the one in use, as a person reads it in a terminal."""

from collections.abc import Iterator

from ...meta_eval.decision.variant_decision import variant_sentences
from ...presentation.figure import Figure
from ...presentation.result_table import Field, Paragraph, ReportBlock, ResultTable, tabulate
from ...presentation.texts import one_line
from ...text.wording import count_of
from .prompt_effect import PromptEffect, PromptTrial

_SHOWN = 10  # claims of a kind


def trial_block(trial: PromptTrial) -> ReportBlock:
    """What each wording changes, then all in one table, and whether one of them is better."""
    parts = list[Paragraph | ResultTable]()
    for name, effect in trial.effects.items():
        if len(trial.effects) > 1:
            parts.append(_line(f"--- {one_line(name)} instead of {trial.in_use}"))
        parts += _effect_lines(effect)
    said = [
        f"{one_line(name)}: the same verdicts on all {count_of(trial.effects[name].samples, 'answer')}."
        for name in trial.same
    ]
    if len(trial.same) < len(trial.effects):
        said += variant_sentences(trial.decision, trial.in_use)
    return ReportBlock((*parts, _line(""), _wording_table(trial), *map(_line, said)))


def _line(text: str, label: str = "", indent: int = 0) -> Paragraph:
    return Paragraph(text, label=label, indent=indent, is_whole=True)


def _wording_table(trial: PromptTrial) -> ResultTable:
    """One row per wording: its mean, its agreement beside that of the prompt in use, and what it changes."""
    first = next(iter(trial.effects.values()))
    versions = {version.name: version for version in trial.decision.versions} if trial.decision else {}
    differences = {each.second: each for each in trial.decision.differences} if trial.decision else {}
    unknown = Figure("correlation", None)

    def agreement(name: str) -> Figure:
        version = versions.get(name)
        return Figure("correlation", version.mean, version.low, version.high) if version else unknown

    def difference(name: str) -> Figure | str:
        found = differences.get(name)
        if found is None:
            return "" if name == trial.in_use else unknown
        return Figure("correlation", found.difference, found.low, found.high)

    def mean(name: str) -> float | None:
        return trial.effects[name].metrics[0].mean_after if name in trial.effects else first.metrics[0].mean_before

    def tokens(name: str) -> float:
        return trial.effects[name].tokens_after if name in trial.effects else first.tokens_before

    fields = (
        Field("wording", "name", lambda name: name),
        Field("mean", "mean", mean),
        Field("Spearman with rating", "correlation", agreement, is_left=True),
        Field("less the one in use", "correlation", difference, is_left=True),
        Field("tokens per sample", "count", tokens),
    )
    caption = f"Wordings by {first.metrics[0].metric}; the first is in use"
    return tabulate(caption, [trial.in_use, *trial.effects], fields)


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
        means = ("none" if mean is None else f"{mean:.2f}" for mean in (metric.mean_before, metric.mean_after))
        yield _line(f"{metric.metric}: mean {' -> '.join(means)}")
    for change, claims in (("lost", effect.lost), ("added", effect.added)):
        yield _line(f"{count_of(len(claims), 'claim')} {change}")
        yield from (_line(text, sample, 2) for sample, text in claims[:_SHOWN])
        yield from _rest(len(claims))
    yield _line(f"{count_of(len(effect.flips), 'verdict')} flipped")
    for flip in effect.flips[:_SHOWN]:
        yield _line(flip.claim, flip.sample, 2)
        yield _line(f"{flip.before.replace('_', ' ')}: {flip.reason_before}", "before:", 4)
        yield _line(f"{flip.after.replace('_', ' ')}: {flip.reason_after}", "after:", 4)
    yield from _rest(len(effect.flips))


def _rest(count: int) -> list[Paragraph]:
    return [_line(f"... and {count - _SHOWN} more (all with --json)", indent=2)] if count > _SHOWN else []
