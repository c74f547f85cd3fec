"""The card of one judge on one set, from its scores: every figure of the card is made here."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from ...eval_sets import Sample
from ...judges import Usage
from ...meta_eval.agreement_statistics import mean_spearman
from ...meta_eval.comparison import compare
from ...meta_eval.correlation import FEWEST_ITEMS, auroc, correlation_problem, estimate_correlation, spearman
from ...meta_eval.cross_validation import CombinationTask, cross_validate
from ...meta_eval.estimate import Estimate, estimate
from ...meta_eval.pass_fail import pass_fail_agreement
from ...meta_eval.raters import estimate_ceiling, rater_ceilings
from ...meta_eval.table import ScoreTable
from ...metrics import Score
from ...metrics.catalogue import describe_metric
from ...metrics.specification import ALL_BASELINES, BASELINES, parse_specification
from ...number_bounds import LARGEST_NUMBER
from ...presentation.texts import one_line
from ...text.number_ranges import join_ranges
from ...text.wording import count_of
from ..answers.rating_direction import rises_with_rating
from ..score.evaluate import evaluate
from .card_set import CardSet
from .experiment import ANSWERS, JudgeScores, Scores, build_value_table
from .judge_card import Calibration, CardAgreement, CardPassFail, JudgeCost, MissingReason, ScoreBin, SetCard
from .probe_findings import check_injections, compare_probed, measure_biases

if TYPE_CHECKING:
    from ...meta_eval.arrays import Floats

OVERLAP = "token_overlap"
INJECTED = "injected"
REPEATS, FOLDS = 10, 5
FEWEST_COMBINED = 20  # as `assay meta` asks for: with fewer a fold has three answers
_COMBINERS: Final = ("mean-rank", "ridge")  # the second alone turns noise around: its weights are those of other folds
_BINS = 5
_LONGEST_REASON = 300
_MISS = re.compile(r"no recording in .+? for (prompt [^;]+)", re.DOTALL)  # what follows quotes the nearest recording
_SAMPLE = re.compile(r"^(no recording for prompt \S+), sample .*", re.DOTALL)  # one reason per sample is no reason
_QUOTED_REPLY = ". It began:"
_MOST_PUBLISHED, _MOST_REASONS = 30, 50
_PUBLISHED = "published: "

_Values = dict[str, dict[str, float]]
"""Numbers by name and sample, higher for better answers."""


def make_set_card(card_set: CardSet, judge: JudgeScores, *, seed: int = 0) -> SetCard:
    """Makes the card of one set; all figures are of the answers that are rated and that the judge scored."""
    samples, scores, metric = card_set.samples, judge.scores, card_set.metric
    sign = 1 if rises_with_rating(metric) else -1  # higher where a higher rating is expected
    own = {sample: sign * score.value for sample, score in scores.items() if score.value is not None}
    baselines = _baseline_scores(card_set)
    published, sources = _published_scores(samples)
    rated = [sample for sample in samples if sample.rating_share is not None and sample.id in own]
    table = build_value_table(rated, {metric: own} | baselines | published)
    again = judge.repeats[0] if judge.repeats else {}
    probes = {probe: compare_probed(samples, scores, changed) for probe, changed in judge.probed.items()}
    injected = judge.probed.get(INJECTED, {})
    is_unseen = INJECTED in probes and probes[INJECTED].identical
    injections = check_injections(samples, scores, injected, again, is_unseen=is_unseen)
    if injections is not None and not injections.tried and (why := first_failure(injected.values())):
        share = replace(injections.share, problem=f"{injections.share.problem}: {why}")
        injections = injections.model_copy(update={"share": share})
    ceiling, one_rater = rater_ceilings_of(rated)
    combined, gain = _combine(table, metric, OVERLAP, seed)
    [pass_fail] = pass_fail_agreement(table.only([metric]), seed=seed).values()
    agreement = {name: getattr(pass_fail, name) for name in CardPassFail.model_fields}
    unasked = f"no probe changes {card_set.kind}"
    if card_set.kind == "answers":
        unasked = "no probe of it was asked for (--probed)"
    statuses = [score.status for score in scores.values()]
    return SetCard(
        set_name=card_set.name,
        rated=card_set.rated,
        metric=metric,
        most=card_set.most,
        digest=card_set.digest,
        unrated=card_set.unrated,
        answers=len(samples),
        groups=len({sample.source for sample in samples}),
        scored=statuses.count("scored"),
        skipped=statuses.count("skipped"),
        failed=statuses.count("failed"),
        failure=first_failure(scores.values()),
        missing=_missing_reasons(scores.values()),
        judge=_agreement(table, metric),
        agreement=None if pass_fail.threshold is None else CardPassFail(**agreement),
        baselines=tuple(_agreement(table, name) for name in baselines),
        difference=_difference(table, metric, OVERLAP),
        combined=combined,
        gain=gain,
        ceiling=ceiling,
        one_rater=one_rater,
        published=tuple(
            _agreement(table, name).model_copy(update={"name": name.removeprefix(_PUBLISHED), "source": sources[name]})
            for name in published
        ),
        calibration=measure_calibration(table, metric) if _is_share(card_set) else None,
        biases=measure_biases(judge, samples, probes, unasked=unasked, is_of_pairs=card_set.kind == "pairs"),
        flips=_flips(card_set, judge, again),
        injections=injections,
        cost=_cost(judge),
        unparsable=_share(judge.replies.unparsable, judge.replies.questions),
        lost=_share(judge.replies.without_usable_reply, judge.replies.asked),
    )


def _baseline_scores(card_set: CardSet) -> _Values:
    """What is computed without a judge: of pairs the second answer's less the first one's.

    A baseline that scores none of the samples is left out.
    """
    names = ALL_BASELINES if card_set.kind == "conversations" else BASELINES
    first = {name: by_sample for name, by_sample in _baselines(card_set.samples).items() if name in names}
    if card_set.kind != "pairs":
        return first
    second = _baselines([s.model_copy(update={"response": s.other_response, "messages": ()}) for s in card_set.samples])
    return {
        name: {sample: second[name][sample] - value for sample, value in by_sample.items() if sample in second[name]}
        for name, by_sample in first.items()
        if name in second
    }


def _baselines(samples: Sequence[Sample]) -> _Values:
    """All baselines of the samples: `evaluate` adds them to whatever it computes."""
    results = evaluate(samples, OVERLAP, progress=False)
    values = {
        name: {
            sample: score.value if results.directions[name] else -score.value
            for sample, scores in results.scores.items()
            if (score := scores.get(name)) is not None and score.value is not None
        }
        for name in results.directions
    }
    return {name: by_sample for name, by_sample in values.items() if by_sample}


def _published_scores(samples: Sequence[Sample]) -> tuple[_Values, dict[str, str]]:
    """The scores of the same answers that others published, and by name where.

    They are facts of the set (`metadata.published_metrics`, numbers by name), with its `metadata.source`. Names begin
    with `published: `, so that none takes the place of a metric. What is no number is left out.
    """
    values: _Values = {}
    sources: dict[str, str] = {}
    for sample in samples:
        metrics = sample.metadata.get("published_metrics")
        for metric, value in metrics.items() if isinstance(metrics, dict) else ():
            is_number = isinstance(value, int | float) and math.isfinite(value) and abs(value) < LARGEST_NUMBER
            name = f"{_PUBLISHED}{one_line(str(metric), 60)}"
            if is_number and (name in values or len(values) < _MOST_PUBLISHED):
                values.setdefault(name, {})[sample.id] = float(value)
                sources.setdefault(name, one_line(str(sample.metadata.get("source") or "the set"), 200))
    return values, sources


def _is_share(card_set: CardSet) -> bool:
    """Whether the metric's value can be read as the share of the rating scale that the answer reaches."""
    specification = parse_specification(card_set.metric)
    if card_set.kind == "pairs" or specification.is_ragas or specification.is_scorer or specification.path:
        return False
    metric = describe_metric(card_set.metric)
    return metric.higher_is_better and tuple(metric.range) == (0.0, 1.0)


