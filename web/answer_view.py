"""An answer on a page: sentences that can be marked as wrong, and everything that was measured of it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from ..eval_sets import Sample
from ..languages import language_or_fallback
from ..metrics import Score
from ..presentation.rendered_markdown import RenderedText, TextMark, VisibleText, read_visible_text, render_markdown
from ..presentation.texts import LONGEST_TEXT, make_readable, verdict_sign
from ..text.sentences import sentences
from ..text.text_matching import find_quote

_OPENING = Markup('<label class="sentence"><input type="checkbox" name="wrong" value="{}"><span>')
_MOST_MISSES = 200  # sentences that do not stand in the answer: after so many the others are not looked for
_CLOSING = Markup("</span></label>")
_MOST_WORDS = 80  # of a text that is looked for word by word
_BETWEEN = r"[\W_]{1,20}"  # between two words
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class RatedAnswer:
    """An answer whose sentences can be marked one by one."""

    sentences: tuple[str, ...]  # its sentences; the number of each is its value in the form
    text: RenderedText  # the answer, each sentence with a box
    # the boxes of the sentences that do not stand in it as they are, such as a table's row with its header
    apart: tuple[Markup, ...]


def split_answer(response: str, language: str | None) -> tuple[str, ...]:
    """Returns the sentences of the first `LONGEST_TEXT` characters of an answer."""
    return tuple(sentences(response[:LONGEST_TEXT], language_or_fallback(language)))


def render_answer(response: str, language: str | None, prefix: str = "") -> RatedAnswer:
    """Returns an answer as the rating page shows it."""
    split, seen = split_answer(response, language), read_visible_text(response)
    marks, without, end = dict[int, TextMark](), list[int](), 0
    for number, sentence in enumerate(split):
        place = find_place(sentence, response, seen, end) if len(without) < _MOST_MISSES else None
        if place:
            marks[number] = TextMark(*place, _OPENING.format(f"{prefix}{number}"), _CLOSING)
            end = max(end, place[1])
        else:
            without.append(number)
    text = render_markdown(response, list(marks.values()))
    unplaced = set(text.unplaced)
    without += [number for number, mark in marks.items() if mark in unplaced]
    apart = (
        _OPENING.format(f"{prefix}{number}") + make_readable(split[number]) + _CLOSING for number in sorted(without)
    )
    return RatedAnswer(split, text, tuple(apart))


def find_place(text: str, answer: str, seen: VisibleText, begin: int = 0) -> tuple[int, int] | None:
    """Returns where a sentence or a claim stands in the answer that it comes from.

    Returns:
        The first character and the one after the last, or None.

    Example:
        >>> from assay.presentation.rendered_markdown import read_visible_text
        >>> answer = "Press [**Save**](https://example.org) now."
        >>> find_place("Press Save now.", answer, read_visible_text(answer))
        (0, 42)
        >>> row = "|plan|price|\\n|-|-|\\n|Basic|5 euros|"
        >>> find_place("plan: Basic; price: 5 euros", row, read_visible_text(row))
        (20, 33)
    """
    texts = dict.fromkeys((text, read_visible_text(text).text)) if "](" in text else (text,)
    for first in dict.fromkeys((begin, 0)):
        for form in texts:
            if (words := _WORD.findall(form)) and (place := _search(form, words, answer, seen, first)):
                return place
    return None


def _search(text: str, words: list[str], answer: str, seen: VisibleText, begin: int) -> tuple[int, int] | None:
    if (start := answer.find(text, begin)) >= 0:
        return start, start + len(text)
    first, span = seen.begin(begin), None
    text = text.strip()
    if (start := seen.text.find(text, first)) >= 0:
        span = start, start + len(text)
    elif 2 <= len(words) <= _MOST_WORDS:
        pattern = re.compile(_BETWEEN.join(words) + r"[.!?*]*", re.IGNORECASE)
        span = match.span() if (match := pattern.search(seen.text, first)) else None
    if span is None and (line := _line_pattern(text).search(seen.text, first)):
        span = line.span()
    if span is None and begin == 0 and (quote := find_quote(text, (seen.text,))):
        span = quote.start, quote.end
    return seen.span(*span) if span else None


def _line_pattern(text: str) -> re.Pattern[str]:
    """Matches whole lines that a text puts in words: "Pay by: card" of an item, "plan: Basic; price: 5" of a row."""
    values = (part.partition(": ")[2] or part for part in text.split("; "))
    words = [word for value in values for word in _WORD.findall(value)][:_MOST_WORDS]
    joined = _BETWEEN.join(words)
    return re.compile(rf"(?m)^[^\w\n]*{joined}[^\w\n]*$" if words else r"(?!)", re.IGNORECASE)


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
