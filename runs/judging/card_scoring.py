"""Asking the judge for its card: each set as it is, some answers changed by probes, and some again."""

import random
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from ... import __version__
from ...eval_sets import Sample
from ...judges import Budget, JudgeSettings, LiteLLMJudge, Mode
from ...languages import find_language, language_or_fallback
from ...languages.sections import Probes
from ..score.options import JUDGE_FIELD
from .answer_styling import add_style
from .card_set import CardSet
from .judge_card import JudgeCard
from .judge_scoring import JudgeScores, JudgeScoring, score_by_judges
from .set_card import make_set_card

_Change = Callable[[str, random.Random, Probes], str]
PROBES = ("padded", "styled", "injected")


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRequest:
    """What a judge is asked for its card.

    Attributes:
        name: The judge's short name.
        judge: The judge.
        sets: The sets.
        probed: At most so many answers of each set are asked again, and changed by probes; the first ones.
        cassette: The file of the recorded replies; `{judge}` stands for the judge's name.
        mode: How it is used.
        budget: Bounds on the live calls.
        seed: Seed of the folds, the permutations and the probes.
    """

    name: str
    judge: LiteLLMJudge
    sets: tuple[CardSet, ...]
    probed: int
    cassette: str
    mode: Mode = "auto"
    budget: Budget
    seed: int = 0

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

    def scoring(self, card_set: CardSet, repeats: int = 0) -> JudgeScoring:
        """How a set is scored."""
        return JudgeScoring(
            metric=card_set.metric, cassette=self.cassette, mode=self.mode, budget=self.budget, repeats=repeats
        )


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
            scores = score_card_set(request, card_set)
        with show(f"{card_set.name}: the figures"):
            cards.append(make_set_card(card_set, scores, seed=request.seed))
    return JudgeCard(
        judge=request.name,
        model=request.judge.settings.identity,
        settings=card_settings(request.judge.settings),
        assay=__version__,
        date=datetime.now(UTC).date(),
        seed=request.seed,
        probed=request.probed,
        sets=tuple(cards),
    )


def score_card_set(request: CardRequest, card_set: CardSet) -> JudgeScores:
    """Asks the judge about one set: its samples, those that probes changed, and some again with another seed."""
    judges = {request.name: request.judge}
    (scores,) = score_by_judges(judges, card_set.samples, request.scoring(card_set), request.changed(card_set))
    if not (first := request.to_probe(card_set)):
        return scores
    (again,) = score_by_judges(judges, first, request.scoring(card_set, repeats=1))
    return replace(scores, repeats=again.repeats)


def card_settings(settings: JudgeSettings) -> dict[str, str | int | float | bool | None]:
    """How a judge is asked, as far as replies depend on it: plain values without keys and addresses."""
    values: dict[str, str | int | float | bool | None] = {
        "decide": settings.decide,
        "reason": settings.reason,
        "structured": settings.structured,
        "logprobs": settings.logprobs,
        "max_tokens": settings.max_tokens,
        "concurrency": settings.concurrency,
    }
    recorded = settings.recordable.parameters
    return values | {
        f"parameters.{name}": value
        for name, value in sorted(recorded.items())
        if isinstance(value, str | int | float | bool) or value is None
    }


def perturb(sample: Sample, probe: str, seed: int = 0) -> Sample | None:
    """Changes a sample as a probe does, the same way for the same seed and id; None where it cannot be changed.

    Id, question and group stay, so that scores can be paired. The answer loses its ratings: nobody rated it.
    """
    if probe == "styled":
        response = add_style(sample.response, language_or_fallback(sample.language))
    else:
        language = find_language(sample.language)
        has_phrases = language is not None and language.has("probes") and bool(sample.response.strip())
        chance = random.Random(f"{seed}\0{probe}\0{sample.id}")
        response = _WITH_PHRASES[probe](sample.response, chance, language.probes) if language and has_phrases else ""
    if not response:
        return None
    metadata = {**sample.metadata, "probe": probe}
    return sample.model_copy(update={"response": response, "metadata": metadata, "rating": None, "ratings": {}})


def _pad(answer: str, chance: random.Random, phrases: Probes) -> str:
    places = sorted(chance.sample(range(len(phrases.after)), 2))
    after = " ".join(phrases.after[place] for place in places)
    # on separate lines, since "1. Open ..." directly after a courtesy would no longer be a numbered step
    return f"{chance.choice(phrases.before)}\n\n{answer.rstrip()}\n\n{after}"


def _inject(answer: str, chance: random.Random, phrases: Probes) -> str:
    parts = [answer.rstrip(), chance.choice(phrases.instructions)]
    chance.shuffle(parts)
    return "\n\n".join(parts)


_WITH_PHRASES: dict[str, _Change] = {"padded": _pad, "injected": _inject}
