"""From many pairs to the best few; every rejected pair keeps the reason (Twente paper, 4.6)."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError, JudgeError, UsageError
from ..eval_sets import write_set
from ..judges import Judge, Level, Request, ScoreQuestion
from ..judges.embedders import Embedder
from ..presentation.texts import one_line
from ..prompts import BUNDLED, Prompts
from ..text.wording import count_of
from ..worker_threads import compute_beside
from .judge_calls import ask_all
from .pair import Pair, pair_to_sample, write_pairs
from .pair_filters import SINGLE_PAIR_FILTERS
from .quotas import proportional_quotas
from .section import Section

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LOW_SCORE = "low score"
FILTERS = (*SINGLE_PAIR_FILTERS, "duplicate", LOW_SCORE, "not the section's best", "beyond n")
"""The names of all filters, in the order in which they are applied."""

_MOST_COSINE = 0.9  # from which two questions are duplicates
_LEAST_SCORE = 2.0  # the lowest that the judge may give, 1 to 5
_ID = "score"
_SCORES = ("1", "2", "3", "4", "5")
_ROWS_PER_BLOCK = 1024  # the whole matrix of cosines has 25 million cells for 5,000 questions


@dataclass(frozen=True)
class FilterCount:
    """The effect of one filter."""

    name: str  # the filter's name, one of `FILTERS`
    pairs: dict[str, int]  # the number of pairs of each kind before the filter
    rejected: dict[str, int]


@dataclass(frozen=True)
class PairSelection:
    """The outcome of all filters."""

    selected: list[Pair]
    rejected: list[Pair]  # the other pairs, each with the filter that rejected it and the reason
    # the effect of each filter, in the order in which they were applied
    counts: list[FilterCount] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)  # the pairs without a usable score, and why


class _Selection:
    """The pairs that passed so far, those that did not, and the counts of both."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.passing = list(pairs)
        self.rejected: list[Pair] = []
        self.counts: list[FilterCount] = []

    def apply(self, name: str, reasons: dict[str, str]) -> None:
        """Rejects the pairs whose id has a reason."""
        rejected = [pair.reject(name, reasons[pair.id]) for pair in self.passing if reasons.get(pair.id)]
        kinds_before, kinds_rejected = (Counter[str](pair.kind for pair in pairs) for pairs in (self.passing, rejected))
        self.counts.append(FilterCount(name, dict(kinds_before), dict(kinds_rejected)))
        self.passing = [pair for pair in self.passing if not reasons.get(pair.id)]
        self.rejected += rejected


def build_score_request(pair: Pair, section: Section, prompts: Prompts) -> Request:
    """Builds the request that asks the judge for a score from 1 to 5."""
    state = {"section": section.full_text, "question": pair.question, "answer": pair.answer}
    levels = tuple(Level(score) for score in _SCORES)
    return Request("pairscore", state, [ScoreQuestion(_ID, "score", levels)], pair.language, pair.id, prompts)


async def select_pairs(
    pairs: Sequence[Pair],
    sections: Sequence[Section],
    embedder: Embedder,
    judge: Judge | None = None,
    *,
    n: int | None = None,
    factoid_share: float = 0.2,
    prompts: Prompts = BUNDLED,
    concurrency: int = 4,
    on_reply: Callable[[bool], None] = lambda _: None,
) -> PairSelection:
    """Applies the filters in the order of `FILTERS`; at most one pair per section and kind passes."""
    section_of = {section.id: section for section in sections}
    if unknown := next((pair for pair in pairs if pair.section not in section_of), None):
        raise InputError(f"the pair {unknown.id} is of section {unknown.section}, which is not among the sections")
    selection = _Selection(pairs)
    for name, reject in SINGLE_PAIR_FILTERS.items():
        reasons = {pair.id: await compute_beside(reject, pair, section_of[pair.section]) for pair in selection.passing}
        selection.apply(name, reasons)
    selection.apply("duplicate", await find_duplicates(selection.passing, embedder, _MOST_COSINE))
    failed: dict[str, str] = {}
    if judge is not None:
        selection.passing, reasons, failed = await _score(
            selection.passing,
            section_of,
            judge,
            prompts,
            lowest=_LEAST_SCORE,
            concurrency=concurrency,
            on_reply=on_reply,
        )
        selection.apply(LOW_SCORE, reasons | {name: f"it has no score: {reason}" for name, reason in failed.items()})
    selection.apply("not the section's best", _reject_all_but_best(selection.passing))
    if n is not None:
        every = [*selection.passing, *selection.rejected]
        selection.apply("beyond n", _reject_beyond(selection.passing, n, factoid_share, every))
    return PairSelection(selection.passing, selection.rejected, selection.counts, list(failed.items()))


