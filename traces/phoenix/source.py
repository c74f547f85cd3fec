"""A project of Phoenix: where it is, its REST API page by page, and its traces as samples."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote

from ...errors import InputError, UsageError
from ...eval_sets import Sample
from ...eval_sets.cell_values import parse_nested_json
from ...eval_sets.logs.human_ratings import (
    HumanRating,
    ObservedScales,
    PeopleRatings,
    RatingConfig,
    is_number,
    join_ratings,
    read_config,
)
from ...eval_sets.logs.openinference import read_trace
from ...eval_sets.rows import Row
from ...name_suggestions import quote_names
from ..address import TraceAddress, find_server_url
from ..conversations import SESSION_RATING, UNUSED_SESSION
from ..http_client import HttpClient, RefusedRequest, split_ids
from ..source import Traces, UnreadTrace, make_sample

_OLDEST = "Phoenix 13.15 is needed: update it, or export its spans and read the file"  # the first that lists traces
_PORT = 6006
_PAGE = 1000  # projects
_NAMED = 5  # projects, in a message
_KEYS = "PHOENIX_API_KEY, or PHOENIX_CLIENT_HEADERS"
_URLS = ("PHOENIX_ENDPOINT", "PHOENIX_COLLECTOR_ENDPOINT", "PHOENIX_BASE_URL")
_HEADER = re.compile(r"([!#-'*+.0-9A-Z^-z|~-]+)=([!-+\--:<-\[\]-~]*)")


class PhoenixProject:
    """One project of a server. It is looked up with the first call."""

    def __init__(self, address: TraceAddress) -> None:
        if not address.project:
            raise UsageError(f"{address} names no project: write phoenix://HOST:6006/PROJECT")
        self.address = address
        self.url = find_server_url(address.host, _URLS, port=_PORT, default=f"http://127.0.0.1:{_PORT}")
        headers = _read_headers()
        secrets = tuple(secret for value in headers.values() for secret in (value, value.rpartition(" ")[2]))
        self.client = HttpClient("Phoenix", self.url, _KEYS, secrets, _OLDEST, headers=headers)
        self._path = ""

    def connect(self) -> None:
        """Looks up the server and the project, once."""
        if not self._path:
            self._path = f"v1/projects/{self._look_up(self.address.project)}/"

    def _look_up(self, name: str) -> str:
        projects: list[dict[str, Any]] = []
        for parameters in ({"name_contains": name}, {}):
            projects = self._all("v1/projects", parameters | {"limit": _PAGE})
            ids = {str(project.get("name")): str(project.get("id")) for project in projects}
            if id_ := ids.get(name) or (name if name in ids.values() else ""):
                return id_
        names = sorted(str(project.get("name")) for project in projects)
        if not names:
            raise InputError(f"Phoenix at {self.url} has no project yet: send it traces, or correct the address")
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        words = self.client.words
        raise InputError(
            f"Phoenix at {self.url} has no project `{words(name)}`; it has {quote_names(map(words, names[:_NAMED]))}"
            f"{more}: write one of them after the host"
        )

    def pages(self, path: str, parameters: Mapping[str, Any]) -> Iterator[list[dict[str, Any]]]:
        """Yields what the project has, page by page; a page may be empty."""
        self.connect()
        return self._pages(self._path + path, parameters)

    def settings(self, path: str) -> list[dict[str, Any]]:
        """Lists what the whole server has, such as `annotation_configs`; nothing where it has no such thing."""
        self.connect()
        try:
            return self._all(f"v1/{path}", {"limit": 100})
        except RefusedRequest:
            return []

    def _all(self, path: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [item for page in self._pages(path, parameters) for item in page]

    def _pages(self, path: str, parameters: Mapping[str, Any]) -> Iterator[list[dict[str, Any]]]:
        def ask(place: str) -> Any:
            return self.client.call("GET", path, params={**parameters, **({"cursor": place} if place else {})})

        return self.client.pages(path.rpartition("/")[2].replace("_", " "), ask)


def _read_headers() -> dict[str, str]:
    """The headers of Phoenix's own environment variables."""
    headers: dict[str, str] = {}
    for part in filter(None, map(str.strip, os.environ.get("PHOENIX_CLIENT_HEADERS", "").split(","))):
        match = _HEADER.fullmatch(part)
        if match is None:
            raise UsageError(
                "PHOENIX_CLIENT_HEADERS cannot be read: write NAME=VALUE,NAME=VALUE, with %20 for a space in a value"
            )
        headers[unquote(match[1]).lower()] = unquote(match[2])
    if key := os.environ.get("PHOENIX_API_KEY", ""):
        headers.setdefault("authorization", f"Bearer {key}")
    return headers


def span_tags(attributes: Mapping[str, Any]) -> list[str]:
    """The tags of a span: a list, or flat keys `tag.tags.0`, ..."""
    listed = attributes.get("tag.tags")
    if isinstance(listed, list):
        return list(map(str, listed))
    if isinstance(listed, str):
        return [listed]
    return [str(value) for name, value in attributes.items() if name.startswith("tag.tags.")]


