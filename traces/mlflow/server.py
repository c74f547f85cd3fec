"""A tracking server of MLflow: where it is, the experiment with the traces, and calls of its REST API."""

import json
import os
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from ...errors import AssayError, InputError, UsageError
from ...eval_sets.name_suggestions import nearest_names, quote_names
from ...installation import require_extra
from ...judges.retry import read_retry_after
from ...value_messages import shorten
from ..address import TraceAddress
from ..retrying import ATTEMPTS_AT_500, FailedAttempt, call_again, is_passing
from ..server_url import environment_urls, find_server_url
from ..tool_server import Paging, ToolServer, basic_secret

OLDEST = (3, 2)
"""The oldest version whose servers keep assessments of traces."""
_PORT = 5000
_URI = "MLFLOW_TRACKING_URI"
_KEYS = "MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD"
_FAILURES = {
    "ConnectionRefusedError": "connection refused",
    "gaierror": "the host name is unknown",
    "SSLError": "SSL: no TLS connection could be made",
    "ReadTimeout": "no answer in time; MLFLOW_HTTP_REQUEST_TIMEOUT sets the seconds",
    "ConnectTimeout": "no connection in time",
}
_CREDENTIALS = ("username", "password", "token")
_MOST_NAMES = 5  # of experiments in a message


