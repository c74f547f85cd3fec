"""A project of Langfuse: its server, its keys, and the calls of its public API."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

from ...errors import InputError
from ...name_suggestions import quote_names
from ..address import TraceAddress, find_server_url
from ..http_client import HttpClient, basic_secret, read_key

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
