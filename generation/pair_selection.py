"""The second stage (003, 4.6): from many pairs to the best few, every rejected one kept with its reason."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..errors import InputError, JudgeError
from ..judges import Choice, Judge, Question
from ..judges.embedders import Embedder
from ..judges.probabilities import option_probabilities
from ..prompts import BUNDLED, Prompts
from .duplicates import duplicates
from .judge_calls import ask_all
from .pair import Pair
from .pair_filters import SINGLE_PAIR_FILTERS, Thresholds
from .quotas import quotas, strata_counts
from .section import Fold, Section

LOW_SCORE = "low score"
NO_FOLD = "in no fold"
FILTERS = (NO_FOLD, *SINGLE_PAIR_FILTERS, "duplicate", LOW_SCORE, "not the section's best", "beyond n")
_DIGITS = ("1", "2", "3", "4", "5")


@dataclass(frozen=True)
class FilterCount:
    """What one filter did: how many pairs of each type it was given, and how many it rejected."""

    name: str
    given: dict[str, int]
    rejected: dict[str, int]


@dataclass(frozen=True)
class PairSelection:
    """The pairs that stand, the rejected ones with their reasons, and what each filter rejected."""

    kept: list[Pair]
    rejected: list[Pair]
    table: list[FilterCount] = field(default_factory=list)


class _Sieve:
    """Pairs that stand, pairs that went, and the count of both."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.standing = list(pairs)
        self.rejected: list[Pair] = []
        self.table: list[FilterCount] = []

    def apply(self, name: str, reasons: dict[str, str]) -> None:
        """Rejects the pairs whose id has a reason."""
        gone = [pair.rejected(name, reasons[pair.id]) for pair in self.standing if reasons.get(pair.id)]
        given, rejected = (Counter[str](pair.kind for pair in pairs) for pairs in (self.standing, gone))
        self.table.append(FilterCount(name, dict(given), dict(rejected)))
        self.standing = [pair for pair in self.standing if not reasons.get(pair.id)]
        self.rejected += gone


def score_question(pair: Pair, section: Section, prompts: Prompts) -> Question[Choice]:
    """What the judge is asked: a digit from 1 to 5 for a pair, by the examples of the prompt."""
    prompt = prompts.load("pairscore", pair.language)
    fields = {"section": section.full_text, "question": pair.question, "answer": pair.answer}
    return Question(prompt, prompt.render(fields), Choice, pair.id, options=_DIGITS, logprobs=True, prompts=prompts)


async def select_pairs(
    pairs: Sequence[Pair],
    sections: Sequence[Section],
    embedder: Embedder,
    judge: Judge | None = None,
    *,
    folds: Sequence[Fold] = (),
    n: int | None = None,
    factoid_share: float = 0.2,
    thresholds: Thresholds | None = None,
    prompts: Prompts = BUNDLED,
    concurrency: int = 4,
    asked: Callable[[bool], None] = lambda _: None,
) -> PairSelection:
    """Applies the filters in the order of `FILTERS`; at most `n` pairs stand, one a section and type.

    `folds` places pairs that were made without them (written by hand, say); those of sections in no fold go.
    Without a judge no pair is scored, and the section's best is its first. Where there are too few factoid pairs for
    their share, long-form ones take their place, and the other way round. Raises `InputError` for a pair of an unknown
    section, `BudgetReached` at a bound.
    """
    known = {section.id: section for section in sections}
    if strange := next((pair for pair in pairs if pair.section not in known), None):
        raise InputError(f"the pair {strange.id} is of section {strange.section}, which is not among the sections")
    limits, sieve = thresholds or Thresholds(), _Sieve(_placed(pairs, folds))
    if folds:
        sieve.apply(NO_FOLD, {p.id: "its section is in no fold" for p in sieve.standing if p.fold is None})
    for name, reject in SINGLE_PAIR_FILTERS.items():
        sieve.apply(name, {pair.id: reject(pair, known[pair.section], limits) for pair in sieve.standing})
    sieve.apply("duplicate", await duplicates(sieve.standing, embedder, limits.cosine))
    if judge is not None:
        sieve.standing, reasons = await _scored(
            sieve.standing, known, judge, prompts, least=limits.score, concurrency=concurrency, asked=asked
        )
        sieve.apply(LOW_SCORE, reasons)
    sieve.apply("not the section's best", _not_best(sieve.standing))
    if n is not None:
        sieve.apply("beyond n", _beyond(sieve.standing, n, factoid_share, [*sieve.standing, *sieve.rejected]))
    return PairSelection(sieve.standing, sieve.rejected, sieve.table)


