"""The card of a judge on sets that people rated: what it is asked, what an instruction changes, and each figure."""

import json
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ... import __version__
from ...errors import UsageError
from ...eval_sets import Sample, bundled_sets
from ...eval_sets.public.set_facts import first_by_hash
from ...judges import Budget, JudgeSettings, LiteLLMJudge, Mode
from ...meta_eval.comparison import compare
from ...meta_eval.estimate import Estimate
from ...meta_eval.groups import group_answers
from ...meta_eval.pass_fail import PassFail, pass_fail_agreement
from ...meta_eval.raters import Raters, agreement_of_raters
from ...meta_eval.table import ScoreTable
from ...metrics.catalogue import measures_conversation, needs_judge
from ...metrics.specification import ALL_BASELINES, BASELINES
from ...text.wording import count_of
from .experiment import (
    OVERLAP,
    JudgeCost,
    JudgeScores,
    baseline_values,
    build_value_table,
    correlate,
    rated_values,
    score_by_judges,
)
from .probes import Injections, check_injections, inject, measure_flips

FAITHFULNESS, RESOLVED = "faithfulness", "resolved"

Kind = Literal["answers", "conversations"]
Setting = str | int | float | bool | None


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, allow_inf_nan=False)


class CardAgreement(_Value):
    """How something that scores answers agrees with their ratings."""

    name: str  # what scores the answers: a metric or a baseline
    spearman: Estimate  # Spearman's rho with the ratings


class SetCard(_Value):
    """What the judge is worth on one set and one metric."""

    set_name: str  # as it was named: `public:mtrag:dev`, `helpdesk_en`, a file without its folder
    rated: str  # what was rated, and on which scale
    metric: str  # what the judge was asked for
    most: int  # at most so many answers were taken, the first by the hash of their ids
    # of what was taken: the answers' ids with their ratings and scale. Where it is the same, two cards are about the
    # same answers with the same ratings.
    digest: str
    unrated: int = 0  # how many answers of the set have no rating; they were not judged
    answers: int  # how many were taken; conversations count as answers
    groups: int
    scored: int
    skipped: int  # the metric does not apply
    failed: int
    failure: str = ""  # why the first of the failed, else of the skipped, has no score
    judge: CardAgreement
    agreement: PassFail | None = None  # with people, at the judge's threshold; None where there is none
    # token overlap, and what else is computed without a judge, on the same answers
    baselines: tuple[CardAgreement, ...]
    difference: Estimate  # Spearman of the judge less that of token overlap, on the same answers
    ceiling: Estimate  # what no Spearman with the ratings of the scored answers can exceed
    one_rater: Estimate  # what one rater reaches against the mean of the others, on the scored answers
    flips: Estimate  # of the claims of answers that were asked again with another seed, those with another verdict
    injections: Injections | None  # None where none was tried
    cost: JudgeCost | None  # None where no reply is there
    unparsable: Estimate  # the questions whose first reply could not be used as it came


class JudgeCard(_Value):
    """The card of one judge."""

    # the form of the JSON; it changes when a field does. One that is read may have been made with more figures (2)
    format: Literal["assay-judge-card/3", "assay-judge-card/2"] = "assay-judge-card/3"
    judge: str
    model: str  # as it is recorded
    # how the judge was asked (`decide`, `logprobs`, the temperature, ...); no keys
    settings: dict[str, Setting] = {}
    assay: str  # the version of Assay
    date: date  # the day that the card was made, in UTC
    seed: int  # of what is asked again and of the instructions
    probed: int  # at most so many answers of each set were asked again and given an instruction
    sets: tuple[SetCard, ...]


@dataclass(frozen=True, slots=True)
class CardSet:
    """The samples of one set that a judge's card is about."""

    name: str  # as the card names the set
    samples: tuple[Sample, ...]  # in the order of the hash of their ids
    metric: str  # what the judge is asked for
    most: int  # at most so many samples were taken
    unrated: int = 0  # how many samples of the set have no rating, and are left out

    @property
    def kind(self) -> Kind:
        """What the metric scores."""
        return "conversations" if measures_conversation(self.metric) else "answers"

    @property
    def digest(self) -> str:
        """16 hexadecimal digits that differ where the answers' ids, their ratings or the scale do."""
        lines = sorted(
            json.dumps([s.id, s.rating, sorted(s.ratings.items()), float(s.rating_min), float(s.rating_max)])
            for s in self.samples
        )
        return sha256("\n".join(lines).encode()).hexdigest()[:16]

    @property
    def rated(self) -> str:
        """What was rated, and on which scales; and that the ratings of a bundled set are no person's."""
        scales = sorted({(sample.rating_min, sample.rating_max) for sample in self.samples})
        constructed = (
            ": constructed by the authors of Assay, and no person's judgement" if self.name in bundled_sets() else ""
        )
        return f"{self.kind}, {' and '.join(f'{low:g} to {high:g}' for low, high in scales)}{constructed}"


def make_card_set(name: str, samples: Sequence[Sample], most: int, metric: str | None = None) -> CardSet:
    """Takes the samples of a set that the card is about: rated ones, since no figure needs any other.

    At most `most` are taken, the first rated ones by the hash of their ids. Without a metric it goes by what the set
    rates: `resolved` for conversations without contexts to be faithful to; else `faithfulness`.

    Raises:
        UsageError: The set is empty, none of it is rated, it has an id twice, or the metric asks no judge.
    """
    if not samples:
        raise UsageError(f"{name}: no answer to judge; name another set")
    if repeated := len(samples) - len({sample.id for sample in samples}):
        raise UsageError(f"{name}: {count_of(repeated, 'id stands', 'ids stand')} twice; give each answer its own id")
    rated = [sample for sample in samples if sample.human_rating is not None]
    if not rated:
        raise UsageError(
            f"{name}: {count_of(len(samples), 'answer')} and no rating, so that nothing can be said of a judge; rate "
            "some (a column `rating`, or `assay rate`), or name a rated set (`assay sets`)"
        )
    chosen = metric or _choose_metric(rated)
    if not needs_judge(chosen):
        raise UsageError(f"--metric {chosen} asks no judge; take faithfulness, for one")
    return CardSet(name, tuple(first_by_hash(rated, most)), chosen, most, len(samples) - len(rated))


