"""Where traces are kept: `phoenix://HOST:6006/PROJECT` and the like."""

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from ..errors import UsageError


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
