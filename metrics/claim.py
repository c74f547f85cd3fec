"""A claim of an answer with its verdict: what faithfulness and the numerical check find, and reports show."""

from dataclasses import dataclass
from typing import Any, Literal

from ..text.quotes import Place

Verdict = Literal["supported", "contradicted", "not_found", "unverifiable"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim with its verdict.

    Attributes:
        text: The claim.
        verdict: `supported`, `contradicted`, `not_found` in the contexts, or `unverifiable`.
        reason: Why, in one sentence.
        quote: The words of a context that the judge quotes for its verdict.
        place: Where the quote stands, or None when it stands nowhere.
        probability: P(supported) in [0, 1], where the judge gives probabilities.
        computed: The numerical checks that decided the claim, as evidence, when a computation decided it.
        overruled: The judge's claim that the computation replaced.
    """

    text: str
    verdict: Verdict
    reason: str
    quote: str = ""
    place: Place | None = None
    probability: float | None = None
    computed: tuple[dict[str, Any], ...] = ()
    overruled: "Claim | None" = None

    @property
    def support(self) -> float:
        """The claim's support in [0, 1]: P(supported), or without a probability 1 for `supported` and else 0."""
        return float(self.verdict == "supported") if self.probability is None else self.probability

    def evidence(self) -> dict[str, Any]:
        """The claim as JSON values, in the shape that reports rely on.

        A claim that a computation decided (`source` numeric) also shows the checks and what the judge said.

        Example:
            >>> Claim("It is free.", "supported", "so", "free of charge", Place(0, 3, 17)).evidence()["place"]
            {'context': 0, 'start': 3, 'end': 17}
        """
        values: dict[str, Any] = {
            "text": self.text,
            "verdict": self.verdict,
            "probability": self.probability,
            "reason": self.reason,
            "quote": self.quote,
            "place": None if self.place is None else self.place._asdict(),
            "source": "judge" if self.overruled is None else "numeric",
        }
        if self.overruled is not None:
            values |= {"numeric": list(self.computed), "judge": self.overruled.evidence()}
        return values
