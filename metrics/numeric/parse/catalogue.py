"""All constructions. Their order means nothing."""

from . import changes, counts, extremes, patterns, references, relations, shares, values
from .construction import Construction

CONSTRUCTIONS: tuple[Construction, ...] = (
    *values.CONSTRUCTIONS,
    *extremes.CONSTRUCTIONS,
    *counts.CONSTRUCTIONS,
    *relations.CONSTRUCTIONS,
    *changes.CONSTRUCTIONS,
    *shares.CONSTRUCTIONS,
    *patterns.CONSTRUCTIONS,
    *references.CONSTRUCTIONS,
)
