"""Values in units: what one is in another, and when a stated value holds."""

from .tolerance import HEDGES, holds
from .units import (
    convert,
    counts_things,
    is_currency,
    measured_by,
    unit_and_power,
)

__all__ = [
    "HEDGES",
    "convert",
    "counts_things",
    "holds",
    "is_currency",
    "measured_by",
    "unit_and_power",
]
