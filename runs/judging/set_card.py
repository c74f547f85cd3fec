"""The card of one judge on one set, from its scores: every figure of the card is made here."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from ...eval_sets import Sample
from ...judges import Usage
from ...meta_eval.estimate import Estimate
from ...metrics import Score
from ...metrics.catalogue import describe_metric
from ...metrics.specification import ALL_BASELINES, BASELINES, parse_specification
from ...presentation.texts import one_line
from ...text.number_ranges import join_ranges
from ...text.wording import count_of
from ..answers.rating_direction import rises_with_rating
from ..score.evaluate import evaluate
from .bias import measure_biases
from .card_set import CardSet
from .injection_check import check_injections
from .judge_card import BiasFigure, JudgeCost, MissingReason, SetCard
from .judge_comparison import ANSWERS
from .judge_scoring import JudgeScores
from .probe_findings import ProbeFindings, compare_probed
from .rated_scores import RatedScores, rater_ceilings_of

OVERLAP = "token_overlap"
AGAIN = "again"
INJECTED = "injected"
_LONGEST_REASON = 300
_MISS = re.compile(r"no recording in .+? for (prompt [^;]+)", re.DOTALL)  # what follows quotes the nearest recording
_SAMPLE = re.compile(r"^(no recording for prompt \S+), sample .*", re.DOTALL)  # one reason per sample is no reason
_QUOTED_REPLY = ". It began:"
_MOST_PUBLISHED, _MOST_REASONS = 30, 50
_PUBLISHED = "published: "
_LARGEST_PUBLISHED = 1e100


def make_set_card(card_set: CardSet, judge: JudgeScores, *, seed: int = 0) -> SetCard:
    """Makes the card of one set."""
    samples, scores = card_set.samples, judge.scores
    own = _oriented(card_set, scores)
    published, sources = published_scores(samples)
    values = {card_set.metric: own, **baseline_scores(card_set), **published}
    rated = RatedScores.of_judge(samples, card_set.metric, values, seed)
    baselines = [name for name in values if name != card_set.metric and name not in published]
    again = judge.repeats[0] if judge.repeats else {}
    probes = [_with_reason(probe, judge.probed) for probe in compare_probed(samples, scores, judge.probed)]
    ceiling, one_rater = rater_ceilings_of(rated.samples)
    combined, gain = rated.combined(OVERLAP)
    is_unseen = any(probe.probe == INJECTED and probe.identical for probe in probes)
    injections = check_injections(samples, scores, judge.probed.get(INJECTED, {}), again, is_unseen=is_unseen)
    if injections is not None and not injections.tried and (why := first_failure(judge.probed[INJECTED].values())):
        share = replace(injections.share, problem=f"{injections.share.problem}: {why}")
        injections = injections.model_copy(update={"share": share})
    statuses = [score.status for score in scores.values()]
    return SetCard(
        set_name=card_set.name,
        rated=card_set.rated,
        metric=card_set.metric,
        most=card_set.most,
        digest=card_set.digest,
        unrated=card_set.unrated,
        answers=len(samples),
        groups=len({sample.source for sample in samples}),
        scored=statuses.count("scored"),
        skipped=statuses.count("skipped"),
        failed=statuses.count("failed"),
        failure=first_failure(scores.values()),
        missing=missing_reasons(scores.values()),
        judge=rated.agreement(card_set.metric),
        agreement=rated.pass_fail(),
        baselines=tuple(rated.agreement(name) for name in baselines),
        difference=rated.difference(OVERLAP),
        combined=combined,
        gain=gain,
        ceiling=ceiling,
        one_rater=one_rater,
        published=tuple(
            rated.agreement(name, shown=name.removeprefix(_PUBLISHED), source=sources[name]) for name in published
        ),
        calibration=rated.calibration() if _is_share(card_set) else None,
        biases=tuple(
            BiasFigure(bias=line.bias, source=line.source, change=line.change)
            for line in measure_biases(
                judge, samples, probes, unasked=_unasked(card_set), is_of_pairs=card_set.kind == "pairs"
            )
        ),
        flips=_flips(card_set, judge, again),
        injections=injections,
        cost=_cost(judge),
        unparsable=_share(judge.replies.unparsable, judge.replies.questions),
        lost=_share(judge.replies.without_usable_reply, judge.replies.asked),
    )


def baseline_scores(card_set: CardSet) -> dict[str, dict[str, float]]:
    """What is computed without a judge, by name and sample: of pairs the second answer's less the first one's.

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