ARRIVAL = timedelta(minutes=10)
"""How long the root span of a trace may arrive after the first one began; exporters send a span when it ends."""
_LISTED = 200  # traces, without their spans
_TRACES = 20  # whose spans are asked for in one call, in its address
_SPANS = 200  # of one reply
_ANNOTATIONS = 10_000
_METADATA = "metadata."
_NOTE = "note"  # the name of annotations that are a text only
_ANONYMOUS = "person"  # the one user of a server without users
_CURE = "add an annotation config with this name in Phoenix"


class PhoenixSource:
    """Reads the traces of one project, in the order of the times at which they began.

    A page of traces is listed by time, and then all their spans are read, whenever these began: no trace is cut by a
    page or by `until`. One whose root span has not arrived within ten minutes of its first span is read as it is; a
    younger one is left for the next pull, and said so.
    """

    def __init__(self, address: TraceAddress) -> None:
        self._project = PhoenixProject(address)

    def read(self, since: datetime | None, until: datetime | None) -> Traces:
        """Yields one sample per trace; see `Source`."""
        parameters: dict[str, Any] = {"sort": "start_time", "order": "asc", "limit": _LISTED}
        parameters["end_time"] = (until or datetime.now(UTC)).astimezone(UTC).isoformat()
        if since is not None:
            parameters["start_time"] = since.astimezone(UTC).isoformat()
        people = RatingReader(self._project.settings("annotation_configs"))
        for page in self._project.pages("traces", parameters):
            for place in range(0, len(page), _TRACES):
                yield from self._read_some(page[place : place + _TRACES], people)

    def _read_some(self, listed: Sequence[Mapping[str, Any]], people: "RatingReader") -> Traces:
        """Reads the spans and annotations of listed traces."""
        spans = self._load_spans([str(trace["trace_id"]) for trace in listed])
        annotations = _Annotations(self._project, spans)
        people.observe(annotations.all())
        for trace in listed:
            if own := spans.get(str(trace["trace_id"])):
                yield self._read_one(trace, own, annotations, people)

    def _load_spans(self, ids: list[str]) -> dict[str, list[dict[str, Any]]]:
        by_trace: dict[str, list[dict[str, Any]]] = {}
        for page in self._project.pages("spans", {"trace_id": ids, "limit": _SPANS}):
            for span in page:
                by_trace.setdefault(_ids(span)[0], []).append(span)
        return by_trace

    def _read_one(
        self,
        listed: Mapping[str, Any],
        spans: Sequence[dict[str, Any]],
        annotations: "_Annotations",
        people: "RatingReader",
    ) -> Sample | UnreadTrace:
        id_, began = str(listed["trace_id"]), str(listed.get("start_time") or "")
        if problem := _problem_before_reading(spans, began):
            return UnreadTrace(id_, began, problem)
        rows = [Row(number, f"span {number}", one) for number, one in enumerate(spans, 1)]
        trace = read_trace(1, rows)
        session = "" if trace.session is None else str(trace.session)
        rating = people.read(annotations.about_answer(id_, spans, trace.span))
        metadata = _metadata(spans, trace.span, annotations.of_trace(id_, spans))
        if session and (of_session := annotations.of_session(session)):
            metadata["session_annotations"] = of_session
            of_all = people.read(of_session)
            metadata |= {SESSION_RATING: of_all.fields} if of_all.fields else {}
            metadata |= {UNUSED_SESSION: of_all.unused} if of_all.unused else {}
        known = {name: trace.rest[name] for name in ("model", "prompt_version") if name in trace.rest}
        trace = trace._replace(time=began, rating=rating.fields, unused=rating.unused, rest=metadata | known)
        sample = make_sample(trace, str(self._project.address))
        if isinstance(sample, UnreadTrace):
            return UnreadTrace(id_, began, sample.reason)
        return sample.model_copy(update={"metadata": {**sample.metadata, "spans": list(spans)}})


