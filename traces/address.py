"""Where traces are kept, `phoenix://HOST:6006/PROJECT` and the like: its server, and what reads or writes there."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from ipaddress import ip_address
from typing import Any
from urllib.parse import unquote, urlsplit

from ..errors import InputError, UsageError
from ..installation import load_entry, registered_entries
from ..name_suggestions import nearest_names, quote_names
from ..value_messages import shorten
from .sink import Sink
from .source import Source

_HTTPS_PORT = 443
_OTLP_PATH = re.compile(r"/+v1/traces/*$")
_HOST = re.compile(r"[\w.-]+(:\d+)?|\[[\da-fA-F:.]+\](:\d+)?")


@dataclass(frozen=True, slots=True)
class TraceAddress:
    """The address of a project of traces, without keys: these come from the environment variables of the tool.

    Example:
        >>> address = TraceAddress.parse("phoenix://localhost:6006/support%20bot")
        >>> address.host, address.project, str(address)
        ('localhost:6006', 'support bot', 'phoenix://localhost:6006/support%20bot')
        >>> TraceAddress.parse("otel:logs/traces.json").project
        'logs/traces.json'
    """

    scheme: str  # the tool, as it is registered among the entry points `assay.sources` and `assay.sinks`
    host: str  # the server, with its port where one is given; empty for a file, or the tool's own server
    project: str  # the project's name, or the file's path
    text: str

    @classmethod
    def parse(cls, text: str) -> "TraceAddress":
        """Reads `SCHEME://HOST[:PORT]/PROJECT`, or `SCHEME:FILE`."""
        scheme, colon, rest = text.partition(":")
        if not colon or not scheme.replace("-", "").isalnum() or not rest:
            raise UsageError(f"{text!r} is no address of traces: write phoenix://HOST:6006/PROJECT, or otel:FILE")
        if not rest.startswith("//"):
            return cls(scheme.lower(), "", rest, text)
        try:
            parts = urlsplit(text)
        except ValueError as error:  # such as half of the brackets of an IPv6 address
            raise UsageError(f"{text!r} is no address of traces: {error}; write phoenix://HOST:6006/PROJECT") from None
        if parts.username is not None or parts.password is not None:
            raise UsageError("an address of traces holds no user and no key: set the environment variable of the tool")
        return cls(parts.scheme.lower(), parts.netloc, unquote(parts.path.strip("/")), text)

    def __str__(self) -> str:
        return self.text

    @property
    def is_file(self) -> bool:
        """Whether the traces are in a file, all of which is read each time; a server is asked for a period."""
        return not self.host and "://" not in self.text


def find_server_url(
    host: str, variables: Sequence[str], *, port: int, default: str = "", takes_user: bool = False
) -> str:
    """Finds the URL of a server: from its address, else from the variables of the tool's client, else the tool's own.

    Where such an environment variable names the host of the address, its URL counts, with its scheme and path (without
    that of OTLP, which some tools want there). Otherwise this machine is reached by http, at the tool's port where none
    is named; another host with a port by http, except at 443; and any other by https.
    """
    variable, named = next(
        (
            (name, url)
            for name in variables
            if (url := _OTLP_PATH.sub("", os.environ.get(name, "").strip()).rstrip("/"))
        ),
        ("", ""),
    )
    own_host = _host_of(named, takes_user=takes_user)
    if not host:
        if not named and not default:
            names = " or ".join(variables)
            raise UsageError(f"name the server: write HOST:{port} before the project, or set {names} to its URL")
        if named and not own_host:
            raise InputError(f"{variable} is no URL of a server: write https://HOST, without a user or a key")
        return named or default
    if own_host == host.lower():
        return named
    try:
        parts = urlsplit(f"//{host if _HOST.fullmatch(host) else ':'}")
        name, own_port = parts.hostname or "", parts.port
    except ValueError:
        name = ""
    if not name:
        raise UsageError(f"`{shorten(host)}` is no host: write HOST or HOST:PORT")
    if is_loopback(name):
        return f"http://{host}" if own_port else f"http://{host}:{port}"
    return f"https://{host}" if own_port in (None, _HTTPS_PORT) else f"http://{host}"


def _host_of(url: str, *, takes_user: bool) -> str:
    """The host of a URL, with its port, in lower case; empty where it is no URL of a server."""
    try:
        parts = urlsplit(url)
        is_server = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return ""
    has_user = parts.username is not None and not takes_user
    return parts.netloc.rpartition("@")[2].lower() if is_server and not has_user else ""


def is_loopback(name: str) -> bool:
    """Whether a host is this machine, by name or number."""
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


SOURCES = "assay.sources"
"""The entry points of the classes that read traces."""
SINKS = "assay.sinks"
"""The entry points of the classes that write scores."""


def open_source(address: str | TraceAddress) -> Source:
    """Opens what reads the traces of an address."""
    source: Source = _open(SOURCES, address)
    return source


def open_sink(address: str | TraceAddress) -> Sink:
    """Opens what writes scores to the traces of an address."""
    sink: Sink = _open(SINKS, address)
    return sink


def check_source(address: str) -> None:
    """Raises a UsageError where nothing reads the traces of an address; opens nothing."""
    _find_entry(SOURCES, TraceAddress.parse(address))


def check_sink(address: str) -> None:
    """Raises a UsageError where nothing writes scores to the traces of an address; opens nothing.

    A sink that has a `check` says itself what else an address has to have.
    """
    parsed = TraceAddress.parse(address)
    sink = load_entry(_find_entry(SINKS, parsed))
    if hasattr(sink, "check"):
        sink.check(parsed)


def _open(group: str, address: str | TraceAddress) -> Any:
    parsed = TraceAddress.parse(address) if isinstance(address, str) else address
    return load_entry(_find_entry(group, parsed))(parsed)


def _find_entry(group: str, address: TraceAddress) -> EntryPoint:
    entries = registered_entries(group)
    if address.scheme in entries:
        return entries[address.scheme]
    if address.scheme == "opik":
        raise UsageError(
            f"{address}: Opik is no longer read or written; send its traces by OpenTelemetry to a collector, and pull "
            "otel:FILE"
        )
    hint = "".join(f"did you mean `{name}`? " for name in nearest_names(address.scheme, entries)[:1])
    purpose = "pulled from" if group == SOURCES else "pushed to"
    raise UsageError(
        f"{address}: no traces can be {purpose} `{address.scheme}`: {hint}the tools are {quote_names(entries)}"
    )
