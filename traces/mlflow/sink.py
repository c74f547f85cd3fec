"""Writes scores as feedback on the traces of an experiment in MLflow."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from ...value_messages import shorten
from ..address import TraceAddress
from ..http_client import RefusedRequest
from ..sink import TraceScore, WriteResult
from .source import SESSION, MlflowServer, is_missing

KEY = "assay.key"
"""The key of a feedback's metadata with the key of the score."""
_LOOKED_UP = 50  # traces in one search
_SESSION_PAGE = 500
_THREADS = 4  # as many as a server has processes, where nobody says otherwise
_LONGEST_REASON = 16_000  # characters: MySQL keeps 65,535 bytes
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/")


_Target = tuple[str, Sequence[tuple[str, str]]]
"""Where a score goes: the trace's id, and the feedback that is there under the score's key (trace and id)."""


class MlflowSink:
    """Writes scores to the traces of one experiment, each as one feedback whose id is made of the score's key.

    The server refuses a second feedback with that id, so that no write is doubled, also where an earlier one is
    answered late. A score of a session goes to the session's first trace with `mlflow.trace.session` in its metadata,
    where MLflow's own assessments of sessions are.
    """

    def __init__(self, address: TraceAddress) -> None:
        self._server = MlflowServer(address)

    def write(self, scores: Sequence[TraceScore]) -> Iterator[WriteResult]:
        """Writes scores, and yields one result per score as soon as it is known to be there."""
        of_sessions = [score for score in scores if score.is_of_session]
        of_traces = [score for score in scores if not score.is_of_session]
        for start in range(0, len(of_traces), _LOOKED_UP):
            part = of_traces[start : start + _LOOKED_UP]
            traces = self._look_up(score.origin.id for score in part)
            targets = [_target(score, [traces[score.origin.id]] if score.origin.id in traces else []) for score in part]
            with ThreadPoolExecutor(_THREADS) as pool:
                yield from pool.map(self._write, part, targets)
        sessions: dict[str, list[Mapping[str, Any]]] = {}
        for score in of_sessions:
            name = score.origin.session
            if name not in sessions:
                sessions = {name: self._look_up_session(name)}  # one at a time: scores of a session are neighbours
            yield self._write(score, _target(score, sessions[name]))

    def _look_up(self, ids: Iterable[str]) -> dict[str, Mapping[str, Any]]:
        """The traces of the experiment with these ids, without their spans."""
        names = [name for name in dict.fromkeys(ids) if name and set(name) <= _NAME_CHARACTERS]
        if not names:
            return {}
        listed = ", ".join(f"'{name}'" for name in names)
        reply = self._server.search(f"request_id IN ({listed})", len(names))
        return {str(trace.get("trace_id")): trace for trace in reply["traces"]}

    def _look_up_session(self, session: str) -> list[Mapping[str, Any]]:
        """The traces of a session in the order of their times; none where MLflow cannot search for its name."""
        mark = next((mark for mark in ("'", '"') if mark not in session), "")
        if not mark or not session.isprintable():
            return []
        condition = f"metadata.`{SESSION}` = {mark}{session}{mark}"
        return [
            {"trace_id": trace.get("trace_id"), "assessments": trace.get("assessments")}
            for page in self._server.search_pages(condition, _SESSION_PAGE)
            for trace in page
        ]

    def _write(self, score: TraceScore, target: _Target | None) -> WriteResult:
        if target is None:
            what = f"session `{shorten(score.origin.session)}`" if score.is_of_session else ""
            what = what or f"trace {shorten(score.origin.id)}"
            place = f"experiment `{shorten(self._server.address.project)}`"
            return WriteResult(score.key, "failed", f"no {what} in {place}: it may have been deleted")
        try:
            trace, own = target
            return self._update(score, trace, own[0]) if own else self._create(score, trace)
        except RefusedRequest as error:
            gone = f"no trace {shorten(score.origin.id)}: it may have been deleted"
            return WriteResult(score.key, "failed", gone if is_missing(error) else f"{error.problem}; push again")

    def _create(self, score: TraceScore, trace: str) -> WriteResult:
        """Writes a score that is not there; before each new attempt it looks whether an earlier one came through."""
        client, path = self._server.client, f"/api/3.0/mlflow/traces/{quote(trace, safe='')}/assessments"
        body = {"assessment": {"assessment_id": f"a-{score.key}", **_created(trace), **_feedback(score)}}
        attempts = 0

        def attempt() -> Any:
            nonlocal attempts
            attempts += 1
            if attempts > 1 and self._own_feedback(score, trace):
                return {}
            return client.parse(client.once("POST", path, json=body))

        client.repeat(path, attempt)
        return WriteResult(score.key, "written")

    def _update(self, score: TraceScore, first: str, there: tuple[str, str]) -> WriteResult:
        """Replaces what is there; where somebody has removed it since, it goes to the first trace."""
        trace, name = there
        feedback = {"assessment_id": name, "trace_id": trace, **_feedback(score)}
        body = {"assessment": feedback, "update_mask": "feedback,rationale,metadata"}
        try:
            self._server.client.call("PATCH", _feedback_path(trace, name), json=body)
        except RefusedRequest as error:
            if not is_missing(error):
                raise
            return self._create(score, first)
        return WriteResult(score.key, "updated")

    def _own_feedback(self, score: TraceScore, trace: str) -> list[tuple[str, str]]:
        info = self._look_up([trace]).get(trace)
        return _own(score, [info] if info else [])


def _target(score: TraceScore, traces: Sequence[Mapping[str, Any]]) -> _Target | None:
    return (str(traces[0].get("trace_id")), _own(score, traces)) if traces else None


def _own(score: TraceScore, traces: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """The feedback under a score's key, the oldest first."""
    own = [
        (str(one.get("create_time")), str(trace.get("trace_id")), str(one.get("assessment_id")))
        for trace in traces
        for one in trace.get("assessments") or []
        if isinstance(one, Mapping) and "feedback" in one and (one.get("metadata") or {}).get(KEY) == score.key
    ]
    return [(trace, name) for _, trace, name in sorted(own)]


def _feedback_path(trace: str, name: str) -> str:
    return f"/api/3.0/mlflow/traces/{quote(trace, safe='')}/assessments/{quote(name, safe='')}"


def _created(trace: str) -> dict[str, Any]:
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"trace_id": trace, "create_time": now, "last_update_time": now}


def _feedback(score: TraceScore) -> dict[str, Any]:
    """The fields of a feedback that an update replaces, and its source, which none can change."""
    reason = score.reason.replace("\0", "")
    if len(reason) > _LONGEST_REASON:
        reason = reason[:_LONGEST_REASON] + " ... (cut)"
    metadata = {
        KEY: score.key,
        "assay.run": score.run,
        "assay.sample": score.sample,
        "assay.at": score.at,
        "assay.low": _text(score.low),
        "assay.high": _text(score.high),
        "assay.higher_is_better": str(score.higher_is_better).lower(),
        "assay.label": score.label,
        "assay.judge": score.judge,
        "assay.prompts": score.prompts,
    }
    if score.is_of_session:
        metadata[SESSION] = score.origin.session
    source = {"source_type": "LLM_JUDGE", "source_id": score.judge} if score.judge else {}
    return {
        "assessment_name": score.name,
        "source": source or {"source_type": "CODE", "source_id": "assay"},
        "feedback": {"value": score.value},
        "rationale": reason,
        "metadata": metadata,
    }


def _text(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
