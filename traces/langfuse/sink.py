"""Scores on Langfuse's traces, observations and sessions."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..address import TraceAddress
from ..http_client import RefusedRequest, whole_text
from ..sink import TraceScore, WriteResult, send_in_halves
from ..source import read_utc
from .source import LangfuseProject


class LangfuseSink:
    """Writes scores to a project of Langfuse, under ids of their own: what is there is replaced.

    A score of a conversation is one of the session; any other one is of the observation that holds the answer, where
    that is not the trace itself, else of the trace. Langfuse stores scores a moment after it has accepted them.
    """

    def __init__(self, address: TraceAddress) -> None:
        self._project = LangfuseProject(address)

    def write(self, scores: Sequence[TraceScore]) -> Iterator[WriteResult]:
        """Writes scores; see `Sink`. A batch is one call."""
        if not scores:
            return
        last_of_key = {score.key: score for score in scores}
        _ = self._project.id
        for score, problem in send_in_halves(list(last_of_key.values()), self._post):
            yield WriteResult(score.key, "failed" if problem else "written", problem)

    def _post(self, scores: Sequence[TraceScore]) -> str:
        """Sends one batch; returns why it was not accepted whole.

        Langfuse names no score then. A score under one id and time is one score, however often it is sent.
        """
        client = self._project.client
        try:
            reply = client.call("POST", "api/public/scores", json=list(map(_request, scores)))
        except RefusedRequest as error:
            if error.status in (404, 405):
                raise
            return f"Langfuse refuses it ({error.problem})"
        rejected = reply.get("rejected") if isinstance(reply, dict) else None
        if not rejected:
            return ""
        errors = reply.get("errors")
        messages = [str(error.get("message", "")) for error in errors or () if isinstance(error, dict)]
        return f"Langfuse refuses it: {client.words('; '.join(messages)) or 'it says no reason'}"


def _request(score: TraceScore) -> dict[str, Any]:
    origin = score.origin
    evaluator = {"metric": score.name, "judge": score.judge, "prompts": score.prompts}
    metadata = {
        "low": score.low,
        "high": score.high,
        "higher_is_better": score.higher_is_better,
        "label": score.label,
        "evaluator": {name: value for name, value in evaluator.items() if value},
        "run": score.run,
        "sample": score.sample,
    }
    about = {"sessionId": origin.session} if score.is_of_session else {"traceId": origin.id}
    if "traceId" in about and origin.span:
        about["observationId"] = origin.span
    time = read_utc(score.at)
    request = {
        "id": score.key,
        **about,
        "name": score.name,
        "value": float(score.value),
        "dataType": "NUMERIC",
        "comment": whole_text(score.reason) or None,
        "metadata": {name: value for name, value in metadata.items() if value not in (None, "")},
        "timestamp": time and time.isoformat().replace("+00:00", "Z"),  # with the id it makes it one score
    }
    return {name: value for name, value in request.items() if value is not None}