def _agreement(table: ScoreTable, name: str, values: "Floats | None" = None) -> CardAgreement:
    """The agreement of one column, or of values, with the ratings, on the samples that have both."""
    values = table.column(name) if values is None else values
    scored = table.take(np.flatnonzero(~np.isnan(values)))
    x, y, groups = values[~np.isnan(values)], scored.mean_rating, scored.groups
    area = auroc(x, y > 0.5, groups)
    if problem := correlation_problem(x, y):
        area = Estimate(None, n=len(x), groups=len(set(groups)), problem=problem)
    return CardAgreement(name=name, spearman=spearman(x.tolist(), y.tolist(), groups), auroc=area)


def _difference(table: ScoreTable, judge: str, other: str) -> Estimate:
    """Spearman of the judge less that of another column, on the answers that both scored."""
    if other not in table.metrics:
        return Estimate(None, problem=f"{other} scores none of these answers")
    return compare(table, *((name, table.column(name)[:, None]) for name in (judge, other))).difference


def _combine(table: ScoreTable, judge: str, other: str, seed: int) -> tuple[CardAgreement, Estimate]:
    """The agreement of the judge and another column together (`predict_together`).

    Spearman is the mean over the repeats, AUROC that of the mean prediction. There is no interval and no p-value: those
    at hand take the predictions as fixed, though other answers would have given other weights, and leave out 0 too
    often where both are noise (`benchmarks/card_simulation.py`).

    Returns:
        The agreement of both together, and how much its Spearman is more than that of the other column alone.
    """

    def without_interval(fitted: Estimate) -> Estimate:
        if fitted.value is None:
            return fitted
        return Estimate(fitted.value, n=fitted.n, groups=fitted.groups, problem="no interval of what is fitted")

    name, predictions = f"{judge} + {other}", predict_together(table, judge, other, seed)
    if isinstance(predictions, str):
        missing = Estimate(None, n=len(table.items), problem=predictions)
        return CardAgreement(name=name, spearman=missing, auroc=missing), missing
    rho = estimate_correlation(mean_spearman, predictions, table.mean_rating, table.groups)
    area = _agreement(table, name, predictions.mean(axis=1)).auroc
    rho, area, gain = map(without_interval, (rho, area, measure_gain(table, other, predictions)))
    return CardAgreement(name=name, spearman=rho, auroc=area), gain


