"""One answer with everything that was measured of it, as its page shows it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from ..eval_sets import Sample
from ..metrics import Score
from ..presentation.rendered_markdown import RenderedText, TextMark, read_visible_text, render_markdown
from ..presentation.texts import verdict_sign
from ..text.text_matching import find_quote
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


def view_answer(sample: Sample, scores: Sequence[tuple[str, Score]], by: str = "") -> dict[str, Any]:
    """An answer as its page shows it."""
    metrics, first = [], 1
    for name, score in scores:
        metric = _metric_view(name, score, sample.retrieved_contexts, first)
        first += len(metric["claims"])
        metrics.append(metric)
    claims = {metric["name"]: metric["claims"] for metric in metrics if metric["claims"]}
    by = by if by in claims else next(iter(claims), "")
    text, marked = _mark_claims(sample.response, claims.get(by, []))
    contexts = enumerate(sample.retrieved_contexts)
    return {
        "metrics": metrics,  # the scores, in the plan's order
        "by": by,  # the metric whose claims colour the answer; empty where none has claims
        "choices": list(claims),
        "text": text,
        "marked": marked,  # the numbers of the claims that are marked in it
        "contexts": [_mark_quotes(context, number, claims.get(by, [])) for number, context in contexts],
    }


def _metric_view(name: str, score: Score, contexts: tuple[str, ...], first: int) -> dict[str, Any]:
    """One score: its claims apart, the rest of its evidence by name."""
    evidence = score.evidence
    listed, features, parts = (evidence.get(key) for key in ("claims", "features", "parts"))
    claims = [claim for claim in listed if isinstance(claim, dict)] if isinstance(listed, list) else []
    has_parts = isinstance(parts, dict) and all(isinstance(part, dict) for part in parts.values())
    return {
        "name": name,
        "score": score,
        "claims": [
            ClaimView(number, _verdict(claim), claim, _quote_place(claim, contexts))
            for number, claim in enumerate(claims[:_MOST_CLAIMS], start=first)
        ],
        "features": features if isinstance(features, dict) else {},
        "parts": parts if has_parts else {},
        "evidence": {key: value for key, value in evidence.items() if key not in _SHOWN_APART},
    }


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
