"""A claim that its tables cannot tell."""

from ...errors import AssayError


class Unverifiable(AssayError):
    """A claim cannot be checked against these tables; the text is the reason, for a person."""
