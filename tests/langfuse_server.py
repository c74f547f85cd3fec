"""A local server that follows the published API of Langfuse 4, as the package `langfuse` 5 calls it.

Every reply passes the client's own models, and so does every score that is sent. What is wrong in a request is answered
as the API says: 400 for an unknown field group or too long a page, 207 for a batch of which some are refused.
"""

import base64
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from api_server import ApiServer, Call, Reply

PUBLIC, SECRET = "pk-lf-of-the-test", "sk-lf-of-the-test"
_GROUPS = {
    "core": ("id", "traceId", "startTime", "endTime", "projectId", "parentObservationId", "type"),
    "basic": (
        *("name", "level", "statusMessage", "version", "environment", "bookmarked", "public", "userId", "sessionId"),
        "isRootObservation",
    ),
    "time": ("completionStartTime", "createdAt", "updatedAt"),
    "io": ("input", "output"),
    "metadata": ("metadata",),
    "model": ("model", "internalModelId", "modelParameters"),
    "usage": ("usageDetails", "costDetails", "totalCost", "usagePricingTierName"),
    "prompt": ("promptId", "promptName", "promptVersion"),
    "metrics": ("latency", "timeToFirstToken"),
    "trace_context": ("tags", "release", "traceName"),
}
_SCORE_GROUPS = {
    "details": ("comment", "configId", "metadata"),
    "subject": ("subject",),
    "annotation": ("authorUserId", "queueId"),
}
_SCORE_CORE = (
    *("id", "projectId", "name", "value", "dataType", "source", "timestamp", "environment", "createdAt", "updatedAt"),
)
_COLUMNS = {
    **{name: name for name in ("id", "type", "name", "traceId", "environment", "version", "userId", "sessionId")},
    **{"startTime": "startTime", "isRootObservation": "isRootObservation", "traceName": "traceName"},
    **{"traceTags": "tags", "tags": "tags"},
}
NOW = "2026-11-20T12:00:00.000Z"