def predict_together(table: ScoreTable, judge: str, other: str, seed: int = 0) -> "Floats | str":
    """Predicts out of fold by the judge and another column: the mean of their ranks, or ridge regression on them.

    Which of the two, and its weights, are chosen anew on the other folds of groups: nothing is shown on the answers
    that chose it. The folds are dealt ten times.

    Returns:
        The predictions, (samples, repeats), or why there are none.
    """
    if other not in table.metrics:
        return f"{other} scores none of these answers"
    scores = np.column_stack([table.column(judge), table.column(other)])
    ratings = table.mean_rating
    if len(ratings) < FEWEST_COMBINED:
        return f"only {count_of(len(ratings), 'rated score')}; weights are fitted to {FEWEST_COMBINED} or more"
    if np.ptp(ratings) == 0:
        return "all ratings are equal"
    if any(np.isnan(column).all() or np.nanmin(column) == np.nanmax(column) for column in scores.T):
        return "all values of one of them are equal"
    task = CombinationTask.build(
        scores, ratings, table.group_numbers, middle=0.5, how="ranks", largest=1, combiners=_COMBINERS
    )
    eligible = np.array([way.kind in _COMBINERS for way in task.ways])
    out_of_fold = cross_validate(task, repeats=REPEATS, folds=FOLDS, seed=seed, rules=("best",), eligible=eligible)
    return "the groups do not make two folds" if out_of_fold is None else out_of_fold.chosen["best"]


def measure_gain(table: ScoreTable, other: str, predictions: "Floats") -> Estimate:
    """Estimates how much the mean Spearman of predictions, (samples, repeats), is more than that of another column."""
    return compare(table, ("together", predictions), (other, table.column(other)[:, None])).difference


def measure_calibration(table: ScoreTable, judge: str) -> Calibration:
    """Measures how far the judge's scores, which lie in [0, 1], are the ratings as shares of the scale.

    The scores are put into five bins of equal width. In each bin the mean score less the mean rating; the error is the
    mean of its size over the bins, weighted by answers as Naeini, Cooper and Hauskrecht (2015) have it. It is above 0
    for a perfect judge too, because few answers in a bin differ by chance. The interval takes the outer ends of two,
    one symmetric in the error and one in its log odds: each alone leaves the truth out too often on one side.
    """
    scores, ratings = table.column(judge), table.mean_rating
    if not len(scores):
        return Calibration(error=Estimate(None, n=0, groups=0, problem="no rated scores"))
    numbers = np.minimum((scores * _BINS).astype(int), _BINS - 1)
    members = np.array([numbers == number for number in range(_BINS)], float)
    gaps = scores - ratings

    def errors(weights: "Floats") -> "Floats":
        result: Floats = np.abs(members @ (gaps[:, None] * weights)).sum(axis=0) / weights.sum(axis=0)
        return result

    error = estimate(errors, table.groups, bounds=(0, 1))
    wider = estimate(errors, table.groups, scale="logit")
    if error.low is not None and error.high is not None:
        # where most scores are in one bin the plain interval lies too low; where chance adds to the error the other one
        # lies too high: benchmarks/card_simulation.py
        low = error.low if wider.low is None else min(error.low, wider.low)
        high = error.high if wider.high is None else max(error.high, wider.high)
        error = replace(error, low=low, high=high)
    bins = [
        ScoreBin(
            low=number / _BINS,
            high=(number + 1) / _BINS,
            n=int(inside.sum()),
            score=float(scores[inside].mean()),
            rating=float(ratings[inside].mean()),
        )
        for number in range(_BINS)
        if (inside := numbers == number).any()
    ]
    return Calibration(error=error, bins=tuple(bins))


