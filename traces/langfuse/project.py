"""A project of Langfuse: its server, its keys, and the calls of its public API."""

from functools import cached_property
from typing import Any

from ...errors import InputError
from ...eval_sets.name_suggestions import quote_names
from ...installation import require_extra
from ..address import TraceAddress
from ..rest_calls import TIMEOUT, RefusedRequest, RestCalls, read_key
from ..retrying import is_passing
from ..server_url import environment_urls, find_server_url
from ..tool_server import ToolServer, basic_secret

_KEYS = ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")
_URLS = ("LANGFUSE_BASE_URL", "LANGFUSE_HOST")
_PORT = 3000
_CLOUD = "https://cloud.langfuse.com"


class LangfuseProject:
    """The project of an address.

    Only the REST client of the package `langfuse` is used: the one that traces begins threads of its own.
    """

    def __init__(self, address: TraceAddress) -> None:
        self.address = address
        values = [read_key(name) for name in _KEYS]
        if missing := [name for name, value in zip(_KEYS, values, strict=True) if not value]:
            raise InputError(
                f"{address}: {' and '.join(missing)} not set: set both to the keys of the project, which Langfuse "
                "shows under Settings, API Keys"
            )
        url = find_server_url(address.host, environment_urls(*_URLS), port=_PORT, default=_CLOUD)
        server = ToolServer("Langfuse", url, _KEYS, (values[1], values[0], basic_secret(*values)))
        options = {"max_retries": 0, "timeout_in_seconds": TIMEOUT}
        self.calls = RestCalls(server, arguments={"request_options": options})
        with require_extra("langfuse", "traces of Langfuse"):
            from langfuse.api.client import LangfuseAPI
        self.api: Any = LangfuseAPI(
            base_url=url,
            username=values[0],
            password=values[1],
            x_langfuse_sdk_name="assay",
            x_langfuse_public_key=values[0],
            httpx_client=self.calls.http,
        )

    @cached_property
    def id(self) -> str:
        """The project's id, checked to be that of the keys."""
        try:
            reply = self.calls.call(self.api.projects.get)
        except RefusedRequest as error:
            raise self.explain(error, "names no project of the keys") from None
        listed = [project for project in self.list_items(reply, "its projects") if isinstance(project.get("id"), str)]
        wanted = self.address.project
        for project in listed:
            if not wanted or wanted in (project["id"], project.get("name")):
                return str(project["id"])
        if not listed:
            raise InputError(f"{self.calls.server} names no project of the keys: set {' and '.join(_KEYS)} to its keys")
        names = quote_names(self.calls.server.words(str(project.get("name", project["id"]))) for project in listed)
        raise InputError(
            f"{self.address}: the keys in {' and '.join(_KEYS)} belong to the project {names}: write that project, or "
            f"set the keys of {wanted!r}"
        )

    def explain(self, error: RefusedRequest, what: str) -> InputError:
        """Makes the refusal of a request that any server should answer an error for the user."""
        if error.status in (404, 405, 501):
            return InputError(
                f"{self.calls.server} {what} ({error}): it is an older Langfuse or none; Langfuse 4 is needed, or "
                "export the traces to a file"
            )
        cure = "; try again later" if is_passing(error.status) else ""
        return InputError(f"{self.calls.server} {what}: {error}{cure}")

    def list_items(self, reply: Any, call: str) -> list[dict[str, Any]]:
        """Returns the objects of a page."""
        return self.calls.server.objects(reply, "data", call)

    def next_cursor(self, reply: Any, call: str) -> str | None:
        """Returns the cursor of the page after this one; None of the last page."""
        meta = reply.get("meta")
        cursor = meta.get("cursor") if isinstance(meta, dict) else None
        if cursor is not None and not isinstance(cursor, str):
            raise self.calls.server.wrong_form(call, "a `cursor` that is no text")
        return cursor or None
