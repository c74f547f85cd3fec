"""The address of a trace's page in the tool that keeps it."""

from urllib.parse import quote

from ..errors import AssayError
from .address import TraceAddress
from .server_url import find_server_url

_PHOENIX_PORT = 6006


def trace_page_url(address: str, trace: str) -> str:
    """Returns the address of a trace's page, for a link that a person follows.

    Only Phoenix has addresses by a trace's id alone; those of other tools need ids that an address does not have.

    Returns:
        The address; "" where the tool has none.

    Examples:
        >>> trace_page_url("phoenix://localhost:6006/bot", "7f3a")
        'http://localhost:6006/redirects/traces/7f3a'
        >>> trace_page_url("langfuse://cloud.langfuse.com", "7f3a")
        ''
    """
    try:
        parsed = TraceAddress.parse(address)
        if parsed.scheme != "phoenix" or not parsed.host or not trace:
            return ""
        server = find_server_url(parsed.host, {}, port=_PHOENIX_PORT)
    except AssayError:
        return ""
    return f"{server}/redirects/traces/{quote(trace, safe='')}"
