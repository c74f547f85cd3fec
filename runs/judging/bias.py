"""The bias of a judge: how far position, length, style and instructions move its score."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ...eval_sets import Sample
from ...meta_eval.estimate import Estimate
from ...meta_eval.groups import FEWEST_GROUPS
from ...metrics import Score
from .judge_scoring import JudgeScores
from .pairwise_preferences import measure_position_bias
from .probe_findings import ProbeFindings

BiasKind = Literal["position", "length", "style", "instructions"]

_FAIR = 0.5  # of its choices, those that fall on the answer that a fair judge reads first
_BIAS_OF_PROBE: dict[str, BiasKind] = {"padded": "length", "styled": "style", "injected": "instructions"}
_SOURCES: dict[BiasKind, str] = {"position": "pairwise", "length": "padded", "style": "styled"}
"""What every card has, and what it is measured by where nothing else did."""


@dataclass(frozen=True, slots=True)
class Bias:
    """One line of a judge's bias card."""

    judge: str
    bias: BiasKind  # what moves its score though the answer is no better
    source: str  # what measured it: a probe, or `pairwise` (two answers side by side, in both orders)
    # how far the score moves, with an interval over groups; of `pairwise` by how much the share of its choices that
    # fell on the answer it read first is more than one half. Without a value its problem says why it is not measured.
    change: Estimate


def measure_biases(
    judge: JudgeScores,
    samples: Sequence[Sample],
    probes: Sequence[ProbeFindings],
    *,
    unasked: str,
    is_of_pairs: bool = False,
) -> tuple[Bias, ...]:
    """Puts together what is known of a judge's biases."""
    lines = [
        Bias(judge.judge, "position", "pairwise", _position(samples, judge.scores, is_of_pairs=is_of_pairs)),
        *(Bias(judge.judge, _BIAS_OF_PROBE[probe.probe], probe.probe, _shift(probe))
          for probe in probes if probe.probe in _BIAS_OF_PROBE),
    ]  # fmt: skip
    kinds = list(dict.fromkeys([*_SOURCES, *(line.bias for line in lines)]))
    lines += [
        Bias(judge.judge, kind, source, Estimate(None, n=0, problem=unasked))
        for kind, source in _SOURCES.items()
        if kind not in {line.bias for line in lines}
    ]
    return tuple(sorted(lines, key=lambda line: kinds.index(line.bias)))


def _shift(probe: ProbeFindings) -> Estimate:
    if probe.shift.n:
        stays = probe.shift.value == 0 and probe.shift.low is None and (probe.shift.groups or 0) >= FEWEST_GROUPS
        why = "no score moved: no question had the change" if probe.identical else "no score moved"
        return replace(probe.shift, problem=why) if stays else probe.shift
    problem = "no changed answer got a score" if probe.failed else "no answer can be changed so"
    return Estimate(None, n=0, groups=0, problem=problem)


def _position(samples: Sequence[Sample], scores: Mapping[str, Score], *, is_of_pairs: bool) -> Estimate:
    """By how much the share of the judge's choices that fell on the answer it read first is more than one half."""
    asked = [(scores[sample.id], sample.source) for sample in samples if sample.id in scores]
    asked = [(score, group) for score, group in asked if score.value is not None and score.evidence.get("orders")]
    if not asked:
        elsewhere = "only a judge of two answers side by side has one (--metric pairwise)"
        return Estimate(None, n=0, problem="no pair got a score in both orders" if is_of_pairs else elsewhere)
    first_shown = measure_position_bias([score for score, _ in asked], [group for _, group in asked]).first_shown
    ends = (first_shown.value, first_shown.low, first_shown.high)
    value, low, high = (None if end is None else end - _FAIR for end in ends)
    return replace(first_shown, value=value, low=low, high=high)


def describe_unmeasured(biases: Sequence[Bias]) -> Iterator[str]:
    """Yields one clause per reason why biases are not measured, with the judges where it is not that of all."""
    judges = list(dict.fromkeys(line.judge for line in biases))
    reasons: dict[str, dict[str, list[str]]] = {}
    for line in biases:
        if line.change.value is None:
            reasons.setdefault(line.change.problem, {}).setdefault(line.bias, []).append(line.judge)
    for why, by_bias in reasons.items():
        whose = [
            bias if of_judges == judges else f"{bias} of {', '.join(of_judges)}" for bias, of_judges in by_bias.items()
        ]
        yield f"{', '.join(whose)}: {why}"
