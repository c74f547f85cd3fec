"""From readings to a verdict: all readings computed; where they disagree, the claim is unverifiable and says so."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..claim import Verdict
from .compute.verify import Finding, verify
from .parse.explanation import Part
from .parse.sentence_reading import ReadCheck, Unread
from .specification import Specification, Statistic


@dataclass(frozen=True)
class CheckedClaim:
    """One checked part of a claim. `read_by` is grammar or judge; None where it could not be read.

    `words` are the pieces of `part`, with what the grammar took each for. `disagreeing` are the readings that come to
    different verdicts, where that is why it is unverifiable.
    """

    text: str
    verdict: Verdict
    reason: str
    specification: Specification | None = None
    finding: Finding | None = None
    read_by: str | None = None
    part: str = ""
    words: tuple[Part, ...] = ()
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
            "compared": compared_text(asked) if asked else None,
            "stated": stated_text(asked) if asked else None,
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
    if isinstance(read, Unread):
        return CheckedClaim(text, "unverifiable", read.reason, part=read.text, words=read.words)
    why: tuple[Specification, Finding] | None = None
    for tier in read.tiers:
        found = [(specification, verify(specification, table)) for specification, table in tier]
        decided = [each for each in found if each[1].verdict != "unverifiable"]
        if decided:
            return _agreed(text, read, decided, read_by)
        why = why or (found[0] if found else None)
    if why is None:
        return CheckedClaim(text, "unverifiable", "no reading of it can be computed", part=read.text, words=read.words)
    return CheckedClaim(text, "unverifiable", why[1].reason, why[0], why[1], read_by, read.text, read.words)


def _agreed(text: str, read: ReadCheck, decided: list[tuple[Specification, Finding]], read_by: str) -> CheckedClaim:
    specification, finding = decided[0]
    other = next((each for each in decided if each[1].verdict != finding.verdict), None)
    if other is None:
        return CheckedClaim(
            text, finding.verdict, finding.reason, specification, finding, read_by, read.text, read.words
        )
    reason = f"two readings disagree: {finding.verdict} ({finding.reason}) or {other[1].verdict} ({other[1].reason})"
    disagreeing = tuple(decided)
    return CheckedClaim(
        text, "unverifiable", reason, specification, finding, read_by, read.text, read.words, disagreeing
    )


def settle(claim: CheckedClaim, second: Sequence[CheckedClaim]) -> CheckedClaim:
    """The verdict on a claim whose readings disagree, after a second reader: that of the reading that both have.

    Two readings are one where statistic, series and computed value are. Where the second reader has none of the
    readings, or several that disagree, the claim stays unverifiable.
    """
    seconds = {_gist(each.specification, each.finding) for each in second if each.checkable}
    shared = [(asked, finding) for asked, finding in claim.disagreeing if _gist(asked, finding) in seconds]
    if len({finding.verdict for _, finding in shared}) != 1:
        return replace(claim, reason=f"{claim.reason}; the judge's reading does not settle it")
    specification, finding = shared[0]
    return replace(
        claim,
        verdict=finding.verdict,
        reason=finding.reason,
        specification=specification,
        finding=finding,
        read_by="judge",
        disagreeing=(),
    )


def _gist(asked: Specification | None, finding: Finding | None) -> tuple[object, ...]:
    return () if asked is None or finding is None else (asked.statistic, asked.series, finding.computed)


def compared_text(asked: Specification) -> str | None:
    """What the series and window of a claim are compared with; None where that is nothing."""
    other = [asked.compared_with] if asked.compared_with else []
    if asked.compared_window is not None and asked.compared_window != asked.window:
        other.append(f"over {asked.compared_window}" if other else str(asked.compared_window))
    return " ".join(other) or None


def stated_text(asked: Specification) -> str | None:
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
    said = ", ".join(parts[:1]) + (" " if parts[1:] else "") + " ".join(parts[1:])
    return f"not {said}" if asked.negated else said or None
