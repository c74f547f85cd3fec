"""Values in units: what one is in another, which a series may be stated in, and when a stated value holds."""

from .tolerance import HEDGES, holds
from .units import (
    as_held,
    can_be_in,
    converted,
    counts_things,
    in_unit_of,
    is_currency,
    measured_by,
    possible,
    unit_and_power,
    unit_of,
)

__all__ = [
    "HEDGES",
    "as_held",
    "can_be_in",
    "converted",
    "counts_things",
    "holds",
    "in_unit_of",
    "is_currency",
    "measured_by",
    "possible",
    "unit_and_power",
    "unit_of",
]
