"""What a metric gives for one sample: a score with its evidence, and the claims in it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from ..judges.usage import NO_USAGE, Usage
from ..number_bounds import LARGEST_NUMBER
from ..text.text_matching import Place as Place  # noqa: PLC0414 - where a quote stands is part of a claim: a public name

Verdict = Literal["supported", "contradicted", "not_found", "unverifiable"]


class QuotedDocument(NamedTuple):
    """What a quote stands in, where that is not one of the sample's own contexts alone."""

    kind: str  # what it is: a context, an earlier context, a tool result, the customer's words, a table
    turn: int | None  # the message that it came with, counted from 0; None for what came with none

    @classmethod
    def from_evidence(cls, document: Any) -> "QuotedDocument | None":
        """What a claim of a score's evidence names as `document`; None where that is of another shape."""
        if not isinstance(document, Mapping) or not isinstance(document.get("kind"), str):
            return None
        turn = document.get("turn")
        return cls(document["kind"], turn if isinstance(turn, int) else None)


@dataclass(slots=True, unsafe_hash=True)  # made for every claim: not frozen, which takes three times as long
class Claim:
    """A claim with its verdict; not to be changed.

    Attributes:
        text: The claim.
        verdict: `supported`, `contradicted`, `not_found` in the contexts, or `unverifiable`.
        reason: Why, in one sentence.
        quote: The words of a context that the judge quotes for its verdict.
        place: Where the quote stands in the sample's contexts, or None when it does not stand there.
        probability: P(supported) in [0, 1], where the judge gives probabilities.
        computed: The numerical checks of the claim, as evidence: statistic, series, window, stated and computed value.
        overruled: The judge's claim that the computation replaced.
        document: What the quote stands in, where more than the sample's contexts may support a claim.
    """

    text: str
    verdict: Verdict
    reason: str
    quote: str = ""
    place: Place | None = None
    probability: float | None = None
    computed: tuple[dict[str, Any], ...] = ()
    overruled: "Claim | None" = None
    document: QuotedDocument | None = None

    @property
    def support(self) -> float:
        """The claim's support in [0, 1]: P(supported), or without a probability 1 for `supported` and else 0."""
        return float(self.verdict == "supported") if self.probability is None else self.probability

    def with_quote(self, quote: str, place: Place | None, document: QuotedDocument | None = None) -> "Claim":
        """The claim with another quote; several times as fast as `dataclasses.replace`.

        Example:
            >>> Claim("It is free.", "supported", "so").with_quote("free of charge", Place(0, 3, 17)).quote
            'free of charge'
        """
        return Claim(
            self.text,
            self.verdict,
            self.reason,
            quote,
            place,
            self.probability,
            self.computed,
            self.overruled,
            document,
        )

    def evidence(self) -> dict[str, Any]:
        """The claim as JSON values, in the shape that reports rely on.

        A claim that a computation decided (`source` numeric) also shows the checks and what the judge said.

        Example:
            >>> Claim("It is free.", "supported", "so", "free of charge", Place(0, 3, 17)).evidence()["place"]
            {'context': 0, 'start': 3, 'end': 17}
        """
        place = self.place
        values: dict[str, Any] = {
            "text": self.text,
            "verdict": self.verdict,
            "probability": self.probability,
            "reason": self.reason,
            "quote": self.quote,
            "place": None if place is None else {"context": place.context, "start": place.start, "end": place.end},
            "source": "judge" if self.overruled is None else "numeric",
        }
        if self.document is not None:
            values["document"] = self.document._asdict()
        if self.overruled is not None:
            values |= {"numeric": list(self.computed), "judge": self.overruled.evidence()}
        return values

    @classmethod
    def from_evidence(cls, values: Mapping[str, Any]) -> "Claim":
        """A claim of a score's evidence: of faithfulness, weakest_claim or numeric_claims; also of a stored score.

        Args:
            values: One entry of `evidence["claims"]`.

        Example:
            >>> claim = Claim("It is free.", "supported", "so", "free of charge", Place(0, 3, 17))
            >>> Claim.from_evidence(claim.evidence()) == claim
            True
        """
        place, judge = values.get("place"), values.get("judge")
        return cls(
            text=values["text"],
            verdict=values["verdict"],
            reason=values["reason"],
            quote=values.get("quote", ""),
            place=Place(**place) if place else None,
            probability=values.get("probability"),
            computed=tuple(values.get("numeric", ())) or ((dict(values),) if "statistic" in values else ()),
            overruled=cls.from_evidence(judge) if judge else None,
            document=QuotedDocument.from_evidence(values.get("document")),
        )


