"""The language that stands in for others; a module of its own, so that naming it loads no pack."""

FALLBACK = "en"
"""The language that stands in for one without a pack, and for one that is not known."""
