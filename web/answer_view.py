"""One answer with everything that was measured of it, as its page shows it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from ..eval_sets import Sample
from ..metrics import Score
from ..presentation.rendered_markdown import RenderedText, TextMark, read_visible_text, render_markdown
from ..presentation.texts import verdict_sign
from ..text.quotes import find_quote
from .rated_answer import find_place

_VERDICTS = ("supported", "contradicted", "not_found", "unverifiable")
_MOST_CLAIMS = 300
_SHOWN_APART = frozenset({"claims", "features", "parts"})
_CLAIM = Markup(
    '<span class="claim {verdict}" tabindex="0" data-claim="{number}" aria-describedby="claim-{number}">'
    '<span class="sign" aria-hidden="true">{sign}</span>'
)
_QUOTE = Markup('<span data-quotes="{}">')


@dataclass(frozen=True, slots=True)
class ClaimView:
    """A claim with its verdict."""

    number: int
    verdict: str
    evidence: Mapping[str, Any]
    # where its quote stands: the context's number, the first and the last+1 character; None where nowhere
    quote: tuple[int, int, int] | None


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
    """An answer."""

    metrics: tuple[MetricView, ...]  # the scores, in the plan's order
    by: str  # the metric whose claims colour the answer; empty where none has claims
    choices: tuple[str, ...]
    text: RenderedText
    marked: frozenset[int]  # the numbers of the claims that are marked in it
    contexts: tuple[RenderedText, ...]


def view_answer(sample: Sample, scores: Sequence[tuple[str, Score]], by: str = "") -> AnswerView:
    """An answer as its page shows it."""
    metrics, first = [], 1
    for name, score in scores:
        metric = _metric_view(name, score, sample.retrieved_contexts, first)
        first += len(metric.claims)
        metrics.append(metric)
    with_claims = [metric for metric in metrics if metric.claims]
    chosen = next((metric for metric in with_claims if metric.name == by), with_claims[0] if with_claims else None)
    text, marked = _mark_claims(sample.response, chosen.claims if chosen else ())
    claims = chosen.claims if chosen else ()
    return AnswerView(
        tuple(metrics),
        chosen.name if chosen else "",
        tuple(metric.name for metric in with_claims),
        text,
        marked,
        tuple(_mark_quotes(context, number, claims) for number, context in enumerate(sample.retrieved_contexts)),
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
    """Where the quote stands in the contexts; those of a claim that names another document are not searched."""
    place, quote = claim.get("place"), claim.get("quote")
    if isinstance(place, dict):
        context, start, end = place.get("context"), place.get("start"), place.get("end")
        if isinstance(context, int) and isinstance(start, int) and isinstance(end, int):
            is_there = 0 <= context < len(contexts) and 0 <= start < end <= len(contexts[context])
            return (context, start, end) if is_there else None
    if isinstance(claim.get("document"), dict):
        return None
    if isinstance(quote, str) and quote and (match := find_quote(quote, contexts)):
        return match.context, match.start, match.end
    return None


def _mark_claims(answer: str, claims: Sequence[ClaimView]) -> tuple[RenderedText, frozenset[int]]:
    """The answer with its claims marked, and the numbers of those that are; of two that overlap the first counts."""
    seen, marks = read_visible_text(answer), dict[int, TextMark]()
    for claim in claims:
        text = claim.evidence.get("text")
        if isinstance(text, str) and (place := find_place(text, answer, seen)):
            opening = _CLAIM.format(number=claim.number, verdict=claim.verdict, sign=verdict_sign(claim.verdict))
            marks[claim.number] = TextMark(*place, opening, Markup("</span>"))
    rendered = render_markdown(answer, list(marks.values()))
    return rendered, frozenset(number for number, mark in marks.items() if mark not in rendered.unplaced)


def _mark_quotes(context: str, number: int, claims: Iterable[ClaimView]) -> RenderedText:
    """A context with the quotes that stand in it, cut where one begins or ends: quotes of claims overlap."""
    quotes = [(claim.number, *claim.quote[1:]) for claim in claims if claim.quote and claim.quote[0] == number]
    edges = sorted({edge for _, start, end in quotes for edge in (start, end)})
    marks = []
    for start, end in pairwise(edges):
        if numbers := [str(claim) for claim, begin, stop in quotes if begin <= start and end <= stop]:
            marks.append(TextMark(start, end, _QUOTE.format(" ".join(numbers)), Markup("</span>")))
    return render_markdown(context, marks)
