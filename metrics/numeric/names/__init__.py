"""What a text calls the series, columns and cells of a table."""

from .column_names import (
    content_words,
    halves,
    hints_of,
    inflections,
    is_predicate,
    meanings,
    means,
    name_words,
    names_without_participles,
    particle_of,
    polarity,
    says_mean,
)
from .mentions import Mention, Name, Names, shared_stems

__all__ = [
    "Mention",
    "Name",
    "Names",
    "content_words",
    "halves",
    "hints_of",
    "inflections",
    "is_predicate",
    "meanings",
    "means",
    "name_words",
    "names_without_participles",
    "particle_of",
    "polarity",
    "says_mean",
    "shared_stems",
]
