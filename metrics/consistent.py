"""Consistent: the share of the assistant's claims that contradict no earlier one of its own."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

from ..eval_sets.sample import Sample
from ..judges import JudgeLike
from ..judges.usage import NO_USAGE
from ..languages import language_or_fallback
from ..prompts import BUNDLED, Prompts
from ..text.sentence_kinds import CLAIM
from ..text.sentences import answer_sentences
from ..text.text_matching import tokens
from ..text.wording import count_of, verb_of
from .judged import JudgedMetric, numbered
from .metric import compute_for
from .score import Score, scored, skipped

MOST_CLAIMS = 400
"""At most so many claims are compared: each is compared with every earlier one."""
MOST_PAIRS = 20
"""At most so many pairs are put to the judge, unless `pairs` says otherwise."""
_LEAST_LIKENESS = 1 / 3
_WORD_START = 5  # letters: "return" and "returns", "kündigen" and "Kündigung" are about the same


class TurnClaim(NamedTuple):
    """A claim of the assistant: its text, its turn, and the starts of its words and its numbers."""

    text: str
    turn: int
    words: frozenset[str]


class ClaimPair(NamedTuple):
    """Two claims that share words or numbers, and how much of the shorter one they share, in (0, 1]."""

    earlier: TurnClaim
    later: TurnClaim
    likeness: float


def read_claims(sample: Sample) -> list[TurnClaim]:
    """The claims of the assistant in their order, each once per turn."""
    language = language_or_fallback(sample.language, "consistency")
    claims: dict[tuple[int, str], TurnClaim] = {}
    for turn, message in enumerate(sample.messages):
        if message.is_answer:
            for sentence in answer_sentences(message.text, language):
                if sentence.kind == CLAIM:
                    words = [word for word in tokens(sentence.text) if word not in language.function_words]
                    claim = TurnClaim(sentence.text, turn, frozenset([word[:_WORD_START] for word in words]))
                    claims.setdefault((turn, sentence.text), claim)
    return list(claims.values())


def alike_pairs(claims: Sequence[TurnClaim]) -> list[ClaimPair]:
    """The pairs of claims of two turns that share words or numbers, the most alike first.

    Example:
        >>> texts = ["A refund takes 5 days.", "Call us.", "A refund takes 10 days."]
        >>> messages = [message for text in texts for message in (
        ...     {"role": "user", "content": "And?"}, {"role": "assistant", "content": text})]
        >>> claims = read_claims(Sample(id="1", messages=messages, language="en"))
        >>> [(pair.earlier.turn, pair.later.turn, pair.likeness) for pair in alike_pairs(claims)]
        [(1, 5, 0.75)]
    """
    pairs = []
    for earlier, later in combinations(claims[:MOST_CLAIMS], 2):
        shared = len(earlier.words & later.words)
        if shared and earlier.turn != later.turn and earlier.text != later.text:
            likeness = shared / min(len(earlier.words), len(later.words))
            if likeness >= _LEAST_LIKENESS:
                pairs.append(ClaimPair(earlier, later, likeness))
    return sorted(pairs, key=lambda pair: -pair.likeness)


def _statement(pair: ClaimPair, sample: Sample) -> str:
    """What the judge is asked of a pair of claims: whether they contradict each other."""
    statement = language_or_fallback(sample.language, "consistency").consistency.contradiction
    earlier, later = (" ".join(claim.text.split()) for claim in (pair.earlier, pair.later))
    return statement.format(earlier_turn=pair.earlier.turn, earlier=earlier, later_turn=pair.later.turn, later=later)


class Consistent(JudgedMetric):
    """1 - the share of the assistant's claims in a conversation that contradict an earlier one of its own.

    Formula: 1 - contradicting claims / claims of all its answers. Range: [0, 1]. What a claim is: see `Faithfulness`.

    A judge decides of pairs of claims of two turns that share words or numbers, one call per pair or one for all, as
    its setting `decide` says. An assistant with fewer than two claims is skipped.
    What the assistant corrects counts, since the customer was told two things.

    Args:
        judge: Decides whether two claims contradict each other.
        pairs: The most pairs that the judge is asked about in one conversation, the most alike first.
        prompts: Has the prompt `consistent`.

    Raises:
        ValueError: `pairs` is less than 1.
    """

    name = "consistent"
    needs = ("messages",)
    measures = "conversation"

    def __init__(self, judge: JudgeLike, *, pairs: int = MOST_PAIRS, prompts: Prompts = BUNDLED) -> None:
        if pairs < 1:
            raise ValueError(f"pairs is 1 or more, not {pairs}")
        super().__init__(judge, prompts)
        self.pairs = pairs

    async def measure(self, sample: Sample) -> Score:
        """The score; the evidence has each contradiction with both claims and their turns."""
        claims = await compute_for(sample, read_claims, sample)
        pairs = await compute_for(sample, alike_pairs, claims)
        asked = pairs[: self.pairs]
        total = min(len(claims), MOST_CLAIMS)
        evidence: dict[str, Any] = {
            "contradictions": [],
            "claims_compared": total,
            "pairs_judged": len(asked),
            "pairs_left_open": len(pairs) - len(asked),
        }
        if len(claims) > MOST_CLAIMS:
            evidence["bounds"] = [f"only the first {MOST_CLAIMS:,} of {count_of(len(claims), 'claim')} are compared"]
        if len(claims) < 2:
            return skipped(f"the assistant makes {count_of(len(claims), 'claim')}; two can be compared", evidence)
        usage = NO_USAGE
        if asked:
            statements = numbered(_statement(pair, sample) for pair in asked)
            thread, answers = await self.decide_about_thread("consistent", sample, statements, alone=True)
            evidence["contradictions"] = [
                _describe(pair) | {"probability": answer.probability}
                for pair, answer in zip(asked, answers.values(), strict=True)
                if answer.support >= 0.5
            ]
            usage = answers.usage
            evidence |= thread.evidence() | self.asked_with(sample, "consistent")
        contradictions = evidence["contradictions"]
        contradictions.sort(key=lambda entry: (entry["later_turn"], entry["earlier_turn"]))
        count = len({(entry["later_turn"], entry["later"]) for entry in contradictions})
        reason = f"{count} of {count_of(total, 'claim')} {verb_of(count, 'contradicts', 'contradict')} an earlier one"
        if contradictions:
            first = contradictions[0]
            reason += f': "{first["later"]}" (turn {first["later_turn"]}) against "{first["earlier"]}"'
            reason += f" (turn {first['earlier_turn']})"
        return scored(1 - count / total, reason, evidence, usage)


def _describe(pair: ClaimPair) -> dict[str, Any]:
    return {
        "earlier": pair.earlier.text,
        "later": pair.later.text,
        "earlier_turn": pair.earlier.turn,
        "later_turn": pair.later.turn,
    }
