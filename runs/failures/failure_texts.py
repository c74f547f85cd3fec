"""The texts that say why an answer is bad: raters' reasons, sentences they marked, and verdicts of judges."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ...eval_sets import Sample
from ...eval_sets.opening_question import opening_question
from ...eval_sets.turns import is_single_answer, turn_id
from ...metrics import Score
from ...metrics.claim_support import read_judges_words
from ...metrics.specification import ALL_BASELINES, parse_specification
from ..answers.rating_join import join_run_ratings

if TYPE_CHECKING:
    from ..store.store import Store

TextKind = Literal["reason", "sentence", "verdict", "metric"]
"""What a text is.

- `reason`: a person's reason; `sentence`: a sentence of the answer that a person marked as wrong
- `verdict`: a claim, request, rule or criterion on which a judge's verdict is bad; `metric`: a metric's own reason
"""

FILE_REASONS = (
    *("rating_reason", "rating_reasons", "reason", "reasons", "comment", "comments", "feedback"),
    *("explanation", "note"),
)
"""The fields of a sample's metadata that are read as people's reasons."""
BAD_VERDICTS = {"contradicted": "contradicted", "not_found": "not found"}
_HANDOVERS = {"missing": "handover missing", "needless": "handover needless"}
_OF_CONTEXTS = {"context_precision", "context_recall", "context_relevance", "noise_sensitivity"}
_LONGEST = 2000  # characters of one text that are kept
_NUMBER = re.compile(r"\d[\d.,]*")
_FEWEST_OF_TEMPLATE = 3  # reasons that are equal but for their numbers say nothing of their own


class FailureText(NamedTuple):
    """One text that says why an answer is bad."""

    kind: TextKind
    text: str
    source: str  # the rater, the field of the file, or the metric that it comes from
    verdict: str = ""  # the verdict in words, such as "not found"; "" where there is none
    because: str = ""  # the reason for the verdict, as a report shows it; "" where there is none
    # of it what the judge says in its own words: what Assay writes around them says nothing of the answer
    words: str = ""


@dataclass(slots=True)
class AnswerRecord:
    """What is known of one answer of a run."""

    sample: Sample
    values: dict[str, float] = field(default_factory=dict)  # its value by metric
    # the texts of bad verdicts by metric; also of a metric that gave only good ones
    verdicts: dict[str, tuple[FailureText, ...]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)  # what a metric without verdicts says of its value, by metric


@dataclass(frozen=True)
class RunRecords:
    """The answers of one run.

    Attributes:
        run: The run's id.
        sets: The sets that it scored.
        directions: For each metric whether higher is better.
        answers: The answers by id.
        note: Whose ratings they have, for the user; "" where all are the file's.
    """

    run: str
    sets: tuple[str, ...]
    directions: Mapping[str, bool]
    answers: Mapping[str, AnswerRecord]
    note: str = ""


def collect_records(
    run: str,
    samples: Mapping[str, Sample],
    scores: Iterable[tuple[str, str, Score]],
    directions: Mapping[str, bool],
    *,
    sets: Sequence[str] = (),
    note: str = "",
) -> RunRecords:
    """Collects what a run says of its answers; of the scores only what is needed is kept.

    Args:
        run: The run's id.
        samples: The answers by id, with all ratings that there are of them.
        scores: (sample, metric, score).
        directions: For each metric whether higher is better.
        sets: The sets that the run scored.
        note: Whose ratings they are.
    """
    answers = {name: AnswerRecord(sample) for name, sample in samples.items()}
    for name, metric, score in scores:
        if score.value is None or metric not in directions or name not in answers:
            continue
        record = answers[name]
        record.values[metric] = score.value
        if metric in ALL_BASELINES:
            continue
        texts = _read_verdicts(metric, score, record.sample)
        if texts is None:
            record.reasons[metric] = score.reason[:_LONGEST]
        else:
            record.verdicts[metric] = tuple(texts)
    _join_single_answers(answers)
    return RunRecords(run, tuple(sets), directions, answers, note)


def read_records(store: "Store", run: str) -> RunRecords:
    """Reads what a stored run says of its answers, with the ratings and reasons of the rating page.

    Args:
        store: Where the run is.
        run: The run's id.
    """
    row = store.run(run)
    joined, directions = join_run_ratings(store, row.id), row.plan.all_directions
    return collect_records(row.id, joined.samples, store.scores(row), directions, sets=row.plan.sets, note=joined.note)


def _join_single_answers(answers: dict[str, AnswerRecord]) -> None:
    """Makes one record of a single answer with messages and of its turn, which was scored by itself."""
    for name, record in list(answers.items()):
        place = record.sample.turn
        if place is None or not is_single_answer(record.sample):
            continue
        turn = answers.pop(turn_id(name, place), None)
        if turn is None:
            continue
        record.values |= turn.values
        record.verdicts |= turn.verdicts
        record.reasons |= turn.reasons
        if record.sample.human_rating is None and turn.sample.human_rating is not None:
            scale = {"rating_min": turn.sample.rating_min, "rating_max": turn.sample.rating_max}
            metadata = {**turn.sample.metadata, **record.sample.metadata}
            ratings = {"rating": turn.sample.rating, "ratings": turn.sample.ratings, "metadata": metadata}
            record.sample = record.sample.model_copy(update=ratings | scale)


def is_about_contexts(metric: str) -> bool:
    """Whether a metric's verdicts are about what was retrieved, not about what the answer says."""
    return parse_specification(metric).name in _OF_CONTEXTS


