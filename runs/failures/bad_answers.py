"""Which answers are bad: empty or refused, or by ratings, or by a metric; and the texts that say why."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from ...errors import UsageError
from ...eval_sets import Sample
from ...eval_sets.column_table import reason_rater
from ...eval_sets.conversation import is_turn, listed_question, opening_question
from ...languages import language_or_fallback
from ...metrics.declined import is_refusal
from ...metrics.score import flawless
from ...metrics.specification import ALL_BASELINES, parse_specification
from ...presentation.figure import Figure
from ..answers.table import AnswerTable

if TYPE_CHECKING:
    from ...meta_eval.arrays import Floats


def unanswered_kind(sample: Sample) -> Literal["", "empty", "refused"]:
    """Returns whether the answer is empty or a refusal; "" where it is neither.

    Example:
        >>> unanswered_kind(Sample(id="1", user_input="How?", response=" ")), unanswered_kind(
        ...     Sample(id="2", user_input="How?", response="Sorry, I cannot help.", language="en")
        ... )
        ('empty', 'refused')
    """
    if not sample.response.strip():
        return "empty"
    return "refused" if is_refusal(sample.response, language_or_fallback(sample.language)) else ""


TextKind = Literal["reason", "sentence", "verdict"]
"""What a text is.

- `reason`: a person's reason; `sentence`: a sentence of the answer that a person marked as wrong
- `verdict`: a claim, request, rule or criterion on which a judge's verdict is bad
"""

_BAD_VERDICTS = {"contradicted": "contradicted", "not_found": "not found"}
_HANDOVERS = {"missing": "handover missing", "needless": "handover needless"}
# their verdicts are about what was retrieved, not about what the answer says
_OF_CONTEXTS = {"context_precision", "context_recall", "context_relevance", "noise_sensitivity"}
_LONGEST = 2000  # characters of one text that are kept
_WORST_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class FailureText:
    """One text that says why an answer is bad."""

    kind: TextKind
    text: str
    source: str  # the rater, the field of the file, or the metric that it comes from
    verdict: str = ""  # the verdict in words, such as "not found"; "" where there is none
    because: str = ""  # the reason for the verdict, as a report shows it; "" where there is none
    answer: str = ""  # the id of the answer that it is about
    question: str = ""


@dataclass(frozen=True)
class BadAnswers:
    """The bad answers of a version."""

    table: AnswerTable
    metric: str  # what says which answers are bad; "" for ratings
    rule: str  # the rule in words
    answers: Mapping[str, Sample]  # those that count, by id: the rated ones, or those with a value of the metric
    bad: Mapping[str, tuple[FailureText, ...]]  # by the id of each that is bad, the texts that say why


def select_bad_answers(table: AnswerTable, metric: str | None = None) -> BadAnswers:
    """Selects the bad answers of a run.

    With ratings: those that are rated below the middle of their scale. Else, or where a metric is named, by the metric:
    of one with verdicts those with a claim that is contradicted or not found (a request not met, a rule broken, a
    criterion below its middle); of one that says yes or no those that fail; of any other the worst quarter.
    """
    rated = table.rated_rows
    if metric is None and rated:
        names = {name for name, sample in rated.items() if (sample.rating_share or 0) < 0.5}
        return BadAnswers(table, "", "rated below the middle of the scale", rated, _texts_of(table, rated, names, ""))
    scored = {name: values for name in table.directions if (values := table.values(name))}
    name = metric or next((name for name in scored if name not in ALL_BASELINES), next(iter(scored), ""))
    if name not in scored:
        what = f"of the metric {name!r}" if name else "of a metric, and no answer is rated (assay rate)"
        known = ", ".join(table.directions) or "none"
        raise UsageError(f"run {table.run or ''} has no value {what}; its metrics are {known}")
    values = scored[name]
    rule, names = _bad_by_metric(name, table, values)
    answers = {key: table.samples[key] for key in values}
    rule = rule if metric else f"{rule}, as no answer is rated"
    return BadAnswers(table, name, rule, answers, _texts_of(table, answers, names, name))


def _bad_by_metric(metric: str, table: AnswerTable, scored: Mapping[str, float]) -> tuple[str, set[str]]:
    """The rule of a metric in words, and the bad answers by it."""
    import numpy as np

    verdicts = {name: _verdicts(table, name, metric) for name in scored}
    if any(texts is not None for texts in verdicts.values()):
        words = f"with a bad verdict of {metric} (such as a claim that is contradicted or not found)"
        return words, {name for name, texts in verdicts.items() if texts}
    higher = table.directions[metric]
    values: Floats = np.array([*scored.values()])
    if set(values.tolist()) <= {0.0, 1.0}:
        worst = 0.0 if higher else 1.0
        return f"that fail {metric} (value {worst:g})", {name for name, value in scored.items() if value == worst}
    wanted = max(1, int(_WORST_SHARE * len(values)))
    bound = float((np.sort(values) if higher else np.sort(values)[::-1])[wanted - 1])
    best = flawless(float(values.min()), float(values.max()), is_higher_better=higher)

    def is_bad(value: float) -> bool:
        return value != best and (value <= bound if higher else value >= bound)

    words = f"in the worst quarter by {metric} ({Figure('value', bound)} or {'less' if higher else 'more'})"
    return words, {name for name, value in scored.items() if is_bad(value)}


def _texts_of(
    table: AnswerTable, answers: Mapping[str, Sample], names: set[str], metric: str
) -> dict[str, tuple[FailureText, ...]]:
    """What says why each bad answer is bad: the metric that says so, else people, else other judges; each text once."""
    bad = dict[str, tuple[FailureText, ...]]()
    turns: dict[str, list[str]] = {}  # of rated conversations: what their turns' scores say is about them
    for name, sample in table.samples.items() if not metric else ():
        if is_turn(sample):
            turns.setdefault(str(sample.metadata["conversation"]), []).append(name)
    for name in filter(names.__contains__, answers):
        of_judges = [  # also where the metric that was named says nothing in words
            text
            for other in table.directions
            if parse_specification(other).name not in _OF_CONTEXTS
            for place in (name, *turns.get(name, ()))
            for text in _verdicts(table, place, other) or ()
        ]
        own = _verdicts(table, name, metric) if metric else []
        texts = own or list(read_peoples_texts(answers[name])) or of_judges
        question = listed_question(answers[name])
        different = {(text.kind, text.text.casefold()): text for text in reversed(texts)}.values()
        bad[name] = tuple(replace(text, answer=name, question=question) for text in different)[::-1]
    return bad


def _verdicts(table: AnswerTable, name: str, metric: str) -> list[FailureText] | None:
    """The bad verdicts in the evidence of one metric on an answer; None of a metric that gives none."""
    score = table.scores.get(name, {}).get(metric)
    if score is None or score.value is None or metric in ALL_BASELINES:
        return None
    texts, has_verdicts = list[FailureText](), False
    handover = score.evidence.get("verdict")
    if isinstance(handover, str) and "happened" in score.evidence:  # one on the handover of a conversation
        has_verdicts, by = True, score.evidence.get("by")
        if handover in _HANDOVERS:
            text = by if isinstance(by, str) else opening_question(table.samples[name])
            because = score.reason[:_LONGEST]
            texts.append(FailureText("verdict", text[:_LONGEST], metric, _HANDOVERS[handover], because))
    for key, read in _READERS.items():
        entries = score.evidence.get(key)
        if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
            continue
        has_verdicts = True
        for entry in entries:
            if (verdict := read(entry)) is not None and (text := _text_of(entry)):
                reason = entry.get("reason")
                because = reason[:_LONGEST] if isinstance(reason, str) else ""
                texts.append(FailureText("verdict", text, metric, verdict, because))
    return texts if has_verdicts else None


def _text_of(entry: Mapping[str, Any]) -> str:
    later, earlier = entry.get("later"), entry.get("earlier")
    text = entry.get("text", entry.get("name"))
    if isinstance(later, str) and isinstance(earlier, str):
        text = f"{later} / {earlier}"
    return " ".join(text[:_LONGEST].split()) if isinstance(text, str) else ""


def _claim_verdict(entry: Mapping[str, Any]) -> str | None:
    verdict = entry.get("verdict")
    return _BAD_VERDICTS.get(verdict) if isinstance(verdict, str) else None


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
            text = " ".join(held[:_LONGEST].split()) if isinstance(held, str) else ""
            if any(map(str.isalpha, text)):  # a mark in a column called Note says no reason
                yield "", text
