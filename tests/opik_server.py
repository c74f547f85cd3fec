"""A local server that follows the published API of Opik, as the package `opik` 2.2 calls it.

Every reply passes the client's own models, and so does every score that is sent. As in Opik, one score is kept per
trace (or thread), name and author, who is the user of the key; what is shown is the mean of the authors'.
"""

import json
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from api_server import ApiServer, Call, Reply

KEY = "opik-key-of-the-test"
_USER = "key-user"


def trace_uuid(number: int) -> str:
    """An id of the seventh version, in the order of the numbers."""
    return str(uuid.UUID(int=(number << 80) | (7 << 76) | (2 << 62)))


class OpikServer(ApiServer):
    """The server, with one workspace and project. `traces` and `spans` are what it holds, by id."""

    def __init__(self, workspace: str = "default", project: str = "support bot") -> None:
        super().__init__()
        self.workspace, self.project = workspace, project
        self.key = ""  # where one is set, it is needed, as in the cloud
        self.traces: dict[str, dict[str, Any]] = {}
        self.spans: dict[str, dict[str, Any]] = {}
        self.definitions: list[dict[str, Any]] = []
        self.scores: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}  # (id, name) -> author -> entry
        self.threads: set[str] = set()
        self.open_threads: set[str] = set()
        self.checks = True

    def add_trace(self, number: int, begun: str, *spans: Mapping[str, Any], **fields: Any) -> str:
        """Adds a trace with its spans; returns its id."""
        trace_id = trace_uuid(number)
        values = {"name": "chat", "start_time": begun, "end_time": begun, "span_count": len(spans), **fields}
        self.traces[trace_id] = {"id": trace_id, "project_id": trace_uuid(9), **values}
        if fields.get("thread_id"):
            self.threads.add(fields["thread_id"])
        for place, span in enumerate(spans):
            span_id = trace_uuid(number * 1000 + place)
            self.spans[span_id] = {"id": span_id, "trace_id": trace_id, "start_time": begun, "type": "general", **span}
        return trace_id

    def rate(self, entity: str, name: str, value: float, author: str, source: str = "ui", **fields: Any) -> None:
        """Adds a feedback score of one author."""
        self.scores.setdefault((entity, name), {})[author] = {"value": value, "source": source, **fields}

    def answer(self, call: Call) -> Reply:
        """Answers as the API does."""
        headers = {name.lower(): value for name, value in call.headers.items()}
        if self.key and headers.get("authorization") != self.key:
            return Reply(401, {"code": 401, "message": "API key should be provided"})
        if headers.get("comet-workspace", "default") != self.workspace:
            return Reply(403, {"code": 403, "message": "User has no access to the workspace"})
        answers = {
            ("POST", "/api/v1/private/projects/retrieve"): self._retrieve_project,
            ("POST", "/api/v1/private/traces/search"): self._search_traces,
            ("POST", "/api/v1/private/spans/search"): self._search_spans,
            ("GET", "/api/v1/private/feedback-definitions"): self._list_definitions,
            ("PUT", "/api/v1/private/traces/feedback-scores"): self._score_traces,
            ("PUT", "/api/v1/private/traces/threads/feedback-scores"): self._score_threads,
            ("POST", "/api/v1/private/traces/threads/retrieve"): self._retrieve_thread,
        }
        answer = answers.get((call.method, call.path))
        return answer(call) if answer else Reply(404, "<html>no such page</html>")

    def _retrieve_project(self, call: Call) -> Reply:
        from opik.rest_api.types.project_detailed import ProjectDetailed

        if call.body["name"] != self.project:
            return Reply(404, {"code": 404, "message": "Project not found"})
        return self._checked(ProjectDetailed, {"id": trace_uuid(9), "name": self.project})

    def _search_traces(self, call: Call) -> Reply:
        from opik.rest_api.types.trace_public import TracePublic

        values = [{**trace, "feedback_scores": self._shown_scores(trace["id"])} for trace in self.traces.values()]
        return self._page(TracePublic, values, call)

    def _search_spans(self, call: Call) -> Reply:
        from opik.rest_api.types.span_public import SpanPublic

        wanted = call.body.get("trace_id")
        spans = [span for span in self.spans.values() if wanted in (None, span["trace_id"])]
        return self._page(SpanPublic, spans, call)

    def _page(self, model: Any, values: list[dict[str, Any]], call: Call) -> Reply:
        assert call.body["project_name"] == self.project
        filters = call.body.get("filters") or []
        limit, last = call.body["limit"], call.body.get("last_retrieved_id")
        if not 1 <= limit <= 2000:
            return Reply(400, {"errors": ["limit must be less than or equal to 2000"]})
        matches = [value for value in values if all(_meets(value, one) for one in filters)]
        matches.sort(key=lambda value: str(value["id"]), reverse=True)
        page = [value for value in matches if last is None or str(value["id"]) < last][:limit]
        lines = []
        for value in page:
            own = {name: held for name, held in value.items() if name not in (call.body.get("exclude") or [])}
            if self.checks:
                model(**{"start_time": "2026-11-20T10:00:00Z", **own})
            lines.append(json.dumps(own))
        return Reply(200, "".join(f"{line}\n" for line in lines), {"content-type": "application/octet-stream"})

    def _shown_scores(self, entity: str) -> list[dict[str, Any]]:
        shown = []
        for (own, name), by_author in self.scores.items():
            if own == entity:
                values = [entry["value"] for entry in by_author.values()]
                last = list(by_author)[-1]
                shown.append(
                    {
                        **{"name": name, "value": sum(values) / len(values), "source": by_author[last]["source"]},
                        **{"created_by": last, "last_updated_by": last, "value_by_author": by_author},
                    }
                )
        return shown

    def _list_definitions(self, call: Call) -> Reply:
        from opik.rest_api.types.feedback_definition_page_public import FeedbackDefinitionPagePublic

        page, size = int(call.value("page") or 1), int(call.value("size") or 10)
        content = self.definitions[(page - 1) * size : page * size]
        return self._checked(
            FeedbackDefinitionPagePublic,
            {"page": page, "size": size, "total": len(self.definitions), "content": content},
        )

    def _score_traces(self, call: Call) -> Reply:
        from opik.rest_api.types.feedback_score_batch_item import FeedbackScoreBatchItem

        return self._store(call, FeedbackScoreBatchItem, "id")

    def _score_threads(self, call: Call) -> Reply:
        from opik.rest_api.types.feedback_score_batch_item_thread import FeedbackScoreBatchItemThread

        if any(item["thread_id"] in self.open_threads for item in call.body["scores"]):
            return Reply(409, {"code": 409, "message": "Threads must be closed before scoring"})
        return self._store(call, FeedbackScoreBatchItemThread, "thread_id")

    def _store(self, call: Call, model: Any, entity: str) -> Reply:
        items = call.body["scores"]
        for item in items:
            model(**item)
            if item["project_name"] != self.project:
                return Reply(409, {"code": 409, "message": "project and trace do not match"})
            if entity == "id" and uuid.UUID(item["id"]).version != 7:
                return Reply(400, {"code": 400, "message": "trace id must be a version 7 UUID"})
        if not 1 <= len(items) <= 1000:
            return Reply(422, {"errors": ["scores size must be between 1 and 1000"]})
        for item in items:
            entry = {name: item.get(name) for name in ("value", "source", "reason", "category_name")}
            self.scores.setdefault((item[entity], item["name"]), {})[_USER] = entry
        return Reply(204)

    def _retrieve_thread(self, call: Call) -> Reply:
        from opik.rest_api.types.trace_thread import TraceThread

        thread = call.body["thread_id"]
        if thread not in self.threads:
            return Reply(404, {"code": 404, "message": "Thread not found"})
        return self._checked(TraceThread, {"id": thread, "feedback_scores": self._shown_scores(thread)})

    def _checked(self, model: Any, body: dict[str, Any]) -> Reply:
        from opik.rest_api.core.pydantic_utilities import parse_obj_as

        if self.checks:
            parse_obj_as(model, body)
        return Reply(200, body)


def _meets(values: Mapping[str, Any], condition: Mapping[str, Any]) -> bool:
    value, wanted, key = values.get(condition["field"]), condition.get("value"), condition.get("key")
    match condition["field"], condition["operator"]:
        case "start_time", operator:
            time, bound = datetime.fromisoformat(str(value)), datetime.fromisoformat(str(wanted))
            return {"<": time < bound, "<=": time <= bound, ">=": time >= bound}[operator]
        case "feedback_scores", "is_not_empty":
            return any(score["name"] == key for score in value or ())
        case "metadata", "=":
            return bool((value or {}).get(key) == wanted)
        case "tags", "contains":
            return wanted in (value or ())
        case "name" | "thread_id" | "environment", "=":
            return bool(value == wanted)
    raise AssertionError(f"the API has no such condition: {condition}")