def _placed(pairs: Sequence[Pair], folds: Sequence[Fold]) -> Sequence[Pair]:
    if not folds:
        return pairs
    where = {each.section: {"fold": each.fold, "split": each.split, "topic": each.topic} for each in folds}
    nowhere = {"fold": None, "split": None, "topic": None}
    return [pair.model_copy(update=where.get(pair.section, nowhere)) for pair in pairs]


async def _scored(
    pairs: list[Pair],
    sections: dict[str, Section],
    judge: Judge,
    prompts: Prompts,
    *,
    least: float,
    concurrency: int,
    asked: Callable[[bool], None],
) -> tuple[list[Pair], dict[str, str]]:
    async def ask(pair: Pair) -> float:
        reply = await judge.ask(score_question(pair, sections[pair.section], prompts))
        shares = option_probabilities(reply.raw, _DIGITS)
        return sum(int(digit) * share for digit, share in shares.items())

    scores = await ask_all(pairs, ask, concurrency=concurrency, asked=asked)
    scored, reasons = [], {}
    for pair, score in zip(pairs, scores, strict=True):
        if isinstance(score, JudgeError):
            reasons[pair.id] = f"it got no score: {score}"
            scored.append(pair)
            continue
        scored.append(pair.model_copy(update={"score": round(score, 3)}))
        if score < least:
            reasons[pair.id] = f"the model's score is {score:.1f} of 5, below {least:g}"
    return scored, reasons


def _not_best(pairs: Sequence[Pair]) -> dict[str, str]:
    """All but the best pair of each section and type; the earlier one where scores tie."""
    best: dict[tuple[str, str], Pair] = {}
    for pair in pairs:
        place = (pair.section, pair.kind)
        if place not in best or (pair.score or 0.0) > (best[place].score or 0.0):
            best[place] = pair
    return {
        pair.id: f"the section's best is {stands.id}"
        for pair in pairs
        if (stands := best[pair.section, pair.kind]) is not pair
    }


def _beyond(pairs: Sequence[Pair], n: int, factoid_share: float, all_pairs: Sequence[Pair]) -> dict[str, str]:
    """All but `n` pairs: of each type its share, and within it of each fold, split and topic the sections' share."""
    factoid = min(round(n * factoid_share), sum(pair.kind == "factoid" for pair in pairs))
    long_form = min(n - factoid, sum(pair.kind == "long-form" for pair in pairs))
    reasons: dict[str, str] = {}
    for kind, wanted in (("long-form", long_form), ("factoid", n - long_form)):
        here = sorted((pair for pair in pairs if pair.kind == kind), key=lambda pair: -(pair.score or 0.0))
        of_section = {pair.section: _stratum(pair) for pair in all_pairs if pair.kind == kind}
        places = quotas(
            wanted, strata_counts(list(of_section.values())), strata_counts([_stratum(pair) for pair in here])
        )
        for pair in here:
            if places[_stratum(pair)]:
                places[_stratum(pair)] -= 1
            else:
                reasons[pair.id] = f"its fold and topic have their share of the {n} with better ones"
    return reasons


def _stratum(pair: Pair) -> tuple[int | None, str | None, int | None]:
    return pair.fold, pair.split, pair.topic
