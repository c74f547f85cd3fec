"""Citations: whether the sources that an answer cites support what it says, and whether it cites any."""

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..eval_sets.sample import Sample
from ..judges import JudgeLike, Usage
from ..judges.usage import NO_USAGE
from ..languages import language_or_fallback
from ..prompts import BUNDLED, Prompts
from ..text.sentence_kinds import CLAIM, HEADING, LEAD_IN
from ..text.sentences import NO_SENTENCES, AnswerSentence
from ..text.wording import count_of, list_first
from .citation_marks import (
    CitableSources,
    CitationMark,
    CitedAnswer,
    MatchedBy,
    citation_pattern,
    is_address,
    read_citations,
)
from .f_score import Mode
from .faithfulness import SUPPORT, SupportMetric, sentence_evidence, sentences_of_answer, with_quotes
from .metric import check_choice, compute_for
from .sample_state import shown_contexts
from .score import Claim, Score, scored, skipped

Passages = frozenset[int]

MOST_CITED = 10
"""The most sources of one sentence that are judged one by one; ALCE takes 3."""
_MOST_NAMED = 3  # citations and claims that the reason names
_CITES_NOTHING = (
    "the answer cites nothing in a notation that is read ([1], links, footnotes; others: citations:pattern=REGEX, with "
    "a group `number` or `name`)"
)


class CitationShares(NamedTuple):
    """What a score's value is taken from."""

    precision: float | None  # the share of citations that support their sentence; None without citations
    recall: float | None  # the share of claims that their citations support; None without claims

    def value(self, mode: Mode) -> float | None:
        """Precision, recall, or their harmonic mean, which is 0 where an answer with claims cites nothing.

        Example:
            >>> CitationShares(0.5, 1.0).value("f1"), CitationShares(None, 0.0).value("f1")
            (0.6666666666666666, 0.0)
        """
        if mode != "f1":
            return self.precision if mode == "precision" else self.recall
        if self.recall is None:
            return None
        precision = self.precision or 0.0
        total = precision + self.recall
        return 2 * precision * self.recall / total if total else 0.0


@dataclass(slots=True)
class _Citation:
    """A citation of an answer, with the claims that it stands for."""

    text: str
    number: int | None
    name: str
    passages: Passages
    matched_by: MatchedBy | None
    claims: list[int] = field(default_factory=list)
    verdict: Claim | None = None  # the best of its claims'


@dataclass(frozen=True, slots=True)
class _CitedClaims:
    """An answer's claims with their citations."""

    split: Sequence[AnswerSentence]
    claims: Sequence[str]
    citations: Sequence[_Citation]  # the citations that stand for a claim
    aside: Sequence[str]  # those that stand for none: in a question, in a list of sources that the answer does not cite
    base: int  # the number of the first context

    def of_claim(self, claim: int) -> list[_Citation]:
        """The citations that stand for a claim."""
        return [citation for citation in self.citations if claim in citation.claims]


class Citations(SupportMetric):
    """Whether the sources that the answer cites support its sentences (precision), and its claims are cited (recall).

    Formula, as in ALCE: recall = claims that all their cited sources together support / all claims. Precision =
    citations that support / all citations; one supports where the sentence's sources together support it and either it
    does so alone or the others without it do not. A citation of no source supports nothing. The value is F1,
    2 * precision * recall / (precision + recall). Verdicts count as yes or no, at P = 0.5, as there. Range: [0, 1].
    Source: Gao et al. (2023), "Enabling Large Language Models to Generate Text with Citations".

    An answer that cites nothing is skipped, or with `required` scores 0; an answer without claims is skipped. The
    evidence has each citation with what it cites and its verdict (`citations`), each claim (`claims`), `precision` and
    `recall`, and which number the first source has (`base`: 0 where the answer cites [0], else 1).

    Args:
        judge: Says whether sources support a sentence: one request per different set of sources that is cited, all
            claims about it in one.
        mode: `f1`, `precision` or `recall`.
        required: Whether an answer that cites nothing scores 0, and has recall 0.
        pattern: Finds further citations than `[1]`, footnotes and links: a regular expression with a group `number` or
            `name`, such as `【(?P<number>\\d+)】`.
        prompts: The prompts of the requests.

    Raises:
        ValueError: Another value for `mode`, or a pattern that is none or has no such group.
    """

    name = "citations"
    needs = ("response", "retrieved_contexts")

    def __init__(
        self,
        judge: JudgeLike,
        mode: Mode = "f1",
        *,
        required: bool = False,
        pattern: str | None = None,
        prompts: Prompts = BUNDLED,
    ) -> None:
        check_choice("mode", mode, Mode)
        super().__init__(judge, prompts)
        self.mode: Mode = mode
        self.required = required
        self.pattern = None if pattern is None else citation_pattern(pattern)

    async def measure(self, sample: Sample) -> Score:
        """The score, with each citation, what it cites and its verdict in the evidence."""
        cited = await compute_for(sample, _read_claims, sample, self.pattern)
        evidence: dict[str, Any] = {"mode": self.mode, "judge": self.judge.name, "base": cited.base}
        evidence |= {"precision": None, "recall": None, "citations": [], "claims": []}
        evidence |= sentence_evidence(cited.split) | _asides(cited)
        evidence |= self.prompts.evidence([SUPPORT], sample.language)
        if not cited.claims:
            return skipped("the answer makes no claims", evidence)
        if not cited.citations and not self.required:
            return skipped(f"{_CITES_NOTHING}; with required=yes this scores 0", evidence)
        asked = _Support(sample, self)
        claims = await _judge_claims(cited, asked)
        for citation in cited.citations:
            citation.verdict = citation.verdict or _without_source(citation, cited)
        shares = _shares(claims, cited.citations)
        evidence |= shares._asdict()
        evidence["claims"] = [
            claim.evidence() | {"citations": _places(cited, number)} for number, claim in enumerate(claims)
        ]
        evidence["citations"] = [_citation_evidence(citation, cited) for citation in cited.citations]
        value = shares.value(self.mode)
        if value is None:
            return skipped(f"{_CITES_NOTHING}, so that none can be wrong", evidence, asked.usage)
        return scored(value, _reason(claims, cited), evidence, asked.usage)


