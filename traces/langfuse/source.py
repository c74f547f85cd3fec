"""A project of Langfuse: where it is, and its traces as samples."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, cached_property
from typing import Any
from urllib.parse import quote

from ...errors import InputError
from ...eval_sets.logs.human_ratings import HumanRating, ObservedScales, PeopleRatings, Scale, is_number, join_ratings
from ...eval_sets.logs.langfuse import is_by_person, read_scores, read_trace
from ...eval_sets.rows import Row
from ...name_suggestions import quote_names
from ..address import TraceAddress, find_server_url
from ..conversations import SESSION_RATING, UNUSED_SESSION
from ..http_client import HttpClient, RefusedRequest, basic_secret, read_key, split_ids
from ..source import Traces, UnreadTrace, make_sample, read_utc, write_utc

_KEYS = ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")
_URLS = ("LANGFUSE_BASE_URL", "LANGFUSE_HOST")
_PORT = 3000
_CLOUD = "https://cloud.langfuse.com"
_OLDEST = "Langfuse 4 is needed, or export the traces to a file"


class LangfuseProject:
    """The project of an address."""

    def __init__(self, address: TraceAddress) -> None:
        self.address = address
        values = [read_key(name) for name in _KEYS]
        if missing := [name for name, value in zip(_KEYS, values, strict=True) if not value]:
            raise InputError(
                f"{address}: {' and '.join(missing)} not set: set both to the keys of the project, which Langfuse "
                "shows under Settings, API Keys"
            )
        url = find_server_url(address.host, _URLS, port=_PORT, default=_CLOUD)
        secrets = (values[1], values[0], basic_secret(*values))
        keys = " and ".join(_KEYS)
        self.client = HttpClient("Langfuse", url, keys, secrets, _OLDEST, auth=(values[0], values[1]))

    @cached_property
    def id(self) -> str:
        """The project's id, checked to be that of the keys."""
        reply = self.client.call("GET", "api/public/projects")
        server = self.client
        listed = server.objects(reply, "data", "its projects")
        listed = [project for project in listed if isinstance(project.get("id"), str)]
        wanted = self.address.project
        for project in listed:
            if not wanted or wanted in (project["id"], project.get("name")):
                return str(project["id"])
        if not listed:
            raise InputError(f"{server} names no project of the keys: set {' and '.join(_KEYS)} to its keys")
        names = quote_names(server.words(str(project.get("name", project["id"]))) for project in listed)
        raise InputError(
            f"{self.address}: the keys in {' and '.join(_KEYS)} belong to the project {names}: write that project, or "
            f"set the keys of {wanted!r}"
        )

    def pages(self, what: str, ask: Callable[[dict[str, str]], Any]) -> Iterator[list[dict[str, Any]]]:
        """Yields the pages of a list; `ask` is called with the parameters of the page's place."""
        place = ("meta", "cursor")
        return self.client.pages(what, lambda cursor: ask({"cursor": cursor} if cursor else {}), next_place=place)

    def scores(self, parameters: Mapping[str, Any]) -> Iterator[list[dict[str, Any]]]:
        """Yields the pages of scores."""
        path = "api/public/v3/scores"
        return self.pages("scores", lambda place: self.client.call("GET", path, params={**parameters, **place}))


_GROUPS = "core,basic,time,io,metadata,model,usage,prompt,metrics,trace_context"
_PAGE = 100  # traces: the cloud counts calls, 30 a minute where it is free
_OBSERVATIONS_PAGE = 500
_SCORES_PAGE = 100
_LONGEST_IDS = 1500  # characters of ids in one address
_TRACE_FIELDS = {"sessionId", "userId", "tags", "environment", "release", "version", "bookmarked", "public", "metadata"}


