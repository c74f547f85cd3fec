"""The card of a judge on its sets: what it is asked, some answers changed by probes and some again, and each figure."""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime

from ... import __version__
from ...eval_sets import Sample
from ...judges import Budget, JudgeSettings, LiteLLMJudge, Mode, Usage
from ...meta_eval.comparison import compare
from ...meta_eval.correlation import FEWEST_ITEMS
from ...meta_eval.estimate import Estimate
from ...meta_eval.groups import group_answers
from ...meta_eval.pass_fail import pass_fail_agreement
from ...meta_eval.raters import estimate_ceiling, estimate_one_rater
from ...meta_eval.table import ScoreTable
from ...metrics import Score
from ...metrics.specification import ALL_BASELINES, BASELINES
from ...presentation.texts import one_line
from ...text.wording import count_of
from ..answers.rating_direction import rises_with_rating
from ..score.evaluate import evaluate
from .card_set import CardSet
from .experiment import ANSWERS, JudgeScores, JudgeScoring, build_value_table, correlate, score_by_judges
from .judge_card import CardAgreement, CardPassFail, JudgeCard, JudgeCost, SetCard, Setting
from .probe_findings import check_injections, compare_probed, measure_position, measure_shift
from .probes import PROBES, perturb

OVERLAP = "token_overlap"
PADDED, STYLED, INJECTED = "padded", "styled", "injected"
_LONGEST_REASON = 300
_MISS = re.compile(r"no recording in .+? for (prompt [^;]+)", re.DOTALL)  # what follows quotes the nearest recording
_QUOTED_REPLY = ". It began:"

_Values = dict[str, dict[str, float]]
"""Numbers by name and sample, higher for better answers."""


