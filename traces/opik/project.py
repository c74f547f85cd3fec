"""A project of Opik: its server, its workspace and key, and the calls of its REST API."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from ...errors import InputError
from ...installation import require_extra
from ..address import TraceAddress
from ..rest_calls import RefusedRequest, RestCalls, read_key
from ..server_url import environment_urls, find_server_url
from ..tool_server import ToolServer

_KEYS = ("OPIK_API_KEY", "OPIK_WORKSPACE")
_URLS = ("OPIK_URL_OVERRIDE",)
_PORT = 5173
_CLOUD_HOST = "www.comet.com"
_CLOUD = f"https://{_CLOUD_HOST}/opik/api"
_DEFAULT_WORKSPACE, _DEFAULT_PROJECT = "default", "Default Project"
_REPORTS = ("OPIK_SENTRY_ENABLE", "OPIK_ANALYTICS_ENABLE")  # of the package, to its makers


class OpikProject:
    """The project of an address.

    Only the REST client of the package `opik` is used: the one that traces begins threads of its own. What the package
    reports to its makers when it is loaded (errors to Sentry, usage) is off.

    Raises:
        UsageError: The package is not installed.
        InputError: The address of the server in the environment is none.
    """

    def __init__(self, address: TraceAddress) -> None:
        self.address = address
        workspace, slash, project = address.project.partition("/")
        if not slash:
            workspace, project = os.environ.get("OPIK_WORKSPACE", "").strip() or _DEFAULT_WORKSPACE, address.project
        self._wanted = project or os.environ.get("OPIK_PROJECT_NAME", "").strip() or _DEFAULT_PROJECT
        self.workspace = workspace
        key = read_key("OPIK_API_KEY")
        url = _api_url(address.host)
        if url == _CLOUD and not key:
            raise InputError(
                f"{address}: OPIK_API_KEY not set: Opik's cloud needs the key that it shows in your profile"
            )
        self.calls = RestCalls(ToolServer("Opik", url, _KEYS, (key,) if key else ()))
        with require_extra("opik", "traces of Opik"), _without_reports():
            from opik.rest_api.client import OpikApi
        self.api: Any = OpikApi(
            base_url=url, api_key=key or None, workspace_name=workspace, httpx_client=self.calls.http
        )

    @cached_property
    def name(self) -> str:
        """The project's name, checked to be there: a score for another one would make it.

        Raises:
            InputError: There is none, or the server cannot be asked.
        """
        try:
            reply = self.calls.call(self.api.projects.retrieve_project, name=self._wanted)
        except RefusedRequest as error:
            if error.status == 404 and "html" not in error.response.headers.get("content-type", ""):
                raise InputError(
                    f"{self.address}: Opik has no project `{self._wanted}` in the workspace `{self.workspace}` "
                    f"({error}): correct the address, opik://HOST/WORKSPACE/PROJECT"
                ) from None
            raise self.explain(error, "cannot be asked for its projects") from None
        name = reply.get("name") if isinstance(reply, dict) else None
        if not isinstance(name, str):
            server = self.calls.server
            raise server.wrong_form("the project", server.detail_of(reply) or "no project's name")
        return name

    def read_ids(self, page: Sequence[Any], call: str) -> list[str]:
        """Returns the ids of the objects of a page.

        Raises:
            InputError: None has an id, and one is an error.
        """
        ids = [item["id"] for item in page if isinstance(item, dict) and isinstance(item.get("id"), str)]
        server = self.calls.server
        problem = "" if ids else next(filter(None, map(server.detail_of, page)), "")
        if problem:
            raise server.wrong_form(call, f"an error ({problem})")
        return ids

    def explain(self, error: RefusedRequest, what: str) -> InputError:
        """Makes the refusal of a request that any server should answer an error for the user."""
        if error.status in (404, 405, 501):
            return InputError(f"{self.calls.server} {what} ({error}): it is an older Opik or none; correct the address")
        return InputError(f"{self.calls.server} {what}: {error}")


def _api_url(host: str) -> str:
    """The URL of the API: the tool's own variable names it with `/api`, and an address only its host."""
    if host.lower() in (_CLOUD_HOST, "comet.com"):
        return _CLOUD
    url = find_server_url(host, environment_urls(*_URLS), port=_PORT, default=_CLOUD)
    return url if url.endswith("/api") else f"{url}/api"


@contextmanager
def _without_reports() -> Iterator[None]:
    before = {name: os.environ.get(name) for name in _REPORTS}
    os.environ.update(dict.fromkeys(_REPORTS, "false"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