class LangfuseServer(ApiServer):
    """The server, with one project. `observations` and `scores` are what it holds, by id."""

    def __init__(self, project="support bot"):
        super().__init__()
        self.project = project
        self.observations: dict[str, dict[str, Any]] = {}
        self.scores: dict[str, dict[str, Any]] = {}
        self.configs: dict[str, dict[str, Any]] = {}
        self.refused: dict[str, str] = {}  # name of a score -> why it is refused
        self.checks = True  # whether a reply must pass the client's models

    def add_trace(self, trace_id, begun, *children, **fields):
        """Adds a trace: its root, with the fields, and what is under it."""
        shared = {name: fields[name] for name in ("sessionId", "userId", "tags", "release") if name in fields}
        name = fields.get("name", "chat")
        self.add(f"{trace_id}-root", trace_id, begun, **{"type": "SPAN", "isRootObservation": True, **fields})
        for number, child in enumerate(children):
            own = {"parentObservationId": f"{trace_id}-root", "traceName": name, **shared, **child}
            self.add(f"{trace_id}-{number}", trace_id, own.pop("startTime", begun), **own)

    def add(self, observation_id, trace_id, begun, **fields):
        """Adds one observation."""
        text = {side: fields[side] for side in ("input", "output") if side in fields}
        text = {
            side: value if isinstance(value, str) or value is None else json.dumps(value)
            for side, value in text.items()
        }
        self.observations[observation_id] = {
            "id": observation_id,
            "traceId": trace_id,
            "startTime": begun,
            "projectId": "project-1",
            "type": "SPAN",
            "environment": "default",
            "isRootObservation": False,
            "traceName": fields.get("name"),
            **fields,
            **text,
        }

    def add_score(self, score_id, name, value, **fields):
        """Adds a score, of a trace with `trace`, of a session with `session`."""
        kind = {bool: "BOOLEAN", str: "CATEGORICAL"}.get(type(value), "NUMERIC")
        about = next(({"kind": kind, "id": fields.pop(kind)} for kind in ("trace", "session") if kind in fields), {})
        self.scores[score_id] = {
            **{"id": score_id, "name": name, "value": value, "dataType": kind, "subject": about, "source": "API"},
            **{"projectId": "project-1", "environment": "default"},
            **{"timestamp": NOW, "createdAt": NOW, "updatedAt": NOW},
            **fields,
        }

    def answer(self, call):
        """Answers as the API does."""
        expected = "Basic " + base64.b64encode(f"{PUBLIC}:{SECRET}".encode()).decode()
        headers = {name.lower(): value for name, value in call.headers.items()}
        if headers.get("authorization") != expected:
            return Reply(401, {"message": "Invalid credentials. Confirm that you've configured the correct host."})
        answers = {
            ("GET", "/api/public/projects"): lambda _: self._projects(),
            ("GET", "/api/public/v2/observations"): self._list_observations,
            ("GET", "/api/public/v3/scores"): self._list_scores,
            ("POST", "/api/public/scores"): self._create_scores,
        }
        if answer := answers.get((call.method, call.path)):
            return answer(call)
        config = self.configs.get(call.path.removeprefix("/api/public/score-configs/"))
        return Reply(200, config) if config else Reply(404, {"message": "not found"})

    def _projects(self):
        from langfuse.api.projects.types.projects import Projects

        project = {"id": "project-1", "name": self.project, "metadata": {}, "organization": {"id": "o", "name": "Org"}}
        return self._checked(Projects, {"data": [project]})

    def _list_observations(self, call):
        from langfuse.api.observations.types.observations_v2response import ObservationsV2Response

        groups = (call.value("fields") or "core,basic").split(",")
        limit = int(call.value("limit") or 50)
        if unknown := set(groups) - _GROUPS.keys():
            return Reply(400, {"message": f"unknown field groups {sorted(unknown)}"})
        if limit > 1000:
            return Reply(400, {"message": "limit is at most 1000"})
        conditions = json.loads(call.value("filter") or "[]")
        matches = [value for value in self.observations.values() if all(_meets(value, one) for one in conditions)]
        matches.sort(key=lambda value: (value["startTime"], value["traceId"], value["id"]), reverse=True)
        cursor = call.value("cursor")
        if cursor:
            last = tuple(json.loads(base64.urlsafe_b64decode(cursor)))
            matches = [value for value in matches if (value["startTime"], value["traceId"], value["id"]) < last]
        page = matches[:limit]
        names = [name for group in {*groups, "core"} for name in _GROUPS[group]]
        listed = [{name: _cut(name, value.get(name)) for name in names} for value in page]
        meta = {}
        if len(matches) > limit:
            last = (page[-1]["startTime"], page[-1]["traceId"], page[-1]["id"])
            meta = {"cursor": base64.urlsafe_b64encode(json.dumps(last).encode()).decode()}
        return self._checked(ObservationsV2Response, {"data": listed, "meta": meta})

    def _list_scores(self, call):
        from langfuse.api.scores.types.get_scores_v3response import GetScoresV3Response

        groups = [group for group in (call.value("fields") or "").split(",") if group]
        limit = int(call.value("limit") or 50)
        if limit > 100 or set(groups) - _SCORE_GROUPS.keys() or (call.value("traceId") and call.value("sessionId")):
            return Reply(400, {"message": "Invalid request data"})
        matches = [score for score in self.scores.values() if self._is_asked_for(score, call)]
        matches.sort(key=lambda score: (score["timestamp"], score["id"]), reverse=True)
        first = int(call.value("cursor") or 0)
        names = [*_SCORE_CORE, *(name for group in groups for name in _SCORE_GROUPS[group])]
        listed = [{name: score[name] for name in names if score.get(name) is not None} for score in matches]
        meta = {"limit": limit} | ({"cursor": str(first + limit)} if len(matches) > first + limit else {})
        return self._checked(GetScoresV3Response, {"data": listed[first : first + limit], "meta": meta})

    @staticmethod
    def _is_asked_for(score: Mapping[str, Any], call: Call) -> bool:
        subject = score["subject"]
        trace = subject.get("traceId") if subject.get("kind") == "observation" else None
        trace = subject.get("id") if subject.get("kind") == "trace" else trace
        session = subject.get("id") if subject.get("kind") == "session" else None
        values = {"id": score["id"], "name": score["name"], "dataType": score["dataType"]}
        values |= {"traceId": trace, "sessionId": session}
        return all(value in call.value(name).split(",") for name, value in values.items() if call.value(name))

    def _create_scores(self, call):
        from langfuse.api.core.pydantic_utilities import parse_obj_as
        from langfuse.api.scores.types.create_score_request import CreateScoreRequest

        if not isinstance(call.body, list):
            return Reply(400, {"message": "Invalid request data"})
        errors = []
        for body in call.body:
            parse_obj_as(CreateScoreRequest, body)
            if problem := self.refused.get(body["name"]) or _problem(body):
                errors.append({"message": problem})
                continue
            about = {"kind": "trace", "id": body.get("traceId")}
            if body.get("sessionId"):
                about = {"kind": "session", "id": body["sessionId"]}
            if body.get("observationId"):
                about = {"kind": "observation", "id": body["observationId"], "traceId": body["traceId"]}
            # one score has one id and one time: a second time makes a second row until the store merges them
            key = (
                body["id"] if self.scores.get(body["id"], body)["timestamp"] == body["timestamp"] else f"{body['id']}+"
            )
            self.scores[key] = {
                **{
                    "projectId": "project-1",
                    "source": "API",
                    "environment": "default",
                    "createdAt": NOW,
                    "updatedAt": NOW,
                },
                **body,
                "subject": about,
            }
        if errors:
            counts = {"accepted": len(call.body) - len(errors), "rejected": len(errors)}
            return Reply(207, {**counts, "errors": errors})
        return Reply(202, {"message": "Accepted"})

    def _checked(self, model, body):
        from langfuse.api.core.pydantic_utilities import parse_obj_as

        if self.checks:
            parse_obj_as(model, body)
        return Reply(200, body)


def _problem(body):
    if not (body.get("traceId") or body.get("sessionId")):
        return "Provide exactly one of the following: traceId, sessionId, datasetRunId"
    if body.get("observationId") and not body.get("traceId"):
        return "observationId needs a traceId"
    is_number = isinstance(body["value"], int | float)
    return "" if is_number == (body.get("dataType", "NUMERIC") in ("NUMERIC", "BOOLEAN")) else "wrong type of value"


def _cut(name, value):
    if name != "metadata" or not isinstance(value, dict):
        return value
    texts = {key: text if isinstance(text, str) else json.dumps(text) for key, text in value.items()}
    return {key: text[:200] for key, text in texts.items()}


def _meets(observation, condition):
    value, wanted = observation.get(_COLUMNS[condition["column"]]), condition["value"]
    match condition["type"], condition["operator"]:
        case "boolean", "=":
            return bool(value) is wanted
        case "datetime", operator:
            time, bound = datetime.fromisoformat(str(value)), datetime.fromisoformat(wanted)
            return time < bound if operator == "<" else time >= bound
        case "stringOptions", "any of":
            return value in wanted
    raise AssertionError(f"the API has no such condition: {condition}")