FITTED_ON = "fitted_on"
"""The key of the evidence that says that a metric was fitted to this very answer's rating."""
SENTENCES = "sentences"
"""The key of the evidence with the numbers of sentences that were judged and left out."""
Status = Literal["scored", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class Score:
    """The result of a metric for one sample: a value, or the reason why there is none.

    Attributes:
        value: A finite number of at most 1e100 in size when `status` is `scored`, else None; never NaN.
        status: `scored`; `skipped`, when there is nothing to measure; `failed`, when measuring went wrong.
        reason: One sentence for a person.
        evidence: JSON values that are enough to check the value by hand.
        usage: The judge's calls, tokens and cost.

    Raises:
        ValueError: The value is not finite or too large, or value and status contradict each other.

    Example:
        >>> Score(0.5, "scored", "1 of 2 claims supported").value
        0.5
        >>> Score(float("nan"), "scored", "0 of 0 claims")
        Traceback (most recent call last):
        ValueError: a score is a finite number, not nan: skip or fail with a reason
    """

    value: float | None
    status: Status
    reason: str
    evidence: dict[str, Any] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims of the evidence with their verdicts, quotes and places; empty for a metric without claims.

        Example:
            >>> from assay.metrics import Claim
            >>> claim = Claim("It is free.", "supported", "the context says so")
            >>> Score(1.0, "scored", "1 of 1 claims supported", {"claims": [claim.evidence()]}).claims[0].verdict
            'supported'
        """
        return tuple(Claim.from_evidence(values) for values in self.evidence.get("claims", ()))

    @property
    def is_fitted_on(self) -> bool:
        """Whether the metric was fitted to this very answer's rating: then it counts in no agreement with ratings."""
        return bool(self.evidence.get(FITTED_ON))

    @property
    def judged(self) -> int | None:
        """How many sentences of the answer were judged; None of a metric that does not part answers into sentences."""
        return self._sentences("judged")

    @property
    def left_out(self) -> int | None:
        """How many sentences of the answer were left out; None of a metric that does not part answers."""
        return self._sentences("left_out")

    def _sentences(self, key: str) -> int | None:
        sentences = self.evidence.get(SENTENCES)
        return sentences.get(key) if isinstance(sentences, dict) else None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.status == "scored"):
            raise ValueError(f"a score that is {self.status} cannot have the value {self.value}")
        if self.value is None or -LARGEST_NUMBER <= self.value <= LARGEST_NUMBER:
            return
        if not math.isfinite(self.value):
            raise ValueError(f"a score is a finite number, not {self.value}: skip or fail with a reason")
        if abs(self.value) > LARGEST_NUMBER:
            raise ValueError(
                f"a score is at most {LARGEST_NUMBER:g} in size, not {self.value:g}: measure in a larger unit, or fail "
                "with a reason"
            )


def scored(value: float, reason: str, evidence: dict[str, Any] | None = None, usage: Usage | None = None) -> Score:
    """A score with a value."""
    return Score(value, "scored", reason, evidence or {}, usage or NO_USAGE)


def skipped(reason: str, evidence: dict[str, Any] | None = None, usage: Usage | None = None) -> Score:
    """A score without a value, because there is nothing to measure; this is not an error."""
    return Score(None, "skipped", reason, evidence or {}, usage or NO_USAGE)


def failed(reason: str, evidence: dict[str, Any] | None = None, usage: Usage | None = None) -> Score:
    """A score without a value, because measuring went wrong."""
    return Score(None, "failed", reason, evidence or {}, usage or NO_USAGE)


def flawless(lowest: float, highest: float, *, is_higher_better: bool) -> float | None:
    """The score with which an answer is not among the worst: the best one, where others are worse or none is better.

    Returns:
        The score; None where all answers have the same and it is not the end of the range from 0 to 1.

    Example:
        >>> flawless(0.2, 0.9, is_higher_better=True), flawless(1, 1, is_higher_better=True)
        (0.9, 1)
        >>> flawless(0, 0, is_higher_better=True) is None
        True
    """
    best = highest if is_higher_better else lowest
    return best if lowest < highest or best == (1 if is_higher_better else 0) else None