def _choose_metric(samples: Sequence[Sample]) -> str:
    if all(sample.messages for sample in samples) and not any(sample.retrieved_contexts for sample in samples):
        return RESOLVED
    return FAITHFULNESS


def make_set_card(card_set: CardSet, judge: JudgeScores, *, seed: int = 0) -> SetCard:
    """Makes the card of one set; all figures are of the answers that are rated and that the judge scored."""
    samples, scores, metric = card_set.samples, judge.scores, card_set.metric
    own = rated_values(metric, {metric: scores})
    baselines = _baseline_scores(card_set)
    rated = [sample for sample in samples if sample.rating_share is not None and sample.id in own[metric]]
    table = build_value_table(rated, own | baselines)
    raters = _agreement_of_raters(rated)
    no_ceiling = Estimate(None, n=0, problem="fewer than five scored answers have ratings by two raters")
    [pass_fail] = pass_fail_agreement(table.only([metric]), seed=seed).values()
    unasked = Estimate(None, n=0, groups=0, problem="not asked (--probed; answers alone)")
    by_status = {status: [one.reason for one in scores.values() if one.status == status] for status in _STATUSES}
    return SetCard(
        set_name=card_set.name,
        rated=card_set.rated,
        metric=metric,
        most=card_set.most,
        digest=card_set.digest,
        unrated=card_set.unrated,
        answers=len(samples),
        groups=len({*group_answers(samples)}),
        scored=len(by_status["scored"]),
        skipped=len(by_status["skipped"]),
        failed=len(by_status["failed"]),
        failure=_QUOTED_TEXT.split(next(iter(by_status["failed"] + by_status["skipped"]), ""))[0],
        judge=_agreement(table, metric),
        agreement=None if pass_fail.threshold is None else pass_fail,
        baselines=tuple(_agreement(table, name) for name in baselines),
        difference=_difference(table, metric, OVERLAP),
        ceiling=raters.ceiling if raters else no_ceiling,
        one_rater=raters.one_rater if raters else no_ceiling,
        flips=measure_flips(samples, scores, judge.again) if judge.again else unasked,
        injections=check_injections(samples, scores, judge.injected, judge.again),
        cost=judge.cost,
        unparsable=_share(judge.replies.unparsable, judge.replies.questions),
    )


_STATUSES = ("scored", "skipped", "failed")
# how a reason goes on to quote: a card is shown to people who have no part in the set
_QUOTED_TEXT = re.compile(r"; the nearest|\. It began:")


def _baseline_scores(card_set: CardSet) -> dict[str, dict[str, float]]:
    """What is computed without a judge, by name and sample. A baseline that scores none of the samples is left out."""
    names = ALL_BASELINES if card_set.kind == "conversations" else BASELINES
    return {name: by_sample for name, by_sample in baseline_values(card_set.samples).items() if name in names}


def _agreement(table: ScoreTable, name: str) -> CardAgreement:
    return CardAgreement(name=name, spearman=correlate(table.column(name), table))


def _difference(table: ScoreTable, judge: str, other: str) -> Estimate:
    """Spearman of the judge less that of another column, on the answers that both scored."""
    if other not in table.metrics:
        return Estimate(None, problem=f"{other} scores none of these answers")
    return compare(table, *((name, table.column(name)[:, None]) for name in (judge, other))).difference


def _agreement_of_raters(rated: Sequence[Sample]) -> Raters | None:
    """How far the raters agree on what is rated; None where fewer than five samples have two ratings."""
    by_sample = [{rater: sample.share_of_scale(rating) for rater, rating in sample.ratings.items()} for sample in rated]
    raters = dict.fromkeys(rater for by_rater in by_sample for rater in by_rater)
    ratings = {rater: [by_rater.get(rater) for by_rater in by_sample] for rater in raters}
    return agreement_of_raters(build_value_table(rated, {}, ratings=ratings))


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
        probed: At most so many answers of each set are asked again, and given an instruction; the first ones.
        seed: Of the instructions, and of the intervals.

    Raises:
        BudgetReached: A bound is reached; the replies are in the cassette, and the same call goes on with them.
        JudgeUnavailable: The judge is gone; the replies so far are kept too.
        InputError: The cassette cannot be read.
    """
    cards = []
    for card_set in sets:
        again = card_set.samples[:probed] if card_set.kind == "answers" else ()
        with show(f"{name} on {card_set.name}: {card_set.metric} of {len(card_set.samples)} {card_set.kind}"):
            [scores] = score_by_judges(
                {name: judge},
                card_set.samples,
                card_set.metric,
                cassette=cassette,
                mode=mode,
                budget=budget,
                injected=[injected for sample in again if (injected := inject(sample, seed)) is not None],
                again=again,
            )
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


def _card_settings(settings: JudgeSettings) -> dict[str, Setting]:
    """How a judge is asked, as far as replies depend on it: plain values without keys and addresses."""
    names = ("decide", "reason", "structured", "logprobs", "max_tokens", "concurrency")
    values: dict[str, Setting] = {name: getattr(settings, name) for name in names}
    return values | {
        f"parameters.{name}": value
        for name, value in sorted(settings.recordable.parameters.items())
        if isinstance(value, str | int | float | bool) or value is None
    }
