"""Writes scores as annotations of Phoenix's spans, traces and sessions."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Literal

from ..address import TraceAddress
from ..http_client import RefusedRequest, whole_text
from ..sink import TraceScore, WriteResult, send_in_halves
from .source import PhoenixProject

_BATCH = 100

Unit = Literal["span", "trace", "session"]


class PhoenixSink:
    """Writes scores to a project of Phoenix, each under its key as the annotation's identifier.

    A score of a conversation is an annotation of the session. A score of an answer is one of the span that holds the
    answer, where it is known: Phoenix shows it beside the question and the answer, and its filters and data sets are
    made of spans. Otherwise it is one of the trace. What stands under a name and a key is replaced.
    """

    def __init__(self, address: TraceAddress) -> None:
        self._project = PhoenixProject(address)

    def write(self, scores: Sequence[TraceScore]) -> Iterator[WriteResult]:
        """Writes scores; see `Sink`. A hundred are one call, which Phoenix takes whole or not at all."""
        if not scores:
            return
        by_unit: dict[Unit, list[TraceScore]] = {}
        for score in {score.key: score for score in scores}.values():
            by_unit.setdefault(_unit(score), []).append(score)
        self._project.connect()
        for unit, own in by_unit.items():
            post = partial(self._post, unit)
            for score, problem in send_in_halves(own, post, most=_BATCH, is_about_one=_is_about_one):
                yield WriteResult(score.key, "failed" if problem else "written", problem)

    def _post(self, unit: Unit, scores: Sequence[TraceScore]) -> str:
        path, annotations = f"v1/{unit}_annotations", [_annotation(score, unit) for score in scores]
        try:
            self._project.client.call("POST", path, params={"sync": "true"}, json={"data": annotations})
        except RefusedRequest as error:
            if error.status == 404 and len(scores) == 1:
                target = _target(scores[0], unit)
                return f"the {unit} {target} is not in Phoenix (any more); pull again"
            return f"Phoenix refuses it: {error.problem}"
        return ""


def _is_about_one(problem: str) -> bool:
    return problem.endswith("pull again")


def _unit(score: TraceScore) -> Unit:
    return "session" if score.is_of_session else "span" if score.origin.span else "trace"


def _target(score: TraceScore, unit: Unit) -> str:
    return whole_text({"span": score.origin.span, "trace": score.origin.id, "session": score.origin.session}[unit])


def _annotation(score: TraceScore, unit: Unit) -> dict[str, Any]:
    """A score in the form of the REST API."""
    metadata = {
        "low": score.low,
        "high": score.high,
        "higher_is_better": score.higher_is_better,
        "judge": score.judge,
        "prompts": score.prompts,
        "run": score.run,
        "sample": score.sample,
        "at": score.at,
        "key": score.key,
    }
    return {
        f"{unit}_id": _target(score, unit),
        "name": whole_text(score.name),
        "annotator_kind": "LLM" if score.judge else "CODE",
        "result": {
            "score": score.value,
            "label": whole_text(score.label) or None,
            "explanation": whole_text(score.reason) or None,
        },
        "metadata": {
            name: whole_text(held) if isinstance(held, str) else held
            for name, held in metadata.items()
            if held not in (None, "")
        },
        "identifier": score.key,
    }