def rater_ceilings_of(samples: Sequence[Sample]) -> tuple[Estimate, Estimate]:
    """Estimates the best that any measure could reach with the ratings, and what one rater reaches against the others.

    Returns:
        Two rank correlations with the mean rating (`estimate_ceiling`, `rater_ceilings`); without a value where fewer
        than five samples have two ratings.
    """
    rated = [sample for sample in samples if sample.ratings]
    raters = dict.fromkeys(rater for sample in rated for rater in sample.ratings)
    shares = [{rater: sample.share_of_scale(rating) for rater, rating in sample.ratings.items()} for sample in rated]
    shared = [place for place, by_rater in enumerate(shares) if len(by_rater) >= 2]
    if len(shared) < FEWEST_ITEMS:
        problem = f"only {count_of(len(shared), 'scored answer has', 'scored answers have')} ratings by two raters"
        if not shared:
            problem = "the answers have no ratings by two raters or more"
        missing = Estimate(None, n=len(shared), problem=problem if samples else "no rated answer has a score")
        return missing, missing
    ratings = {rater: [by_rater.get(rater) for by_rater in shares] for rater in raters}
    table = build_value_table(rated, {}, ratings=ratings)
    return estimate_ceiling(table), rater_ceilings(table.take(shared))[1]


def first_failure(scores: Iterable[Score]) -> str:
    """Why the first of these scores failed, on one line; empty where none did.

    Without what a reason quotes of answers, replies and folders: a card is shown to people who have no part in the set.
    """
    reason = next((score.reason for score in scores if score.status == "failed"), "")
    return one_line(_quoting_nothing(reason), _LONGEST_REASON)


def _missing_reasons(scores: Iterable[Score]) -> tuple[MissingReason, ...]:
    """Why scores have no value, the most frequent reasons first; without what they quote, and whose they are.

    Reasons that differ only in how much are one (`join_ranges`).
    """
    counts: dict[Literal["failed", "skipped"], Counter[str]] = {"failed": Counter(), "skipped": Counter()}
    for score in scores:
        if score.value is None:
            status: Literal["failed", "skipped"] = "failed" if score.status == "failed" else "skipped"
            counts[status][_SAMPLE.sub(r"\1", _quoting_nothing(score.reason))] += 1
    reasons = [
        MissingReason(status=status, reason=one_line(reason, _LONGEST_REASON), count=count)
        for status, of_status in counts.items()
        for reason, count in join_ranges(of_status).items()
    ]
    return tuple(sorted(reasons, key=lambda missing: -missing.count)[:_MOST_REASONS])


def _quoting_nothing(reason: str) -> str:
    if miss := _MISS.match(reason):
        return f"no recording for {one_line(miss[1])}"
    return one_line(reason.partition(_QUOTED_REPLY)[0])


def _flips(card_set: CardSet, judge: JudgeScores, again: Scores) -> Estimate:
    """The share of the claims of answers that were asked again that have another verdict."""
    if not again:
        is_answer = card_set.kind == "answers"
        why = "no answer was asked again (--probed)" if is_answer else f"{card_set.kind} are asked once"
        return Estimate(None, n=0, groups=0, problem=why)
    flips = compare_probed(card_set.samples, judge.scores, again).flips
    if flips.value is None and (reason := first_failure(again.values())):
        return replace(flips, problem=f"no answer that was asked again got a score: {reason}")
    return flips


def _cost(judge: JudgeScores) -> JudgeCost | None:
    """What 1,000 answers take, of those that were asked about: one without a score and without a reply took nothing."""
    asked = [score for score in judge.scores.values() if score.status == "scored" or score.usage.calls]
    usage = Usage.total([score.usage for score in asked])
    if not usage.calls:
        return None
    times = ANSWERS / len(asked)
    return JudgeCost(
        usd=None if usage.usd is None else times * usage.usd,
        tokens_in=times * usage.tokens_in,
        tokens_out=times * usage.tokens_out,
        requests=times * usage.calls,
        seconds=times * usage.seconds / judge.concurrency,
        is_at_most=usage.unstated > 0,
    )


def _share(count: int, questions: int) -> Estimate:
    """A share of all questions. It is no sample of them, and so has no interval."""
    if not questions:
        return Estimate(None, n=0, problem="no reply")
    return Estimate(count / questions, n=questions, problem=f"of {count_of(questions, 'question')}")
