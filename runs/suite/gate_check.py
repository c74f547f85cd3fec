"""One figure of a run that is held against one gate: its values over the runs, its level, and its result."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from ...presentation.texts import one_line
from .gates import (
    UNANSWERED,
    CoverageGate,
    GateResult,
    MeanGate,
    RegressionGate,
    ShareGate,
    State,
    format_evidence,
)
from .history import History, JudgedSample, RunValues, ValueAndStatus

if TYPE_CHECKING:
    from ...meta_eval.arrays import Floats
    from .evidence import Evidence

SampleGate = MeanGate | ShareGate | RegressionGate | CoverageGate
"""The gates on what was measured."""

ROUNDING = 1e-12
"""Figures that differ by no more, or by this share of their size, differ by the computer's rounding only."""
_MOST_NAMES = 5  # ids of samples that a failed gate lists
_LONGEST_NAME, _LONGEST_WHY = 40, 160  # characters of an id, and of why a sample has no value
_MOST_EVIDENCE = 1_000_000.0


@dataclass(frozen=True)
class JudgedRun:
    """One run of a nightly run, as gates need it."""

    judge: str
    metrics: tuple[str, ...]
    # for every metric of the run, whether higher values are better, as recorded with the run
    directions: Mapping[str, bool]
    samples: Sequence[JudgedSample]
    history: History = field(default_factory=History)


@dataclass(frozen=True)
class AlarmLevel:
    """How often gates may fail without a change."""

    of_suite: float  # the share of months in which any gate may fail
    checks: int  # how many figures share it

    @property
    def of_check(self) -> float:
        """The share of months in which one figure may fail its gate (Bonferroni)."""
        return self.of_suite / max(self.checks, 1)

    @property
    def needed(self) -> float:
        """The evidence that fails a gate, such as 20 at 0.05."""
        return 1 / self.of_suite

    def evidence(self, p: float) -> float:
        """One month without a change in so many shows as much as this p-value in one of the checks."""
        return min(_MOST_EVIDENCE, 1 / max(p * max(self.checks, 1), 1 / _MOST_EVIDENCE))


@dataclass(frozen=True)
class GateCheck:
    """One figure of one run that is held against one gate."""

    gate: SampleGate
    run: JudgedRun
    metric: str
    level: AlarmLevel

    @property
    def is_strict(self) -> bool:
        """Whether the figure of this run alone decides, and not the evidence."""
        return not isinstance(self.gate, RegressionGate) and self.gate.strict

    @property
    def allowed(self) -> float:
        """How much worse the figure may become; 0 of a gate that is not on a regression."""
        return self.gate.more_than if isinstance(self.gate, RegressionGate) else 0.0

    @property
    def higher_is_better(self) -> bool:
        """The metric's direction."""
        return self.metric != UNANSWERED and self.run.directions[self.metric]

    @property
    def name(self) -> str:
        """The gate's name in reports."""
        return self.gate.name_for(self.metric)

    @property
    def subject(self) -> str:
        """What the figure is of, as a gate's reason begins."""
        gate, name = self.gate, self.metric
        if isinstance(gate, CoverageGate):
            return f"the share of samples with a value of {name}"
        parts = [part for part in (gate.language, gate.message_type) if part is not None]
        name = "the share of refusals and empty answers" if name == UNANSWERED else name
        name = f"{name} ({', '.join(parts)})" if parts else name
        if isinstance(gate, MeanGate):
            return name if self.metric == UNANSWERED else f"the mean of {name}"
        if isinstance(gate, ShareGate):
            side = "at least" if self.higher_is_better else "at most"
            return f"the share of {name} that is {side} {format_bound(gate.reach)}"
        return name

    @property
    def samples(self) -> list[JudgedSample]:
        """The samples that the gate covers."""
        gate = self.gate
        return [
            sample
            for sample in self.run.samples
            if isinstance(gate, CoverageGate) or gate.covers(language=sample.language, message_type=sample.message_type)
        ]

    def figures(self, samples: Sequence[JudgedSample], earlier: Sequence[RunValues] = ()) -> "Floats":
        """Returns what the values count for: (samples, runs), earlier runs and then this one, NaN without a value.

        A value that differs from this run's, or from the gate's bound, by the computer's rounding only is equal to it:
        another version of a library is no fall.
        """
        import numpy as np

        columns = [[self._figure(run.get(sample.sample, {}).get(self.metric)) for sample in samples] for run in earlier]
        columns.append([self._figure(sample.after.get(self.metric)) for sample in samples])
        figures = np.array(columns, float).T.reshape(len(samples), len(columns))
        return np.where(np.isclose(figures, figures[:, -1:], rtol=ROUNDING, atol=ROUNDING), figures[:, -1:], figures)

    def _figure(self, score: ValueAndStatus | None) -> float:
        """The value itself, or whether it reaches the bound, or whether it is there."""
        gate, value = self.gate, None if score is None else score[0]
        if isinstance(gate, CoverageGate):
            return math.nan if score is None else float(value is not None)
        if value is None:
            return math.nan
        if isinstance(gate, ShareGate):
            return float(not is_beyond(value, "at least" if self.higher_is_better else "at most", gate.reach))
        return next((bound for _, bound in list_bounds(gate) if _is_equal(value, bound)), value)

    def result(
        self,
        state: State,
        reason: str,
        bound: float,
        *,
        value: float | None = None,
        newest: "Evidence | None" = None,
        fallen: Sequence[str] = (),
    ) -> GateResult:
        """Returns what came of the gate, with the evidence where there is some."""
        return GateResult(
            gate=self.gate.gate,
            name=self.name,
            judge=self.run.judge,
            metric=self.metric,
            state=state,
            value=value,
            bound=bound,
            reason=reason,
            p=newest.p if newest else None,
            evidence=self.level.evidence(newest.p) if newest else None,
            needed=self.level.needed if newest else None,
            samples=tuple(self._answers or fallen) if state == "failed" else (),
        )

    @cached_property
    def _without_value(self) -> list[JudgedSample]:
        return [sample for sample in self.samples if sample.after.get(self.metric, (None,))[0] is None]

    @cached_property
    def _answers(self) -> list[str]:
        """The answers by which a gate failed: the refusals, or those without a value."""
        if self.metric == UNANSWERED:
            return [sample.sample for sample in self.samples if sample.after.get(self.metric, (0.0,))[0]]
        return [sample.sample for sample in self._without_value] if isinstance(self.gate, CoverageGate) else []

    def describe_answers(self, fallen: Sequence[str] = ()) -> str:
        """Returns the answers by which a gate failed, as the end of its reason; empty of a bound on a mean or a share.

        They are the first refusals; or the answers without a value, and why; or those that fell most (`fallen`).
        """
        metric, names = self.metric, self._answers
        if metric == UNANSWERED:
            return f": {_list_names(names)}" if names else ""
        if isinstance(self.gate, RegressionGate):
            listed = ", ".join(one_line(name, _LONGEST_NAME) for name in fallen[:_MOST_NAMES])
            return f"; {'fell' if self.higher_is_better else 'rose'} most: {listed}" if fallen else ""
        if not isinstance(self.gate, CoverageGate):
            return ""
        why = next(
            (f"the first: {reason}" for sample in self._without_value if (reason := sample.reasons.get(metric))), ""
        )
        because = f" ({one_line(why, _LONGEST_WHY)})" if why else ""
        return f". Without a value: {_list_names(names)}{because}" if names else ""

    def describe_evidence(self, newest: "Evidence") -> str:
        """Returns the evidence so far as the end of a sentence."""
        evidence, needed = format_evidence(self.level.evidence(newest.p)), f"{self.level.needed:.3g}"
        if newest.failed:
            return f"evidence {evidence}, where {needed} is enough"
        return f"evidence {evidence} of the {needed} that a failure takes"


