"""From readings to a verdict: all readings computed; where they disagree, the claim is unverifiable and says so."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .compute.verify import Finding, verify
from .parse.explanation import ClaimPart
from .parse.sentence_reading import PartReading
from .specification import Hedge, Specification, Statistic


@dataclass(frozen=True)
class CheckedClaim(Finding):
    """The finding on one part of a claim. `read_by` is grammar or judge; None where no reading of it was computed.

    `words` are the pieces of `part`, each with its meaning. `disagreeing` are the readings with different verdicts,
    if the claim is unverifiable for that reason.
    """

    text: str = ""
    specification: Specification | None = None
    read_by: str | None = None
    part: str = ""
    words: tuple[ClaimPart, ...] = ()
    disagreeing: tuple[tuple[Specification, Finding], ...] = ()

    @property
    def checkable(self) -> bool:
        """Whether a computation decided it."""
        return self.verdict in ("supported", "contradicted")

    def evidence(self) -> dict[str, Any]:
        """The claim as JSON values, in the shape that reports rely on."""
        asked = self.specification
        return {
            "text": self.text,
            "verdict": self.verdict,
            "statistic": str(asked.statistic) if asked else None,
            "series": asked.series if asked else None,
            "window": str(asked.window) if asked else None,
            "compared": _describe_compared(asked) if asked else None,
            "stated": _describe_stated(asked) if asked else None,
            "computed": self.computed,
            "reason": self.reason,
            "unit": self.unit,
            "arithmetic": self.arithmetic,
            "table": self.table,
            "read_by": self.read_by,
            "part": self.part or self.text,
            "words": [word.as_json() for word in self.words],
        }


def check(text: str, read: PartReading, read_by: str) -> CheckedClaim:
    """The verdict on one reading of a claim, by the first tier of readings that can be computed."""
    claim = CheckedClaim("unverifiable", read.reason, text=text, part=read.text, words=read.words)
    for tier in read.tiers:
        findings = [(specification, verify(specification, table)) for specification, table in tier]
        decided = [pair for pair in findings if pair[1].verdict != "unverifiable"]
        if decided or (findings and claim.read_by is None):
            claim = _with_finding(claim, *(decided or findings)[0], read_by)
        if decided:
            other = next((finding for _, finding in decided if finding.verdict != claim.verdict), None)
            if other is None:
                return claim
            reason = f"two readings disagree: {claim.verdict} ({claim.reason}) or {other.verdict} ({other.reason})"
            return replace(claim, verdict="unverifiable", reason=reason, disagreeing=tuple(decided))
    return claim


def _with_finding(claim: CheckedClaim, asked: Specification, finding: Finding, read_by: str) -> CheckedClaim:
    return replace(claim, **vars(finding), specification=asked, read_by=read_by, disagreeing=())


def settle(claim: CheckedClaim, second: Sequence[CheckedClaim]) -> CheckedClaim:
    """The verdict on a claim whose readings disagree, after a second reader: that of the reading that both have.

    Two readings are one where statistic, series and computed value are. Where the second reader has none of the
    readings, or several that disagree, the claim stays unverifiable.
    """
    judged_gists = {_gist(one.specification, one) for one in second if one.specification and one.checkable}
    shared = [reading for reading in claim.disagreeing if _gist(*reading) in judged_gists]
    if len({finding.verdict for _, finding in shared}) != 1:
        return replace(claim, reason=f"{claim.reason}; the judge's reading does not settle it")
    return _with_finding(claim, *shared[0], "judge")


def _gist(asked: Specification, finding: Finding) -> tuple[object, ...]:
    return asked.statistic, asked.series, finding.computed


def _describe_compared(asked: Specification) -> str | None:
    """What the series and window of a claim are compared with; None where that is nothing."""
    other = [asked.compared_with] if asked.compared_with else []
    if asked.compared_window is not None and asked.compared_window != asked.window:
        other.append(f"over {asked.compared_window}" if other else str(asked.compared_window))
    return " ".join(other) or None


def _describe_stated(asked: Specification) -> str | None:
    """What the claim says that the statistic is: a number with its hedge and unit, a direction, a place."""
    space = "" if asked.unit == "%" else " "
    bound = {Statistic.COUNT_ABOVE: "above", Statistic.COUNT_BELOW: "below"}.get(asked.statistic, "past")
    parts = (
        "" if asked.hedge is Hedge.EXACT else asked.hedge.replace("_", " "),
        "" if asked.value is None else f"{asked.value:.{max(asked.decimals, 0)}f}{space}{asked.unit or ''}",
        asked.direction or "",
        "" if asked.threshold is None else f"{bound} {asked.threshold:g} {asked.threshold_unit or ''}",
        "" if asked.place is None else f"at {asked.place}",
    )
    statement = " ".join(part.strip() for part in parts if part)
    return f"not {statement}" if asked.negated else statement or None
