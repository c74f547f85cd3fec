"""How one sample came by its scores, as lines of text: question, answer, contexts, and every metric's evidence."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ...eval_sets import Sample
from ...meta_eval.scorer import DECISION_WORDS
from ...metrics import Score
from ...metrics.specification import ALL_BASELINES
from ...presentation.figure import Figure, format_cost, format_rating
from ...presentation.texts import one_line
from ...text.wording import count_of, quote_place
from ...untrusted import without_unseen
from ..answers.rating_join import describe_rating
from ..answers.summary import score_cell

_PLACE = re.compile(r"\[(\d+)\]")  # how a line of a thread begins
_LONGEST_EVIDENCE = 1000  # characters
_MOST_ENTRIES = 50  # of a list, one per line


class Part(NamedTuple):
    """A part of a line, and how it looks: `title`, `detail`, `remark`, a verdict, or "" for plain text."""

    text: str
    kind: str = ""


Line = tuple[Part, ...]


def sample_lines(sample: Sample) -> Iterator[Line]:
    """Yields the lines of a sample: id, rating, question, answer and contexts."""
    rating = describe_rating(sample)
    rated = f"  rated {rating}" if rating else ""
    yield (Part(f"{one_line(sample.id)}  ({sample.language}){rated}", "title"),)
    for title, text in _spoken_texts(sample):
        yield (Part(f"\n{title}", "title"),)
        yield (Part(without_unseen(text)),)
    for number, context in enumerate(sample.retrieved_contexts):
        yield (Part(f"\nContext {number}", "title"),)
        yield (Part(without_unseen(context), "detail"),)


def _spoken_texts(sample: Sample) -> list[tuple[str, str]]:
    """The texts of a sample with their titles: question and answer, or the conversation that they stand in."""
    if not sample.messages:
        return [("Question", sample.user_input), ("Answer", sample.response)]
    from ...metrics.sample_state import write_thread

    thread = write_thread(sample, _LONGEST_EVIDENCE)
    policy = [("Policy", sample.policy)] if sample.policy else []
    lines = (_with_rating(line, sample) for line in thread.text.split("\n"))
    return [*policy, (f"Conversation (the answer under test is [{sample.turn}])", "\n".join(lines))]


def _with_rating(line: str, sample: Sample) -> str:
    """A line of a thread with the rating of its message, which the judge's lines do not have."""
    place = _PLACE.match(line)
    rating = sample.messages[int(place[1])].human_rating if place else None
    if place is None or rating is None:
        return line
    return f"{place[0]} (rated {format_rating(rating, sample.rating_min, sample.rating_max)}){line[place.end() :]}"


def score_lines(metric: str, score: Score, *, is_brief: bool = False, has_heading: bool = True) -> Iterator[Line]:
    """Yields the lines of a score: value, reason, and unless it is brief its claims, other evidence and usage."""
    if has_heading:
        yield (Part(f"\n{one_line(metric)}: {score_cell(score)}", "title"),)
    yield (Part(f"  {one_line(score.reason)}"),)
    if is_brief:
        return
    evidence = dict(score.evidence)
    if "decision" in evidence and "parts" in evidence:
        yield from _part_lines(evidence)
    for claim in evidence.pop("claims", []):
        yield from _claim_lines(claim)
    for name, value in evidence.items():
        for text in evidence_lines(name, value):
            yield (Part(f"  {text}", "detail"),)
    usage = score.usage
    if not usage.calls and not has_heading:
        return
    seconds = Figure("seconds", usage.seconds)
    yield (
        Part(
            f"  {count_of(usage.calls, 'call')} ({usage.from_cassette} replayed), "
            f"{usage.bound}{count_of(usage.tokens_in, 'token')} in ({usage.tokens_cached} cached), {usage.tokens_out} "
            f"out, cost {format_cost(usage.usd, usage.bound)}, {seconds} s",
            "detail",
        ),
    )


