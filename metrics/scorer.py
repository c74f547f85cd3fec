"""A saved scorer as a metric: the rating that the team would give, predicted from the metrics that follow it best."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..eval_sets.conversation import asked_text
from ..eval_sets.sample import Sample
from ..judges import Judge, Usage
from ..meta_eval.scorer import DECISION_WORDS, JudgeRecord, Prediction, Scorer
from ..prompts import Prompts
from ..value_messages import quote_word
from .metric import Metric
from .score import FITTED_ON, Score, failed, scored, skipped
from .specification import MetricSpecification


class ScorerMetric(Metric):
    """The predicted rating of an answer, on the team's own scale (`assay meta --save FILE`, `scorer:FILE`).

    Computes the metrics that the scorer combines, weighs their percentiles and maps the sum to the rating scale. A part
    that was skipped counts as its middle and is named in the evidence; where a part failed, or all were skipped, so is
    the whole. Evidence: `predicted`, `low`, `high`, `decision` (send, person, hold), `parts` with each metric's value,
    contribution, status and own evidence, and `fitted_on` for an answer whose rating it was fitted to: that
    score counts in no agreement.
    """

    needs = ("response",)
    higher_is_better = True

    def __init__(self, scorer: Scorer, parts: Sequence[Metric], name: str = "scorer") -> None:
        self.name = name
        self.range = (scorer.rating_min, scorer.rating_max)
        self.scorer = scorer
        self.parts = dict(zip(scorer.metrics, parts, strict=True))
        if any(part.measures == "conversation" for part in parts):
            self.measures = "conversation"

    async def measure(self, sample: Sample) -> Score:
        """The predicted rating. Raises `JudgeError`."""
        scores = {name: await metric.assess(sample) for name, metric in self.parts.items()}
        usage = Usage.total([score.usage for score in scores.values()])
        evidence: dict[str, Any] = {"parts": {name: _part_evidence(score) for name, score in scores.items()}}
        if broken := [name for name, score in scores.items() if score.status == "failed"]:
            return failed(f"{broken[0]} failed: {scores[broken[0]].reason}", evidence, usage)
        if all(score.value is None for score in scores.values()):
            return skipped("none of its metrics has a value for this answer", evidence, usage)
        prediction = self.scorer.predict({name: score.value for name, score in scores.items()})
        for name, contribution in prediction.contributions.items():
            evidence["parts"][name]["contribution"] = contribution
        evidence |= {
            "predicted": prediction.predicted,
            "low": prediction.low,
            "high": prediction.high,
            "decision": prediction.decision,
            "level": self.scorer.level,
        }
        reason = explain_prediction(self.scorer, prediction)
        if self.scorer.was_fitted_on(asked_text(sample), sample.response):
            evidence[FITTED_ON] = True
            reason += "; fitted on this answer"
        return scored(prediction.predicted, reason, evidence, usage)


def _part_evidence(score: Score) -> dict[str, Any]:
    return {"value": score.value, "status": score.status, "reason": score.reason, "evidence": score.evidence}


def explain_prediction(scorer: Scorer, prediction: Prediction) -> str:
    """One sentence: the predicted rating, its interval, what to do, and the part that speaks most for or against."""
    interval = f"{prediction.low:.1f} to {prediction.high:.1f} for at least {scorer.level:.0%} of such answers"
    by_weight = sorted(prediction.contributions.items(), key=lambda part: part[1])
    decision = DECISION_WORDS[prediction.decision]
    reason = f"the team would rate it about {scorer.describe_rating(prediction.predicted)} ({interval}): {decision}"
    if len(by_weight) == 1:
        pass  # one part says what the whole says
    elif by_weight[0][1] < 0:
        reason += f"; {by_weight[0][0]} speaks most against it"
    elif by_weight[-1][1] > 0:
        reason += f"; {by_weight[-1][0]} speaks most for it"
    if prediction.missing:
        reason += f"; {', '.join(prediction.missing)} has no value here and counts as middling"
    return reason


def load_scorer_metric(
    specification: MetricSpecification,
    load_part: Callable[[str], Metric],
    *,
    judge: Judge | None,
    embedder: str,
    prompts: Prompts,
) -> ScorerMetric:
    """The metric of `scorer:FILE`."""
    path, scorer = specification.argument, load_scorer(specification)
    if specification.options:
        raise UsageError(f"{specification}: a scorer takes no options; fit another: assay meta RUN --save FILE")
    if changes := find_changes(scorer, judge, embedder, prompts):
        raise UsageError(
            f"{path}: the scorer was fitted with something else: {'; '.join(changes)}. Use what it was fitted with, or "
            f"fit it again: assay meta RUN --save {quote_word(Path(path))}"
        )
    return ScorerMetric(scorer, [load_part(part.metric) for part in scorer.parts], specification.text)


def load_scorer(specification: MetricSpecification) -> Scorer:
    """The saved scorer that `scorer:FILE` names. Raises `InputError` where it cannot be read."""
    return Scorer.load(specification.argument)


def find_changes(scorer: Scorer, judge: Judge | None, embedder: str, prompts: Prompts) -> list[str]:
    """What differs between how a scorer was fitted and how it is about to run, one sentence each."""
    changes = []
    if scorer.judge is not None:
        current = judge_record(judge)
        if current is None or current.model != scorer.judge.model:
            changes.append(f"the judge was {scorer.judge.model} and is {current.model if current else 'none'}")
        else:
            for name, fitted in scorer.judge.settings.items():
                if current.settings.get(name) != fitted:
                    changes.append(f"the judge's {name} was {fitted!r} and is {current.settings.get(name)!r}")
    if scorer.embedder is not None and scorer.embedder != embedder:
        changes.append(f"the embedder was {scorer.embedder} and is {embedder}")
    for identity in scorer.prompts:
        name, _, language = identity.partition("@")[0].rpartition(".")
        current_prompt = prompts.load(name, language).identity
        if current_prompt != identity:
            changes.append(f"the prompt was {identity} and is {current_prompt}")
    return changes


def judge_record(judge: Judge | None) -> JudgeRecord | None:
    """What is recorded of a judge: the settings that determine its replies."""
    if judge is None:
        return None
    settings = getattr(judge, "settings", None)
    if settings is None:
        return JudgeRecord(model=judge.name)
    recorded = settings.model_dump(mode="json", include={"parameters", "max_tokens", "structured", "logprobs"})
    return JudgeRecord(model=settings.label, settings=recorded)
