"""The assertion that an answer scores well enough; its failure shows the claims and their quotes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..errors import UsageError
from ..eval_sets import Sample
from ..judges import JudgeLike, LiteLLMJudge, open_judge
from ..metrics import Metric, Score
from ..metrics.catalogue import load_metric
from ..metrics.metric import check_metric, run_to_end
from ..metrics.sample_state import write_thread
from ..untrusted import without_unseen
from ..value_messages import check_type

_LONGEST = 300  # characters of a text in a failure
_MOST_LINES = 6  # of a conversation in a failure: the last messages and calls


def assert_score(
    metric: Metric | str,
    sample: Sample | Mapping[str, Any] | None = None,
    *,
    messages: Sequence[Any] | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    judge: JudgeLike | None = None,
) -> Score:
    """Asserts that a sample's score lies within bounds.

    Args:
        metric: A metric, or its name as for `--metrics` (`token_overlap`, `my_metrics.py:is_short`).
        sample: The question, the answer and what the metric needs besides: a `Sample` or its fields.
        messages: A conversation, in OpenAI's form; it takes the place of the sample, or joins its fields.
        at_least: The lowest value that passes.
        at_most: The highest value that passes.
        judge: Answers the questions of a metric given by name: whatever `evaluate` takes. Its replies are not
            recorded, unless it is a judge that records them, as that of the fixture `assay_judge`.

    Returns:
        The score, for further assertions.

    Raises:
        AssertionError: The value is out of bounds, or there is none (skipped or failed). The text has the claims with
            their verdicts, reasons and quotes.
        UsageError: No bound is given, the metric is unknown, or the fields make no sample.

    Example:
        >>> answer = {"response": "It is free.", "retrieved_contexts": ["The course is free."]}
        >>> assert_score("token_overlap", answer, at_least=0.5).value
        0.6666666666666667
        >>> assert_score("token_overlap", answer, at_least=0.8)
        Traceback (most recent call last):
        AssertionError: token_overlap is 0.6667, below 0.8: 2 of 3 tokens are in the context
          answer: It is free.
          not in context: it
        >>> question = {"role": "user", "content": "Is it free?"}
        >>> answer = {"role": "assistant", "content": "It is.", "retrieved_contexts": ["It is free."]}
        >>> assert_score("token_overlap", messages=[question, answer], at_least=1).value
        1.0
    """
    __tracebackhide__ = True
    if at_least is None and at_most is None:
        raise UsageError("assert_score needs a bound: at_least=0.8, or at_most=0.2 where lower is better")
    fields = _fields(sample, messages)
    name, score = run_to_end(_measure(metric, fields, judge))
    if problem := _problem(score, at_least, at_most):
        raise AssertionError("\n".join([f"{name} {problem}: {score.reason}", *_details(fields, score)]))
    return score


def _fields(sample: Sample | Mapping[str, Any] | None, messages: Sequence[Any] | None) -> dict[str, Any]:
    """The fields of the sample, with the conversation."""
    if sample is None and messages is None:
        raise UsageError("assert_score needs a sample, or messages=[...]: the conversation")
    check_type("sample", sample, (Sample, Mapping, type(None)), "a Sample, or its fields as a dict")
    check_type("messages", messages, (list, tuple, type(None)), "a list of messages, each with role and content")
    fields = sample.model_dump() if isinstance(sample, Sample) else dict(sample or {})
    return fields if messages is None else fields | {"messages": messages}


async def _measure(metric: Metric | str, fields: Mapping[str, Any], judge: JudgeLike | None) -> tuple[str, Score]:
    """The metric's name, and its score."""
    if isinstance(metric, str):
        opened = None if judge is None else open_judge(judge)
        measured = load_metric(metric, opened)
    else:
        check_metric("metric", metric)
        if judge is not None:
            raise UsageError(f"{metric.name} has its own judge; judge= is for a metric given by name")
        opened, measured = None, metric
    try:
        return measured.name, await measured.ascore(**fields)
    finally:
        if opened is not judge and isinstance(opened, LiteLLMJudge):
            await opened.cancel_calls()
            opened.close()


def _problem(score: Score, at_least: float | None, at_most: float | None) -> str:
    """What is wrong with a score, as the end of a sentence; empty where nothing is."""
    if score.value is None:
        return f"has no value, it is {score.status}"
    if at_least is not None and score.value < at_least:
        return f"is {score.value:.4g}, below {at_least:g}"
    if at_most is not None and score.value > at_most:
        return f"is {score.value:.4g}, above {at_most:g}"
    return ""


def _details(fields: Mapping[str, Any], score: Score) -> Iterator[str]:
    """The texts, then the claims, else the other evidence, as `assay show` prints them."""
    from ..runs.show.sample_audit import score_lines

    if fields.get("messages"):
        lines = write_thread(Sample.model_validate({"id": "sample", **fields}), _LONGEST).text.split("\n")
        yield from (f"  {_shown(line)}" for line in lines[-_MOST_LINES:])
    else:
        for label, name in (("question", "user_input"), ("answer", "response")):
            if text := _shown(str(fields.get(name, ""))):
                yield f"  {label}: {text}"
    evidence = {"claims": score.evidence["claims"]} if score.claims else score.evidence
    _, *lines_of_score = score_lines("", Score(score.value, score.status, score.reason, evidence), has_heading=False)
    yield from ("".join(part.text for part in line) for line in lines_of_score)


def _shown(text: str) -> str:
    """A text on one line, without control characters, shortened."""
    line = " ".join(without_unseen(text).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
