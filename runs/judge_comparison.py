"""Several judges on the same samples: which agrees with the ratings, at what cost, and which to buy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal, get_args

from ..errors import UsageError
from ..eval_sets import Sample
from ..judges import ReplyCounts, Usage
from ..meta_eval.correlation import spearman
from ..meta_eval.estimate import Estimate
from ..metrics import Score
from .judge_probes import ProbeFindings, probe_findings
from .panels import Panel, panels, supported_claims
from .report import format_interval

if TYPE_CHECKING:
    from ..meta_eval.results import Comparison

PER = 1000  # answers, for costs
Unit = Literal["usd", "tokens", "seconds"]
UNITS: tuple[Unit, ...] = get_args(Unit)


@dataclass(frozen=True, slots=True)
class JudgeScores:
    """One judge's scores by sample, how many calls it took at once, and the scores of further repeats.

    `replies` counts what the judge said for `scores`; `probed` has its scores of changed samples, by probe.
    """

    judge: str
    scores: Mapping[str, Score]
    at_once: int
    repeats: tuple[Mapping[str, Score], ...] = ()
    replies: ReplyCounts = field(default_factory=ReplyCounts)
    probed: Mapping[str, Mapping[str, Score]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JudgeFindings:
    """One judge: agreement, the share of samples that failed, and what 1,000 answers take.

    `usd` is None where unknown; `seconds` are of the calls, divided by those at once. `consistency` is the share of
    claims with the same verdict when asked again; None without repeats or claims. `on_frontier`: it agrees, and no
    other judge agrees more for less. `failed_again` counts failures in the repeats; `failure` is the first reason why
    a sample failed. `unparsable` is the share of questions whose first reply could not be used, `lost` of those that
    had no reply to use at last; None without a reply.
    """

    judge: str
    samples: int
    failed: float
    agreement: Estimate
    tokens: float
    usd: float | None
    seconds: float
    consistency: float | None
    failed_again: int = 0
    failure: str = ""
    unparsable: float | None = None
    lost: float | None = None
    on_frontier: bool = False

    def cost(self, unit: Unit) -> float:
        """What 1,000 answers take. Raises `UsageError` in USD where the price is unknown."""
        if unit == "usd" and self.usd is None:
            raise UsageError(
                f"what {self.judge} costs is unknown: write its price into a settings file "
                "(price: {input: 0.15, output: 0.6}, USD per million tokens), or take --cost tokens or --cost seconds"
            )
        return {"usd": self.usd or 0.0, "tokens": self.tokens, "seconds": self.seconds}[unit]


@dataclass(frozen=True, slots=True)
class ClaimAgreement:
    """How far judges give the same claims the same verdict (supported or not): Krippendorff's alpha, Cohen's kappas."""

    claims: int
    alpha: float | None
    kappas: tuple[tuple[str, str, float | None], ...]


@dataclass(frozen=True, slots=True)
class JudgeComparison:
    """Everything that `assay judges compare` tells; `advice` is the sentence to act on, `unit` that of the costs."""

    metric: str
    unit: Unit
    judges: tuple[JudgeFindings, ...]
    pairs: tuple["Comparison", ...]
    claims: ClaimAgreement
    panels: tuple[Panel, ...]
    advice: str
    probes: tuple[ProbeFindings, ...] = ()


def compare_judges(
    metric: str, samples: Sequence[Sample], judged: Sequence[JudgeScores], *, cost: Unit | None = None, seed: int = 0
) -> JudgeComparison:
    """Compares judges by one metric. Raises `UsageError` for a cost in USD where a price is unknown.

    Where `cost` does not say: USD; where all judges are free, the seconds that they take; where a price is unknown,
    tokens.
    """
    found = [_findings(samples, each, seed) for each in judged]
    unit = cost or _unit(found)
    costs = {each.judge: each.cost(unit) for each in found}
    marked = tuple(_marked(each, found, costs) for each in found)
    pairs = _pairs(samples, judged, seed)
    scores = {each.judge: each.scores for each in judged}
    together = panels(samples, scores, costs, seed=seed)
    rated = any(sample.rating_share is not None for sample in samples)
    advice = _advice(marked, pairs, unit) if rated else "no judge can be recommended: none of these answers is rated"
    probes = [
        found for each in judged for found in probe_findings(each.judge, samples, each.scores, each.probed, seed=seed)
    ]
    return JudgeComparison(metric, unit, marked, pairs, _claim_agreement(scores), together, advice, tuple(probes))


def _unit(found: Sequence[JudgeFindings]) -> Unit:
    if any(each.usd is None for each in found):
        return "tokens"
    return "usd" if any(each.usd for each in found) else "seconds"


def _findings(samples: Sequence[Sample], judged: JudgeScores, seed: int) -> JudgeFindings:
    mine = [judged.scores[sample.id] for sample in samples if sample.id in judged.scores]
    rated = [
        (score.value, sample.rating_share, sample.source)
        for sample in samples
        if (score := judged.scores.get(sample.id)) is not None
        and score.value is not None
        and sample.rating_share is not None
    ]
    agreement = spearman([v for v, _, _ in rated], [r for _, r, _ in rated], [g for *_, g in rated], seed=seed)
    again = [score for repeat in judged.repeats for score in repeat.values()]
    probed = [score for scores in judged.probed.values() for score in scores.values()]
    usage, count = Usage.total([score.usage for score in mine]), max(1, len(mine))
    replies = judged.replies
    return JudgeFindings(
        judged.judge,
        len(mine),
        sum(score.status == "failed" for score in mine) / count,
        agreement,
        PER * (usage.tokens_in + usage.tokens_out) / count,
        None if usage.usd is None else PER * usage.usd / count,
        PER * usage.seconds / judged.at_once / count,
        _consistency(judged),
        sum(score.status == "failed" for score in again),
        next((score.reason for score in (*mine, *again, *probed) if score.status == "failed"), ""),
        replies.unparsable / replies.questions if replies.questions else None,
        replies.lost / replies.questions if replies.questions else None,
    )


def _consistency(judged: JudgeScores) -> float | None:
    same = [
        first[claim] == again[claim]
        for repeat in judged.repeats
        for sample, score in repeat.items()
        if sample in judged.scores
        for first, again in [(supported_claims(judged.scores[sample]), supported_claims(score))]
        for claim in first.keys() & again.keys()
    ]
    return sum(same) / len(same) if same else None


def _marked(each: JudgeFindings, all_: Sequence[JudgeFindings], costs: Mapping[str, float]) -> JudgeFindings:
    mine = each.agreement.value

    def beats(other: JudgeFindings) -> bool:
        theirs = other.agreement.value
        if mine is None or theirs is None:
            return False
        cheaper = costs[other.judge] <= costs[each.judge]
        return cheaper and theirs >= mine and (theirs > mine or costs[other.judge] < costs[each.judge])

    return replace(each, on_frontier=mine is not None and not any(beats(other) for other in all_ if other is not each))


def _pairs(samples: Sequence[Sample], judged: Sequence[JudgeScores], seed: int) -> tuple["Comparison", ...]:
    import numpy as np

    from ..meta_eval.comparison import compare_metrics
    from ..meta_eval.table import ScoreTable

    def value(score: Score | None) -> float:
        return np.nan if score is None or score.value is None else score.value

    shares = [np.nan if sample.rating_share is None else sample.rating_share for sample in samples]
    table = ScoreTable(
        items=tuple(sample.id for sample in samples),
        metrics=tuple(each.judge for each in judged),
        scores=np.array([[value(each.scores.get(sample.id)) for each in judged] for sample in samples]),
        ratings=np.array(shares)[:, None],
        rating_min=0.0,
        rating_max=1.0,
        groups=tuple(sample.source for sample in samples),
    )
    return tuple(compare_metrics(table, a.judge, b.judge, seed=seed) for a, b in combinations(judged, 2))


def _claim_agreement(scores: Mapping[str, Mapping[str, Score]]) -> ClaimAgreement:
    import numpy as np
    from sklearn.metrics import cohen_kappa_score

    from ..meta_eval.krippendorff import ordinal_alpha

    claims = {
        judge: {
            (sample, claim): kept for sample, score in found.items() for claim, kept in supported_claims(score).items()
        }
        for judge, found in scores.items()
    }
    shared = sorted(set.intersection(*(set(each) for each in claims.values()))) if claims else []
    votes = {judge: [int(each[key]) for key in shared] for judge, each in claims.items()}
    if len(votes) < 2 or not shared:
        return ClaimAgreement(len(shared), None, ())
    differ = len({vote for each in votes.values() for vote in each}) > 1
    marks = np.array(list(votes.values()), float).T
    # of two marks the ordinal alpha is the nominal one
    alpha = float(ordinal_alpha(marks)(np.ones((len(shared), 1)))[0]) if differ else None
    kappas = tuple(
        (a, b, float(cohen_kappa_score(votes[a], votes[b])) if len({*votes[a], *votes[b]}) > 1 else None)
        for a, b in combinations(votes, 2)
    )
    return ClaimAgreement(len(shared), alpha, kappas)


def _advice(judges: Sequence[JudgeFindings], pairs: Sequence["Comparison"], unit: Unit) -> str:
    """The cheapest judge that surely agrees with the ratings and is not told apart from the best."""
    able = [each for each in judges if each.agreement.value is not None]
    if not able:
        return "no judge can be recommended: none has scores that vary on answers with ratings that vary"
    best = max(able, key=lambda each: each.agreement.value or 0.0)
    if best.agreement.low is None or best.agreement.low <= 0:
        return f"buy none of them on this evidence: even {best.judge} ({_told(best)}) may not agree with the ratings"
    worse = {
        name
        for pair in pairs
        if pair.difference.low is not None and pair.difference.high is not None
        for name, sign in ((pair.first, pair.difference.high < 0), (pair.second, pair.difference.low > 0))
        if sign and best.judge in {pair.first, pair.second}
    }
    sure = [each for each in able if each.judge not in worse and each.agreement.low is not None]
    chosen = min((each for each in sure if (each.agreement.low or 0) > 0), key=lambda each: each.cost(unit))
    cost = amount(chosen.cost(unit), unit)
    if chosen is best:
        return f"buy {best.judge}: it agrees best ({_told(best)}), at {cost} per 1,000 answers"
    return (
        f"buy {chosen.judge} ({_told(chosen)}, {cost} per 1,000 answers): the best, {best.judge} ({_told(best)}), "
        "is not told apart from it here"
    )


def amount(cost: float, unit: Unit) -> str:
    """`0.15 USD`, `12,000 tokens`, `1,860 seconds`."""
    return f"{cost:,.2f} USD" if unit == "usd" else f"{cost:,.0f} {unit}"


def _told(each: JudgeFindings) -> str:
    found = each.agreement
    return f"rho {format_interval(found.value, found.low, found.high, '.2f')}"