def _read_verdicts(metric: str, score: Score, sample: Sample) -> list[FailureText] | None:
    """The bad verdicts in a score's evidence; None where it has no verdicts at all."""
    evidence = score.evidence
    texts, has_verdicts = list[FailureText](), False
    if isinstance(evidence.get("verdict"), str) and "happened" in evidence:  # one on the handover of a conversation
        has_verdicts = True
        if evidence["verdict"] in _HANDOVERS:
            text = evidence["by"] if isinstance(evidence.get("by"), str) else opening_question(sample)
            texts.append(
                FailureText(
                    "verdict", text[:_LONGEST], metric, _HANDOVERS[evidence["verdict"]], score.reason[:_LONGEST]
                )
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
                        because[:_LONGEST] if isinstance(because, str) else "",
                        read_judges_words(entry)[:_LONGEST] if key == "claims" else "",
                    )
                )
    return texts if has_verdicts else None


def _text_of(entry: Mapping[str, Any]) -> str:
    later, earlier = entry.get("later"), entry.get("earlier")
    text = entry.get("text", entry.get("name"))
    if isinstance(later, str) and isinstance(earlier, str):
        text = f"{later} / {earlier}"
    return " ".join(text[:_LONGEST].split()) if isinstance(text, str) else ""


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
    for name in FILE_REASONS:
        for by, text in _texts_of_field(sample.metadata.get(name)):
            if by not in content:
                yield FailureText("reason", text, by or name)
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
            if isinstance(held, str) and (text := " ".join(held[:_LONGEST].split())):
                yield "", text


def embeddable_texts(texts: Sequence[FailureText]) -> list[str]:
    """Returns what is embedded of each text: the text, and what the judge says in its own words of its verdict.

    Example:
        >>> texts = [FailureText("verdict", name, "faithfulness", words=f"Not on page {name}.") for name in "123"]
        >>> embeddable_texts([*texts, FailureText("verdict", "It is free.", "faithfulness", words="it costs 5")])
        ['1', '2', '3', 'It is free. (it costs 5)']
    """
    counts = Counter(_NUMBER.sub("#", text.words) for text in texts)
    return [
        f"{text.text} ({text.words})"
        if text.words and counts[_NUMBER.sub("#", text.words)] < _FEWEST_OF_TEMPLATE
        else text.text
        for text in texts
    ]