class _Support:
    """Asks a judge whether passages support claims, each question once."""

    def __init__(self, sample: Sample, metric: SupportMetric) -> None:
        self._sample = sample
        self._metric = metric
        self._verdicts: dict[tuple[Passages, str], Claim] = {}
        self.usage: Usage = NO_USAGE

    async def ask(self, questions: Iterable[tuple[Passages, str]]) -> None:
        """Asks about claims and passages: all claims about the same passages in one request."""
        by_passages: dict[Passages, list[str]] = {}
        for passages, claim in dict.fromkeys(questions):
            if (passages, claim) in self._verdicts:
                continue
            by_passages.setdefault(passages, []).append(claim)
        replies = await asyncio.gather(
            *(self._judge_support(passages, claims) for passages, claims in by_passages.items())
        )
        for passages, (judged, usage) in zip(by_passages, replies, strict=True):
            self.usage += usage
            # the passages at their own places, so that a quote's place counts the sample's contexts
            texts = tuple(
                text if number in passages else "" for number, text in enumerate(self._sample.retrieved_contexts)
            )
            quoted = await compute_for(self._sample, with_quotes, judged, texts)
            self._verdicts |= {(passages, claim.text): claim for claim in quoted}

    async def _judge_support(self, passages: Passages, claims: Sequence[str]) -> tuple[list[Claim], Usage]:
        shown = shown_contexts(self._sample)
        texts = tuple(shown[number] for number in sorted(passages))
        return await self._metric.judge_support(self._sample, claims, "\n\n".join(texts), passages=texts)

    def verdict(self, passages: Passages, claim: str) -> Claim:
        """What was answered."""
        return self._verdicts[passages, claim]

    def is_supported(self, passages: Passages, claim: str) -> bool:
        """Whether passages support a claim; no passages support none."""
        return bool(passages) and self.verdict(passages, claim).verdict == "supported"


async def _judge_claims(cited: _CitedClaims, support: _Support) -> list[Claim]:
    """The claims with the verdicts of all that they cite; gives each citation its verdict too."""
    of_claims = [cited.of_claim(number) for number in range(len(cited.claims))]
    together = [frozenset[int]().union(*(citation.passages for citation in citations)) for citations in of_claims]
    await support.ask((passages, text) for passages, text in zip(together, cited.claims, strict=True) if passages)
    several = [
        (text, passages, _distinct(citations))
        for text, passages, citations in zip(cited.claims, together, of_claims, strict=True)
        if len(_distinct(citations)) > 1 and support.is_supported(passages, text)
    ]
    await support.ask((part, text) for text, _, parts in several for part in parts[:MOST_CITED])
    left_out = [
        (_others(part, parts), text)
        for text, _, parts in several
        for part in parts[:MOST_CITED]
        if not support.is_supported(part, text)
    ]
    await support.ask((others, text) for others, text in left_out if others)
    judged = []
    for text, passages, citations in zip(cited.claims, together, of_claims, strict=True):
        if not passages:
            why = f"it cites no source of the sample: {citations[0].text}" if citations else "it cites nothing"
            judged.append(Claim(text, "unverifiable", why))
            continue
        judged.append(support.verdict(passages, text))
        parts = _distinct(citations)
        for citation in citations:
            verdict = _citation_verdict(text, citation.passages, passages, parts, support)
            if verdict and (citation.verdict is None or _rank(verdict) < _rank(citation.verdict)):
                citation.verdict = verdict
    return judged