class ServerReply(NamedTuple):
    """What the server answered to one attempt."""

    status: int  # the HTTP status; 0 where no answer came
    body: Mapping[str, Any]  # the JSON object; empty where the answer held none
    problem: str  # what is wrong, in the server's words; empty where all is well
    wait: float | None = None  # seconds that the server asks to wait before the next attempt

    @property
    def is_missing(self) -> bool:
        """Whether the server says that there is no such trace, assessment or experiment."""
        return self.body.get("error_code") in {"RESOURCE_DOES_NOT_EXIST", "NOT_FOUND"}

    @property
    def is_passing(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status == 0 or is_passing(self.status)


class _NoAnswer(Exception):
    """Why no answer came, in a few words."""


class RefusedCallError(AssayError):
    """A call that the server refused, or did not answer after all attempts; `reply` is its last answer."""

    def __init__(self, message: str, reply: ServerReply) -> None:
        super().__init__(message)
        self.reply = reply


class MlflowServer:
    """The server and the experiment of an address; nothing is sent before the first call.

    Keys, certificates and the like come from MLflow's own environment variables and file of credentials. MLflow's own
    repetition of failed requests is off: it would write a feedback again that was only answered late.
    """

    def __init__(self, address: TraceAddress) -> None:
        if not address.project:
            raise UsageError(f"{address}: name the experiment: {address.scheme}://{address.host or 'HOST:5000'}/NAME")
        self.address = address
        self.uri = find_server_url(address.host, environment_urls(_URI), port=_PORT, takes_user=True)

    def get(self, path: str, values: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        """Reads something; repeated where that may help.

        Raises:
            RefusedCallError: It refuses this call.
        """
        return self._repeat("GET", path, params=dict(values or {}))

    @cached_property
    def tool_server(self) -> ToolServer:
        """The server as errors name it, with the keys that are sent to it."""
        credentials = load_client().get_default_host_creds(self.uri)
        user, password, token = (str(getattr(credentials, name, None) or "") for name in _CREDENTIALS)
        parts = urlsplit(self.uri)
        secrets = [password, token, parts.password or "", unquote(parts.password or "")]
        secrets += [basic_secret(user, password)] if password else []
        return ToolServer("MLflow", self.shown, (_KEYS,), tuple(filter(None, secrets)))

    def words(self, text: str) -> str:
        """Makes of what the server says one short line without its keys."""
        return self.tool_server.words(text)

    def paging(self, what: str, **bounds: int) -> Paging:
        """Watches the pages of a list; see `Paging`."""
        return Paging(self.tool_server, what, **bounds)

    def post(self, path: str, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Asks something that changes nothing, with an object; as `get`."""
        return self._repeat("POST", path, json=dict(values))

    def change(self, method: str, path: str, values: Mapping[str, Any]) -> ServerReply:
        """Makes one attempt to change something, and never a second one."""
        reply = self._attempt(method, path, json=dict(values))
        self._check_key(reply)
        return reply

    @cached_property
    def experiment(self) -> str:
        """The id of the experiment that the address names: that of its name, else the id itself."""
        self._check_version()
        name = self.address.project
        values = self._find_experiment("get-by-name", {"experiment_name": name})
        if values is None and name.isascii() and name.isdigit():
            values = self._find_experiment("get", {"experiment_id": name})
        if values is None:
            raise InputError(
                f"{self.address}: no experiment `{shorten(name)}` at {self.shown}; {self._known_experiments()}"
            )
        if values.get("lifecycle_stage") == "deleted":
            raise InputError(f"{self.address}: the experiment is deleted; restore it with `mlflow experiments restore`")
        return str(values["experiment_id"])

    @property
    def shown(self) -> str:
        """The server's address for messages, without a user."""
        parts = urlsplit(self.uri)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    @property
    def location(self) -> list[dict[str, Any]]:
        """The experiment as the searches of traces name it."""
        return [{"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": self.experiment}}]

    def search(
        self, filter_string: str, most: int, *, order: str = "timestamp_ms ASC", page: str = ""
    ) -> tuple[list[Mapping[str, Any]], str]:
        """Searches traces of the experiment, without their spans.

        Returns:
            The traces, and the token of the next page.
        """
        body: dict[str, Any] = {"locations": self.location, "filter": filter_string, "max_results": most}
        body |= {"order_by": [order, "request_id ASC"]} | ({"page_token": page} if page else {})
        reply = self.post("/api/3.0/mlflow/traces/search", body)
        server, call = self.tool_server, "a search of traces"
        traces: list[Mapping[str, Any]] = [*server.objects(reply, "traces", call, is_needed=False)]
        for number, trace in enumerate(traces, 1):
            if problem := _problem_of_form(trace):
                raise server.wrong_form(call, f"a list `traces` whose entry {number:,} has {problem}")
        token = reply.get("next_page_token") or ""
        if not isinstance(token, str):
            raise server.wrong_form(call, "a `next_page_token` that is no text")
        return traces, token

    def _repeat(self, method: str, path: str, **values: Any) -> Mapping[str, Any]:
        reply = repeat(lambda: self._attempt(method, path, **values))
        self._check_key(reply)
        if reply.status == 0:
            raise self._unreachable(reply)
        if reply.is_passing:
            problem = self.tool_server.failure(reply.status, reply.problem)
            raise RefusedCallError(f"{self.address}: {self.shown}: {problem}; try again later", reply)
        if reply.problem:
            raise RefusedCallError(f"{self.address}: {self.shown} refuses ({reply.status}): {reply.problem}", reply)
        return reply.body

    def _attempt(self, method: str, path: str, **values: Any) -> ServerReply:
        try:
            response, content = self._ask(method, path, **values)
        except _NoAnswer as error:
            return ServerReply(0, {}, str(error))
        body: Any = None
        with suppress(ValueError, RecursionError):
            body = json.loads(content)
        is_object = isinstance(body, Mapping)
        problem = ""
        if response.status_code != 200:
            problem = self.tool_server.detail(content) or "no reason given"
        elif not is_object:
            problem = "the answer is no JSON object"
        wait = read_retry_after(response.headers)
        return ServerReply(response.status_code, body if is_object else {}, problem, wait)

    def _ask(self, method: str, path: str, **values: Any) -> tuple[Any, bytes]:
        """Makes one request; returns the response and its body."""
        client = load_client()
        try:
            response = client.http_request(
                client.get_default_host_creds(self.uri),
                path,
                method,
                max_retries=0,
                retry_codes=frozenset(),
                raise_on_status=False,
                allow_redirects=False,  # to a server that nobody named
                **values,
            )
            content = response.content
        except Exception as error:  # a connection that breaks, as the packages below say it
            raise _NoAnswer(self.words(_explain_failure(error))) from None
        if 300 <= response.status_code < 400:
            to = self.words(str(response.headers.get("location", "nowhere")))
            raise InputError(f"{self.address}: {self.shown} sends on to {to}: name that server in the address")
        return response, content

    def _check_key(self, reply: ServerReply) -> None:
        if reply.status == 401:
            names = ("MLFLOW_TRACKING_TOKEN", "MLFLOW_TRACKING_USERNAME")
            verb = "correct" if any(os.environ.get(name) for name in names) else "set"
            raise InputError(f"{self.address}: {self.shown} refuses the key (401); {verb} {_KEYS}")
        if reply.status == 403 and "Host header" in reply.problem:
            host = urlsplit(self.uri).netloc.rpartition("@")[2]
            cure = f"start it with --allowed-hosts {host}, or use a name that it allows"
            raise InputError(f"{self.address}: the server does not allow the host name {host} (403); {cure}")
        if reply.status == 403:
            cure = f"ask for permission, or set {_KEYS} of a user who has it"
            raise InputError(f"{self.address}: {self.shown} does not allow this (403): {reply.problem}; {cure}")

    def _unreachable(self, reply: ServerReply) -> InputError:
        cure = "start the server, or correct the address"
        if self.uri.startswith("https:") or "SSL" in reply.problem:
            cure += f"; where it speaks {'http' if self.uri.startswith('https:') else 'https'}, set {_URI} to its URL"
        return InputError(f"{self.address}: no answer from {self.shown} ({reply.problem}); {cure}")

    def _check_version(self) -> None:
        """Raises an error where no server answers, at once, or one that is too old."""
        try:
            response, content = self._ask("GET", "/version")
        except _NoAnswer as error:
            raise self._unreachable(ServerReply(0, {}, str(error))) from None
        text = content[:200].decode("utf-8", "replace").strip()
        self._check_key(ServerReply(response.status_code, {}, self.tool_server.detail(content)))
        match = re.fullmatch(r"(\d{1,6})\.(\d{1,6})[\w.+-]*", text) if response.status_code == 200 else None
        if match and (int(match[1]), int(match[2])) < OLDEST:
            oldest = ".".join(map(str, OLDEST))
            raise InputError(
                f"{self.address}: {self.shown} is MLflow {match[0]}; update the server to {oldest} or later"
            )

    def _find_experiment(self, method: str, values: Mapping[str, str]) -> Mapping[str, Any] | None:
        try:
            experiment = self.get(f"/api/2.0/mlflow/experiments/{method}", values).get("experiment")
        except RefusedCallError as error:
            if error.reply.is_missing:
                return None
            if error.reply.body or error.reply.is_passing:
                raise InputError(str(error)) from error
            raise InputError(
                f"{self.address}: {self.shown} does not answer as an MLflow server does ({error.reply.status}); "
                "correct the address"
            ) from error
        if not isinstance(experiment, Mapping) or not isinstance(experiment.get("experiment_id"), str | int):
            raise self.tool_server.wrong_form("the experiment", "no experiment with an id")
        return experiment

    def _known_experiments(self) -> str:
        try:
            reply = self.post("/api/2.0/mlflow/experiments/search", {"max_results": 1000, "view_type": "ACTIVE_ONLY"})
        except RefusedCallError:
            return "correct its name"
        listed = self.tool_server.objects(reply, "experiments", "a search of experiments", is_needed=False)
        names = [self.words(str(values.get("name"))) for values in listed]
        nearest = nearest_names(self.address.project, names, at_most=_MOST_NAMES)
        shown = list(dict.fromkeys([*nearest, *names]))
        return f"there are {quote_names(shown, at_most=_MOST_NAMES)}" if shown else "there are none yet"


class _Client(NamedTuple):
    """What is used of MLflow's package."""

    http_request: Any
    get_default_host_creds: Any


def load_client() -> _Client:
    """Imports MLflow's package, which then neither reports its use nor changes how warnings are shown."""
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    os.environ.setdefault("MLFLOW_ALLOW_HTTP_REDIRECTS", "false")  # of what the package asks itself
    with require_extra("mlflow", "mlflow: traces"), warnings.catch_warnings():
        from mlflow.utils.credentials import get_default_host_creds
        from mlflow.utils.rest_utils import http_request
    return _Client(http_request, get_default_host_creds)


def repeat(attempt: Callable[[], ServerReply]) -> ServerReply:
    """Makes an attempt, and more while the server cannot answer or asks for patience; returns its last answer.

    A 500 is often one that comes each time, of a trace that the server cannot read: it is tried less often.
    """
    reply = ServerReply(0, {}, "")

    def attempt_once() -> None:
        nonlocal reply
        reply = attempt()
        if reply.is_passing:
            raise FailedAttempt(reply.problem, reply.wait, ATTEMPTS_AT_500 if reply.status == 500 else None)

    with suppress(FailedAttempt):
        call_again(attempt_once)
    return reply


def _problem_of_form(trace: Mapping[str, Any]) -> str:
    """Why a trace of a search is none of MLflow; empty of one that is."""
    if not isinstance(trace.get("trace_id"), str) or not trace["trace_id"]:
        return "no `trace_id`"
    for name, kind, words in (("trace_metadata", Mapping, "object"), ("tags", Mapping, "object")):
        if not isinstance(trace.get(name) or {}, kind):
            return f"a `{name}` that is no {words}"
    if not isinstance(trace.get("assessments") or [], list):
        return "`assessments` that are no list"
    try:
        datetime.fromisoformat(str(trace.get("request_time"))).astimezone(UTC)
    except (ValueError, OverflowError):
        return "no `request_time`"
    return ""


def _explain_failure(error: BaseException) -> str:
    """Why no answer came, in a few words: the innermost cause, without Python objects and their addresses."""
    causes = list(_causes(error))
    names = {kind.__name__ for cause in causes for kind in type(cause).__mro__}
    for name, words in _FAILURES.items():
        if name in names:
            return words
    return shorten(re.sub(r"<[^<>]* at 0x[0-9a-f]+>:? ?", "", str(causes[-1])) or type(causes[-1]).__name__)


def _causes(error: BaseException | None) -> Iterable[BaseException]:
    for _ in range(10):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__
