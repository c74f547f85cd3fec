"""Asks a judge for its card: each set as it is, some answers changed by probes and some again."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime

from ... import __version__
from ...eval_sets import Sample
from ...judges import Budget, JudgeSettings, LiteLLMJudge, Mode
from .card_set import CardSet
from .experiment import JudgeScoring, score_by_judges
from .judge_card import JudgeCard, Setting
from .probes import PROBES, perturb
from .set_card import make_set_card


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
        judge: The judge.
        sets: The sets that it is asked about.
        name: The judge's short name.
        cassette: The file of the recorded replies; `{judge}` stands for the judge's name.
        mode: Whether replies are replayed, recorded or both.
        budget: Bounds on the live calls.
        probed: At most so many answers of each set are asked again, and changed by probes; the first ones.
        seed: Of the probes, and of the intervals.
        show: Shows what is being done.

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
