"""Which class reads or writes the traces of an address: what Assay and other packages register by its scheme."""

from importlib.metadata import EntryPoint
from typing import Any

from ..errors import UsageError
from ..installation import load_entry, registered_entries
from ..name_suggestions import nearest_names, quote_names
from .address import TraceAddress
from .sink import Sink
from .source import Source

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