def _citation_verdict(
    text: str, part: Passages, together: Passages, parts: Sequence[Passages], support: _Support
) -> Claim | None:
    """Whether one citation supports a claim: alone, or because the others do not without it; None of one of nothing."""
    if not part:
        return None
    whole = support.verdict(together, text)
    if len(parts) == 1 or whole.verdict != "supported":
        return whole
    if part not in parts[:MOST_CITED]:
        reason = f"only {count_of(MOST_CITED, 'source')} of a sentence are judged one by one"
        return Claim(text, "unverifiable", reason)
    alone = support.verdict(part, text)
    if alone.verdict == "supported":
        return alone
    if support.is_supported(_others(part, parts), text):
        return Claim(
            text, "not_found", f"the other citations suffice; alone: {alone.reason}", probability=alone.probability
        )
    reason = f"together with the other citations, which do not suffice without it; alone: {alone.reason}"
    return Claim(text, "supported", reason, whole.quote, whole.place, whole.probability)


def _distinct(citations: Sequence[_Citation]) -> list[Passages]:
    return list(dict.fromkeys(citation.passages for citation in citations if citation.passages))


def _others(part: Passages, parts: Sequence[Passages]) -> Passages:
    return frozenset[int]().union(*(other for other in parts if other != part))


def _rank(claim: Claim) -> tuple[bool, float]:
    """The place of a verdict among those of the claims that a citation stands for: the best is the lowest."""
    return claim.verdict != "supported", -claim.support


def _without_source(citation: _Citation, cited: _CitedClaims) -> Claim:
    """The verdict on a citation of no source."""
    named = f"number {citation.number}" if citation.number is not None else f'"{citation.name}"'
    return Claim(cited.claims[citation.claims[0]], "not_found", f"the sample has no source {named}")


def _shares(claims: Sequence[Claim], citations: Sequence[_Citation]) -> CitationShares:
    right = sum(citation.verdict is not None and citation.verdict.verdict == "supported" for citation in citations)
    supported = sum(claim.verdict == "supported" for claim in claims)
    return CitationShares(right / len(citations) if citations else None, supported / len(claims))


# reading


def _read_claims(sample: Sample, pattern: re.Pattern[str] | None) -> _CitedClaims:
    language = language_or_fallback(sample.language)
    sources = CitableSources(sample.retrieved_contexts, sample.metadata, language)
    answer = read_citations(sample.response, sources, pattern)
    split = sentences_of_answer(sample, answer.plain)
    claims = [number for number, sentence in enumerate(split) if sentence.kind == CLAIM]
    place_of = {sentence: place for place, sentence in enumerate(claims)}
    base = 0 if any(mark.number == 0 for mark in answer.marks) else 1
    citations: dict[tuple[Passages | str, tuple[int, ...]], _Citation] = {}
    aside = list[str]()
    alone = list[tuple[CitationMark, _Citation]]()
    by_sentence = _SentenceFinder(answer, split)
    for mark in answer.marks:
        citation = _match(mark, sources, base)
        if mark.stands_alone:
            alone.append((mark, citation))
            continue
        sentence = by_sentence.find(mark.position)
        covered = [] if sentence is None else [place_of[one] for one in _claims_of(sentence, split) if one in place_of]
        _add(citation, covered, citations, aside)
    own = {claim for _, covered in citations for claim in covered}
    # [1] on a line of its own stands for what is above it and cites nothing itself
    start = 0
    for place, (mark, citation) in enumerate(alone):
        covered = [
            place_of[one] for one in claims if start <= split[one].start < mark.position and place_of[one] not in own
        ]
        _add(citation, covered, citations, aside)
        last = alone[place + 1][0].position if place + 1 < len(alone) else 0
        if any(mark.position <= split[one].start < last for one in claims):
            start = mark.position
    texts = [split[one].text for one in claims]
    return _CitedClaims(split, texts, list(citations.values()), aside, base)