def evidence_lines(name: str, value: Any) -> Iterator[str]:
    """Yields a JSON value of a score's evidence as lines of text: of a list of objects one line each, else one line.

    Example:
        >>> for line in evidence_lines("in_answer", [{"kind": "date", "text": "1 May"}]):
        ...     print(line)
        in answer:
          kind: date; text: 1 May
        >>> [*evidence_lines("override", None)], [*evidence_lines("probabilities", {"yes": 0.9, "no": 0.1})]
        (['override: none'], ['probabilities: yes: 0.9; no: 0.1'])
    """
    label = one_line(name.replace("_", " "))
    if not isinstance(value, list) or not any(isinstance(entry, dict | list) for entry in value):
        yield f"{label}: {_cut(_as_text(value))}"
        return
    yield f"{label}:"
    yield from (f"  {_cut(_as_text(entry))}" for entry in value[:_MOST_ENTRIES])
    if len(value) > _MOST_ENTRIES:
        yield f"  and {len(value) - _MOST_ENTRIES} more"


def _as_text(value: Any) -> str:
    """A JSON value in one line."""
    if isinstance(value, dict):
        entries = (f"{one_line(str(key).replace('_', ' '))}: {_as_text(inner)}" for key, inner in value.items())
        return "; ".join(entries) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(_as_text, value)) or "none"
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return one_line(f"{value:.4g}" if isinstance(value, float) else str(value))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_EVIDENCE else f"{text[: _LONGEST_EVIDENCE - 1]}…"


def _part_lines(evidence: dict[str, Any]) -> Iterator[Line]:
    """A scorer's parts: the value of each, what it adds, and how it came about; taken out of the evidence."""
    level, low, high, predicted = (
        Figure("share" if name == "level" else "predicted", evidence.pop(name))
        for name in ("level", "low", "high", "predicted")
    )
    decision = DECISION_WORDS[evidence.pop("decision")]
    yield (
        Part(
            f"  Of answers like this, at least {level} are rated {low} to {high}; about {predicted} is "
            f"expected. Decision: {decision}."
        ),
    )
    for name, part in evidence.pop("parts").items():
        if part["value"] is None:
            effect = f"has no value ({part['status']}: {one_line(part['reason'])}), so it counts as its middle"
        else:
            adds = Figure("contribution", part.get("contribution", 0.0))
            effect = f"is {Figure('value', part['value'])}, which changes the prediction by {adds}"
        yield (Part(f"  {one_line(name)} {effect}", "title"),)
        inner = Score(part["value"], part["status"], part["reason"], part["evidence"])
        for line in score_lines(name, inner, is_brief=name in ALL_BASELINES, has_heading=False):
            yield (Part("  "), *line)
    for remark in evidence.pop("remarks", ()):  # of a run of an earlier version
        yield (Part(f"  {one_line(remark)}", "remark"),)


def _claim_lines(claim: Mapping[str, Any]) -> Iterator[Line]:
    probability = "" if claim.get("probability") is None else f" P={Figure('coefficient', claim['probability'])}"
    whose = f" {one_line(claim['of'])}:" if "of" in claim else ""
    yield (
        Part("  "),
        Part(f"{one_line(str(claim['verdict'])):<12}", str(claim["verdict"])),
        Part(f"{probability}{whose}  {one_line(claim['text'])}"),
    )
    yield (Part(f"               {one_line(claim['reason'])}", "detail"),)
    if claim.get("quote"):
        yield (Part(f'               "{one_line(claim["quote"])}" ({quote_place(claim)})', "detail"),)


def audit_lines(sample: Sample, scores: Iterable[tuple[str, Score]]) -> Iterator[Line]:
    """Yields the lines of a sample, and those of its scores; a baseline has value and reason."""
    yield from sample_lines(sample)
    for metric, score in scores:
        yield from score_lines(metric, score, is_brief=metric in ALL_BASELINES)


class Audit:
    """How one sample came by its scores; printed, it is what `assay show RUN SAMPLE` prints.

    Attributes:
        scores: Its scores by metric, each with its reason and evidence; `scores[...].claims` are its claims.
    """

    def __init__(self, sample: Sample, scores: Mapping[str, Score]) -> None:
        self.sample = sample
        self.scores = scores

    def __str__(self) -> str:
        lines = audit_lines(self.sample, self.scores.items())
        return "\n".join("".join(part.text for part in line) for line in lines)

    __repr__ = __str__
