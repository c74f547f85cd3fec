"""A claim of an answer with its verdict: what faithfulness and the numerical check find, and reports show."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ..text.quotes import Place as Place  # noqa: PLC0414 - where a quote stands is part of a claim: a public name

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