class _Annotations:
    """The annotations of some traces, their spans and their sessions."""

    def __init__(self, project: PhoenixProject, spans: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        of_spans = [_ids(span)[1] for own in spans.values() for span in own]
        sessions = {str(session) for own in spans.values() for span in own if (session := _session(span))}
        self._by_target: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for unit, ids in (("span", of_spans), ("trace", list(spans)), ("session", sorted(sessions))):
            for part in split_ids(ids):
                for one in _list_annotations(project, unit, part):
                    self._by_target.setdefault((unit, str(one.get(f"{unit}_id"))), []).append(one)

    def all(self) -> Iterator[dict[str, Any]]:
        for own in self._by_target.values():
            yield from own

    def of_trace(self, trace: str, spans: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """All annotations of a trace and its spans."""
        targets = [("trace", trace), *(("span", _ids(span)[1]) for span in spans)]
        return [one for target in targets for one in self._by_target.get(target, [])]

    def about_answer(self, trace: str, spans: Sequence[Mapping[str, Any]], answer: str) -> list[dict[str, Any]]:
        """Those of the trace, its root spans, the span with the answer and the last call of a model.

        What people say of a retriever's or a tool's span is not about the answer.
        """
        ids = {_ids(span)[1] for span in spans}
        roots = {_ids(span)[1] for span in spans if span.get("parent_id") not in ids and _kind(span) in _ANSWERING}
        models = sorted((str(span.get("start_time")), _ids(span)[1]) for span in spans if _kind(span) == "LLM")
        own = roots | {answer} | ({models[-1][1]} if models else set())
        targets = [("trace", trace), *(("span", id_) for id_ in sorted(own))]
        return [one for target in targets for one in self._by_target.get(target, [])]

    def of_session(self, session: str) -> list[dict[str, Any]]:
        return self._by_target.get(("session", session), [])


_ANSWERING = frozenset({"CHAIN", "AGENT", "LLM", "UNKNOWN", ""})


def _list_annotations(project: PhoenixProject, unit: str, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    try:
        for page in project.pages(f"{unit}_annotations", {f"{unit}_ids": list(ids), "limit": _ANNOTATIONS}):
            yield from page
    except RefusedRequest as error:
        if error.status != 404:  # none of them is there any more
            raise


def _problem_before_reading(spans: Sequence[Mapping[str, Any]], began: str) -> str:
    """Why a trace is not read yet; empty where it is whole, or old enough to be taken as it is."""
    if any(not span.get("parent_id") for span in spans):
        return ""
    try:
        age = datetime.now(UTC) - datetime.fromisoformat(began)
    except (ValueError, TypeError):
        return ""
    return "its root span has not arrived yet; pull again in some minutes" if age < ARRIVAL else ""


def _metadata(
    spans: Sequence[Mapping[str, Any]], answer: str, annotations: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The metadata of a trace: what its spans say of the whole, and its annotations."""
    ordered = sorted(spans, key=lambda one: (_ids(one)[1] != answer, str(one.get("start_time"))))
    attributes = [one.get("attributes") or {} for one in ordered]
    own = [(name, value) for one in attributes for name, value in _logged_metadata(one)]
    values: dict[str, Any] = dict(reversed(own))
    values |= {
        "name": ordered[0].get("name"),
        "user": next((one["user.id"] for one in attributes if one.get("user.id")), None),
        "tags": list(dict.fromkeys(tag for one in attributes for tag in span_tags(one))),
        "annotations": list(annotations),
    }
    return {name: value for name, value in values.items() if value not in (None, [], "")}


def _logged_metadata(attributes: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What the chatbot logged as metadata: flat keys, or JSON."""
    logged = parse_nested_json(attributes.get("metadata"))
    nested = logged.items() if isinstance(logged, Mapping) else ()
    flat = ((name[len(_METADATA) :], value) for name, value in attributes.items() if name.startswith(_METADATA))
    for name, value in (*nested, *flat):
        if isinstance(value, str | int | float | bool):
            yield str(name), value


def _ids(span: Mapping[str, Any]) -> tuple[str, str]:
    context = span.get("context")
    values = context if isinstance(context, Mapping) else {}
    return str(values.get("trace_id")), str(values.get("span_id"))


def _kind(span: Mapping[str, Any]) -> str:
    return str(span.get("span_kind") or "").upper()


def _session(span: Mapping[str, Any]) -> Any:
    return (span.get("attributes") or {}).get("session.id")


class RatingReader:
    """Reads the ratings of people; a scale is that of the annotation config, else the usual one of the numbers."""

    def __init__(self, configs: Iterable[Mapping[str, Any]]) -> None:
        ends = ("lower_bound", "upper_bound")
        self._configs = {str(one.get("name")): read_config(one, ends, "values", "score") for one in configs}
        self._scales = ObservedScales()

    def observe(self, annotations: Iterable[Mapping[str, Any]]) -> None:
        """Notes the numbers under each name, before their traces are read."""
        self._scales.observe(self._people(annotations))

    def read(self, annotations: Iterable[Mapping[str, Any]]) -> PeopleRatings:
        """Reads the ratings among the annotations of one trace or session."""
        return join_ratings(self._people(annotations), self._scales, cure=_CURE)

    def _people(self, annotations: Iterable[Mapping[str, Any]]) -> list[HumanRating]:
        """What people said: ratings, and texts."""
        own = (one for one in annotations if one.get("annotator_kind") == "HUMAN")
        read = [(one.get("name") == _NOTE, self._read_one(one)) for one in own]
        ratings = [one._replace(value=None, label="") if is_note else one for is_note, one in read]
        return [one for one in ratings if one.value is not None or one.label or one.reason]

    def _read_one(self, annotation: Mapping[str, Any]) -> HumanRating:
        result = annotation.get("result")
        result = result if isinstance(result, Mapping) else {}
        name, score, label = str(annotation.get("name")), result.get("score"), str(result.get("label") or "")
        config = self._configs.get(name, RatingConfig(None, {}))
        value = score if is_number(score) else config.numbers.get(label)
        rater = annotation.get("user_id") or annotation.get("identifier") or _ANONYMOUS
        # a label that the config gives no number may be a thumb
        scale = None if value is None else config.scale
        time, reason = str(annotation.get("updated_at") or ""), result.get("explanation")
        return HumanRating(name, str(rater), value, label, scale, time, reason if isinstance(reason, str) else "")