class LangfuseSource:
    """Reads the traces of a project of Langfuse, the newest first, as its API lists them.

    A trace is its observations: the root has the question and the answer, retrievers and tools stand under it.
    Annotations are ratings by rater, on the scale of their score config; scores by API that are named as feedback are
    ratings too, on the usual scale of the last 100 of that name.
    """

    def __init__(self, address: TraceAddress) -> None:
        self._project = LangfuseProject(address)
        self._config, self._feedback_scale = cache(self._read_config), cache(self._observe_scale)

    def read(self, since: datetime | None, until: datetime | None) -> Traces:
        """Yields one sample per trace; see `Source`."""
        _ = self._project.id
        # a watch reads again and again, and what tells a scale comes later
        self._config, self._feedback_scale = cache(self._read_config), cache(self._observe_scale)
        seen: set[int] = set()
        for page in self._root_pages(since, until or datetime.now(UTC)):
            roots: dict[str, dict[str, Any]] = {}
            for root in page:
                trace_id = str(root.get("traceId") or "")
                if not trace_id:
                    yield UnreadTrace(str(root.get("id")), str(root.get("startTime") or ""), "it has no trace's id")
                elif hash(trace_id) not in seen:
                    seen.add(hash(trace_id))
                    roots[trace_id] = root
            if roots:
                yield from self._read_page(roots, since)

    def _read_page(self, roots: Mapping[str, Mapping[str, Any]], since: datetime | None) -> Traces:
        observations = self._observations(roots)
        scores = self._scores("traceId", roots)
        sessions = {str(session): None for root in roots.values() if (session := root.get("sessionId"))}
        session_scores = self._scores("sessionId", sessions)
        for trace_id, root in roots.items():
            own = observations.get(trace_id) or [dict(root)]
            time = min(filter(None, (read_utc(value.get("startTime")) for value in own)), default=None)
            if time is not None and since is not None and time < since:
                continue  # it began before the time, and one of its roots in it
            values = {name: root[name] for name in _TRACE_FIELDS if root.get(name) not in (None, [], {})}
            values |= {"id": trace_id, "name": root.get("traceName") or root.get("name"), "observations": own}
            values |= {"timestamp": time and time.isoformat(), "scores": scores.get(trace_id, [])}
            values |= self._session_fields(session_scores.get(str(root.get("sessionId")), []))
            trace = read_trace(Row(1, trace_id, {name: value for name, value in values.items() if value is not None}))
            rating = self._join(values["scores"])
            yield make_sample(trace._replace(rating=rating.fields, unused=rating.unused), str(self._project.address))

    def _root_pages(self, since: datetime | None, until: datetime) -> Iterator[list[dict[str, Any]]]:
        conditions: list[dict[str, Any]] = [
            {"type": "boolean", "column": "isRootObservation", "operator": "=", "value": True},
            {"type": "datetime", "column": "startTime", "operator": "<", "value": write_utc(until)},
        ]
        if since is not None:
            conditions.append({"type": "datetime", "column": "startTime", "operator": ">=", "value": write_utc(since)})
        yield from self._observation_pages(conditions, _PAGE)

    def _observation_pages(self, conditions: Sequence[Mapping[str, Any]], limit: int) -> Iterator[list[dict[str, Any]]]:
        """The pages of observations, whose metadata Langfuse cuts at 200 characters."""
        parameters = {"fields": _GROUPS, "limit": limit, "filter": json.dumps(conditions)}
        path, client = "api/public/v2/observations", self._project.client
        return self._project.pages(
            "observations", lambda place: client.call("GET", path, params={**parameters, **place})
        )

    def _observations(self, roots: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
        """All observations of traces, in the order of their times."""
        condition = {"type": "stringOptions", "column": "traceId", "operator": "any of", "value": list(roots)}
        listed = [one for page in self._observation_pages([condition], _OBSERVATIONS_PAGE) for one in page]
        listed.sort(key=lambda observation: str(observation.get("startTime") or ""))
        return _group(listed, lambda observation: str(observation.get("traceId")))

    def _scores(self, about: str, ids: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
        """The scores of traces (`traceId`) or sessions (`sessionId`), each with its config."""
        listed = []
        listable = [id_ for id_ in ids if "," not in id_]  # one with a comma cannot be asked for
        for some in split_ids(listable, longest=_LONGEST_IDS, between=1):
            parameters = {about: ",".join(some), "fields": "details,subject,annotation", "limit": _SCORES_PAGE}
            listed += [score for page in self._project.scores(parameters) for score in page]
        return _group([self._with_config(score) for score in listed], _owner)

    def _with_config(self, score: dict[str, Any]) -> dict[str, Any]:
        """A person's score with the config that tells its scale."""
        config_id = score.get("configId")
        config = self._config(config_id) if is_by_person(score) and isinstance(config_id, str) and config_id else None
        return score if config is None else {**score, "config": config}

    def _join(self, scores: Sequence[Mapping[str, Any]]) -> PeopleRatings:
        """People's ratings; numbers without a config are on the scale of the last scores of their name."""
        return join_ratings(read_scores(scores), self._feedback_scale)

    def _session_fields(self, scores: list[dict[str, Any]]) -> dict[str, Any]:
        """The scores of a trace's session, and people's ratings among them."""
        rating = self._join(scores)
        return {
            "session_scores": scores or None,
            SESSION_RATING: rating.fields or None,
            UNUSED_SESSION: rating.unused or None,
        }

    def _read_config(self, config_id: str) -> dict[str, Any] | None:
        try:
            reply = self._project.client.call("GET", f"api/public/score-configs/{quote(config_id, safe='')}")
        except RefusedRequest as error:
            if error.status != 404:  # it was deleted
                raise
            return None
        return reply if isinstance(reply, dict) else None

    def _observe_scale(self, name: str) -> Scale | None:
        scales = ObservedScales()
        if "," not in name:
            items = next(self._project.scores({"name": name, "dataType": "NUMERIC", "limit": _SCORES_PAGE}))
            values = (item.get("value") for item in items)
            scales.observe(HumanRating(name, value=value) for value in values if is_number(value))
        return scales(name)


def _group(
    items: Iterable[dict[str, Any]], owner: Callable[[Mapping[str, Any]], str]
) -> dict[str, list[dict[str, Any]]]:
    """Groups items by what they are about, each once by its id."""
    groups: dict[str, dict[str, dict[str, Any]]] = {}
    for number, item in enumerate(items):
        groups.setdefault(owner(item), {})[str(item.get("id") or number)] = item
    return {name: list(own.values()) for name, own in groups.items()}


def _owner(score: Mapping[str, Any]) -> str:
    """The trace or session that a score is about; of a score of an observation the trace."""
    subject = score.get("subject")
    subject = subject if isinstance(subject, Mapping) else {}
    return str(subject.get("traceId" if subject.get("kind") == "observation" else "id"))
