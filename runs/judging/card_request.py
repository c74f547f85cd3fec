"""Asks a judge for its card: each set as it is, some answers changed by probes and some again; and what that takes."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NoReturn

from ... import __version__
from ...eval_sets import Sample
from ...judges import Budget, Cassette, JudgeSettings, LiteLLMJudge, Mode, Usage
from ...judges.budget import RequestSize, measure_question
from ...judges.litellm_lookup import known_price
from ...judges.question import Question, ReplyPending
from ...metrics.catalogue import load_metric
from ...metrics.metric import run_to_end
from ...presentation.figure import Figure, format_cost
from ...text.wording import count_of
from ..score.options import JUDGE_FIELD
from .card_set import CardSet
from .experiment import JudgeScores, JudgeScoring, score_by_judges
from .judge_card import JudgeCard
from .probes import PROBES, perturb
from .set_card import make_set_card


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRequest:
    """What a judge is asked for its card."""

    name: str  # the judge's short name
    judge: LiteLLMJudge
    sets: tuple[CardSet, ...]
    probed: int  # at most so many answers of each set are asked again, and changed by probes; the first ones
    cassette: str  # the file of the recorded replies; `{judge}` stands for the judge's name
    mode: Mode = "auto"
    budget: Budget  # bounds on the live calls
    seed: int = 0  # of the folds, the permutations and the probes

    @property
    def recorded_in(self) -> str:
        """The file of this judge's replies."""
        return self.cassette.replace(JUDGE_FIELD, self.name)

    def to_probe(self, card_set: CardSet) -> tuple[Sample, ...]:
        """The samples of a set that are asked again and changed: of a set of answers the first ones."""
        return card_set.samples[: self.probed] if card_set.kind == "answers" else ()

    def changed(self, card_set: CardSet) -> dict[str, list[Sample]]:
        """The samples of a set as each probe changes them, without those that it cannot change."""
        if not (samples := self.to_probe(card_set)):
            return {}
        probed = {probe: [perturb(sample, probe, self.seed) for sample in samples] for probe in PROBES}
        return {probe: [sample for sample in changed if sample is not None] for probe, changed in probed.items()}


def make_card(
    request: CardRequest, show: Callable[[str], AbstractContextManager[None]] = lambda _: nullcontext()
) -> JudgeCard:
    """Asks a judge, or replays what it said, and makes its card.

    Args:
        request: What it is asked.
        show: Shows what is being done.

    Raises:
        BudgetReached: A bound is reached; the replies are in the cassette, and the same call goes on with them.
        JudgeUnavailable: The judge is gone; the replies so far are kept too.
        InputError: The cassette cannot be read.
    """
    cards = []
    for card_set in request.sets:
        with show(f"{request.name} on {card_set.name}: {card_set.metric} of {len(card_set.samples)} {card_set.kind}"):
            scores = _score(request, card_set)
        with show(f"{card_set.name}: the figures"):
            cards.append(make_set_card(card_set, scores, seed=request.seed))
    return JudgeCard(
        judge=request.name,
        model=request.judge.settings.identity,
        settings=_card_settings(request.judge.settings),
        assay=__version__,
        date=datetime.now(UTC).date(),
        seed=request.seed,
        probed=request.probed,
        sets=tuple(cards),
    )


def _score(request: CardRequest, card_set: CardSet) -> JudgeScores:
    """Asks the judge about one set: its samples, those that probes changed, and some again with another seed."""
    again = request.to_probe(card_set)
    scoring = JudgeScoring(
        metric=card_set.metric,
        cassette=request.cassette,
        mode=request.mode,
        budget=request.budget,
        repeats=int(bool(again)),
    )
    judges = {request.name: request.judge}
    [scores] = score_by_judges(judges, card_set.samples, scoring, probed=request.changed(card_set), again=again)
    return scores


def _card_settings(settings: JudgeSettings) -> dict[str, str | int | float | bool | None]:
    """How a judge is asked, as far as replies depend on it: plain values without keys and addresses."""
    names = ("decide", "reason", "structured", "logprobs", "max_tokens", "concurrency")
    values: dict[str, str | int | float | bool | None] = {name: getattr(settings, name) for name in names}
    return values | {
        f"parameters.{name}": value
        for name, value in sorted(settings.recordable.parameters.items())
        if isinstance(value, str | int | float | bool) or value is None
    }