def _add(
    citation: _Citation,
    covered: Sequence[int],
    citations: dict[tuple[Passages | str, tuple[int, ...]], _Citation],
    aside: list[str],
) -> None:
    """Adds a citation; the same source twice for the same claims is one."""
    if not covered:
        aside.append(citation.text)
        return
    citation.claims = list(covered)
    key = citation.passages or f"{citation.number} {citation.name}"
    citations.setdefault((key, tuple(covered)), citation)


def _match(mark: CitationMark, sources: CitableSources, base: int) -> _Citation:
    match = sources.find(mark.name) if mark.name else None
    is_checked = bool(mark.name) and is_address(mark.name) and sources.has_addresses
    if match is None and mark.number is not None and not is_checked:
        match = sources.find_number(mark.number, base)
    passages = frozenset(match.contexts) if match else frozenset[int]()
    return _Citation(mark.text, mark.number, mark.name, passages, match.by if match else None)


class _SentenceFinder:
    """Finds the sentence that a mark stands in: the one before it on its line, else the one after it."""

    def __init__(self, answer: CitedAnswer, split: Sequence[AnswerSentence]) -> None:
        self._plain = answer.plain
        self._order = [
            place
            for place, sentence in sorted(enumerate(split), key=lambda entry: entry[1].start)
            if sentence.kind not in NO_SENTENCES
        ]
        self._split = split
        self._next = 0

    def find(self, position: int) -> int | None:
        """The place of the sentence; None where the line of the mark has none. Positions come in their order."""
        while self._next < len(self._order) and self._split[self._order[self._next]].start < position:
            self._next += 1
        if self._next:
            before = self._order[self._next - 1]
            end = self._split[before].end
            if position <= end or "\n" not in self._plain[end:position]:
                return before
        if self._next < len(self._order):
            after = self._order[self._next]
            if "\n" not in self._plain[position : self._split[after].start]:
                return after
        return None


def _claims_of(place: int, split: Sequence[AnswerSentence]) -> list[int]:
    """The sentence, or for a lead-in or heading those below it: "Returns [1]:" and its list."""
    sentence = split[place]
    if sentence.kind not in {LEAD_IN, HEADING}:
        return [place]
    below = []
    for number in range(place + 1, len(split)):
        one = split[number]
        if one.kind in {LEAD_IN, HEADING}:
            break
        if one.kind == CLAIM and (sentence.text in one.context or one.text.startswith(sentence.text.rstrip(":"))):
            below.append(number)
    return below


# evidence


def _asides(cited: _CitedClaims) -> dict[str, Any]:
    """What else the evidence says: what was not counted, and where something was cut."""
    evidence: dict[str, Any] = {}
    if cited.aside:
        evidence["not_counted"] = list(dict.fromkeys(cited.aside))
    crowded = sum(len(_distinct(cited.of_claim(claim))) > MOST_CITED for claim in range(len(cited.claims)))
    if crowded:
        sentences = count_of(crowded, "sentence")
        evidence["bounds"] = [f"{sentences} with more than {MOST_CITED} sources: the others count as not supporting"]
    return evidence


def _places(cited: _CitedClaims, claim: int) -> list[int]:
    return [place for place, citation in enumerate(cited.citations) if claim in citation.claims]


def _citation_evidence(citation: _Citation, cited: _CitedClaims) -> dict[str, Any]:
    verdict = citation.verdict
    assert verdict is not None
    passages = sorted(citation.passages)
    values = {
        "text": citation.text,
        "sentence": cited.claims[citation.claims[0]] if verdict.text not in cited.claims else verdict.text,
        "number": citation.number,
        "name": citation.name,
        "context": passages[0] if passages else None,
        "contexts": passages,
        "matched_by": citation.matched_by,
        "claims": citation.claims,
    }
    return values | {key: value for key, value in verdict.evidence().items() if key not in {"text", "source"}}


def _reason(claims: Sequence[Claim], cited: _CitedClaims) -> str:
    right = [claim for claim in claims if claim.verdict == "supported"]
    parts = [f"{len(right)} of {count_of(len(claims), 'claim')} cited rightly"]
    if cited.citations:
        wrong = [one for one in cited.citations if one.verdict is not None and one.verdict.verdict != "supported"]
        count = len(cited.citations)
        parts.append(f"{count - len(wrong)} of {count_of(count, 'citation')} supporting")
        if unmatched := list(dict.fromkeys(one.text for one in wrong if not one.passages)):
            parts.append(f"of no source: {list_first(unmatched, _MOST_NAMED)}")
        if unsupported := list(dict.fromkeys(one.text for one in wrong if one.passages)):
            parts.append(f"not supporting: {list_first(unsupported, _MOST_NAMED)}")
    else:
        parts.append(_CITES_NOTHING)
    return "; ".join(parts)