def _list_names(names: Sequence[str]) -> str:
    """The first ids, and how many more."""
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(one_line(name, _LONGEST_NAME) for name in names[:_MOST_NAMES]) + more


def list_bounds(gate: SampleGate) -> list[tuple[str, float]]:
    """Returns (`at least` or `at most`, the bound) of a gate; none of a gate on a regression."""
    sides = (("at least", getattr(gate, "at_least", None)), ("at most", getattr(gate, "at_most", None)))
    return [(side, bound) for side, bound in sides if bound is not None]


def is_beyond(figure: float, side: str, bound: float) -> bool:
    """Returns whether a figure breaks a bound, by more than the computer's rounding.

    Example:
        >>> is_beyond(0.1 + 0.2, "at most", 0.3), is_beyond(0.31, "at most", 0.3)
        (False, True)
    """
    return not _is_equal(figure, bound) and (figure < bound if side == "at least" else figure > bound)


def _is_equal(value: float, bound: float) -> bool:
    return math.isclose(value, bound, rel_tol=ROUNDING, abs_tol=ROUNDING)


def format_figure(value: float, bound: float | None = None) -> str:
    """Formats a figure of a gate: two digits, and as many more as show on which side of its bound it lies.

    Example:
        >>> format_figure(0.05146), format_figure(0.7153, 0.5), format_figure(0.5, 0.51), format_figure(153.2)
        ('0.051', '0.72', '0.5', '153')
        >>> format_figure(0.6496, 0.65), format_figure(0.65, 0.65)
        ('0.6496', '0.65')
    """
    first = 1 - math.floor(math.log10(abs(value))) if value else 0
    shown = ""
    for decimals in range(max(0, first), max(0, first) + 12):
        shown = f"{value:.{decimals}f}"
        shown = shown.rstrip("0").rstrip(".") if decimals else shown
        if (
            bound is None
            or _is_equal(value, bound)
            or (float(shown) != bound and (value < bound) == (float(shown) < bound))
        ):
            break
    return shown


def format_bound(bound: float) -> str:
    """Formats a bound as the suite gives it.

    Example:
        >>> format_bound(0.8833), format_bound(0.5)
        ('0.8833', '0.5')
    """
    return f"{bound:.6g}"
