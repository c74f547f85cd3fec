"""What figures show of a claim: that it holds, that the opposite does, or that nobody can tell yet; in a sentence."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import checkout  # noqa: F401
from measurement import NOT_RECORDED, CellPlace, Claim, Finding, Measurement, write_cell

from assay.text import count_of

Outcome = Literal["holds", "fails", "open"]


@dataclass(frozen=True, slots=True)
class FindingSentence:
    """A finding in words."""

    outcome: Outcome
    text: str
    title: str


def decide(
    low: float | None, high: float | None, bound: float = 0.0, wanted: Literal["above", "below"] = "above"
) -> Outcome:
    """What an interval shows of the claim that the true value lies above (or below) a bound.

    An end that is the bound decides nothing: the interval does not leave the bound out.

    Examples:
        >>> decide(0.01, 0.2), decide(-0.2, -0.01), decide(-0.1, 0.1), decide(0.0, 0.2), decide(None, None)
        ('holds', 'fails', 'open', 'open', 'open')
        >>> decide(0.0, 0.012, bound=0.05, wanted="below")
        'holds'
    """
    if low is None or high is None or low <= bound <= high:
        return "open"
    return "holds" if (low > bound) == (wanted == "above") else "fails"


def compose(outcome: Outcome, claim: Claim) -> str:
    """The sentence of a claim without its figures and its full stop.

    Examples:
        >>> words = {"holds": "agrees better", "fails": "agrees worse", "question": "agrees better or worse"}
        >>> claim = Claim(subject="the judge", **words, where="on set A")
        >>> compose("holds", claim), compose("fails", claim)
        ('The judge agrees better on set A', 'The judge agrees worse on set A')
        >>> compose("open", claim)
        'Nobody can tell yet whether the judge agrees better or worse on set A'
    """
    place = f" {claim.where}" if claim.where else ""
    if outcome == "open":
        return f"Nobody can tell yet whether {claim.subject} {claim.question}{place}"
    return f"{_capitalise(claim.subject)} {claim.holds if outcome == 'holds' else claim.fails}{place}"


def format_basis(n: int | None, groups: int | None) -> str:
    """How many answers in how many groups a figure is of.

    Examples:
        >>> format_basis(60, 7), format_basis(54, 1), format_basis(None, None)
        ('n = 60 in 7 groups', 'n = 54 in 1 group', 'n not recorded')
    """
    answers = f"n {NOT_RECORDED}" if n is None else f"n = {n:,}"
    return answers if groups is None else f"{answers} in {count_of(groups, 'group')}"


def write_findings(measurement: Measurement) -> list[FindingSentence]:
    """The findings of a measurement as sentences, in their order."""
    return [_write(one, measurement) for one in measurement.findings]


def _write(one: Finding, measurement: Measurement) -> FindingSentence:
    figure = measurement.find(one.estimate)[0] if one.estimate else None
    low, high = (figure.low, figure.high) if figure else (None, None)
    outcome = decide(low, high, one.bound, one.wanted)
    shown: Sequence[CellPlace] = (*([one.estimate] if one.estimate else ()), *one.beside)
    figures = "; ".join(f"{place.label} {write_cell(*measurement.find(place))}" for place in shown)
    missing = "" if low is not None else "; no interval of the difference was recorded"
    groups = one.groups or (measurement.groups if isinstance(measurement.groups, int) else None)
    is_count = figure is not None and figure.of is not None  # it says its total itself
    basis = "" if is_count else f" ({format_basis(measurement.count(one), groups)}{missing})"
    return FindingSentence(outcome, f"{compose(outcome, one)}: {figures}{basis}.", measurement.title)


def _capitalise(subject: str) -> str:
    """The subject at the start of a sentence; a name (code, or with a digit) stays as it is written."""
    first = subject.split(maxsplit=1)[0]
    return subject if re.search(r"[\d_]", first) else subject[0].upper() + subject[1:]
