"""Writes scores as annotations of Phoenix's spans, traces and sessions."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Literal

from ..address import TraceAddress
from ..http_client import RefusedRequest, whole_text
from ..sink import TraceScore, WriteResult, send_in_halves
from .project import PhoenixProject, split_ids

_BATCH = 100
_LISTED = 1000

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
        """Writes scores; see `Sink`. A hundred are one call, and one or two that ask what is there already."""
        if not scores:
            return
        by_unit: dict[Unit, list[TraceScore]] = {}
        for score in {score.key: score for score in scores}.values():
            by_unit.setdefault(_unit(score), []).append(score)
        self._project.connect()
        for unit, own in by_unit.items():
            yield from self._write_unit(unit, own)

    def _write_unit(self, unit: Unit, scores: Sequence[TraceScore]) -> Iterator[WriteResult]:
        """Writes scores; Phoenix writes a batch whole or not at all, and a score that is sent twice is one."""
        existing = self._existing(unit, scores)
        post = partial(self._post, unit)
        for score, problem in send_in_halves(scores, post, most=_BATCH, is_about_one=_is_about_one):
            if problem:
                yield WriteResult(score.key, "failed", problem)
            else:
                is_there = (whole_text(score.name), score.key) in existing
                yield WriteResult(score.key, "updated" if is_there else "written")

    def _existing(self, unit: Unit, scores: Sequence[TraceScore]) -> set[tuple[str, str]]:
        """The names and keys of those scores that are there."""
        existing: set[tuple[str, str]] = set()
        keys = {score.key: _target(score, unit) for score in scores}
        for part in split_ids(list(keys), [f"{key}{target}" for key, target in keys.items()]):
            query: dict[str, Any] = {f"{unit}_ids": list(dict.fromkeys(keys[key] for key in part))}
            query |= {"identifier": part, "limit": _LISTED}  # servers that do not know `identifier` list more
            try:
                for page in self._project.pages(f"{unit}_annotations", query):
                    existing |= {(str(one.get("name")), str(one.get("identifier"))) for one in page}
            except RefusedRequest as error:
                if error.status != 404:  # none of the targets is there
                    raise
        return existing

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