def make_set_card(card_set: CardSet, judge: JudgeScores, *, seed: int = 0) -> SetCard:
    """Makes the card of one set; all figures are of the answers that are rated and that the judge scored."""
    samples, scores, metric = card_set.samples, judge.scores, card_set.metric
    sign = 1 if rises_with_rating(metric) else -1  # higher where a higher rating is expected
    own = {sample: sign * score.value for sample, score in scores.items() if score.value is not None}
    baselines = _baseline_scores(card_set)
    rated = [sample for sample in samples if sample.rating_share is not None and sample.id in own]
    table = build_value_table(rated, {metric: own} | baselines)
    probes = {probe: compare_probed(samples, scores, changed) for probe, changed in judge.probed.items()}
    injected = judge.probed.get(INJECTED, {})
    is_unseen = INJECTED in probes and probes[INJECTED].identical
    injections = check_injections(samples, scores, injected, judge.again, is_unseen=is_unseen)
    ceiling, one_rater = rater_ceilings_of(rated)
    [pass_fail] = pass_fail_agreement(table.only([metric]), seed=seed).values()
    agreement = {name: getattr(pass_fail, name) for name in CardPassFail.model_fields}
    statuses = [score.status for score in scores.values()]
    return SetCard(
        set_name=card_set.name,
        rated=card_set.rated,
        metric=metric,
        most=card_set.most,
        digest=card_set.digest,
        unrated=card_set.unrated,
        answers=len(samples),
        groups=len({*group_answers(samples)}),
        scored=statuses.count("scored"),
        skipped=statuses.count("skipped"),
        failed=statuses.count("failed"),
        failure=first_failure(scores.values()),
        judge=_agreement(table, metric),
        agreement=None if pass_fail.threshold is None else CardPassFail(**agreement),
        baselines=tuple(_agreement(table, name) for name in baselines),
        difference=_difference(table, metric, OVERLAP),
        ceiling=ceiling,
        one_rater=one_rater,
        position=measure_position(samples, scores, is_of_pairs=card_set.kind == "pairs"),
        length=measure_shift(probes.get(PADDED), kind=card_set.kind),
        style=measure_shift(probes.get(STYLED), kind=card_set.kind),
        flips=_flips(card_set, judge),
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


def _agreement(table: ScoreTable, name: str) -> CardAgreement:
    return CardAgreement(name=name, spearman=correlate(table.column(name), table))


def _difference(table: ScoreTable, judge: str, other: str) -> Estimate:
    """Spearman of the judge less that of another column, on the answers that both scored."""
    if other not in table.metrics:
        return Estimate(None, problem=f"{other} scores none of these answers")
    return compare(table, *((name, table.column(name)[:, None]) for name in (judge, other))).difference


def rater_ceilings_of(samples: Sequence[Sample]) -> tuple[Estimate, Estimate]:
    """Estimates the best that any measure could reach with the ratings, and what one rater reaches against the others.

    Returns:
        Two rank correlations with the mean rating (`estimate_ceiling`, `estimate_one_rater`); without a value where
        fewer than five samples have two ratings.
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
    return estimate_ceiling(table), estimate_one_rater(table.take(shared))


def first_failure(scores: Iterable[Score]) -> str:
    """Why the first of these scores failed, else was skipped, on one line; empty where all have a value.

    Without what a reason quotes of answers, replies and folders: a card is shown to people who have no part in the set.
    """
    without = sorted((score for score in scores if score.value is None), key=lambda score: score.status != "failed")
    return one_line(_quoting_nothing(without[0].reason), _LONGEST_REASON) if without else ""


def _quoting_nothing(reason: str) -> str:
    if miss := _MISS.match(reason):
        return f"no recording for {one_line(miss[1])}"
    return one_line(reason.partition(_QUOTED_REPLY)[0])


def _flips(card_set: CardSet, judge: JudgeScores) -> Estimate:
    """The share of the claims of answers that were asked again that have another verdict."""
    if not judge.again:
        is_answer = card_set.kind == "answers"
        why = "no answer was asked again (--probed)" if is_answer else f"{card_set.kind} are asked once"
        return Estimate(None, n=0, groups=0, problem=why)
    return compare_probed(card_set.samples, judge.scores, judge.again).flips


def _cost(judge: JudgeScores) -> JudgeCost | None:
    """What 1,000 answers take, of those that were asked about."""
    asked = judge.asked
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


def make_card(
    judge: LiteLLMJudge,
    sets: Sequence[CardSet],
    *,
    name: str,
    cassette: str,
    mode: Mode = "auto",
    budget: Budget,
    probed: int,
    seed: int = 0,
    show: Callable[[str], AbstractContextManager[None]] = lambda _: nullcontext(),
) -> JudgeCard:
    """Asks a judge, or replays what it said, and makes its card.

    Args:
        cassette: The file of the recorded replies; `{judge}` stands for the judge's name.
        probed: At most so many answers of each set are asked again, and changed by probes; the first ones.
        seed: Of the probes, and of the intervals.

    Raises:
        BudgetReached: A bound is reached; the replies are in the cassette, and the same call goes on with them.
        JudgeUnavailable: The judge is gone; the replies so far are kept too.
        InputError: The cassette cannot be read.
    """
    cards = []
    for card_set in sets:
        scoring = JudgeScoring(metric=card_set.metric, cassette=cassette, mode=mode, budget=budget)
        again = card_set.samples[:probed] if card_set.kind == "answers" else ()
        with show(f"{name} on {card_set.name}: {card_set.metric} of {len(card_set.samples)} {card_set.kind}"):
            changed = _change(again, seed)
            [scores] = score_by_judges({name: judge}, card_set.samples, scoring, probed=changed, again=again)
        with show(f"{card_set.name}: the figures"):
            cards.append(make_set_card(card_set, scores, seed=seed))
    return JudgeCard(
        judge=name,
        model=judge.settings.identity,
        settings=_card_settings(judge.settings),
        assay=__version__,
        date=datetime.now(UTC).date(),
        seed=seed,
        probed=probed,
        sets=tuple(cards),
    )


def _change(samples: Sequence[Sample], seed: int) -> dict[str, list[Sample]]:
    """The samples as each probe changes them, without those that it cannot change."""
    if not samples:
        return {}
    probed = {probe: [perturb(sample, probe, seed) for sample in samples] for probe in PROBES}
    return {probe: [sample for sample in changed if sample is not None] for probe, changed in probed.items()}


def _card_settings(settings: JudgeSettings) -> dict[str, Setting]:
    """How a judge is asked, as far as replies depend on it: plain values without keys and addresses."""
    names = ("decide", "reason", "structured", "logprobs", "max_tokens", "concurrency")
    values: dict[str, Setting] = {name: getattr(settings, name) for name in names}
    return values | {
        f"parameters.{name}": value
        for name, value in sorted(settings.recordable.parameters.items())
        if isinstance(value, str | int | float | bool) or value is None
    }
