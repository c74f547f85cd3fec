"""One answer with everything that was measured of it, as its page shows it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..eval_sets import Sample
from ..metrics import Score
from ..presentation.texts import LONGEST_TEXT
from ..text.quotes import find_quote

_VERDICTS = ("supported", "contradicted", "not_found", "unverifiable")
_MOST_CLAIMS = 300
_MOST_WORDS = 80  # of a claim that is looked for word by word
_WORD = re.compile(r"[^\W_]+")
_SHOWN_APART = frozenset({"claims", "features", "parts"})


@dataclass(frozen=True, slots=True)
class ClaimView:
    """A claim with its verdict.

    Attributes:
        number: Its number on the page.
        verdict: Its verdict.
        evidence: The claim as the score has it.
        quote: Where its quote stands: the context's number, the first and the last+1 character; None where nowhere.
    """

    number: int
    verdict: str
    evidence: Mapping[str, Any]
    quote: tuple[int, int, int] | None


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the answer; `claim` is the claim that it makes, or None."""

    text: str
    claim: ClaimView | None


@dataclass(frozen=True, slots=True)
class MetricView:
    """One score: its claims apart, the rest of its evidence by name."""

    name: str
    score: Score
    claims: tuple[ClaimView, ...]
    features: Mapping[str, Any] = field(default_factory=dict)
    parts: Mapping[str, Any] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AnswerView:
    """An answer.

    Attributes:
        metrics: The scores, in the plan's order.
        by: The metric whose claims colour the answer; empty where none has claims.
        choices: The metrics that have claims.
        segments: The answer in parts.
    """

    metrics: tuple[MetricView, ...]
    by: str
    choices: tuple[str, ...]
    segments: tuple[Segment, ...]


def view_answer(sample: Sample, scores: Sequence[tuple[str, Score]], by: str = "") -> AnswerView:
    """An answer as its page shows it.

    Args:
        sample: The answer.
        scores: Its scores by metric.
        by: The metric whose claims colour the answer; the first that has claims if it has none.
    """
    metrics, first = [], 1
    for name, score in scores:
        metric = _metric_view(name, score, sample.retrieved_contexts, first)
        first += len(metric.claims)
        metrics.append(metric)
    with_claims = [metric for metric in metrics if metric.claims]
    chosen = next((metric for metric in with_claims if metric.name == by), with_claims[0] if with_claims else None)
    return AnswerView(
        tuple(metrics),
        chosen.name if chosen else "",
        tuple(metric.name for metric in with_claims),
        _segments(sample.response[:LONGEST_TEXT], chosen.claims if chosen else ()),
    )


def _metric_view(name: str, score: Score, contexts: tuple[str, ...], first: int) -> MetricView:
    evidence = score.evidence
    listed = evidence.get("claims")
    claims = [claim for claim in listed if isinstance(claim, dict)] if isinstance(listed, list) else []
    features, parts = evidence.get("features"), evidence.get("parts")
    return MetricView(
        name,
        score,
        tuple(
            ClaimView(number, _verdict(claim), claim, _quote_place(claim, contexts))
            for number, claim in enumerate(claims[:_MOST_CLAIMS], start=first)
        ),
        features if isinstance(features, dict) else {},
        parts if isinstance(parts, dict) and all(isinstance(part, dict) for part in parts.values()) else {},
        {key: value for key, value in evidence.items() if key not in _SHOWN_APART},
    )


def _verdict(claim: Mapping[str, Any]) -> str:
    verdict = claim.get("verdict")
    return verdict if verdict in _VERDICTS else "unverifiable"


def _quote_place(claim: Mapping[str, Any], contexts: tuple[str, ...]) -> tuple[int, int, int] | None:
    place, quote = claim.get("place"), claim.get("quote")
    if isinstance(place, dict):
        context, start, end = place.get("context"), place.get("start"), place.get("end")
        if isinstance(context, int) and isinstance(start, int) and isinstance(end, int):
            return context, start, end
    if isinstance(quote, str) and quote and (match := find_quote(quote, contexts)):
        return match.context, match.start, match.end
    return None


def _find_claim(claim: str, answer: str) -> tuple[int, int] | None:
    """Where a claim stands in the answer, which may have marks between words (`**Save**`) that the claim has not."""
    if match := find_quote(claim, (answer,)):
        return match.start, match.end
    words = _WORD.findall(claim)
    if not 2 <= len(words) <= _MOST_WORDS:
        return None
    between = re.search(r"[\W_]{1,20}".join(words) + r"[.!?*]*", answer, re.IGNORECASE)
    return between.span() if between else None


def _segments(answer: str, claims: Sequence[ClaimView]) -> tuple[Segment, ...]:
    """The answer cut where claims stand in it; of claims that overlap, the one that begins first counts."""
    places = []
    for claim in claims:
        text = claim.evidence.get("text")
        if isinstance(text, str) and (match := _find_claim(text, answer)):
            places.append((*match, claim))
    segments, end = list[Segment](), 0
    for start, stop, claim in sorted(places, key=lambda place: place[:2]):
        if start < end:
            continue
        if start > end:
            segments.append(Segment(answer[end:start], None))
        segments.append(Segment(answer[start:stop], claim))
        end = stop
    if end < len(answer):
        segments.append(Segment(answer[end:], None))
    return tuple(segments)