def _baselines(samples: Sequence[Sample]) -> dict[str, dict[str, float]]:
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


def published_scores(samples: Sequence[Sample]) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    """The scores of the same answers that others published, by name and sample, and where.

    They are facts of the set (`metadata.published_metrics`, numbers by name), with its `metadata.source`. Names begin
    with `published: `, so that none takes the place of a metric. What is no number is left out.
    """
    values: dict[str, dict[str, float]] = {}
    sources: dict[str, str] = {}
    for sample in samples:
        metrics = sample.metadata.get("published_metrics")
        for metric, value in metrics.items() if isinstance(metrics, dict) else ():
            is_number = isinstance(value, int | float) and math.isfinite(value) and abs(value) < _LARGEST_PUBLISHED
            name = f"{_PUBLISHED}{one_line(str(metric), 60)}"
            if is_number and (name in values or len(values) < _MOST_PUBLISHED):
                values.setdefault(name, {})[sample.id] = float(value)
                sources.setdefault(name, one_line(str(sample.metadata.get("source") or "the set"), 200))
    return values, sources


def _oriented(card_set: CardSet, scores: Mapping[str, Score]) -> dict[str, float]:
    """The judge's scores, higher where a higher rating is expected: of pairs where the second answer is better."""
    values = {sample: score.value for sample, score in scores.items() if score.value is not None}
    return values if rises_with_rating(card_set.metric) else {sample: -value for sample, value in values.items()}


def _is_share(card_set: CardSet) -> bool:
    """Whether the metric's value can be read as the share of the rating scale that the answer reaches."""
    specification = parse_specification(card_set.metric)
    if card_set.kind == "pairs" or specification.is_ragas or specification.is_scorer or specification.path:
        return False
    metric = describe_metric(card_set.metric)
    return metric.higher_is_better and tuple(metric.range) == (0.0, 1.0)


def _unasked(card_set: CardSet) -> str:
    if card_set.kind == "answers":
        return "no probe of it was asked for (--probed)"
    return f"no probe changes {card_set.kind}"


def _with_reason(probe: ProbeFindings, probed: Mapping[str, Mapping[str, Score]]) -> ProbeFindings:
    """The findings; where no changed answer has a score, with the reason of the first."""
    if probe.shift.n or not probe.failed:
        return probe
    reason = first_failure(probed[probe.probe].values())
    missing = Estimate(None, n=0, groups=0, problem=f"no changed answer got a score: {reason}")
    return replace(probe, shift=missing, flips=missing)


def first_failure(scores: Iterable[Score]) -> str:
    """Why the first of these scores failed, on one line; empty where none did.

    Without what a reason quotes of answers, replies and folders: a card is shown to people who have no part in the set.
    """
    reason = next((score.reason for score in scores if score.status == "failed"), "")
    return one_line(_quoting_nothing(reason), _LONGEST_REASON)


def missing_reasons(scores: Iterable[Score]) -> tuple[MissingReason, ...]:
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
    return tuple(sorted(reasons, key=lambda one: -one.count)[:_MOST_REASONS])


def _quoting_nothing(reason: str) -> str:
    if miss := _MISS.match(reason):
        return f"no recording for {one_line(miss[1])}"
    return one_line(reason.partition(_QUOTED_REPLY)[0])


def _flips(card_set: CardSet, judge: JudgeScores, again: Mapping[str, Score]) -> Estimate:
    if not again:
        is_answer = card_set.kind == "answers"
        why = "no answer was asked again (--probed)" if is_answer else f"{card_set.kind} are asked once"
        return Estimate(None, n=0, groups=0, problem=why)
    (findings,) = compare_probed(card_set.samples, judge.scores, {AGAIN: again})
    reason = first_failure(again.values())
    if findings.flips.value is None and reason:
        return replace(findings.flips, problem=f"no answer that was asked again got a score: {reason}")
    return findings.flips


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
