"""The bias card of a judge: how far position, length, style and its own model's words move its score."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ..eval_sets import Sample
from ..meta_eval.estimate import Estimate, estimate
from ..meta_eval.jackknife import FEWEST_GROUPS
from .judge_probes import ProbeFindings
from .judge_scoring import JudgeScores
from .pairwise_preferences import measure_position_bias

if TYPE_CHECKING:
    from ..meta_eval.arrays import Floats
    from ..metrics import Score

BiasKind = Literal["position", "length", "style", "self-preference", "order of the contexts", "instructions"]

_FAIR = 0.5  # of its choices, those that fall on the answer that a fair judge reads first
_BIAS_OF_PROBE: dict[str, BiasKind] = {
    "padded": "length",
    "restated": "length",
    "shortened": "length",
    "styled": "style",
    "reordered": "order of the contexts",
    "injected": "instructions",
}
_SOURCES: dict[BiasKind, str] = {
    "position": "pairwise",
    "length": "padded",
    "style": "styled",
    "self-preference": "metadata.system",
}
"""What every card has, and what it is measured by where nothing else did."""


@dataclass(frozen=True, slots=True)
class Bias:
    """One line of a judge's bias card.

    Attributes:
        judge: Its name.
        bias: What moves its score though the answer is no better.
        source: What measured it: a probe, `pairwise` (two answers side by side, in both orders) or `metadata.system`
            (answers of the judge's own model beside those of others).
        change: How far the score moves, with an interval over groups; of `pairwise` by how much the share of its
            choices that fell on the answer it read first is more than one half. Without a value its problem says why it
            is not measured.
    """

    judge: str
    bias: BiasKind
    source: str
    change: Estimate


def measure_biases(
    judge: JudgeScores,
    samples: Sequence[Sample],
    probes: Sequence[ProbeFindings],
    *,
    unasked: str = "no probe of it was asked for (--probes)",
    is_of_pairs: bool = False,
) -> tuple[Bias, ...]:
    """Puts together what is known of a judge's biases.

    Returns:
        Position, length, style and self-preference, measured or not, and what further probes measured.
    """
    lines = [
        Bias(judge.judge, "position", "pairwise", _position(samples, judge.scores, is_of_pairs=is_of_pairs)),
        *(Bias(judge.judge, _BIAS_OF_PROBE[probe.probe], probe.probe, _shift(probe))
          for probe in probes if probe.probe in _BIAS_OF_PROBE),
        Bias(judge.judge, "self-preference", "metadata.system", _self_preference(judge, samples)),
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


def _position(samples: Sequence[Sample], scores: Mapping[str, "Score"], *, is_of_pairs: bool) -> Estimate:
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


def _self_preference(judge: JudgeScores, samples: Sequence[Sample]) -> Estimate:
    """How much higher the judge scores its own model's answers than others that people rated the same.

    The coefficient of "its own" in a regression of the score on it and on the rating, with an interval from leaving out
    one group at a time. Its own model may simply answer better: without ratings that cannot be told from favour.
    """
    import numpy as np

    own = {sample.id for sample in samples if is_own_model(str(sample.metadata.get("system") or ""), judge)}
    if not own:
        return Estimate(None, n=0, problem="no answer says that it is of the judge's own model (metadata.system)")
    rows = [
        (value, float(sample.id in own), sample.rating_share, sample.source)
        for sample in samples
        if sample.metadata.get("system") and sample.rating_share is not None
        for value in [judge.scores[sample.id].value if sample.id in judge.scores else None]
        if value is not None
    ]
    if len({is_own for _, is_own, *_ in rows}) < 2:
        missing = "the judge's own model" if all(not is_own for _, is_own, *_ in rows) else "another model"
        return Estimate(None, n=0, problem=f"no answer of {missing} has a rating and a score")
    scores = np.array([score for score, *_ in rows])
    x = np.array([[1.0, is_own, rating] for _, is_own, rating, _ in rows])
    return estimate(lambda weights: _coefficients(x, scores, weights), [group for *_, group in rows])


def _coefficients(x: "Floats", y: "Floats", weights: "Floats") -> "Floats":
    """The second coefficient of a weighted regression per column of weights; NaN where it is not determined."""
    import numpy as np

    is_flat = np.ptp(x[:, 2]) == 0  # all are rated the same: nothing to hold equal
    used = x[:, :2] if is_flat else x
    squares = np.tensordot(weights.T, used[:, :, None] * used[:, None, :], axes=1)
    products = weights.T @ (used * y[:, None])
    is_determined = np.linalg.matrix_rank(squares, hermitian=True) == used.shape[1]
    result: Floats = np.where(is_determined, (np.linalg.pinv(squares) @ products[:, :, None])[:, 1, 0], np.nan)
    return result


def is_own_model(system: str, judge: JudgeScores) -> bool:
    """Whether a system's name is the judge's: its short name, or its model's with or without the provider.

    Example:
        >>> judge = JudgeScores("cheap", {}, 1, model="openai/gpt-4o-mini")
        >>> [is_own_model(system, judge) for system in ("GPT-4o-mini", "openai/gpt-4o-mini", "cheap", "gpt-4o", "")]
        [True, True, True, False, False]
    """
    names = {judge.judge, judge.model, judge.model.rpartition("/")[2]}
    return bool(system) and system.casefold() in {name.casefold() for name in names}


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
