"""From readings to a verdict: all readings computed; where they disagree, the claim is unverifiable and says so."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..claim import Verdict
from .compute.verify import Finding, verify
from .parse.explanation import ClaimPart
from .parse.sentence_reading import ReadCheck, Unread
from .specification import Specification, Statistic


@dataclass(frozen=True)
class CheckedClaim:
    """One checked part of a claim. `read_by` is grammar or judge; None where it could not be read.

    `words` are the pieces of `part`, each with its meaning. `disagreeing` are the readings with different verdicts,
    if the claim is unverifiable for that reason.
    """

    text: str
    verdict: Verdict
    reason: str
    specification: Specification | None = None
    finding: Finding | None = None
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
        asked, finding = self.specification, self.finding
        return {
            "text": self.text,
            "verdict": self.verdict,
            "statistic": str(asked.statistic) if asked else None,
            "series": asked.series if asked else None,
            "window": str(asked.window) if asked else None,
            "compared": _describe_compared(asked) if asked else None,
            "stated": _describe_stated(asked) if asked else None,
            "computed": finding.computed if finding else None,
            "reason": self.reason,
            "unit": finding.unit if finding else None,
            "arithmetic": finding.arithmetic if finding else "",
            "table": finding.table if finding else None,
            "read_by": self.read_by,
            "part": self.part or self.text,
            "words": [word.as_json() for word in self.words],
        }


def check(text: str, read: ReadCheck | Unread, read_by: str) -> CheckedClaim:
    """The verdict on one reading of a claim, by the first tier of readings that can be computed."""
    claim = CheckedClaim(text, "unverifiable", "no reading of it can be computed", part=read.text, words=read.words)
    if isinstance(read, Unread):
        return replace(claim, reason=read.reason)
    for tier in read.tiers:
        findings = [(specification, verify(specification, table)) for specification, table in tier]
        decided = [pair for pair in findings if pair[1].verdict != "unverifiable"]
        if decided:
            return _combine_findings(claim, decided, read_by)
        if claim.finding is None and findings:
            claim = _with_finding(claim, *findings[0], read_by)
    return claim


def _combine_findings(claim: CheckedClaim, decided: list[tuple[Specification, Finding]], read_by: str) -> CheckedClaim:
    claim = _with_finding(claim, *decided[0], read_by)
    other = next((finding for _, finding in decided if finding.verdict != claim.verdict), None)
    if other is None:
        return claim
    reason = f"two readings disagree: {claim.verdict} ({claim.reason}) or {other.verdict} ({other.reason})"
    return replace(claim, verdict="unverifiable", reason=reason, disagreeing=tuple(decided))


def _with_finding(claim: CheckedClaim, asked: Specification, finding: Finding, read_by: str) -> CheckedClaim:
    rest: dict[str, Any] = {"specification": asked, "finding": finding, "read_by": read_by, "disagreeing": ()}
    return replace(claim, verdict=finding.verdict, reason=finding.reason, **rest)


def settle(claim: CheckedClaim, second: Sequence[CheckedClaim]) -> CheckedClaim:
    """The verdict on a claim whose readings disagree, after a second reader: that of the reading that both have.

    Two readings are one where statistic, series and computed value are. Where the second reader has none of the
    readings, or several that disagree, the claim stays unverifiable.
    """
    judged_gists = {_gist(claimed.specification, claimed.finding) for claimed in second if claimed.checkable}
    shared = [(asked, finding) for asked, finding in claim.disagreeing if _gist(asked, finding) in judged_gists]
    if len({finding.verdict for _, finding in shared}) != 1:
        return replace(claim, reason=f"{claim.reason}; the judge's reading does not settle it")
    return _with_finding(claim, *shared[0], "judge")


def _gist(asked: Specification | None, finding: Finding | None) -> tuple[object, ...]:
    return () if asked is None or finding is None else (asked.statistic, asked.series, finding.computed)


def _describe_compared(asked: Specification) -> str | None:
    """What the series and window of a claim are compared with; None where that is nothing."""
    other = [asked.compared_with] if asked.compared_with else []
    if asked.compared_window is not None and asked.compared_window != asked.window:
        other.append(f"over {asked.compared_window}" if other else str(asked.compared_window))
    return " ".join(other) or None


def _describe_stated(asked: Specification) -> str | None:
    """What the claim says that the statistic is: a number with its hedge and unit, a direction, a place."""
    parts = [] if asked.hedge == "exact" else [asked.hedge.replace("_", " ")]
    if asked.value is not None:
        number = f"{asked.value:.{max(asked.decimals, 0)}f}"
        parts.append(f"{number}{asked.unit or ''}" if asked.unit == "%" else f"{number} {asked.unit or ''}".strip())
    if asked.direction is not None:
        parts.append(str(asked.direction))
    if asked.threshold is not None:
        bound = {Statistic.COUNT_ABOVE: "above", Statistic.COUNT_BELOW: "below"}.get(asked.statistic, "past")
        parts.append(f"{bound} {asked.threshold:g} {asked.threshold_unit or ''}".strip())
    if asked.place is not None:
        parts.append(f"at {asked.place}")
    statement = ", ".join(parts[:1]) + (" " if parts[1:] else "") + " ".join(parts[1:])
    return f"not {statement}" if asked.negated else statement or None
