"""Values in units: what one is in another, and when a stated value holds."""

from .tolerance import HEDGES, holds
from .units import (
    converted,
    counts_things,
    is_currency,
    measured_by,
    unit_and_power,
)

__all__ = [
    "HEDGES",
    "converted",
    "counts_things",
    "holds",
    "is_currency",
    "measured_by",
    "unit_and_power",
]
