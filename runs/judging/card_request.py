"""Asks a judge for its card: each set as it is, some answers changed by probes and some again."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime

from ... import __version__
from ...eval_sets import Sample
from ...judges import Budget, JudgeSettings, LiteLLMJudge, Mode
from .card_set import CardSet
from .experiment import JudgeScores, JudgeScoring, score_by_judges
from .judge_card import JudgeCard, Setting
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
    seed: int = 0  # of the permutations and the probes

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


def _card_settings(settings: JudgeSettings) -> dict[str, Setting]:
    """How a judge is asked, as far as replies depend on it: plain values without keys and addresses."""
    names = ("decide", "reason", "structured", "logprobs", "max_tokens", "concurrency")
    values: dict[str, Setting] = {name: getattr(settings, name) for name in names}
    return values | {
        f"parameters.{name}": value
        for name, value in sorted(settings.recordable.parameters.items())
        if isinstance(value, str | int | float | bool) or value is None
    }