@dataclass(frozen=True, slots=True)
class CardEstimate:
    """What the requests of a card that are not recorded yet will take."""

    requests: int  # how many they are; questions that depend on a reply are not known before it
    recorded: int
    tokens_in: int  # tokens of their prompts, by the length of the texts
    tokens_out: int  # tokens of their replies: as long as the recorded ones, else the most that they may take
    usd: float | None  # what they cost; None where the price is unknown
    seconds: float | None  # how long they take, by the recorded ones; None where none is recorded
    is_free: bool

    @property
    def sentence(self) -> str:
        """What is to be asked, what it takes, and how that was estimated."""
        if not self.requests:
            return f"all {count_of(self.recorded, 'reply', 'replies')} are recorded; nothing is asked"
        most = "" if self.recorded else "at most "
        cost = "free" if self.is_free else "at an unknown price" if self.usd is None else most + format_cost(self.usd)
        time = "" if self.seconds is None else f", {Figure('seconds', self.seconds)} s"
        how = "replies by the most that they may take; the time is not known before the first reply"
        if self.recorded:
            how = f"replies and time as in the {count_of(self.recorded, 'recorded reply', 'recorded replies')}"
        return (
            f"about {count_of(self.requests, 'request')}, {count_of(self.tokens_in, 'token')} of prompts and {most}"
            f"{self.tokens_out:,} of replies, {cost}{time} (estimated: prompts by the length of their texts, {how}; a "
            "question that depends on a reply comes on top)"
        )


class _Counter:
    """Takes the questions that have no reply yet, and counts them."""

    def __init__(self, settings: JudgeSettings) -> None:
        self._settings, self._price = settings, known_price(settings)
        self.sizes: dict[str, RequestSize] = {}

    def request(self, key: str, question: Question[Any]) -> NoReturn:
        """Counts a question; whoever asked it ends here."""
        self.sizes[key] = measure_question(question, self._settings, self._price)
        raise ReplyPending

    def has_collected(self, _: str) -> bool:
        """False: nothing is answered here."""
        return False


def estimate_card(request: CardRequest) -> CardEstimate:
    """Estimates what a card takes: runs its metrics up to the first missing reply, and asks nobody."""
    settings = request.judge.settings
    price = known_price(settings)
    first, first_usage = run_to_end(_count(request, 0))
    again, usage_again = run_to_end(_count(request, 1))
    sizes, usage = [*first, *again], first_usage + usage_again
    tokens_in = sum(size.tokens_in for size in sizes)
    tokens_out = sum(size.tokens_out for size in sizes)
    if usage.calls:
        tokens_out = min(tokens_out, round(len(sizes) * usage.tokens_out / usage.calls))
    return CardEstimate(
        requests=len(sizes),
        recorded=usage.calls,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        usd=None if price is None else price.cost(tokens_in, tokens_out),
        seconds=len(sizes) * usage.seconds / usage.calls / settings.concurrency if usage.calls else None,
        is_free=price is not None and price.input == price.output == 0,
    )


async def _count(request: CardRequest, repeat: int) -> tuple[list[RequestSize], Usage]:
    """The requests of one asking that have no reply, and what the recorded replies took."""
    file = Cassette(request.recorded_in, request.mode)
    parameters = request.judge.settings.for_repeat(repeat).parameters
    async with request.judge.reopen(cassette=file, budget=request.budget, parameters=parameters) as judge:
        counter = _Counter(judge.settings)
        judge.ask_later(counter)
        for card_set in request.sets:
            metric = load_metric(card_set.metric, judge)
            samples = [*card_set.samples, *(s for changed in request.changed(card_set).values() for s in changed)]
            for sample in request.to_probe(card_set) if repeat else samples:
                try:
                    await metric.assess(sample)
                except ReplyPending:
                    continue
        return list(counter.sizes.values()), judge.usage
