"""The address of a trace's page in the tool that keeps it."""

from urllib.parse import quote, urlsplit

from ..errors import UsageError
from .address import TraceAddress

_PHOENIX_PORT = 6006
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def trace_page_url(address: str, trace: str) -> str:
    """Returns the address of a trace's page, for a link that a person follows.

    Only Phoenix has addresses by a trace's id alone; those of other tools need ids that an address does not have.

    Args:
        address: The address of the project.
        trace: The trace's id.

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
        parts = urlsplit(f"//{parsed.host}")
        port = parts.port
    except (UsageError, ValueError):
        return ""
    if parsed.scheme != "phoenix" or not parts.hostname or not trace:
        return ""
    is_here = parts.hostname in _LOOPBACK
    host = f"{parsed.host}:{_PHOENIX_PORT}" if is_here and port is None else parsed.host
    scheme = "http" if is_here or port not in {None, 443} else "https"
    return f"{scheme}://{host}/redirects/traces/{quote(trace, safe='')}"
