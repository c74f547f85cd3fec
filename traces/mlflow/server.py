"""A tracking server of MLflow: where it is, the experiment with the traces, and calls of its REST API."""

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import unquote, urlsplit

from ...errors import InputError, UsageError
from ...name_suggestions import quote_names
from ...value_messages import shorten
from ..address import TraceAddress, find_server_url
from ..http_client import HttpClient, RefusedRequest, basic_secret, read_key

_OLDEST = "MLflow 3.5 is needed; correct the address, or update the server"  # the first that keeps spans
_PORT = 5000
_URI = "MLFLOW_TRACKING_URI"
_KEYS = "MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD"
_MOST_NAMES = 5  # of experiments in a message
SESSION = "mlflow.trace.session"
"""The key of a trace's metadata with its session."""


class MlflowServer:
    """The server and the experiment of an address; nothing is sent before the first call.

    Keys come from MLflow's own environment variables.
    """

    def __init__(self, address: TraceAddress) -> None:
        if not address.project:
            raise UsageError(f"{address}: name the experiment: {address.scheme}://{address.host or 'HOST:5000'}/NAME")
        self.address = address
        self.uri = find_server_url(address.host, (_URI,), port=_PORT, takes_user=True)

    @cached_property
    def client(self) -> HttpClient:
        """What calls the server, with the keys that MLflow's own client sends."""
        parts = urlsplit(self.uri)
        user, password, token = (read_key(f"MLFLOW_TRACKING_{part}") for part in ("USERNAME", "PASSWORD", "TOKEN"))
        user, password = user or unquote(parts.username or ""), password or unquote(parts.password or "")
        secrets = [password, token, parts.password or "", basic_secret(user, password) if password else ""]
        shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        headers = {"authorization": f"Bearer {token}"} if token and not (user and password) else {}
        auth = (user, password) if user and password else None
        return HttpClient("MLflow", shown, _KEYS, tuple(filter(None, secrets)), _OLDEST, auth=auth, headers=headers)

    @cached_property
    def experiment(self) -> str:
        """The id of the experiment that the address names: that of its name, else the id itself."""
        name = self.address.project
        values = self._find_experiment("get-by-name", {"experiment_name": name})
        if values is None and name.isascii() and name.isdigit():
            values = self._find_experiment("get", {"experiment_id": name})
        if values is None:
            raise InputError(
                f"{self.address}: no experiment `{shorten(name)}` at {self.client.url}; {self._known_experiments()}"
            )
        if values.get("lifecycle_stage") == "deleted":
            raise InputError(f"{self.address}: the experiment is deleted; restore it with `mlflow experiments restore`")
        return str(values["experiment_id"])

    def search(self, filter_string: str, most: int, **more: str) -> Any:
        """Searches traces of the experiment, without their spans; returns the reply. `more` is asked for too."""
        place = {"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": self.experiment}}
        body: dict[str, Any] = {"locations": [place], "filter": filter_string, "max_results": most}
        body |= {"order_by": [more.pop("order", "timestamp_ms ASC"), "request_id ASC"]} | more
        reply = self.client.call("POST", "/api/3.0/mlflow/traces/search", json=body)
        if isinstance(reply, dict):
            reply.setdefault("traces", [])  # MLflow leaves out what is empty
        self.client.objects(reply, "traces", "a search of traces")
        return reply

    def search_pages(self, filter_string: str, most: int) -> Iterator[list[dict[str, Any]]]:
        """Yields the pages of a search that is read whole."""
        return self.client.pages(
            "a search of traces",
            lambda place: self.search(filter_string, most, **({"page_token": place} if place else {})),
            items="traces",
            next_place=("next_page_token",),
        )

    def _find_experiment(self, method: str, values: Mapping[str, str]) -> Mapping[str, Any] | None:
        try:
            reply = self.client.call("GET", f"/api/2.0/mlflow/experiments/{method}", params=values)
        except RefusedRequest as error:
            if is_missing(error):
                return None
            raise
        experiment = reply.get("experiment") if isinstance(reply, Mapping) else None
        if not isinstance(experiment, Mapping) or not isinstance(experiment.get("experiment_id"), str | int):
            raise self.client.wrong_form("the experiment", "no experiment with an id")
        return experiment

    def _known_experiments(self) -> str:
        body = {"max_results": 1000, "view_type": "ACTIVE_ONLY"}
        try:
            reply = self.client.call("POST", "/api/2.0/mlflow/experiments/search", json=body)
        except RefusedRequest:
            return "correct its name"
        listed = reply.get("experiments") if isinstance(reply, Mapping) else None
        names = [self.client.words(str(one.get("name"))) for one in listed or () if isinstance(one, Mapping)]
        return f"there are {quote_names(names, at_most=_MOST_NAMES)}" if names else "there are none yet"


def is_missing(refusal: RefusedRequest) -> bool:
    """Whether the server says that there is no such trace, assessment or experiment."""
    try:
        body = json.loads(refusal.body)
    except (ValueError, RecursionError):
        return False
    return isinstance(body, dict) and body.get("error_code") in {"RESOURCE_DOES_NOT_EXIST", "NOT_FOUND"}