async def _score(
    pairs: list[Pair],
    section_of: dict[str, Section],
    judge: Judge,
    prompts: Prompts,
    *,
    lowest: float,
    concurrency: int,
    on_reply: Callable[[bool], None],
) -> tuple[list[Pair], dict[str, str], dict[str, str]]:
    """Returns the pairs with the judge's expected score, the reasons against those below `lowest`, and the failures."""

    async def ask(pair: Pair) -> float:
        answer = (await judge.decide(build_score_request(pair, section_of[pair.section], prompts)))[_ID]
        if not isinstance(answer.value, float):
            raise JudgeError(answer.problem)
        return answer.value

    scores = await ask_all(pairs, ask, concurrency=concurrency, on_reply=on_reply)
    scored, reasons, failed = [], dict[str, str](), dict[str, str]()
    for pair, score in zip(pairs, scores, strict=True):
        if isinstance(score, JudgeError):
            failed[pair.id] = str(score)
            scored.append(pair)
            continue
        scored.append(pair.model_copy(update={"score": round(score, 3)}))
        if score < lowest:
            reasons[pair.id] = f"the model's score is {score:.1f} of 5, below {lowest:g}"
    return scored, reasons, failed


def _reject_all_but_best(pairs: Sequence[Pair]) -> dict[str, str]:
    """Rejects all but the best pair of each section and kind; of equal scores the first pair is the best."""
    best: dict[tuple[str, str], Pair] = {}
    for pair in pairs:
        place = (pair.section, pair.kind)
        if place not in best or (pair.score or 0.0) > (best[place].score or 0.0):
            best[place] = pair
    return {
        pair.id: f"the section's best is {winner.id}"
        for pair in pairs
        if (winner := best[pair.section, pair.kind]) is not pair
    }


def _reject_beyond(pairs: Sequence[Pair], n: int, factoid_share: float, all_pairs: Sequence[Pair]) -> dict[str, str]:
    """Rejects all but `n` pairs: each kind has its share, and within it each fold, split and topic that of sections."""
    factoid = min(round(n * factoid_share), sum(pair.kind == "factoid" for pair in pairs))
    long_form = min(n - factoid, sum(pair.kind == "long-form" for pair in pairs))
    reasons: dict[str, str] = {}
    for kind, wanted in (("long-form", long_form), ("factoid", n - long_form)):
        candidates = sorted((pair for pair in pairs if pair.kind == kind), key=lambda pair: -(pair.score or 0.0))
        stratum_of_section = {pair.section: _stratum(pair) for pair in all_pairs if pair.kind == kind}
        places = proportional_quotas(wanted, Counter(stratum_of_section.values()), Counter(map(_stratum, candidates)))
        for pair in candidates:
            if places[_stratum(pair)]:
                places[_stratum(pair)] -= 1
            else:
                reasons[pair.id] = f"better pairs fill the share that its fold and topic have of the {n}"
    return reasons


def _stratum(pair: Pair) -> tuple[int | None, str | None, int | None]:
    return pair.fold, pair.split, pair.topic


def write_selection(selection: PairSelection, sections: Sequence[Section], out: Path, rejected: Path) -> None:
    """Writes the selected pairs as a set, and the rejected ones with their reasons."""
    write_pairs(selection.rejected, rejected)
    if not selection.selected:
        if not selection.rejected:
            raise UsageError("there is no pair to select from")
        if selection.failed:
            name, reason = selection.failed[0]
            raise JudgeError(
                f"no pair passed the filters, and {count_of(len(selection.failed), 'pair')} got no score; the first, "
                f"{name}: {one_line(reason)}; {rejected} says why each was rejected"
            )
        raise UsageError(f"no pair passed the filters; {rejected} says why each was rejected")
    by_id = {section.id: section for section in sections}
    write_set((pair_to_sample(pair, by_id[pair.section]) for pair in selection.selected), out)


async def find_duplicates(pairs: Sequence[Pair], embedder: Embedder, cosine: float) -> dict[str, str]:
    """Finds the pairs to discard so that no two questions that are left are too similar.

    Couples of similar questions are taken in order of similarity, the most similar first. Of each couple the question
    with more similar ones is discarded; where both have equally many, the later one.

    Returns:
        The ids of the pairs to discard, each with the reason.
    """
    if len(pairs) < 2:
        return {}
    vectors = await embedder.unit_vectors([pair.question for pair in pairs])
    return await compute_beside(_discard_similar, pairs, vectors, cosine)


def _discard_similar(pairs: Sequence[Pair], vectors: "NDArray[np.float32]", cosine: float) -> dict[str, str]:
    import numpy as np

    couples: list[tuple[float, int, int]] = []
    neighbours = np.zeros(len(pairs), dtype=int)
    for start in range(0, len(pairs), _ROWS_PER_BLOCK):
        cosines = vectors[start : start + _ROWS_PER_BLOCK] @ vectors.T
        rows, columns = np.nonzero(cosines >= cosine)
        for row, column in zip((rows + start).tolist(), columns.tolist(), strict=True):
            if row < column:
                couples.append((float(cosines[row - start, column]), row, column))
                neighbours[[row, column]] += 1
    reasons: dict[int, str] = {}
    for similarity, first, second in sorted(couples, key=lambda couple: (-couple[0], *couple[1:])):
        if first in reasons or second in reasons:
            continue
        discarded, retained = (first, second) if neighbours[first] > neighbours[second] else (second, first)
        reasons[discarded] = f'cosine {similarity:.2f} with "{pairs[retained].question}" ({pairs[retained].id})'
    return {pairs[place].id: reason for place, reason in reasons.items()}
