"""A project on a Phoenix server: where it is, and its REST API page by page."""

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from ...errors import InputError, UsageError
from ...name_suggestions import quote_names
from ..address import TraceAddress, find_server_url
from ..http_client import HttpClient, RefusedRequest

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
