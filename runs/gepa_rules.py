"""Rules for a judge by GEPA: a language model rewrites them where the judge's scores are far from the ratings."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..eval_sets import Sample
from ..installation import require_extra

if TYPE_CHECKING:
    from gepa.core.adapter import EvaluationBatch

_COMPONENT = "team_rules"

MeasureWith = Callable[[str, Sequence[Sample]], list[float | None]]
"""Maps rules and samples to the metric's value of each, as a share of its range."""


class _RulesAdapter:
    """What GEPA needs: how well rules do on a batch, and what to say of each answer."""

    propose_new_texts = None  # GEPA's own proposal is used

    def __init__(self, measure: MeasureWith, describe: Callable[[Sample], str]) -> None:
        self._measure = measure
        self._describe = describe

    def evaluate(
        self, batch: list[Sample], candidate: dict[str, str], capture_traces: bool = False
    ) -> "EvaluationBatch[dict[str, Any], float | None]":
        """1 less the distance between score and rating of each answer; 0 where there is no score."""
        from gepa.core.adapter import EvaluationBatch

        values = self._measure(candidate[_COMPONENT], batch)
        traces = []
        for sample, value in zip(batch, values, strict=True):
            target = sample.rating_share or 0.0
            outcome = "gave no score" if value is None else f"scored {value:.2f} of 1"
            feedback = f"The judge {outcome}; the team's rating is {target:.2f} of 1."
            traces.append({"Inputs": self._describe(sample), "Generated Outputs": outcome, "Feedback": feedback})
        scores = [
            0.0 if value is None else 1 - abs(value - (sample.rating_share or 0.0))
            for sample, value in zip(batch, values, strict=True)
        ]
        return EvaluationBatch(outputs=values, scores=scores, trajectories=traces if capture_traces else None)

    def make_reflective_dataset(
        self,
        candidate: dict[str, str],
        eval_batch: "EvaluationBatch[dict[str, Any], float | None]",
        components_to_update: list[str],
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """What the language model reads before it writes new rules."""
        return {component: list(eval_batch.trajectories or ()) for component in components_to_update}


def optimise_rules(
    start: str,
    samples: Sequence[Sample],
    measure: MeasureWith,
    describe: Callable[[Sample], str],
    ask: Callable[[str], str],
    *,
    most_scores: int,
    seed: int = 0,
) -> str:
    """Evolves rules by GEPA (Agrawal et al., 2025, arXiv 2507.19457).

    Returns:
        The rules that do best on the samples.

    Raises:
        UsageError: The extra `gepa` is not installed.
    """
    with require_extra("gepa", "--optimizer gepa"):
        from gepa.api import optimize

    def ask_with_text(prompt: str | list[dict[str, Any]]) -> str:
        return ask(prompt if isinstance(prompt, str) else "\n\n".join(str(turn.get("content", "")) for turn in prompt))

    adapter: Any = _RulesAdapter(measure, describe)
    result: Any = optimize(
        seed_candidate={_COMPONENT: start},
        trainset=list(samples[: max(3, len(samples) // 2)]),
        valset=list(samples),
        adapter=adapter,
        reflection_lm=ask_with_text,
        max_metric_calls=most_scores,
        logger=_SilentLogger(),
        seed=seed,
    )
    return str(result.best_candidate[_COMPONENT])


class _SilentLogger:
    """Keeps GEPA's progress off the screen; the command shows its own."""

    def log(self, message: str) -> None:
        """Drops a message."""
