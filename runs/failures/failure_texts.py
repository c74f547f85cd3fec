"""The texts that say why an answer is bad: raters' reasons, sentences they marked, and verdicts of judges."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from ...eval_sets import Sample
from ...eval_sets.column_table import reason_rater
from ...eval_sets.conversation import opening_question
from ...metrics import Score
from ...metrics.specification import parse_specification

TextKind = Literal["reason", "sentence", "verdict"]
"""What a text is.

- `reason`: a person's reason; `sentence`: a sentence of the answer that a person marked as wrong
- `verdict`: a claim, request, rule or criterion on which a judge's verdict is bad
"""

BAD_VERDICTS = {"contradicted": "contradicted", "not_found": "not found"}
_HANDOVERS = {"missing": "handover missing", "needless": "handover needless"}
_OF_CONTEXTS = {"context_precision", "context_recall", "context_relevance", "noise_sensitivity"}
LONGEST = 2000  # characters of one text that are kept


class FailureText(NamedTuple):
    """One text that says why an answer is bad."""

    kind: TextKind
    text: str
    source: str  # the rater, the field of the file, or the metric that it comes from
    verdict: str = ""  # the verdict in words, such as "not found"; "" where there is none
    because: str = ""  # the reason for the verdict, as a report shows it; "" where there is none


def is_about_contexts(metric: str) -> bool:
    """Whether a metric's verdicts are about what was retrieved, not about what the answer says."""
    return parse_specification(metric).name in _OF_CONTEXTS


def read_verdicts(metric: str, score: Score, sample: Sample) -> list[FailureText] | None:
    """Reads the bad verdicts in a score's evidence; None where it has no verdicts at all."""
    evidence = score.evidence
    texts, has_verdicts = list[FailureText](), False
    if isinstance(evidence.get("verdict"), str) and "happened" in evidence:  # one on the handover of a conversation
        has_verdicts = True
        if evidence["verdict"] in _HANDOVERS:
            text = evidence["by"] if isinstance(evidence.get("by"), str) else opening_question(sample)
            texts.append(
                FailureText("verdict", text[:LONGEST], metric, _HANDOVERS[evidence["verdict"]], score.reason[:LONGEST])
            )
    for key, read in _READERS.items():
        entries = evidence.get(key)
        if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
            continue
        has_verdicts = True
        for entry in entries:
            if (verdict := read(entry)) is not None and (text := _text_of(entry)):
                because = entry.get("reason")
                texts.append(
                    FailureText(
                        "verdict",
                        text,
                        metric,
                        verdict,
                        because[:LONGEST] if isinstance(because, str) else "",
                    )
                )
    return texts if has_verdicts else None


def _text_of(entry: Mapping[str, Any]) -> str:
    later, earlier = entry.get("later"), entry.get("earlier")
    text = entry.get("text", entry.get("name"))
    if isinstance(later, str) and isinstance(earlier, str):
        text = f"{later} / {earlier}"
    return " ".join(text[:LONGEST].split()) if isinstance(text, str) else ""


def _claim_verdict(entry: Mapping[str, Any]) -> str | None:
    verdict = entry.get("verdict")
    return BAD_VERDICTS.get(verdict) if isinstance(verdict, str) else None


def _criterion_verdict(entry: Mapping[str, Any]) -> str | None:
    share = entry.get("share")
    return f"level {entry.get('level')}" if isinstance(share, int | float) and share < 0.5 else None


_READERS: dict[str, Callable[[Mapping[str, Any]], str | None]] = {
    "claims": _claim_verdict,
    "requests": lambda entry: "not met" if entry.get("met") is False else None,
    "rules": lambda entry: "broken" if entry.get("broken") is True else None,
    "contradictions": lambda _: "contradicts itself",
    "criteria": _criterion_verdict,
    "missing": lambda _: "call missing",
    "unexpected": lambda _: "call not expected",
    "wrong_arguments": lambda _: "call with wrong arguments",
}


def read_peoples_texts(sample: Sample) -> Iterator[FailureText]:
    """Reads what people say of an answer: their reasons, and the sentences that they marked as wrong.

    A rater who rated the answer at or above the middle of the scale does not say why it is bad.
    """
    middle = (sample.rating_min + sample.rating_max) / 2
    content = {rater for rater, rating in sample.ratings.items() if rating >= middle}
    raters = tuple(sample.ratings)
    for name, value in sample.metadata.items():
        if (rater := reason_rater(name, raters)) is None:
            continue
        for by, text in _texts_of_field(value):
            if (by or rater) not in content:
                yield FailureText("reason", text, by or rater or name)
    for by, text in _texts_of_field(sample.metadata.get("wrong_sentences")):
        if by not in content:
            yield FailureText("sentence", text, by or "file")


def _texts_of_field(value: Any) -> Iterator[tuple[str, str]]:
    """(rater or "", text) of a text, a list of texts, or either by rater."""
    if isinstance(value, Mapping):
        for rater, held in value.items():
            yield from ((str(rater), text) for _, text in _texts_of_field(held) if not isinstance(held, Mapping))
    elif isinstance(value, str | list | tuple):
        for held in [value] if isinstance(value, str) else value:
            text = " ".join(held[:LONGEST].split()) if isinstance(held, str) else ""
            if any(map(str.isalpha, text)):  # a mark in a column called Note says no reason
                yield "", text
